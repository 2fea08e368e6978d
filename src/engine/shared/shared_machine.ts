/** The connection, the checkpoint, and the turns of the processes of this machine. Both modes build on it. */
import type { TaskfoldError, Warning } from "../../errors.ts";
import { isTaskfoldError } from "../../errors.ts";
import { errnoOf } from "../../files/storage_error.ts";
import { headDigest } from "../../log/canonical.ts";
import { acquire, SHARED_LOCK } from "../core/lock.ts";
import { unwaited } from "../core/unwaited.ts";
import type { SharedLog, SharedLogPort, SharedMessage, SharedState } from "../core/shared_log.ts";
import type { EngineParts } from "../parts.ts";
import type { CallResult, CheckedCall } from "../entity/job.ts";
import { compare, lackedThere } from "./compare.ts";
import { disconnected, isUnreachable, notMade, notPublished, notApplied, unavailable } from "./failures.ts";
import { Consumer } from "./consumer.ts";
import { Limit } from "./limit.ts";
import { publishLacking } from "./publisher.ts";
import type {
  CompareOptions,
  SharedComparison,
  SharedExchanged,
  SharedFetched,
  SharedStatus,
  SyncOptions,
} from "./shared_access.ts";
import { entitiesOf, isDivergent } from "./divergence.ts";

/** Work beside the calls of tools: `calls` decides as they do, `change` and `repair` write logs by themselves. */
export type Beside = "calls" | "change" | "repair";

export interface Shared<T> {
  result: T;
  /** Why other machines do not have it yet. */
  warning: Warning | undefined;
}

export class SharedMachine {
  readonly parts: EngineParts;
  readonly port: SharedLogPort;
  readonly consumer: Consumer;
  /** Whether something that applies what is heard is under way anyway. */
  isBusy = false;
  #isClosed = false;
  #opening: Promise<SharedLog> | null = null;
  #log: SharedLog | null = null;
  #queue: Promise<unknown> = Promise.resolve();
  #unfollow: (() => void) | null = null;
  #trouble: TaskfoldError | undefined;

  constructor(parts: EngineParts, port: SharedLogPort) {
    this.parts = parts;
    this.port = port;
    this.consumer = new Consumer(parts, port);
  }

