/**
 * Runs one command in a process group of its own, without a shell between its arguments and it. The whole group ends at a limit
 * of time, when the caller aborts, when the command itself has ended, and when this process dies.
 */
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { constants } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { TaskfoldError } from "../errors.ts";
import { errnoOf } from "../files/storage_error.ts";
import { hasProcess, hasRunning, signalAll } from "./group_members.ts";
import { outputPipes } from "./output_pipe.ts";
import type { OutputPipe } from "./output_pipe.ts";
import { GRACE_MS, SHELL } from "../runtime.ts";
import type { GroupRequest, GroupResult } from "../runtime.ts";
import { guardGroup, releaseGroup } from "./group_guard.ts";
import { remedy, toolName } from "../remedy.ts";

/** Waits until its group is guarded, then becomes the command. If the pipe ends first, the command never starts. */
const LAUNCHER = `IFS= read -r go <&3 || exit 125
exec 3<&-
exec "$@"
`;

/** How long processes that the command left may still write before they are told to end. */
export const LINGER_MS = 1000;
/** After SIGKILL: for the system to take the processes away. */
const GONE_MS = 1000;
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Never rejects for what the command does. Rejects with what `onStdout` or `onStderr` threw. */
export async function runGroup(request: GroupRequest): Promise<GroupResult> {
  request.signal?.throwIfAborted();
  refuseWindows();
  const pipes = await outputPipes();
  try {
    const began = performance.now();
    const child = startChild(request, pipes);
    if (typeof child === "string") return notStarted(child, began);
    try {
      return await new Group(child, pipes, request).run(began);
    } finally {
      releaseGroup(child.pid!);
    }
  } finally {
    for (const pipe of pipes) pipe.destroy();
  }
}

type Pipes = readonly [out: OutputPipe, err: OutputPipe];

function refuseWindows(): void {
  if (process.platform !== "win32") return;
  throw new TaskfoldError(
    "INVALID_INPUT",
    "Expected a system with process groups and /bin/sh, found Windows, where a process and its children cannot be ended together.",
    remedy`Run the stage yourself, and report it with ${toolName("packet_stage_start")} and ${toolName("packet_stage_finish")}.`,
  );
}

/** A text is the system's reason not to start it. */
function startChild({ argv, cwd, environment, stdin }: GroupRequest, [out, err]: Pipes): ChildProcess | string {
  try {
    const child = spawn(SHELL, ["-c", LAUNCHER, "taskfold", ...argv], {
      cwd,
      env: environment,
      detached: true,
      stdio: [stdin ?? "ignore", out.writer, err.writer, "pipe"],
    });
    if (child.pid !== undefined) return child;
    child.on("error", () => {
      // The reason below is what this event would say.
    });
    return "the system refused a new process, or the working folder is not there";
  } catch (e) {
    const errno = errnoOf(e);
    if (errno === undefined) throw e;
    return errno === "E2BIG" ? "its arguments and environment are larger than the system takes" : errno;
  }
}

function notStarted(reason: string, began: number): GroupResult {
  const duration_ms = performance.now() - began;
  return { exit_code: 126, signal: null, timed_out: false, aborted: false, duration_ms, not_started: reason };
}

class Group {
  readonly #child: ChildProcess;
  readonly #id: number;
  readonly #pipes: Pipes;
  readonly #request: GroupRequest;
  #stopping = false;
  #kill: NodeJS.Timeout | undefined;
  #killedAt = Infinity;
  #timedOut = false;
  #aborted = false;
  #failure: { error: unknown } | undefined;

  constructor(child: ChildProcess, pipes: Pipes, request: GroupRequest) {
    this.#child = child;
    this.#id = child.pid!;
    this.#pipes = pipes;
    this.#request = request;
  }

