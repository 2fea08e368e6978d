/** A worker: takes one ready step after the other, lets a function do the work, and closes the step with what it ran (LEASE-55). */
import { AsyncLocalStorage } from "node:async_hooks";
import type { Signal } from "../global_types.ts";
import { checkNamed, FUNCTION, SIGNAL, TEXT } from "../engine/core/input/named_options.ts";
import type { Expected } from "../engine/core/input/named_options.ts";
import { internalsOf } from "../engine/groups/internals.ts";
import type { CaptureAccess, WorkspaceInternals } from "../engine/groups/internals.ts";
import type { Reply, ReplyError } from "../engine/entity/reply.ts";
import type { Workspace } from "../engine/workspace.ts";
import { isRetryable, isTaskfoldError, TaskfoldError } from "../errors.ts";
import { fraction, sleep } from "../runtime.ts";
import type { JsonObject } from "../state/json.ts";
import { OVER, refused, renewClaim } from "./renewed_claim.ts";
import { onEnding } from "./ending.ts";
import type { Claimed, Confirmed, WorkFunction } from "./work.ts";
import { workOf } from "./work.ts";

export interface WorkerOptions {
  /** The actor that claims and closes. Default: that of the workspace. */
  actor?: string;
  /** Takes steps of this plan alone, or of this task. Default: of the focus of the actor, else of all. */
  plan?: string;
  task?: string;
  /** Seconds until a claim ends that is not renewed, at least 1: it is renewed each third of that. Default: 900. */
  ttlSeconds?: number;
  /** Stops the worker, as SIGTERM, SIGINT and SIGHUP do. */
  signal?: Signal;
  /** Told in order, while the worker works. An error that it throws ends the worker. */
  on?: (event: WorkerEvent) => void;
}

export type WorkerEvent =
  /**
   * Nothing can be taken up now, and the worker looks again after so many milliseconds. `why`: the refusal. Its `details` count how
   * steps stand (LEASE-32).
   */
  | { type: "waiting"; ms: number; why: TaskfoldError }
  | { type: "claimed" | "closed" | "released"; task: string; path: string; step_id: string }
  /** `reason`: why the claim is over, or why the step is handed over. */
  | { type: "lost" | "blocked"; task: string; path: string; step_id: string; reason: string };

export interface WorkerRun {
  /**
   * `all_done`: no step is left. `stuck`: steps or tasks are left, but no claim is held that could end, so another caller has to free
   * one. `stopped`: by a signal.
   */
  outcome: "all_done" | "stuck" | "stopped";
  /** Steps that the worker closed, gave back, lost to others, and blocked with a reason. */
  closed: number;
  released: number;
  lost: number;
  blocked: number;
}

/** The root of the workspace of a worker, in its function and in what that awaits. */
const AROUND = new AsyncLocalStorage<string>();

const DEFAULT_TTL_S = 900;
/** Between two looks for work: a step may become ready long before a claim ends. */
const SEEK_MS = 1000;
const LEAST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 30_000;
/** So many looks in a row find no claim that could end. The second one sees what another process changed during the first. */
const STUCK_LOOKS = 2;
/** So many failures one after the other say more of the worker than of the steps. */
const FAILURES = 3;
const LONGEST_REASON = 500;
const LONGEST_TTL_S = 604_800;
const OPTIONS: Record<keyof WorkerOptions, Expected> = {
  actor: TEXT,
  plan: TEXT,
  task: TEXT,
  ttlSeconds: {
    fits: (value) => Number.isSafeInteger(value) && (value as number) >= 1 && (value as number) <= LONGEST_TTL_S,
    words: `a whole number from 1 to ${LONGEST_TTL_S}`,
  },
  signal: SIGNAL,
  on: FUNCTION,
};
const EXAMPLE =
  "runWorker(workspace, async (work, signal) => { await work.run(argv, { test }); }, { ttlSeconds: 900 })";

/**
 * Takes ready steps one after the other until ALL_DONE, or until another caller has to free one. It claims a step, renews the claim while the function works, and closes the
 * step with what `work.run` recorded. It blocks a step whose work fails, with the error as reason. It rejects with the error of a call
 * that cannot succeed later, and with the last of three failures in a row. No claim is left then.
 */
export async function runWorker(
  workspace: Workspace,
  worker: WorkFunction,
  given: WorkerOptions = {},
): Promise<WorkerRun> {
  if (typeof worker !== "function") throw noFunction(worker);
  const options = checkNamed("runWorker", given, OPTIONS, EXAMPLE);
  const stop = new AbortController();
  const abort = (): void => {
    end();
    stop.abort(new Error("the worker is to stop"));
  };
  const end = onEnding(abort);
  if (options.signal?.aborted) abort();
  options.signal?.addEventListener("abort", abort, { once: true });
  try {
    return await new Working(workspace, worker, options, stop.signal).run();
  } finally {
    end();
    options.signal?.removeEventListener("abort", abort);
  }
}

