/** The command line as a function: arguments in, text out, an exit code back. */
import { safeJson } from "./text/safe_text.ts";
import { failed } from "./failed.ts";
import type { Io } from "./io.ts";
import type { CliResult } from "./cli_result.ts";
import { commandsNamed, commands } from "./commands/index.ts";
import type { CommandDefinition } from "./command/define.ts";
import { Session } from "./session.ts";
import { OF_MACHINE } from "../onboard/start_command.ts";

/** Never throws for what a user may do wrong; the exit codes are those of `src/errors.ts` (CLI-6). */
export async function runCli(argv: readonly string[], given: Io): Promise<number> {
  // Programs that read JSON find the same words wherever this one was started (CLI-7).
  const io = wantsJson(argv) ? { ...given, command: OF_MACHINE } : given;
  const outcome = await outcomeOf(argv, io);
  if (!outcome.silent) print(outcome, argv, io);
  return io.ended ? io.ended(outcome.exit) : outcome.exit;
}

function print(outcome: CliResult, argv: readonly string[], io: Io): void {
  if (wantsJson(argv)) {
    io.stdout(`${safeJson(outcome.json)}\n`);
  } else {
    const { out, err } = outcome.human();
    if (out !== "") io.stdout(out);
    if (err !== "") io.stderr(err);
  }
}

async function outcomeOf(argv: readonly string[], io: Io): Promise<CliResult> {
  const plain = plainCommand(argv);
  if (!plain) return (await import("./parsed.ts")).parsedOutcome(argv, io);
  const { definition, args } = plain;
  try {
    const session = new Session(io, { json: wantsJson(argv) }, commands);
    return await definition.run!(session, args as never, {} as never, { behindDashes: 0, help: noHelp, commands });
  } catch (e) {
    return failed(definition.name, e, io, commands);
  }
}

function noHelp(): undefined {
  return undefined;
}

/** Undefined where there is anything to parse but a command, the id that it may have, and `--json`. */
function plainCommand(argv: readonly string[]): { definition: CommandDefinition; args: string[] } | undefined {
  const [name, ...args] = argv.filter((word) => word !== "--json");
  const [definition] = commandsNamed(name === undefined ? [] : [name]);
  if (!definition?.isPlain || args.length > (definition.arguments ?? []).length) return undefined;
  return args.some((word) => word.startsWith("-")) ? undefined : { definition, args };
}

/** Looked up by hand: it counts also when the arguments cannot be parsed. */
function wantsJson(argv: readonly string[]): boolean {
  const end = argv.indexOf("--");
  return argv.slice(0, end === -1 ? argv.length : end).includes("--json");
}