  async run(began: number): Promise<GroupResult> {
    const child = this.#child;
    const exited = once(child, "exit") as Promise<[number | null, NodeJS.Signals | null]>;
    const closed = this.#listen();
    const stopTimer = at(began + this.#request.wallclock_ms, () => this.#onTime());
    const onAbort = (): void => this.#onAbort();
    this.#request.signal?.addEventListener("abort", onAbort, { once: true });
    guardGroup(this.#id);
    this.#start();
    try {
      const [code, signal] = await exited;
      // Times of what it leaves behind are not its own.
      const duration_ms = performance.now() - began;
      await within(closed, LINGER_MS);
      await this.#endRest();
      await this.#close(closed);
      if (this.#failure) throw this.#failure.error;
      return {
        exit_code: code ?? 128 + (constants.signals[signal ?? "SIGKILL"] ?? 0),
        signal,
        timed_out: this.#timedOut,
        aborted: this.#aborted,
        duration_ms,
        not_started: null,
      };
    } finally {
      stopTimer();
      clearTimeout(this.#kill);
      this.#request.signal?.removeEventListener("abort", onAbort);
    }
  }

  /** Resolves when both streams have ended. */
  #listen(): Promise<void> {
    const { onStdout, onStderr } = this.#request;
    this.#child.on("error", (error) => this.#fail(error));
    const ends = [onStdout, onStderr].map((to, n) => {
      const pipe = this.#pipes[n]!;
      pipe.started();
      return pipe.read(
        (chunk) => this.#pass(chunk, to),
        (error) => this.#fail(error),
      );
    });
    return Promise.all(ends).then(() => undefined);
  }

  #pass(chunk: Buffer, to: (chunk: Buffer) => void): void {
    if (this.#failure) return;
    try {
      to(chunk);
    } catch (error) {
      this.#fail(error);
    }
  }

  #start(): void {
    const go = this.#child.stdio[3] as NodeJS.WritableStream;
    // A launcher that was killed before it read this has ended; its exit says so.
    go.on("error", () => this.#note("It ended before it started."));
    try {
      this.#request.onGroup?.(this.#id);
      go.end("\n");
    } catch (error) {
      go.end();
      this.#fail(error);
    }
  }

  #onTime(): void {
    this.#timedOut = true;
    this.#stop(`The limit of ${this.#request.wallclock_ms / 1000} s has passed.`);
  }

  #onAbort(): void {
    this.#aborted = true;
    this.#stop("The run was aborted.");
  }

  #fail(error: unknown): void {
    this.#failure ??= { error };
    this.#stop("Its output could not be kept.");
  }

  #stop(why: string): void {
    if (this.#stopping) return;
    this.#stopping = true;
    this.#note(`${why} SIGTERM goes to its process group.`);
    signalAll(this.#id, "SIGTERM");
    this.#kill = setTimeout(() => {
      if (hasRunning(this.#id))
        this.#note(`It still ran after ${GRACE_MS / 1000} s. SIGKILL goes to its process group.`);
      signalAll(this.#id, "SIGKILL");
      this.#killedAt = performance.now();
    }, GRACE_MS);
  }

  /** Ends what the command left running, and waits until the system has taken it away. */
  async #endRest(): Promise<void> {
    // To look at every process of the system is dear, and seldom needed: a servant hardly ever leaves something.
    if (!this.#stopping && !hasProcess(this.#id)) return;
    if (!hasRunning(this.#id)) return;
    this.#stop("It ended and left processes.");
    for (let ms = 5; hasRunning(this.#id) && performance.now() < this.#killedAt + GONE_MS; ms = Math.min(ms * 2, 100))
      await sleep(ms);
  }

  /** A process that left the group may hold the pipes open for ever. */
  async #close(closed: Promise<void>): Promise<void> {
    await within(closed, LINGER_MS / 4);
    for (const pipe of this.#pipes) pipe.destroy();
    await closed;
  }

  #note(sentence: string): void {
    this.#request.note?.(sentence);
  }
}

/** Calls at a time of the monotonic clock, also if it is further away than a timer reaches. Gives what takes it back. */
function at(time: number, call: () => void): () => void {
  let timer: NodeJS.Timeout;
  const arm = (): void => {
    const left = time - performance.now();
    timer = left <= LONGEST_TIMER_MS ? setTimeout(call, Math.max(left, 0)) : setTimeout(arm, LONGEST_TIMER_MS);
  };
  arm();
  return () => clearTimeout(timer);
}

/** Waits for it, but no longer than that. */
async function within(wanted: Promise<void>, ms: number): Promise<void> {
  const over = new AbortController();
  const timer = sleep(ms, undefined, { signal: over.signal }).catch((e: unknown) => {
    if (!over.signal.aborted) throw e;
  });
  await Promise.race([wanted, timer]);
  over.abort();
}