/** Before a claim: each step would be blocked for a fault of the program. */
function noFunction(found: unknown): TaskfoldError {
  return new TaskfoldError(
    "INVALID_INPUT",
    `Expected a function that does the work, found ${found === null ? "null" : typeof found}.`,
    {
      recovery: `For example: ${EXAMPLE}.`,
    },
  );
}

class Working {
  readonly #workspace: Workspace;
  readonly #worker: WorkFunction;
  readonly #options: WorkerOptions;
  readonly #stop: AbortSignal;
  readonly #internals: WorkspaceInternals;
  readonly #access: CaptureAccess;
  readonly #ttl_s: number;
  readonly #count = { closed: 0, released: 0, lost: 0, blocked: 0 };
  /** Ids of the steps whose claim it lost: others decide about them (LEASE-56). */
  readonly #lost = new Set<string>();
  #failures = 0;

  constructor(workspace: Workspace, worker: WorkFunction, options: WorkerOptions, stop: AbortSignal) {
    this.#workspace = workspace;
    this.#worker = worker;
    this.#options = options;
    this.#stop = stop;
    this.#internals = internalsOf(workspace);
    this.#access = this.#internals.captureAccess;
    this.#ttl_s = options.ttlSeconds ?? DEFAULT_TTL_S;
  }

