/** `taskfold completion`: a script for the shell, which asks the program for the words that fit. */
import { okReply } from "../../engine/entity/reply.ts";
import { EXIT } from "../../errors.ts";
import { wholeContext } from "../../tools/tasks_context.ts";
import type { CliResult } from "./cli_result.ts";
import { CONFIRMATIONS } from "./command/checkpoint_names.ts";
import type { CommandDefinition, Completes, OptionDefinition } from "./command/define.ts";
import { GLOBALS, VERSION } from "./command/values.ts";
import { pageOf } from "./page.ts";
import { reading } from "./read.ts";
import { safeLine } from "./text/safe_text.ts";
import { Session } from "./session.ts";

/** Each calls `taskfold __complete WORD...`, the last word being the one that is not whole, and gets lines of word, tab, help. */
const SCRIPTS: Record<string, string> = {
  bash: `_taskfold() {
  local IFS=$'\\n' cur="\${COMP_WORDS[COMP_CWORD]}" line
  COMPREPLY=()
  while IFS= read -r line; do
    line="\${line%%$'\\t'*}"
    [[ "$line" == "$cur"* ]] && COMPREPLY+=("$line")
  done < <(taskfold __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  if [[ "$cur" == *:* && "$COMP_WORDBREAKS" == *:* ]]; then
    local i; for i in "\${!COMPREPLY[@]}"; do COMPREPLY[i]="\${COMPREPLY[i]#"\${cur%"\${cur##*:}"}"}"; done
  fi
}
complete -o default -F _taskfold taskfold
`,
  zsh: `#compdef taskfold
_taskfold() {
  local -a found; local line word help
  while IFS= read -r line; do
    word="\${line%%$'\\t'*}"; help="\${line#*$'\\t'}"
    found+=("\${word//:/\\\\:}\${help:+:$help}")
  done < <(taskfold __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)
  _describe 'taskfold' found
}
if [ "$funcstack[1]" = "_taskfold" ]; then _taskfold "$@"; else compdef _taskfold taskfold; fi
`,
  fish: `complete -c taskfold -f -a '(taskfold __complete -- (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null)'
`,
};

export function completion(shell: string): CliResult {
  const script = SCRIPTS[shell]!;
  return {
    exit: EXIT.ok,
    json: okReply("completion", { shell, script }, [], []),
    human: () => ({ out: script, err: "" }),
  };
}

type Commands = readonly CommandDefinition[];

interface Word {
  word: string;
  help: string;
}

/** Words that may stand in the place of the last one. */
export async function complete(session: Session, commands: Commands, words: readonly string[]): Promise<CliResult> {
  const root = { name: "taskfold", options: [...GLOBALS, VERSION], commands };
  const found = await fitting(session, root, words);
  const lines = found.map(({ word, help }) => `${word}\t${safeLine(help)}\n`).join("");
  return {
    exit: EXIT.ok,
    json: okReply("__complete", { words: found.map((one) => ({ ...one })) }, [], []),
    human: () => ({ out: lines, err: "" }),
  };
}

function plain(words: readonly string[]): Word[] {
  return words.map((word) => ({ word, help: "" }));
}

async function topics(): Promise<string[]> {
  return Object.keys((await import("./help_topics.ts")).TOPICS);
}

async function toolNames(): Promise<string[]> {
  return Object.keys((await import("../../tools/index.ts")).TOOLS);
}

/** The place that the words name by -C. */
function placeNamed(session: Session, before: readonly string[]): Session {
  const at = before.lastIndexOf("-C");
  const named = at === -1 ? undefined : before[at + 1];
  return named === undefined ? session : new Session(session.io, { C: named }, session.commands);
}

