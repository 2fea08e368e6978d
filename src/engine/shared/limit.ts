/** How long a change waits, and how it waits. */
import { TaskfoldError } from "../../errors.ts";
import type { Runtime } from "../../runtime.ts";
import { fraction, sleep } from "../../runtime.ts";
import type { EngineContext } from "../core/context.ts";
import type { SharedLog, SharedLogPort } from "../core/shared_log.ts";
import { disconnected, unavailable } from "./failures.ts";

const BACKOFF_MS = 2;
const MAX_ROUNDS = 50;

/** How long a change waits for its turn among the machines, and for a server that takes it. */
export class Limit {
  readonly #port: SharedLogPort;
  readonly #runtime: Runtime;
  readonly #ms: number;
  readonly #began: number;

  /** `began`: when the first of its callers began to wait. */
  constructor(
    port: SharedLogPort,
    { lockTimeoutMs, runtime }: Pick<EngineContext, "lockTimeoutMs" | "runtime">,
    began = runtime.uptime(),
  ) {
    this.#port = port;
    this.#runtime = runtime;
    this.#ms = lockTimeoutMs;
    this.#began = began;
  }

  get isOver(): boolean {
    return this.#runtime.uptime() - this.#began > this.#ms;
  }

  disconnected(log: SharedLog): unknown {
    return disconnected(this.#port, log);
  }

  check(round: number): void {
    if (!this.isOver) return;
    throw new TaskfoldError(
      "SHARED_BUSY",
      `Expected a turn among the machines within ${this.#ms} ms; others were faster ${round + 1} times. Nothing was changed.`,
      { recovery: "Call again." },
    );
  }

  checkPublished(isDoubtful: boolean, why: string): void {
    if (!this.isOver) return;
    throw isDoubtful ? this.notConfirmed(why) : unavailable(this.#port, why);
  }

  notConfirmed(why: string, cause?: unknown): TaskfoldError {
    return new TaskfoldError(
      "UNKNOWN_OUTCOME",
      `Expected the shared log to confirm the change within ${this.#ms} ms; ${why}. The change may or may not be kept.`,
      {
        cause,
        recovery: "Call again with the same idempotency_key: it is applied once.",
        details: { reason: "NOT_CONFIRMED" },
      },
    );
  }

  /** Waits: the longer the more often it was in vain, and never in step with another machine. */
  async pause(round: number): Promise<void> {
    if (round < 2) return;
    await sleep(this.#runtime, BACKOFF_MS * Math.min(round, MAX_ROUNDS) * fraction(this.#runtime));
  }
}
