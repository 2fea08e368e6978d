/** `taskfold run`: a command whose output and exit code become evidence. */
import { worded } from "../../message.ts";
import { spawn } from "node:child_process";
import { StringDecoder } from "node:string_decoder";
import { constants } from "node:os";
import type { Readable } from "node:stream";
import { okReply } from "../../engine/entity/reply.ts";
import { unwrap } from "../../engine/entity/unwrap.ts";
import { isTaskfoldError, TaskfoldError } from "../../errors.ts";
import { captureRun, look, notStarted } from "../../runner/run_captured.ts";
import type { StartRequest, StartedResult } from "../../runner/run_captured.ts";
import type { Checkpoint } from "../../state/entity.ts";
import { callTool } from "./call.ts";
import type { Human, CliResult } from "./cli_result.ts";
import { exitOf } from "./cli_result.ts";
import type { Page, StepRow } from "./page.ts";
import { isOpen, onlyStep, pageBy, stepMeant } from "./page.ts";
import { reading } from "./read.ts";
import type { Call } from "./read.ts";
import { outcomeOf, replyText } from "./text/reply_text.ts";
import type { Session } from "./session.ts";
import { freeStepTool } from "../../tools/command_line/free_step.ts";
import { remedy, remedyOf, TASKFOLD } from "../../remedy.ts";

interface RunOptions {
  for: string[];
  close?: boolean;
  test?: string;
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
  const { openGit } = await import("../git/git_port.ts");
  const git = openGit(session.root);
  // Git looks at the work tree while the page is read.
  const before = look(git);
  const { task, step } = await reading(session, async (call) => {
    const page = await pageBy(call, session.meant(id, "task"));
    const meant = stepFor(page, name, options);
    if (meant) await refuseEarly(call, page, meant, options);
    return { task: page.target.id, step: meant };
  });
  const place = { task, ...(step ? { step_id: step.step_id } : {}) };
  return session.within(async (workspace) => {
    const {
      exit_code,
      aborted,
      reply: captured,
    } = await captureRun(
      workspace,
      {
        ...place,
        argv: command,
        cwd: session.here,
        checkpoints: options.for as Checkpoint[],
        ...(options.test === undefined ? {} : { test: testMeant(options.test) }),
      },
      { git, before, start: (request) => started(session, request) },
    );
    if (aborted || !captured) return interrupted(exit_code);
    const passed = exit_code === 0;
    const outcome = outcomeOf(session, workspace, captured);
    if (!captured.success) return { ...outcome, exit: passed ? outcome.exit : exit_code };
    if (!passed || !options.close) return { ...outcome, exit: exit_code };
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

/** The step that the run is for; undefined where all are closed, and it is for the whole. */
function stepFor(page: Page, name: string | undefined, { close }: RunOptions): StepRow | undefined {
  if (name !== undefined) return stepMeant(page, name, isOpen);
  return close || page.step_list.some(isOpen) ? onlyStep(page, "open", isOpen) : undefined;
}

/** Refuses before the command runs: nothing of it could be kept, and work on the step belongs to another. */
async function refuseEarly(call: Call, page: Page, step: StepRow, { close }: RunOptions): Promise<void> {
  const { id } = page.target;
  try {
    unwrap(await call(freeStepTool, { target: id, step_id: step.step_id }));
  } catch (e) {
    throw isTaskfoldError(e) ? notStartedFor(e) : e;
  }
  if (close && step.blocked)
    throw new TaskfoldError(
      "STEP_BLOCKED",
      `Expected ${step.path} "${step.title}" to be open, found it blocked. The command was not started.`,
      remedy`${TASKFOLD} unblock ${id} ${step.path} takes the block back; without --close the command runs.`,
    );
}

/** The refusal of the change, with what did not happen either. */
function notStartedFor(refusal: TaskfoldError): TaskfoldError {
  const { code, suggestions, details = {} } = refusal;
  const message = worded`${refusal} The command was not started.`;
  return new TaskfoldError(code, message, { ...remedyOf(refusal), suggestions, details, cause: refusal });
}

/** A run that a person stopped says nothing of what was to be tried. */
function interrupted(code: number): CliResult {
  const message = `The command was interrupted (exit code ${code}), and nothing was recorded.`;
  const json = okReply("run", { exit_code: code, recorded: false }, [], []);
  return { exit: code, json, human: () => ({ out: "", err: `${message}\n` }) };
}

function misused(): TaskfoldError {
  return new TaskfoldError(
    "INVALID_INPUT",
    "Expected an id, a step or none, and a command behind --.",
    remedy`${TASKFOLD} run TASK-001 s:0 --for tests -- npm test`,
  );
}

function joined(one: Human, other: Human): Human {
  return { out: one.out + other.out, err: one.err + other.err };
}

/** A number is the place of the test. */
function testMeant(test: string): string | number {
  return /^\d+$/.test(test) ? Number(test) : test;
}

/** After the command itself has ended, a process that it left behind holds its output no longer than this. */
const LINGER_MS = 2000;

/** In the terminal of the person, who may answer the command and end it. */
async function started(session: Session, request: StartRequest): Promise<StartedResult> {
  const { io, json } = session;
  const { cwd, env, onStdout, onStderr } = request;
  const [program = "", ...args] = request.argv;
  const child = spawn(program, args, { cwd, env, stdio: ["inherit", "pipe", "pipe"] });
  const asked = io.interruption?.();
  const stop = (): void => void child.kill("SIGTERM");
  asked?.signal.addEventListener("abort", stop);
  copy(child.stdout, onStdout, json ? undefined : (text) => io.stdout(text));
  copy(child.stderr, onStderr, json ? undefined : (text) => io.stderr(text));
  try {
    const exit_code = await new Promise<number>((done, fail) => {
      child.on("error", fail);
      child.on("exit", () =>
        setTimeout(() => void (child.stdout.destroy(), child.stderr.destroy()), LINGER_MS).unref(),
      );
      child.on("close", (status, signal) => done(status ?? 128 + (signal ? constants.signals[signal] : 0)));
    });
    return { exit_code, timed_out: false, aborted: asked?.signal.aborted === true };
  } catch (e) {
    throw notStarted(program, (e as NodeJS.ErrnoException).code ?? String(e));
  } finally {
    asked?.signal.removeEventListener("abort", stop);
    asked?.end();
  }
}

function copy(from: Readable, keep: (chunk: Buffer) => void, print: ((text: string) => void) | undefined): void {
  const decoder = new StringDecoder("utf8");
  from.on("data", (chunk: Buffer) => {
    keep(chunk);
    print?.(decoder.write(chunk));
  });
  from.on("end", () => print?.(decoder.end()));
}