  async run(): Promise<WorkerRun> {
    for (;;) {
      const claimed = await this.#claim();
      if (typeof claimed === "string") return { outcome: claimed, ...this.#count };
      await this.#work(claimed);
    }
  }

  /** The next step, or why there is none. */
  async #claim(): Promise<Claimed | WorkerRun["outcome"]> {
    const { plan, task } = this.#options;
    const only = { ...(plan === undefined ? {} : { plan }), ...(task === undefined ? {} : { task }) };
    const input = { ...only, ttl_s: this.#ttl_s, idempotency_key: this.#access.runtime.randomHex(32) };
    for (let [tries, looks] = [0, 0]; !this.#stop.aborted;) {
      const { result, error } = await this.#internals.claimNext(input, this.#lost, this.#options.actor);
      if (!error) return result as unknown as Claimed;
      if (error.code === "ALL_DONE") {
        // Without its folder a workspace has no task, either.
        this.#internals.mustBeBound();
        return "all_done";
      }
      if (!isRetryable(error.code)) throw refused(error);
      const ends = error.code === "NOTHING_READY" ? error.details.retry_after_ms : undefined;
      // A worker around this one holds its claim until this one ends.
      looks = ends === null || (ends !== undefined && AROUND.getStore() === this.#workspace.root) ? looks + 1 : 0;
      if (looks === STUCK_LOOKS) return "stuck";
      tries = ends === undefined ? tries + 1 : 0;
      await this.#pause(ends === undefined ? SEEK_MS * 2 ** tries : untilNextTry(ends), refused(error));
    }
    return "stopped";
  }

  async #work(claimed: Claimed): Promise<void> {
    const lost = new AbortController();
    const { task, step, lease } = claimed;
    const again = { task, step_id: step.step_id, ttl_s: this.#ttl_s, fence: lease.fence };
    const end = renewClaim({
      ttl_s: this.#ttl_s,
      expires_at: lease.expires_at,
      renew: () => this.#call("tasks_claim", again),
      lost: (why) => lost.abort(why),
      now: this.#access.now,
      runtime: this.#access.runtime,
    });
    try {
      this.#tell("claimed", claimed);
      const signal = AbortSignal.any([this.#stop, lost.signal]);
      const done = await this.#try(claimed, signal);
      if (lost.signal.aborted) this.#tell("lost", claimed, sentenceOf(lost.signal.reason));
      else if ("error" in done) await this.#failed(claimed, done.error);
      // Work that was cut short resolves to nothing as well.
      else if (done.confirmed === undefined && signal.aborted) await this.#release(claimed);
      else await this.#close(claimed, done.confirmed ?? "gate");
    } catch (e) {
      // Of a claim that is over by then, the refusal says nothing new.
      await this.#change(claimed, "tasks_release", { reason: "the worker ends" });
      throw e;
    } finally {
      end();
    }
  }

  async #try(
    claimed: Claimed,
    signal: AbortSignal,
  ): Promise<{ confirmed: Confirmed | undefined } | { error: unknown }> {
    try {
      signal.throwIfAborted();
      return {
        confirmed:
          (await AROUND.run(this.#workspace.root, () =>
            this.#worker(workOf(this.#workspace, claimed, this.#options.actor, signal), signal),
          )) ?? undefined,
      };
    } catch (error) {
      return { error };
    }
  }

  async #close(claimed: Claimed, checkpoints: Confirmed): Promise<void> {
    const error = await this.#change(claimed, "tasks_close_step", { checkpoints });
    // The function may have closed it by a call of its own.
    if (!error || error.code === "ALREADY_DONE") {
      this.#failures = 0;
      this.#tell("closed", claimed);
    } else if (OVER.has(error.code)) this.#tell("lost", claimed, error.message);
    // A fault of the program, which would block each step.
    else if (error.code === "INVALID_INPUT") throw refused(error);
    else await this.#failed(claimed, refused(error));
  }

  /** A step whose work was cut short is free again. One whose work failed waits for a person or an agent that unblocks it. */
  async #failed(claimed: Claimed, error: unknown): Promise<void> {
    if (this.#stop.aborted) return this.#release(claimed);
    const reason = sentenceOf(error);
    const refusal = await this.#change(claimed, "tasks_block", { blocked: true, reason });
    await this.#change(claimed, "tasks_release", { reason: "the work failed" });
    if (refusal) this.#tell("lost", claimed, refusal.message);
    else this.#tell("blocked", claimed, reason);
    if (++this.#failures >= FAILURES) throw error;
  }

  async #release(claimed: Claimed): Promise<void> {
    await this.#change(claimed, "tasks_release", { reason: "the worker stops" });
    this.#tell("released", claimed);
  }

  /** A change by the holder of the claim, once more while its obstacle may pass and the claim lasts. Gives its refusal. */
  async #change({ task, step, lease }: Claimed, tool: HolderTool, more: JsonObject): Promise<ReplyError | null> {
    const key = { idempotency_key: this.#access.runtime.randomHex(32) };
    const input = { task, step_id: step.step_id, fence: lease.fence, ...more, ...key };
    for (let tries = 0; ; tries++) {
      const { error } = await this.#call(tool, input);
      if (!error || !isRetryable(error.code) || OVER.has(error.code) || tries === RETRIES) return error;
      await sleep(this.#access.runtime, this.#jittered(SEEK_MS * 2 ** tries));
    }
  }

  #call(tool: HolderTool | "tasks_claim", input: JsonObject): Promise<Reply> {
    const { actor } = this.#options;
    return this.#workspace.callTool(tool, input, actor === undefined ? {} : { by: actor });
  }

  #pause(ms: number, why: TaskfoldError): Promise<void> {
    const wait = this.#jittered(Math.min(ms, LONGEST_PAUSE_MS));
    this.#options.on?.({ type: "waiting", ms: wait, why });
    return sleep(this.#access.runtime, wait, this.#stop);
  }

  /** Workers that began to wait together do not look together. */
  #jittered(ms: number): number {
    return Math.ceil(ms * (0.5 + fraction(this.#access.runtime) / 2));
  }

  #tell(type: "claimed" | "closed" | "released", claimed: Claimed): void;
  #tell(type: "lost" | "blocked", claimed: Claimed, reason: string): void;
  #tell(type: Exclude<WorkerEvent["type"], "waiting">, { task, step }: Claimed, reason?: string): void {
    if (type !== "claimed") this.#count[type]++;
    const { path, step_id } = step;
    if (type === "lost") this.#lost.add(step_id);
    this.#options.on?.({ type, task, path, step_id, ...(reason === undefined ? {} : { reason }) } as WorkerEvent);
  }
}

type HolderTool = "tasks_close_step" | "tasks_block" | "tasks_release";

/** Of a change by the holder, each after twice the pause: a worker that is to stop does not wait for long. */
const RETRIES = 4;

/** As long as no claim ends, but a change may free a step at any time. */
function untilNextTry(ms: number | null): number {
  return Math.max(LEAST_PAUSE_MS, Math.min(SEEK_MS, ms ?? SEEK_MS));
}

/** One line for people, of bounded length. */
function sentenceOf(error: unknown): string {
  const line = textOf(error).replaceAll(/\s+/g, " ").trim();
  return line === "" ? "the work failed without a message" : line.slice(0, LONGEST_REASON).toWellFormed();
}

/** A function may throw what has no text, such as an object without a prototype. */
function textOf(error: unknown): string {
  try {
    if (isTaskfoldError(error)) return `${error.code}: ${error.message}`;
    return String(error instanceof Error ? error.message : error);
  } catch {
    return "the work failed with a value that has no text";
  }
}