  /** The connection, where it was made, and leads to the log that it led to then. */
  get log(): SharedLog | null {
    return this.consumer.isReplaced ? null : this.#log;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Makes the shared log of the workspace where there is none, and publishes what it lacks. */
  async init(workspace: string): Promise<SharedStatus> {
    await this.ready(workspace, true);
    return this.sync(workspace);
  }

  /** Applies what is new there, and publishes what is new here. */
  async sync(workspace: string, { blobs }: SyncOptions = {}): Promise<SharedStatus> {
    const log = await this.reached(workspace);
    this.consumer.knows((await this.consumer.stateOf(log)).last);
    await this.exclusively(async () => {
      await this.consumer.catchUp(log);
      await this.publishLacking(log, entitiesOf(this.parts));
    });
    this.consumer.folding.addStale();
    await this.consumer.folding.finish();
    if (blobs === "all") return { ...(await this.status(workspace)), blobs: await this.#exchangeBytes(workspace, log) };
    if (this.port.blobs === "all") await this.fetch(workspace);
    return this.status(workspace);
  }

  /** Fetches what the logs name and this machine lacks, of one plan or task or of all. */
  async fetch(workspace: string, id?: string): Promise<SharedFetched> {
    const log = await this.reached(workspace);
    if (id !== undefined) this.parts.entities.find(workspace, { id, from: "input" });
    await this.consumer.blobs.finish();
    const { blobs } = this.consumer;
    const { files, absent } = await blobs.fetch(log, blobs.missing(id === undefined ? entitiesOf(this.parts) : [id]));
    const lacking = absent.flatMap((one) => one.files.map(({ path }) => ({ id: one.id, path })));
    return { fetched: files, lacking };
  }

  /** Both ways: a server that was restored lacks what only this machine has. */
  async #exchangeBytes(workspace: string, log: SharedLog): Promise<SharedExchanged> {
    const fetched = await this.fetch(workspace);
    return { ...fetched, published: await this.consumer.blobs.uploadAll(log, entitiesOf(this.parts)) };
  }

  /**
   * Before a call or a runner reads files of a packet: what its events name comes here. SHARED_UNAVAILABLE where something is
   * missing and no server gives it.
   */
  async fetchPacket(workspace: string, id: string): Promise<void> {
    const { remote } = this.parts.context;
    if (this.log) await this.catchUp(workspace);
    const missing = this.consumer.blobs
      .missing([id])
      .flatMap(({ files }) => files.filter((one) => remote.has(one.sha256)));
    if (missing.length > 0) await this.consumer.blobs.fetch(await this.ready(workspace), [{ id, files: missing }]);
  }

  /** Prompts and gates read files of the packet. */
  async beforeChange({ tool, input, workspace }: CheckedCall): Promise<void> {
    const { task } = input;
    if (tool.name.startsWith("packet_") && typeof task === "string") await this.fetchPacket(workspace, task);
  }

  /** A read that looked at bytes that are not here is made again once they are. */
  async answer(workspace: string, attempt: () => Promise<CallResult> | CallResult): Promise<CallResult> {
    const outcome = await attempt();
    if (!outcome.missing || !(await this.#isReached(workspace))) return outcome;
    try {
      await this.consumer.blobs.fetch(await this.ready(workspace), [outcome.missing]);
    } catch (e) {
      // The answer says which bytes are missing.
      if (!isUnreachable(e) && !(isTaskfoldError(e) && e.code === "LOCK_TIMEOUT")) throw e;
      return outcome;
    }
    return attempt();
  }

  async #isReached(workspace: string): Promise<boolean> {
    return this.log ? this.log.connected : this.catchUp(workspace);
  }

  /** In mode merge also while the servers are away: then as far as this machine knows. */
  async status(workspace: string): Promise<SharedStatus> {
    try {
      const log = await this.reached(workspace);
      const { last } = await this.consumer.stateOf(log);
      return await this.#statusAt(last, null);
    } catch (e) {
      if (this.port.mode !== "merge" || !isUnreachable(e) || !this.parts.binding) throw e;
      const { code, message } = e;
      const status = await this.#statusAt(0, { code, message });
      if (this.consumer.checkpoint.identity === "") throw e;
      return status;
    }
  }

  async #statusAt(last: number, trouble: SharedStatus["trouble"]): Promise<SharedStatus> {
    const { address, mode } = this.port;
    const { checkpoint } = this.consumer;
    return this.exclusively(async () => {
      checkpoint.refresh();
      const taken = Math.max(this.consumer.seen, checkpoint.seq);
      const lacking = entitiesOf(this.parts).filter((id) => isDivergent(this.parts, checkpoint, id));
      return { address, mode, last: Math.max(last, taken), taken_in: taken, lacking, trouble };
    });
  }

  /** Compares messages and logs, as they are, and what the logs name with the object store. */
  async verify(workspace: string, { restore = false }: CompareOptions = {}): Promise<SharedComparison> {
    const log = await this.reached(workspace);
    const { last } = await this.consumer.stateOf(log);
    const { findings, ...compared } = await this.exclusively(() =>
      compare(this.parts, this.consumer.messages(log, last), last),
    );
    const { checked, restored, lacking } = await this.consumer.blobs.lackedThere(log, entitiesOf(this.parts), restore);
    return { ...compared, files: checked, restored, findings: [...findings, ...lacking.map(lackedThere)] };
  }

  /** Applies what is new there. False where no server answers. */
  async catchUp(workspace: string): Promise<boolean> {
    try {
      // Changes of other machines make no folder in the place of one that was taken away.
      this.parts.root.refuseGone();
      const log = await this.reached(workspace);
      this.consumer.knows((await this.consumer.stateOf(log)).last);
      await this.exclusively(() => this.consumer.catchUp(log));
      return log.connected;
    } catch (e) {
      if (!isUnreachable(e)) throw e;
      this.#trouble = e;
      return false;
    }
  }

  /** Why the shared log could not be asked the last time that `catchUp` gave false. */
  get trouble(): TaskfoldError | undefined {
    return this.#trouble;
  }

  /** The connection while it stands: a question over one that is lost is answered by no server. */
  async reached(workspace: string): Promise<SharedLog> {
    const log = await this.ready(workspace);
    if (!log.connected) throw disconnected(this.port, log);
    return log;
  }

  /** This machine writes alone again. The shared log keeps its messages. */
  async leave(): Promise<void> {
    await this.close();
    await this.exclusively(async () => {
      this.consumer.checkpoint.leave();
      this.parts.context.remote.leave();
    });
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#unfollow?.();
    await Promise.allSettled([this.#opening]);
    await this.#queue;
    await this.consumer.blobs.end();
    await this.consumer.folding.finish();
    const log = this.#log;
    this.#log = null;
    try {
      if (log && this.#isThere()) await this.exclusively(async () => this.consumer.saveCheckpoint());
    } catch (e) {
      // After a restart of the machine the messages are applied again.
      if (!isTaskfoldError(e) && errnoOf(e) === undefined) throw e;
    } finally {
      this.consumer.checkpoint.close();
      await log?.close();
    }
  }

  /** Whether a checkpoint can be kept. Without it the messages are applied again, so a look that fails is a no. */
  #isThere(): boolean {
    try {
      this.parts.root.refuseGone();
      return true;
    } catch {
      return false;
    }
  }

  ready(workspace: string, make = false): Promise<SharedLog> | SharedLog {
    if (this.log) return this.log;
    if (this.#isClosed) throw unavailable(this.port, "this workspace is closed");
    // Where it fails, the next call tries again.
    return (this.#opening ??= this.#open(workspace, make).finally(() => (this.#opening = null)));
  }

  async #open(workspace: string, make: boolean): Promise<SharedLog> {
    await this.#disconnect();
    const log = await this.port.connect(workspace);
    try {
      const { root } = this.parts;
      const made = make ? await log.create({ workspace, ids: root.ids }) : await log.state();
      // One that was cut off before its first message takes changes without a condition.
      if (!made || made.last === 0) throw notMade(this.port, workspace);
      if (!root.binding) await this.#bind(made);
      await this.exclusively(async () => {
        const isNew = await this.consumer.begin(log, made);
        // Before messages come in: a log that was in step stays in step, and is not read for that.
        const suspects = make || isNew ? [] : this.suspects(workspace);
        await this.consumer.catchUp(log);
        // A new machine may have come with a clone that knows more, and git may have been here since.
        const lacking = isNew ? entitiesOf(this.parts).filter((id) => !this.consumer.hasSameEnd(id)) : suspects;
        // One that cannot be read refuses its own calls.
        if (!make) await this.publishReadable(log, lacking);
      });
      this.#unfollow = log.follow(this.consumer.seen, (message) => this.#received(log, message));
      log.whenBack(() => this.back());
      this.#log = log;
      return log;
    } catch (e) {
      await log.close();
      throw e;
    }
  }

  /** Of a log that another one has replaced. */
  async #disconnect(): Promise<void> {
    const log = this.#log;
    this.#log = null;
    this.#unfollow?.();
    await log?.close();
  }

  async #bind({ about }: SharedState): Promise<void> {
    const lock = await this.parts.lockWorkspace();
    try {
      this.parts.root.bind(about.workspace, about.ids);
    } finally {
      lock.release();
    }
  }

  /** Alone among all processes of this machine. */
  exclusively<T>(work: () => Promise<T>): Promise<T> {
    const { context } = this.parts;
    const queued = this.#queue.then(async () => {
      const lock = await acquire(context, SHARED_LOCK);
      try {
        return await work();
      } finally {
        lock.release();
      }
    });
    // The next one waits for this one however it ends.
    this.#queue = Promise.allSettled([queued]);
    return queued;
  }

