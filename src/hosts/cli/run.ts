/** The command line as a function: arguments in, text out, an exit code back. */
import { CommanderError } from "commander";
import { errorReply } from "../../engine/reply.ts";
import { EXIT, TaskfoldError } from "../../errors.ts";
import type { Io } from "./io.ts";
import type { Human, Outcome } from "./outcome.ts";
import { exitOf } from "./outcome.ts";
import { buildProgram } from "./program.ts";
import { safeJson } from "./safe_text.ts";

/** Never throws for what a user may do wrong; the exit codes are those of `src/errors.ts` (CLI-6). */
export async function runCli(argv: readonly string[], io: Io): Promise<number> {
  const outcome = await outcomeOf(argv, io);
  if (wantsJson(argv)) {
    io.stdout(`${safeJson(outcome.json)}\n`);
  } else {
    const { out, err } = outcome.human();
    if (out !== "") io.stdout(out);
    if (err !== "") io.stderr(err);
  }
  return outcome.exit;
}

async function outcomeOf(argv: readonly string[], io: Io): Promise<Outcome> {
  const said: Human = { out: "", err: "" };
  let outcome: Outcome | undefined;
  const program = buildProgram(io, said, (o) => {
    outcome = o;
  });
  try {
    await program.parseAsync(argv, { from: "user" });
    if (outcome) return outcome;
    throw new TaskfoldError("INVALID_INPUT", "Expected a command, found none.");
  } catch (e) {
    if (e instanceof CommanderError) return usage(e, said, program.args[0]);
    return failed(e, program.args[0], io);
  }
}

/** Help and version were asked for; everything else that commander ends with is a mistake in the arguments. */
function usage(e: CommanderError, said: Human, command: string | undefined): Outcome {
  const asked = e.exitCode === 0;
  const text = (asked ? said.out : said.err).trim();
  const intent = command ?? "taskfold";
  const json = asked
    ? { success: true, intent, result: { text }, warnings: [], suggestions: [], error: null }
    : errorReply(
        intent,
        new TaskfoldError("INVALID_INPUT", firstLine(text), {
          recovery: "taskfold --help lists commands and options.",
        }),
      );
  return { exit: asked ? EXIT.ok : EXIT.usage, json, human: () => said };
}

function firstLine(text: string): string {
  const line = text.split("\n", 1)[0] ?? "";
  return line.startsWith("Usage:") ? "Expected a command, found none." : line.replace(/^error: /, "");
}

async function failed(e: unknown, command: string | undefined, io: Io): Promise<Outcome> {
  const reply = errorReply(command ?? "taskfold", e);
  const { errorText } = await import("./reply_text.ts");
  const { createColors } = await import("picocolors");
  const look = { program: "taskfold", colors: createColors(io.color) };
  return { exit: exitOf(reply), json: reply, human: () => ({ out: "", err: errorText(reply, look) }) };
}

/** Looked up by hand: it counts also when the arguments cannot be parsed. */
function wantsJson(argv: readonly string[]): boolean {
  const end = argv.indexOf("--");
  return argv.slice(0, end === -1 ? argv.length : end).includes("--json");
}
