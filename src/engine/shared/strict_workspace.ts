/**
 * Mode `strict` (SHARED rules). A change is decided on the state behind the last message, and published on the condition that no message
 * came since. Then it goes into the logs of this machine, as the messages of others do. Calls that wait at the same time share a message.
 */
import { isTaskfoldError } from "../../errors.ts";
import type { LogWriter } from "../commit/log_writer.ts";
import type { Decide, SharedWrites } from "../commit/shared_writes.ts";
import { MoreLocks, WORKSPACE_LOCK } from "../core/lock.ts";
import { unwaited } from "../core/unwaited.ts";
import type { SharedLog } from "../core/shared_log.ts";
import { errnoOf } from "../../files/storage_error.ts";
import type { CallResult, CheckedCall } from "../entity/job.ts";
import { Capture, partOf } from "./captured.ts";
import { behind, disconnected, notHereYet, notOfThat, notApplied, unavailable } from "./failures.ts";
import type { Stored } from "./consumer.ts";
import type { SharedPart } from "./message_codec.ts";
import { assured, publish } from "./publisher.ts";
import type { Beside, Shared } from "./shared_machine.ts";
import { SharedMachine } from "./shared_machine.ts";
import { isDivergent } from "./divergence.ts";

/** Most calls that share a message. */
const MAX_SHARING = 64;
/** How often a refusal is decided again because this machine was behind. */
const MAX_LOOKS = 5;

/** Refusals that say nothing about the state of plans and tasks. */
const NOT_OF_STATE =
  /^(?:SHARED_.*|UNKNOWN_OUTCOME|UNKNOWN_TOOL|INVALID_INPUT|INTERNAL|STORAGE_.*|LOCK_.*|READ_ONLY|CLOSED|OP_TOO_LARGE)$/;

interface Request {
  locks: readonly string[];
  /** When its call came in. It may have waited in turn behind others of this process. */
  since: number;
  decide: Decide<unknown>;
  done: (value: unknown) => void;
  fail: (e: unknown) => void;
}

interface Decided {
  request: Request;
  value: unknown;
  capture: Capture;
}

/** A message of the shared log; `isHere`: the logs of this machine have it, too. */
interface Published {
  decided: readonly Decided[];
  stored: Stored;
  isHere: boolean;
}

export class StrictWorkspace extends SharedMachine implements SharedWrites {
  readonly #requests: Request[] = [];
  #isServing = false;
  /** When the last change ended that no server took. */
  #gaveUp = -Infinity;

  /**
   * Makes a call. A refusal may come from a state that is behind: then this machine catches up, and the call is decided again. Reads are
   * answered from what this machine has.
   */
  async run(call: CheckedCall, attempt: () => Promise<CallResult> | CallResult): Promise<CallResult> {
    const { tool, workspace } = call;
    call.since = this.parts.context.runtime.uptime();
    if (tool.effect === "read" || tool.effect === "focus") {
      await this.#forReading(workspace);
      return this.answer(workspace, attempt);
    }
    // Without a wait where it is open: calls are decided in the order in which they were made.
    if (!this.log) await this.ready(workspace);
    if (tool.name.startsWith("packet_")) await this.beforeChange(call);
    for (let look = 1; ; look++) {
      const before = this.consumer.seen;
      try {
        return await attempt();
      } catch (e) {
        const isOfState = isTaskfoldError(e) && !NOT_OF_STATE.test(e.code);
        if (!isOfState || look === MAX_LOOKS || !(await this.#catchUpBeyond(before))) throw e;
      }
    }
  }

  async write<T>(
    workspace: string,
    locks: readonly string[],
    decide: Decide<T>,
    since = this.parts.context.runtime.uptime(),
  ): Promise<T> {
    if (!this.log) await this.ready(workspace);
    return new Promise<T>((done, fail) => {
      this.#requests.push({ locks, since, decide, done: done as (value: unknown) => void, fail });
      if (this.#isServing) return;
      this.#isServing = true;
      this.isBusy = true;
      // Requests of this turn share the first message.
      unwaited(this.parts.context, "SHARED_BEHIND", () => Promise.resolve().then(() => this.#serve(workspace)));
    });
  }

  /** Work that writes logs beside the tools. A repair goes on without a server: what git left is in order before it is published. */
  async beside<T>(workspace: string, kind: Beside, work: () => Promise<T>): Promise<Shared<T>> {
    if (kind === "change") {
      const log = await this.reached(workspace);
      await this.exclusively(() => this.consumer.catchUp(log));
    }
    const result = await work();
    return { result, warning: kind === "calls" ? undefined : await this.publishAll(workspace) };
  }

  async #forReading(workspace: string): Promise<void> {
    try {
      const isReached = this.log ? this.log.connected : await this.catchUp(workspace);
      if (!isReached) this.parts.context.notices.push(behind(this.port, this.log?.refusal ?? this.trouble));
    } catch (e) {
      if (isTaskfoldError(e) && e.code === "SHARED_REPLACED" && this.parts.binding)
        return void this.parts.context.notices.push(notOfThat(e));
      if (isTaskfoldError(e) ? e.code.startsWith("SHARED_") : errnoOf(e) === undefined) throw e;
      // A disk to which no message can be applied is still read.
      this.parts.context.notices.push(notApplied(e as Error));
    }
  }

  /** Whether this machine knows more than before. */
  async #catchUpBeyond(before: number): Promise<boolean> {
    const log = this.log;
    if (!log) return false;
    const { last } = await this.consumer.stateOf(log);
    if (last > this.consumer.seen) {
      this.consumer.knows(last);
      await this.exclusively(() => this.consumer.catchUp(log));
    }
    return this.consumer.seen > before;
  }

  async #serve(workspace: string): Promise<void> {
    while (this.#requests.length > 0) {
      const requests = this.#together().filter((request) => !this.#isGivenUp(request));
      if (requests.length === 0) continue;
      try {
        // Before the turn: to open another log takes a turn of its own, and would wait for this one without end.
        const log = await this.ready(workspace);
        await this.exclusively(() => this.#publishDecided(log, workspace, requests));
      } catch (e) {
        for (const { fail } of requests) fail(e);
        if (isUnanswered(e)) this.#gaveUp = this.parts.context.runtime.uptime();
      }
    }
    this.#isServing = false;
    this.rest();
  }

  /** Whether no server took a change that it waited behind for as long as it may: it does not wait for the same once more. */
  #isGivenUp({ since, fail }: Request): boolean {
    if (since > this.#gaveUp || !this.limit(since).isOver) return false;
    fail(unavailable(this.port, "no server took the change in front of this one"));
    return true;
  }

  /** Requests that share a message, each about another entity. One that makes or moves something decides alone. */
  #together(): Request[] {
    const taken = new Set<string>();
    const at = this.#requests.findIndex(({ locks: [name = WORKSPACE_LOCK, ...more] }) => {
      if (more.length > 0 || name === WORKSPACE_LOCK || taken.has(name)) return true;
      taken.add(name);
      return false;
    });
    const count = at < 0 ? this.#requests.length : Math.max(1, at);
    return this.#requests.splice(0, Math.min(count, MAX_SHARING));
  }

