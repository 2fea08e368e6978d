/** The command line as a function: arguments in, text out, an exit code back. */
import { safeJson } from "./text/safe_text.ts";
import { failed } from "./failed.ts";
import type { Io } from "./io.ts";
import type { CliResult } from "./cli_result.ts";
import { plainCommand } from "./plain_command.ts";
import { Session } from "./session.ts";

/** Never throws for what a user may do wrong; the exit codes are those of `src/errors.ts` (CLI-6). */
export async function runCli(argv: readonly string[], io: Io): Promise<number> {
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
  try {
    return await plain.run(new Session(io, { json: wantsJson(argv) }));
  } catch (e) {
    return failed(plain.name, e, io);
  }
}

/** Looked up by hand: it counts also when the arguments cannot be parsed. */
function wantsJson(argv: readonly string[]): boolean {
  const end = argv.indexOf("--");
  return argv.slice(0, end === -1 ? argv.length : end).includes("--json");
}
