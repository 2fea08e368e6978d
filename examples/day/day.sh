#!/bin/sh
# A person's day with Taskfold: a task from the first command to the archive, two branches, and two merges.
#   sh examples/day/day.sh [FOLDER]
# FOLDER is empty or not there yet, and stays. Without one the day happens in a temporary folder. TASKFOLD names another
# program than the one of this clone, which `npm run build` makes. A command that should fail and passes ends the script.
set -eu

here=$(cd "$(dirname "$0")/../.." && pwd)
taskfold() { if [ -n "${TASKFOLD:-}" ]; then "$TASKFOLD" "$@"; else node "$here/dist/cli.cjs" "$@"; fi; }
say() { printf '\n## %s\n' "$*"; }
# Prints a command as a person types it.
typed() {
  printf '$'
  for word in "$@"; do
    case $word in *[!A-Za-z0-9_./:=-]*) printf ' "%s"' "$word" ;; *) printf ' %s' "$word" ;; esac
  done
  printf '\n'
}
it() { typed "$@"; "$@"; }
# The same for a command that is to be refused.
no() { typed "$@"; if "$@" 2>&1; then echo "expected a refusal of: $*" >&2; exit 1; fi; }

folder=${1:-}
if [ -z "$folder" ]; then folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT; fi
mkdir -p "$folder"
if [ -n "$(ls -A "$folder")" ]; then echo "expected an empty folder: $folder" >&2; exit 2; fi
cd "$folder"

say "A repository with a program whose test fails"
it git init --quiet --initial-branch main
git config user.name "Ada Lovelace" && git config user.email ada@example.com
echo 'echo "Hello, $1"' > greet.sh
echo 'test "$(sh greet.sh Bob)" = "Hello, Bob!"' > test.sh

say "Morning: a plan, and a task with two steps"
it taskfold init --workspace ada/greet
it taskfold plan add "Version 1"
it taskfold add "Greet with a mark" --plan 1 \
  --step "Say it loudly" --criteria "the greeting ends with !" --test "sh test.sh" \
  --step "Tell users" --criteria "README names the command"
git add . && git commit --quiet --message "A task"
it taskfold ready

say "The first step: a run that fails is evidence, too, and closes nothing"
it taskfold claim 1 loudly --for 2h
no taskfold run 1 loudly --close -- sh test.sh
no taskfold done 1 loudly
echo 'echo "Hello, $1!"' > greet.sh
it taskfold run 1 loudly --close -- sh test.sh
it taskfold note 1 "The mark is part of the greeting, not of the name." --step loudly
git add . && git commit --quiet --message "Say it loudly"

say "A change of mind"
it taskfold edit 1 --priority CRITICAL
it taskfold undo 1
git add . && git commit --quiet --message "A change of mind"

say "Noon: the same task on two branches"
it git switch --quiet --create readme
echo 'Run `sh greet.sh NAME`.' > README.md
it taskfold done 1 users --confirm gate
git add . && git commit --quiet --message "Tell users"
it git switch --quiet main
it taskfold note 1 "Bob asks for a version in French."
git add . && git commit --quiet --message "A wish"

say "Review: what the branch changed in tasks"
it taskfold diff main readme --merge-base

say "A merge without the driver stops at the folded files; resolve writes them from the joined log"
no git merge --quiet readme
it taskfold resolve --stage
git commit --quiet --message "Merge readme"

say "A merge with the driver stops at nothing"
it taskfold git install
it git switch --quiet --create french
it taskfold add "Greet in French" --plan 1 --step "Say bonjour" --test "sh test.sh fr"
it taskfold edit 1 --tag french
git add . && git commit --quiet --message "A wish becomes a task"
it git switch --quiet main
it taskfold note 1 "Carol tried it, too."
git add . && git commit --quiet --message "Carol's word"
it git merge --quiet --no-edit french
it taskfold verify

say "Evening: the task is done and goes to the archive"
it taskfold done 1
it taskfold archive 1
git add . && git commit --quiet --message "The day is over"
it taskfold list
it taskfold show 1
it taskfold status
it taskfold verify --git