  #received(log: SharedLog, message: SharedMessage): void {
    if (log !== this.log || !this.consumer.receive(message) || this.isBusy || this.#isClosed) return;
    unwaited(this.parts.context, "SHARED_BEHIND", () => this.#consume(log));
  }

  async #consume(log: SharedLog): Promise<void> {
    this.isBusy = true;
    try {
      this.parts.root.refuseGone();
      await this.exclusively(() => this.consumer.catchUp(log));
    } catch (e) {
      // No call waits for this: the next one hears of it, and tries again.
      this.parts.context.notices.push(notApplied(e instanceof Error ? e : new Error(String(e))));
      this.isBusy = false;
      return;
    }
    this.rest();
  }

  /** Nothing is under way any more: applies what was heard meanwhile. */
  rest(): void {
    this.isBusy = false;
    const { log } = this;
    if (log && this.consumer.hasReceived && !this.#isClosed)
      unwaited(this.parts.context, "SHARED_BEHIND", () => this.#consume(log));
  }

  /** Publishes what logs here have and the shared log lacks; the refusals of those that cannot be read, by id. Call exclusively. */
  publishReadable(log: SharedLog, ids: readonly string[]): Promise<ReadonlyMap<string, TaskfoldError>> {
    return publishLacking(this.parts, { log, consumer: this.consumer, limit: this.limit() }, ids);
  }

  /** As `publishReadable`, but rejects with the first refusal once all others are published. */
  async publishLacking(log: SharedLog, ids: readonly string[]): Promise<void> {
    for (const refusal of (await this.publishReadable(log, ids)).values()) throw refusal;
  }

  /** Publishes all that logs here have and the shared log lacks; the warning for the caller where that fails. */
  async publishAll(workspace: string): Promise<Warning | undefined> {
    try {
      const log = await this.reached(workspace);
      await this.exclusively(async () => {
        await this.consumer.catchUp(log);
        await this.publishLacking(log, this.suspects(workspace));
      });
      return undefined;
    } catch (e) {
      if (!isTaskfoldError(e)) throw e;
      return notPublished(e);
    }
  }

  /** Plans and tasks whose logs may end otherwise than the shared log knows, by what lists know of them. */
  suspects(workspace: string): string[] {
    const { listing } = this.parts;
    const rows = [...listing.rows(workspace).rows, ...listing.archived(workspace).rows];
    const { checkpoint } = this.consumer;
    const isSuspect = ({ root, head }: (typeof rows)[number]): boolean =>
      head === undefined || head !== headDigest(checkpoint.headsOf(root) ?? []);
    return rows.filter(isSuspect).flatMap(({ id }) => (isDivergent(this.parts, checkpoint, id) ? [id] : []));
  }

  /** A server can be asked again. Mode strict has nothing that waits for it. */
  back(): void {}

  limit(began?: number): Limit {
    return new Limit(this.port, this.parts.context, began);
  }
}
