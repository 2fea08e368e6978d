/** `taskfold run`: a command whose output and exit code become evidence. */
import { spawn } from "node:child_process";
import { relative } from "node:path";
import { StringDecoder } from "node:string_decoder";
import { constants } from "node:os";
import type { Readable } from "node:stream";
import { shellQuote } from "../../state/shell_quote.ts";
import { okReply } from "../../engine/entity/reply.ts";
import { TaskfoldError } from "../../errors.ts";
import type { JsonObject } from "../../index.ts";
import { callTool } from "./call.ts";
import { CapturedOutput } from "./captured_output.ts";
import type { Human, CliResult } from "./cli_result.ts";
import { exitOf } from "./cli_result.ts";
import type { Page, StepRow } from "./page.ts";
import { isOpen, onlyStep, pageOf, stepMeant } from "./page.ts";
import { outcomeOf, replyText } from "./text/reply_text.ts";
import type { Session } from "./session.ts";

interface RunOptions {
  for: string[];
  close?: boolean;
}

interface Ended {
  code: number;
  interrupted: boolean;
  stdout: CapturedOutput;
  stderr: CapturedOutput;
}

/** The id and the step stand before `--`, the command behind it. */
export async function runCommand(
  session: Session,
  words: readonly string[],
  command: readonly string[],
  options: RunOptions,
): Promise<CliResult> {
  const [id, name, ...rest] = words;
  if (!command[0] || id === undefined || rest.length > 0) throw misused();
  const page = await pageOf(session, session.meant(id, "task"));
  const task = page.target.id;
  const step: StepRow | undefined =
    name === undefined && page.step_list.length === 0
      ? undefined
      : name === undefined
        ? onlyStep(page, "open", isOpen)
        : stepMeant(page, name, isOpen);
  if (step === undefined && options.close) onlyStep(page, "open", isOpen);
  if (step) await refuseEarly(session, page, step, options);
  const ended = await started(session, command);
  if (ended.interrupted) return interrupted(ended.code);
  const passed = ended.code === 0;
  const place = { task, ...(step ? { step_id: step.step_id } : {}) };
  return session.within(async (workspace) => {
    const captured = await callTool(session, workspace, "tasks_evidence_capture", {
      ...place,
      items: [itemOf(session, command, ended)],
      ...(step ? { checkpoint: options.for } : {}),
    });
    const outcome = outcomeOf(session, workspace, captured);
    if (!captured.success) return { ...outcome, exit: passed ? outcome.exit : ended.code };
    if (!passed || !options.close) return { ...outcome, exit: ended.code };
    const closed = await callTool(session, workspace, "tasks_close_step", {
      ...place,
      checkpoints: Object.fromEntries(["criteria", "tests", ...options.for].map((one) => [one, true])),
    });
    const both = (): Human =>
      joined(replyText(captured, session, workspace.id), replyText(closed, session, workspace.id));
    return {
      exit: exitOf(closed),
      json: closed,
      human: () => (session.quiet ? { ...both(), out: replyText(closed, session).out } : both()),
    };
  });
}

/** Refuses before the command runs: nothing of it could be kept, and work on the step belongs to another. */
async function refuseEarly(session: Session, page: Page, step: StepRow, { close }: RunOptions): Promise<void> {
  const { id } = page.target;
  const by = await session.by();
  const now = new Date().toISOString();
  const covers = (path: string | null): boolean =>
    path === null || path === step.path || step.path.startsWith(`${path}.`);
  const theirs = page.claims.find((claim) => claim.by !== by && claim.expires_at > now && covers(claim.path));
  if (theirs)
    throw new TaskfoldError(
      "LEASE_HELD",
      `Expected ${step.path} "${step.title}" to be free or yours; ${theirs.by} has claimed it until ${theirs.expires_at}. The command was not started.`,
      { recovery: `taskfold claim takes the next step that is free; taskfold show ${id} shows the claims.` },
    );
  if (close && step.blocked)
    throw new TaskfoldError(
      "STEP_BLOCKED",
      `Expected ${step.path} "${step.title}" to be open, found it blocked. The command was not started.`,
      { recovery: `taskfold unblock ${id} ${step.path} takes the block back; without --close the command runs.` },
    );
}

/** A run that a person stopped says nothing of what was to be tried. */
function interrupted(code: number): CliResult {
  const message = `The command was interrupted (exit code ${code}), and nothing was recorded.`;
  const json = okReply("run", { exit_code: code, recorded: false }, [], []);
  return { exit: code, json, human: () => ({ out: "", err: `${message}\n` }) };
}

function misused(): TaskfoldError {
  return new TaskfoldError("INVALID_INPUT", "Expected an id, a step or none, and a command behind --.", {
    recovery: "taskfold run TASK-001 s:0 --for tests -- npm test",
  });
}

function joined(one: Human, other: Human): Human {
  return { out: one.out + other.out, err: one.err + other.err };
}

function itemOf({ here, root }: Session, command: readonly string[], { code, stdout, stderr }: Ended): JsonObject {
  const cwd = relative(root, here).replaceAll("\\", "/");
  const outputs = { stdout, stderr };
  const texts = Object.entries(outputs).flatMap(([name, output]) => (output.size > 0 ? [[name, output.text()]] : []));
  const whole = Object.entries(outputs).map(
    ([name, output]) => `${name} ${output.size} bytes, sha256 ${output.digest()}`,
  );
  return {
    kind: "command",
    command: command.map(shellQuote).join(" "),
    ...(cwd === "" || cwd.startsWith("..") ? {} : { cwd }),
    exit_code: code,
    summary: whole.join("; "),
    ...(Object.fromEntries(texts) as JsonObject),
  };
}

/** After the command itself has ended, a process that it left behind holds its output no longer than this. */
const LINGER_MS = 2000;

async function started(session: Session, [program = "", ...args]: readonly string[]): Promise<Ended> {
  const { io, json } = session;
  const [stdout, stderr] = [new CapturedOutput(), new CapturedOutput()];
  const child = spawn(program, args, { cwd: session.here, stdio: ["inherit", "pipe", "pipe"] });
  const asked = io.interruption?.();
  const stop = (): void => void child.kill("SIGTERM");
  asked?.signal.addEventListener("abort", stop);
  copy(child.stdout, stdout, json ? undefined : (text) => io.stdout(text));
  copy(child.stderr, stderr, json ? undefined : (text) => io.stderr(text));
  try {
    const code = await new Promise<number>((done, fail) => {
      child.on("error", fail);
      child.on("exit", () =>
        setTimeout(() => void (child.stdout.destroy(), child.stderr.destroy()), LINGER_MS).unref(),
      );
      child.on("close", (status, signal) => done(status ?? 128 + (signal ? constants.signals[signal] : 0)));
    });
    return { code, interrupted: asked?.signal.aborted === true, stdout, stderr };
  } catch (e) {
    const why = (e as NodeJS.ErrnoException).code ?? String(e);
    throw new TaskfoldError(
      "INVALID_INPUT",
      `Expected a command that starts, found ${JSON.stringify(program.slice(0, 200))} (${why}).`,
      {
        recovery: "The command is started without a shell; for shell syntax: -- sh -c 'npm test | tee log'.",
      },
    );
  } finally {
    asked?.signal.removeEventListener("abort", stop);
    asked?.end();
  }
}

function copy(from: Readable, to: CapturedOutput, print: ((text: string) => void) | undefined): void {
  const decoder = new StringDecoder("utf8");
  from.on("data", (chunk: Buffer) => {
    to.add(chunk);
    print?.(decoder.write(chunk));
  });
  from.on("end", () => print?.(decoder.end()));
}