  async #publishDecided(log: SharedLog, workspace: string, requests: readonly Request[]): Promise<void> {
    const { recovery } = this.parts;
    const locks = requests.flatMap((request) => request.locks);
    const ids = [...new Set(locks)].filter((name) => name !== WORKSPACE_LOCK).toSorted();
    const names = locks.includes(WORKSPACE_LOCK) ? [WORKSPACE_LOCK, ...ids] : ids;
    const limit = this.limit(Math.min(...requests.map(({ since }) => since)));
    let open = requests;
    for (let round = 0; ; round++) {
      if (!log.connected) throw disconnected(this.port, log);
      await assured(log, this.consumer, limit);
      await this.consumer.catchUp(log);
      const others = ids.filter((id) => isDivergent(this.parts, this.consumer.checkpoint, id));
      if (others.length > 0) {
        const unread = await this.publishReadable(log, others);
        open = open.filter((request) => isReadable(request, unread));
        if (open.length === 0) return;
      }
      const lock = await recovery.lockRecovered(workspace, names);
      const more = new MoreLocks(this.parts.context.locks(), names);
      let published: Published | null;
      try {
        const decided = decideAll(open, this.parts.logs, more);
        // A request that was refused is never decided again: its caller knows of the refusal.
        open = decided.map(({ request }) => request);
        const writes = decided.flatMap(({ capture }) => capture.writes);
        if (writes.length === 0) return decided.forEach(({ request, value }) => request.done(value));
        const parts = writes.map(partOf);
        for (const { capture } of decided.toReversed()) capture.undo();
        const blobs = writes.flatMap((write) => this.consumer.blobs.namedBytes(write));
        const stored = await publish(log, this.consumer, limit, { parts, blobs });
        published = stored && { decided, stored, isHere: this.#placed(decided, parts, stored) };
      } finally {
        more.release();
        lock.release();
      }
      if (published) return this.#accepted(log, published);
      limit.check(round);
      await limit.pause(round);
    }
  }

  /** Puts it into the logs here, in the order in which it was decided. False where a log is another one than it was then. */
  #placed(decided: readonly Decided[], parts: readonly SharedPart[], stored: Stored): boolean {
    try {
      const others = decided.flatMap(({ capture }) => capture.append());
      if (others.length > 0) return false;
      this.consumer.applied(stored, parts);
      return true;
    } catch (e) {
      // The message is applied before the next change, as another machine's. Logs that have the lines by then are not folded for it.
      this.consumer.knows(stored.seq);
      this.consumer.folding.add(parts.map(({ id }) => id));
      throw notHereYet(e);
    }
  }

  async #accepted(log: SharedLog, { decided, stored, isHere }: Published): Promise<void> {
    if (!isHere) {
      this.consumer.knows(stored.seq);
      try {
        await this.consumer.catchUp(log);
      } catch (e) {
        throw notHereYet(e);
      }
    }
    for (const { request, value } of decided) request.done(value);
  }
}

function isUnanswered(e: unknown): boolean {
  return isTaskfoldError(e) && (e.code === "SHARED_UNAVAILABLE" || e.details?.["reason"] === "NOT_CONFIRMED");
}

/** False for a request about a log that cannot be read: its caller hears of it. */
function isReadable({ locks, fail }: Request, unread: ReadonlyMap<string, unknown>): boolean {
  const name = locks.find((lock) => unread.has(lock));
  if (name !== undefined) fail(unread.get(name));
  return name === undefined;
}

/** Those that are refused hear of it at once. */
function decideAll(requests: readonly Request[], logs: LogWriter, more: MoreLocks): Decided[] {
  return requests.flatMap((request) => {
    const capture = new Capture(logs);
    try {
      return [{ request, value: request.decide(capture.logs, more), capture }];
    } catch (e) {
      capture.undo();
      request.fail(e);
      return [];
    }
  });
}
