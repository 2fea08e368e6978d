/**
 * Ends the process groups of this process when it dies, also by SIGKILL. A small shell in a session of its own reads a pipe that only this process holds open. The end of the pipe is the death of its
 * writer. It starts with the first group and ends with this process.
 */
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { GRACE_MS, SHELL } from "../runtime.ts";

/**
 * `+GROUP` adds a group, `-GROUP` removes one. At the end of the pipe the rest is ended; $1: seconds until SIGKILL. `members` prints
 * the processes of a session that run, by /proc, and nothing where there is none.
 */
const GUARD = `trap '' HUP INT QUIT TERM
groups=
while IFS= read -r line; do
  case $line in
    +*) groups="$groups \${line#+}" ;;
    -*)
      left=
      for group in $groups; do [ "$group" = "\${line#-}" ] || left="$left $group"; done
      groups=$left ;;
  esac
done
members() {
  for file in /proc/[0-9]*/stat; do
    { IFS= read -r stat < "$file"; } || continue
    pid=\${file%/stat}
    set -- "$1" "\${pid#/proc/}" \${stat##*) }
    [ "$6" = "$1" ] && [ "$3" != Z ] && echo "$2"
  done
}
signal() {
  for group in $groups; do
    kill -s "$1" -- "-$group"
    for pid in $(members "$group"); do kill -s "$1" "$pid"; done
  done
}
signal TERM
waited=0
while [ "$waited" -lt "$1" ]; do
  left=
  for group in $groups; do { kill -s 0 -- "-$group" || [ -n "$(members "$group")" ]; } && left="$left $group"; done
  groups=$left
  [ -n "$groups" ] || exit 0
  sleep 1
  waited=$((waited + 1))
done
signal KILL
`;

const guarded = new Set<number>();
let guard: ChildProcess | undefined;

/** The pipe takes the line before this returns, so a group that starts afterwards does not outlive this process. */
export function guardGroup(group: number): void {
  guarded.add(group);
  if (guard) tell(guard, `+${group}`);
  else startGuard();
}

/** The group has ended; its number may be given to other processes. */
export function releaseGroup(group: number): void {
  guarded.delete(group);
  if (guard) tell(guard, `-${group}`);
}

function startGuard(): void {
  const started = spawn(SHELL, ["-c", GUARD, "taskfold-guard", String(GRACE_MS / 1000)], {
    detached: true,
    cwd: "/",
    stdio: ["pipe", "ignore", "ignore"],
  });
  guard = started;
  // A guard that was killed, or that could not start: the next group starts another one, which takes over all of them.
  const forget = (): void => {
    if (guard === started) guard = undefined;
  };
  started.on("error", forget);
  started.on("exit", forget);
  started.stdin?.on("error", forget);
  for (const group of guarded) tell(started, `+${group}`);
  started.unref();
  // The type says Writable; a pipe of a child is a socket, which would keep this process alive.
  (started.stdin as (NodeJS.WritableStream & { unref?: () => void }) | null)?.unref?.();
}

function tell(to: ChildProcess, line: string): void {
  to.stdin?.write(`${line}\n`);
}
