/** Calls and tools in an answer, as the commands that people have for them (CLI-7). */
import { shellQuote } from "../../state/shell_quote.ts";
import type { JsonObject } from "../../index.ts";
import { remedyParts } from "../../remedy.ts";
import type { Remediable, RemedyPart } from "../../remedy.ts";
import type { Look } from "./text/look.ts";
import type { CommandWords } from "./command/call_words.ts";
import { CallArgs, onWhole } from "./command/call_words.ts";

type Commands = readonly CommandWords[];

/** Undefined for a call that no command makes. `intent`: the call that was refused. */
export function everydayCommand(
  commands: Commands,
  tool: string,
  given: JsonObject,
  intent: string,
): string | undefined {
  const words = tool === "tasks_focus_set" ? named(commands, given, intent) : made(commands, tool, given, intent);
  return words?.map((word) => (/^[A-Za-z0-9_.:,-]+$/.test(word) ? word : shellQuote(word))).join(" ");
}

/** The words of the first command that takes up every argument of the call. */
function made(commands: Commands, tool: string, given: JsonObject, intent: string): string[] | undefined {
  for (const { name, calls, commands: inner } of commands) {
    const args = new CallArgs(given);
    const words = calls && Object.hasOwn(calls, tool) ? calls[tool]!(args, intent) : undefined;
    const found = words && args.isUsedUp ? words : inner && made(inner, tool, given, intent);
    if (found) return [name, ...found];
  }
  return undefined;
}

/** A person who named nothing is shown the same command with an id: to set a focus is for callers of tools. */
function named(commands: Commands, given: JsonObject, intent: string): string[] | undefined {
  const name = commandFor(commands, intent);
  const args = new CallArgs(given);
  const words = name === undefined ? undefined : onWhole()(args, intent);
  return words && args.isUsedUp ? [...name!.split(" "), ...words] : undefined;
}

/** The command that people have for a tool, also one below another: `packet plan`. */
function commandOfTool(commands: Commands, tool: string): string | undefined {
  for (const { name, tools, commands: inner = [] } of commands) {
    if (tools?.includes(tool)) return name;
    const below = commandOfTool(inner, tool);
    if (below !== undefined) return `${name} ${below}`;
  }
  return undefined;
}

/** The command that made a call, which is a tool's or has the name of the command; undefined where none did. */
function commandFor(commands: Commands, intent: string): string | undefined {
  return commandOfTool(commands, intent) ?? (/^[a-z]+$/.test(intent) ? intent : undefined);
}

/** A command takes no JSON: its help has its arguments. */
function helpOn(commands: Commands, program: string, intent: string): string {
  const name = commandFor(commands, intent);
  return name === undefined ? `${program} tools ${intent}` : `${program} help ${name}`;
}

/** A remedy in the words of the command line: a tool goes by its command, the program by what starts it (CLI-7). */
export function withCommands(
  { commands, program, programIn }: Pick<Look, "commands" | "program" | "programIn">,
  from: Remediable,
  intent = "",
): string {
  const words = (part: RemedyPart): string => {
    if (typeof part === "string") return part;
    if ("forCallers" in part) return `${helpOn(commands(), program, intent)} tells more.`;
    if ("program" in part) return part.folder === undefined ? program : (programIn?.(part.folder) ?? part.text);
    const { tool, input, ahead = "" } = part;
    const made = input && everydayCommand(commands(), tool, input as JsonObject, intent);
    return `${ahead}${program} ${made ?? commandOfTool(commands(), tool) ?? `call ${tool}`}`;
  };
  return remedyParts(from).map(words).join("");
}
