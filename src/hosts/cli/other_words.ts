/** Commands that users of gh, bd, Taskwarrior and Backlog.md type, and the commands that do the same here. */
import { shellQuote } from "../../state/shell_quote.ts";

const WORDS: Record<string, string> = {
  annotate: "note",
  assign: "claim",
  blocked: "list --blocked",
  children: "list --plan",
  close: "done",
  cleanup: "archive --done-before",
  comment: "note",
  create: "add",
  delete: "rm",
  dep: "edit --depends-on",
  finish: "done",
  find: "search",
  get: "show",
  grep: "search",
  info: "show",
  kanban: "board",
  modify: "edit",
  new: "add",
  next: "ready",
  remove: "rm",
  serve: "view",
  start: "claim",
  stats: "status",
  stop: "release",
  sync: "resolve",
  update: "edit",
};

/** Groups of commands elsewhere: `gh issue create`, `backlog task list`, `bd epic status`. */
const KINDS: Record<string, string> = { issue: "add", task: "add", project: "plan add", epic: "plan add" };

/** The command that these words mean here; undefined where they mean none. `commands`: the names of all that there are. */
export function commandMeant(words: readonly string[], commands: readonly string[]): string | undefined {
  const [first = "", second = ""] = words;
  const here = (word: string): string | undefined =>
    Object.hasOwn(WORDS, word) ? WORDS[word] : commands.includes(word) ? word : undefined;
  if (Object.hasOwn(KINDS, first)) {
    const command = here(second);
    return command === undefined || command === "add" ? KINDS[first] : command;
  }
  // Taskwarrior has the id first.
  if (/^(?:(?:task|plan)-?)?\d+$/i.test(first)) return `${here(second) ?? "show"} ${shellQuote(first)}`;
  return here(first);
}
