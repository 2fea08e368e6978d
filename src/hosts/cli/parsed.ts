/** Arguments that commander parses: options, mistakes, help, and every command that writes. */
import type { Command } from "commander";
import { CommanderError } from "commander";
import { okReply } from "../../engine/entity/reply.ts";
import { EXIT, TaskfoldError } from "../../errors.ts";
import { failed } from "./failed.ts";
import { commandMeant } from "./command_meant.ts";
import { commandsNamed, commands } from "./commands/index.ts";
import type { Io } from "./io.ts";
import type { Human, CliResult } from "./cli_result.ts";
import { buildProgram } from "./program.ts";
import { remedy, TASKFOLD } from "../../remedy.ts";
import { programOf } from "./session.ts";
import type { Globals } from "./session.ts";

export async function parsedOutcome(argv: readonly string[], io: Io): Promise<CliResult> {
  // The commands that are named do for nearly every call; all of them know what to say of the rest.
  return (await parsed(argv, io, argv)) ?? (await parsed(argv, io))!;
}

/** Runs the command; undefined where a program of `only` these commands has no command for it, or a text of its own. */
async function parsed(argv: readonly string[], io: Io, only?: readonly string[]): Promise<CliResult | undefined> {
  const printed: Human = { out: "", err: "" };
  let outcome: CliResult | undefined;
  const program = buildProgram(
    io,
    printed,
    (o) => {
      outcome = o;
    },
    only,
  );
  if (only && program.commands.length === 0) return undefined;
  try {
    await program.parseAsync(argv, { from: "user" });
    if (outcome) return outcome;
    throw new TaskfoldError("INVALID_INPUT", "Expected a command, found none.");
  } catch (e) {
    const intent = intentOf(program.args);
    if (!(e instanceof CommanderError)) return failed(intent, e, io, commands, program.opts<Globals>());
    if (only) return undefined;
    if (e.code === "commander.version") return (await import("./version.ts")).version();
    if (e.exitCode === 0) return helpResult(intent, printed.out);
    const meant = otherCommand(program, e, programOf(io));
    const usage = await failed(intent, meant ?? usageError(printed.err, namedIn(program)), io, commands);
    return isHelp(printed.err) ? { ...usage, human: () => printed } : usage;
  }
}

/** The tool that was to be called, else the command, else the program. */
function intentOf(args: readonly string[]): string {
  const [command, tool] = args.filter((word) => !word.startsWith("-"));
  if (command === "packet" && tool !== undefined && /^[a-z-]+$/.test(tool))
    return (
      commandsNamed([command])[0]?.commands?.find(({ name }) => name === tool)?.intent ??
      `packet_${tool.replaceAll("-", "_")}`
    );
  return (command === "call" ? tool : undefined) ?? command ?? "taskfold";
}

/** Help that was asked for. */
function helpResult(intent: string, text: string): CliResult {
  const json = okReply(intent, { text }, [], []);
  return { exit: EXIT.ok, json, human: () => ({ out: text, err: "" }) };
}

/** The command that the words name, as far as they name one. */
function namedIn(program: Command): Command {
  let command = program;
  for (const word of program.args) {
    const inner = command.commands.find((one) => [one.name(), ...one.aliases()].includes(word));
    if (!inner) break;
    command = inner;
  }
  return command;
}

const LISTS = remedy`${TASKFOLD} --help lists commands and options.`;

/** The error for a command that has another name here; undefined where the names alone are near. */
function otherCommand({ args }: Command, { code }: CommanderError, program: string): TaskfoldError | undefined {
  const [found = "", id = ""] = args.map((word) => word.slice(0, 80));
  const excess = code === "commander.excessArguments" ? commandsNamed([found])[0]?.excess?.(id, program) : undefined;
  if (excess !== undefined) return new TaskfoldError("INVALID_INPUT", excess, LISTS);
  if (code !== "commander.unknownCommand") return undefined;
  const command = commandMeant(args, commands());
  if (command === undefined) return undefined;
  const message = `Expected a command, found ${JSON.stringify(found)}. Did you mean ${program} ${command}?`;
  return new TaskfoldError("INVALID_INPUT", message, LISTS);
}

/** The error for what commander said of the arguments. Without a command it says the whole help, and the error says what is wrong. */
function usageError(text: string, command: Command): TaskfoldError {
  const words = text
    .trim()
    .replace(/^error: /, "")
    .replaceAll("\n", " ");
  const message = isHelp(text) ? "Expected a command, found none." : words;
  const names = command.parent ? [...(command.parent.parent ? [command.parent.name()] : []), command.name()] : [];
  const recovery =
    names.length === 0
      ? LISTS
      : remedy`Usage: ${TASKFOLD} ${names.join(" ")} ${command.usage()}; ${TASKFOLD} help ${names.join(" ")} tells more.`;
  return new TaskfoldError("INVALID_INPUT", message, recovery);
}

function isHelp(text: string): boolean {
  return text.startsWith("Usage:");
}