async function fitting(outer: Session, root: CommandDefinition, words: readonly string[]): Promise<Word[]> {
  const [before, last = ""] = [words.slice(0, -1), words.at(-1)];
  const session = placeNamed(outer, before);
  if (before.includes("--")) return [];
  const { command, operands, option } = placeOf(root, before);
  const begins = (all: readonly Word[]): Word[] => all.filter(({ word }) => word.startsWith(last));
  const offered = async (what: Completes | undefined): Promise<Word[]> => {
    switch (what) {
      case "ids":
        return ids(session, last);
      case "plans":
        return ids(session, last, ["plans"]);
      case "archived ids":
        return archivedIds(session, last);
      case "steps":
        return begins(await steps(session, operands[0]));
      case "confirmations":
        return begins(plain(CONFIRMATIONS));
      case "tools":
        return begins(plain(await toolNames()));
      case "topics":
        return begins([...shownOf(root), ...plain(await topics())]);
      case undefined:
        return [];
    }
  };
  if (option) return option.choices ? begins(plain(option.choices)) : offered(option.completes);
  if (last.startsWith("-"))
    return begins((command.options ?? []).map(({ flags, help = "" }) => ({ word: nameOf(flags), help })));
  if (command.commands) return begins(shownOf(command));
  const all = command.arguments ?? [];
  const argument = all[operands.length] ?? all.at(-1);
  if (argument?.choices) return begins(plain(argument.choices));
  const what = argument?.completes;
  return offered(typeof what === "object" ? what[operands.length] : what);
}

/** Commands that are shown, with what they do. */
function shownOf({ commands = [] }: CommandDefinition): Word[] {
  return commands.flatMap(({ name, description, isHidden }) =>
    isHidden ? [] : [{ word: name, help: description ?? "" }],
  );
}

/** The long form of an option, else the short one. */
function nameOf(flags: string): string {
  return /--[a-z-]+/.exec(flags)?.[0] ?? flags.split(" ")[0]!;
}

/** The command that stands before the last word, what stands behind that, and the option that waits for its value. */
function placeOf(root: CommandDefinition, before: readonly string[]) {
  let command = root;
  let option: OptionDefinition | undefined;
  const operands: string[] = [];
  for (const word of before) {
    if (option) {
      option = undefined;
    } else if (word.startsWith("-")) {
      const known = [...(command.options ?? []), ...root.options!].find(({ flags }) => nameOf(flags) === word);
      option = known && /[<[]/.test(known.flags) ? known : undefined;
    } else {
      const inner =
        operands.length === 0 ? command.commands?.find((one) => one.name === word && !one.isHidden) : undefined;
      if (inner) command = inner;
      else operands.push(word);
    }
  }
  return { command, operands, option };
}

type Part = "plans" | "tasks";

/** More than this no person reads. */
const MOST = 200;

async function ids(session: Session, begin: string, parts: readonly Part[] = ["plans", "tasks"]): Promise<Word[]> {
  if (!session.isWorkspace()) return [];
  return reading(session, async (call) => {
    const { result } = await call(wholeContext, {});
    const rows = parts.flatMap((part) => result?.[part] ?? []) as unknown as {
      id: string;
      title: string;
      status: string;
    }[];
    return shown(rows, begin);
  });
}

/** The first of those that begin so. */
function shown(rows: readonly { id: string; title: string; status: string }[], begin: string): Word[] {
  return rows
    .filter(({ id }) => id.startsWith(begin))
    .slice(0, MOST)
    .map(({ id, title, status }) => ({ word: id, help: `${title} (${status})` }));
}

async function archivedIds(session: Session, begin: string): Promise<Word[]> {
  if (!session.isWorkspace()) return [];
  return reading(session, async (call) => {
    const { result } = await call(wholeContext, { archived: true });
    const rows = (result?.["tasks"] ?? []) as unknown as {
      id: string;
      title: string;
      status: string;
      deleted?: true;
    }[];
    return shown(
      rows.filter((row) => !row.deleted),
      begin,
    );
  });
}

async function steps(session: Session, id: string | undefined): Promise<Word[]> {
  if (id === undefined || !session.isWorkspace()) return [];
  const { step_list: all } = await pageOf(session, session.meant(id));
  return all.map(({ path, title, done }) => ({ word: path, help: `${title}${done ? " (closed)" : ""}` }));
}
