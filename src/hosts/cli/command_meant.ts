/** Commands that users of gh, bd, Taskwarrior and Backlog.md type, and the commands that do the same here. */
import { shellQuote } from "../../state/shell_quote.ts";
import type { CommandDefinition } from "./command/define.ts";

type Commands = readonly CommandDefinition[];

/** The command that these words mean here; undefined where they mean none. */
export function commandMeant(words: readonly string[], commands: Commands): string | undefined {
  const [first = "", second = ""] = words;
  const kind = ofKind(first, commands);
  if (kind !== undefined) {
    const command = named(second, commands);
    return command === undefined || command === "add" ? kind : command;
  }
  // Taskwarrior has the id first.
  if (/^(?:(?:task|plan)-?)?\d+$/i.test(first)) return `${named(second, commands) ?? "show"} ${shellQuote(first)}`;
  return named(first, commands);
}

/** The command that makes one of this kind: `gh issue create`, `backlog task list`, `bd epic status`. */
function ofKind(word: string, commands: Commands): string | undefined {
  for (const { name, kinds, commands: inner = [] } of commands) {
    if (kinds?.includes(word)) return name;
    const found = ofKind(word, inner);
    if (found !== undefined) return `${name} ${found}`;
  }
  return undefined;
}

function named(word: string, commands: Commands): string | undefined {
  const found = commands.find(({ words }) => words && Object.hasOwn(words, word));
  if (found) return [found.name, ...(found.words![word] === "" ? [] : [found.words![word]])].join(" ");
  return commands.find(({ name }) => name === word)?.name;
}
