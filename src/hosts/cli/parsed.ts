/** Arguments that commander parses: options, mistakes, help, and every command that writes. */
import type { Command } from "commander";
import { CommanderError } from "commander";
import { okReply } from "../../engine/entity/reply.ts";
import { EXIT, TaskfoldError } from "../../errors.ts";
import { failed } from "./failed.ts";
import type { Io } from "./io.ts";
import type { Human, CliResult } from "./cli_result.ts";
import { buildProgram } from "./program.ts";
import type { Globals } from "./session.ts";

export async function parsedOutcome(argv: readonly string[], io: Io): Promise<CliResult> {
  // The commands that are named do for nearly every call; all of them know what to say of the rest.
  return (await parsed(argv, io, argv)) ?? (await parsed(argv, io))!;
}

/** What came of it; undefined where a program of `only` these commands has no command for it, or something to say of its own. */
async function parsed(argv: readonly string[], io: Io, only?: readonly string[]): Promise<CliResult | undefined> {
  const said: Human = { out: "", err: "" };
  let outcome: CliResult | undefined;
  const program = buildProgram(
    io,
    said,
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
    if (!(e instanceof CommanderError)) return failed(intent, e, io, program.opts<Globals>());
    if (only) return undefined;
    if (e.exitCode === 0) return told(intent, said.out);
    const usage = await failed(intent, usageError(said.err, commandOf(program)), io);
    return isHelp(said.err) ? { ...usage, human: () => said } : usage;
  }
}

/** The tool that was to be called, else the command, else the program. */
function intentOf(args: readonly string[]): string {
  const [command, tool] = args.filter((word) => !word.startsWith("-"));
  if (command === "packet" && tool !== undefined && /^[a-z-]+$/.test(tool)) return packetIntent(tool);
  return (command === "call" ? tool : undefined) ?? command ?? "taskfold";
}

/** Commands of packets whose tool has another name. */
const PACKET_TOOLS: Record<string, string> = {
  create: "packet_define",
  start: "packet_stage_start",
  finish: "packet_stage_finish",
  reopen: "packet_stage_reopen",
  "reset-budget": "packet_budget_reset",
};

function packetIntent(command: string): string {
  const named = Object.hasOwn(PACKET_TOOLS, command) ? PACKET_TOOLS[command] : undefined;
  return named ?? `packet_${command.replaceAll("-", "_")}`;
}

/** Help and version, which were asked for. */
function told(intent: string, text: string): CliResult {
  const json = okReply(intent, { text }, [], []);
  return { exit: EXIT.ok, json, human: () => ({ out: text, err: "" }) };
}

/** The command that the words name, as far as they name one. */
function commandOf(program: Command): Command {
  let command = program;
  for (const word of program.args) {
    const inner = command.commands.find((one) => [one.name(), ...one.aliases()].includes(word));
    if (!inner) break;
    command = inner;
  }
  return command;
}

/** What commander said of the arguments; of the whole help that it says when there is no command, what is wrong. */
function usageError(text: string, command: Command): TaskfoldError {
  const said = text
    .trim()
    .replace(/^error: /, "")
    .replaceAll("\n", " ");
  const message = isHelp(text) ? "Expected a command, found none." : said;
  const names = command.parent ? [...(command.parent.parent ? [command.parent.name()] : []), command.name()] : [];
  const recovery =
    names.length === 0
      ? "taskfold --help lists commands and options."
      : `Usage: taskfold ${names.join(" ")} ${command.usage()}; taskfold help ${names.join(" ")} tells more.`;
  return new TaskfoldError("INVALID_INPUT", message, { recovery });
}

function isHelp(text: string): boolean {
  return text.startsWith("Usage:");
}
