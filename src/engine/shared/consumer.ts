/** Applies the messages of the shared log in their order, and keeps count for all processes of this machine. */
import type { Runtime } from "../../runtime.ts";
import { sleep } from "../../runtime.ts";
import type { SharedLog, SharedLogPort, SharedMessage, SharedState } from "../core/shared_log.ts";
import { quarantine } from "../core/quarantine.ts";
import { errnoOf } from "../../files/storage_error.ts";
import type { TaskfoldError } from "../../errors.ts";
import type { EngineParts } from "../parts.ts";
import { replaced, unavailable } from "./failures.ts";
import { BlobStore } from "./blob_store.ts";
import type { VerifiedBatch } from "./verified_batches.ts";
import { verifyBatch, readVerified } from "./verified_batches.ts";
import { Folding } from "./folding.ts";
import { areSameHeads, headsAfter } from "./heads.ts";
import { Incoming } from "./incoming.ts";
import { LogTails } from "./log_tails.ts";
import type { SharedOp, SharedPart } from "./message_codec.ts";
import { markOf, MessageDecoder } from "./message_codec.ts";
import type { CheckpointEntry } from "./consumer_checkpoint.ts";
import { ConsumerCheckpoint } from "./consumer_checkpoint.ts";
import { opsHere } from "./divergence.ts";
import { applyMessages } from "./apply.ts";
import { syncLog } from "./log_home.ts";

/** So many messages are not folded one by one. */
const FAR_BEHIND = 50;
/** After so many messages the logs are synced, and the checkpoint behind them. */
const CHECKPOINT_EVERY = 1000;
const MAX_LOOKS = 20;
const LOOK_MS = 100;

/** The last message of what was published. */
export type Stored = Pick<CheckpointEntry, "seq" | "mark">;

export class Consumer {
  readonly checkpoint: ConsumerCheckpoint;
  readonly folding: Folding;
  readonly blobs: BlobStore;
  readonly #parts: EngineParts;
  readonly #port: SharedLogPort;
  readonly #decoder = new MessageDecoder();
  #incoming = new Incoming();
  readonly #unsynced = new Set<string>();
  readonly #tails: LogTails;
  #identity = "";
  #seen = 0;
  /** Of message `#seen`; empty where it is not known. */
  #mark = "";
  /** When the shared log was last found to be the one of which this machine has the messages. */
  #sure: { log: SharedLog; doubts: number } | null = null;
  #isReplaced = false;
  /** Last message that is known to be stored. */
  #known = 0;
  #sinceCheckpoint = 0;

  constructor(parts: EngineParts, port: SharedLogPort) {
    this.#parts = parts;
    this.#port = port;
    this.checkpoint = new ConsumerCheckpoint(parts.context);
    this.folding = new Folding(parts);
    this.#tails = new LogTails(parts.context, parts.logs);
    this.blobs = new BlobStore(parts, port.blobs === "all");
  }

  /** Last message that was read. Those of an unfinished body are ahead of the checkpoint. */
  get seen(): number {
    return this.#seen;
  }

  /** Mark of that message; empty where it is not known. */
  get mark(): string {
    return this.#mark;
  }

  /** Whether the connection leads to another shared log than before. This machine begins anew with the next call. */
  get isReplaced(): boolean {
    return this.#isReplaced;
  }

  /**
   * Finds out how far this machine is; true where it counts messages for the first time. SHARED_REPLACED where it knows of another log.
   * Call alone among the processes of this machine: none can get ahead of the answer.
   */
  async begin(log: SharedLog, { identity }: SharedState): Promise<boolean> {
    const { checkpoint } = this;
    checkpoint.refresh();
    const isNew = checkpoint.identity === "";
    this.#identity = isNew ? identity : checkpoint.identity;
    this.#seen = checkpoint.seq;
    this.#mark = checkpoint.mark;
    this.#known = 0;
    this.#decoder.forget();
    this.#incoming = new Incoming();
    this.#isReplaced = false;
    await this.verify(log);
    if (isNew) this.#count(identity);
    return isNew;
  }

  /** Begins to count its messages. The folder may have been taken away while a server was asked. */
  #count(identity: string): void {
    this.#parts.root.refuseGone();
    this.checkpoint.begin(identity);
  }

  /** The present state of the shared log. SHARED_REPLACED where it is another one. */
  async stateOf(log: SharedLog): Promise<SharedState> {
    const [seen, identity] = [this.#seen, this.#identity];
    const state = await stateAfter(this.#parts.context.runtime, log, seen, identity);
    const isOurs = state?.identity === identity && state.last >= seen && state.first <= seen + 1;
    if (!isOurs) throw this.#replaced(seen, state);
    return state;
  }

  /** Whether nothing happened since the shared log was last compared with what this machine has. */
  isSure(log: SharedLog): boolean {
    return this.#sure?.log === log && this.#sure.doubts === log.doubts;
  }

  /** Compares them where something happened. SHARED_REPLACED where the shared log is another one, or has lost its end. */
  async assure(log: SharedLog): Promise<void> {
    if (!this.isSure(log)) await this.verify(log);
  }

  /** As `assure`, whatever happened: takes two questions to a server. */
  async verify(log: SharedLog): Promise<void> {
    const { doubts } = log;
    const [seen, mark] = [this.#seen, this.#mark];
    const state = await this.stateOf(log);
    if (seen >= state.first) {
      const found = await markAt(log, seen);
      if (mark !== "" && found !== mark) throw this.#replaced(seen, state);
      // A checkpoint of an earlier version names none.
      if (this.#seen === seen) this.#mark = found;
    }
    this.knows(state.last);
    this.#sure = { log, doubts };
  }

  #replaced(seen: number, state: SharedState | null): TaskfoldError {
    this.#isReplaced = true;
    return replaced(this.#port, seen, state);
  }

  /** A message that came by itself; false where it is known. */
  receive(message: SharedMessage): boolean {
    if (message.seq <= this.#seen) return false;
    this.#known = Math.max(this.#known, message.seq);
    this.#incoming.add(message);
    return true;
  }

  get hasReceived(): boolean {
    return this.#incoming.first !== undefined;
  }

  /** So many messages are stored. */
  knows(last: number): void {
    this.#known = Math.max(this.#known, last);
  }

  /** Whether the log of an id ends as the shared log says, as far as that is known without reading it. */
  hasSameEnd(id: string): boolean {
    const end = this.#tails.of(id);
    return end !== undefined && areSameHeads([end.head], this.checkpoint.headsOf(end.root) ?? []);
  }

  /** Applies every message that is known to be stored. Call alone among the processes of this machine. */
  async catchUp(log: SharedLog): Promise<void> {
    const { checkpoint } = this;
    checkpoint.refresh();
    if (checkpoint.identity === "") {
      // The file was deleted, or another process has left: what is there already is found to be there, if the log still is the same.
      await this.verify(log);
      this.#count(this.#identity);
      this.#seen = 0;
      this.#mark = "";
      this.#decoder.forget();
    }
    if (checkpoint.identity !== this.#identity) throw this.#replaced(checkpoint.seq, null);
    await this.assure(log);
    if (checkpoint.seq > this.#seen) {
      this.#seen = checkpoint.seq;
      this.#mark = checkpoint.mark;
      this.#decoder.forget();
    }
    for (;;) {
      const heard = this.#incoming.behind(this.#seen);
      if (heard.length > 0) await this.#applyReceived(log, heard);
      else if (this.#seen < this.#known) await this.#readUpTo(log, this.#incoming.first ?? this.#known);
      else return;
    }
  }

  /** Every message up to `upTo`, as the leader has it. */
  messages(log: SharedLog, upTo: number): AsyncGenerator<VerifiedBatch> {
    return readVerified({ log, port: this.#port }, { after: 0, upTo, mark: "" });
  }

  /** Their lines are in the logs. */
  applied({ seq, mark }: Stored, parts: readonly SharedPart[]): void {
    for (const { id } of parts) this.#unsynced.add(id);
    this.#addToCheckpoint({ seq, mark, heads: this.#headsAfter(parts) }, 1);
    if (seq > this.#seen) this.#mark = mark;
    this.#seen = Math.max(this.#seen, seq);
  }

  /** Syncs the logs, and then the checkpoint. If a log cannot be synced, its messages are applied again after a restart of the machine. */
  saveCheckpoint(): void {
    this.#sinceCheckpoint = 0;
    for (const id of this.#unsynced) if (this.#isSynced(id)) this.#unsynced.delete(id);
    if (this.#unsynced.size > 0) return;
    this.#parts.context.remote.sync();
    this.checkpoint.markSynced();
  }

  #isSynced(id: string): boolean {
    if (this.#parts.context.durability === "os") return true;
    try {
      syncLog(this.#parts, id);
      return true;
    } catch (e) {
      if (errnoOf(e) === undefined) throw e;
      return false;
    }
  }

  /** Folds what was changed once the work ends, also where it fails midway: a message that is applied again changes nothing. */
  async foldingAfter<T>(work: (changed: Set<string>) => Promise<T>): Promise<T> {
    const changed = new Set<string>();
    try {
      return await work(changed);
    } finally {
      this.folding.add([...changed]);
    }
  }

  async #readUpTo(log: SharedLog, upTo: number): Promise<void> {
    // Once, and not after each batch.
    await this.foldingAfter((changed) => this.#readAll(log, upTo, changed));
    if (this.#seen < upTo) throw unavailable(this.#port, `it gave ${this.#seen} of ${upTo} messages`);
  }

  async #applyReceived(log: SharedLog, heard: readonly SharedMessage[]): Promise<void> {
    const run = await verifyBatch(this.#reading(log), heard, this.#mark);
    await this.foldingAfter((changed) => this.#applyBatch(log, run, changed));
  }

  async #readAll(log: SharedLog, upTo: number, changed: Set<string>): Promise<void> {
    const tails = upTo - this.#seen > FAR_BEHIND ? this.#tails : undefined;
    const behind = { after: this.#seen, upTo, mark: this.#mark };
    for await (const run of readVerified(this.#reading(log), behind)) await this.#applyBatch(log, run, changed, tails);
  }

  #reading(log: SharedLog): Parameters<typeof verifyBatch>[0] {
    return { log, port: this.#port, verify: () => this.verify(log) };
  }

  /** Adds the ids of those whose logs changed to `changed`. */
  async #applyBatch(
    log: SharedLog,
    { messages, marks }: VerifiedBatch,
    changed: Set<string>,
    tails?: LogTails,
  ): Promise<void> {
    const taken: SharedPart[][] = [];
    let last = 0;
    for (const message of messages) {
      const received = this.#decoder.decode(message);
      if (received.kind === "partial") continue;
      if (received.kind === "none") this.#quarantine(message);
      const own = received.kind === "whole" ? received.parts : [];
      last = message.seq;
      if (own.length > 0) taken.push(own);
    }
    const parts = taken.flat();
    const ids = new Set<string>();
    try {
      if (taken.length > 0) await applyMessages(this.#parts, taken, ids, tails);
    } finally {
      for (const id of ids) changed.add(id);
      // Lines that are there already may wait for a sync as well.
      for (const id of [...ids, ...parts.map((part) => part.id)]) this.#unsynced.add(id);
    }
    this.blobs.wanted(log, parts);
    if (last > 0)
      this.#addToCheckpoint({ seq: last, mark: marks.get(last)!, heads: this.#headsAfter(parts) }, messages.length);
    const end = messages.at(-1)?.seq ?? 0;
    if (end > this.#seen) this.#mark = marks.get(end)!;
    this.#seen = Math.max(this.#seen, end);
  }

  #addToCheckpoint(noted: CheckpointEntry, messages: number): void {
    this.checkpoint.add(noted);
    this.#sinceCheckpoint += messages;
    if (this.#sinceCheckpoint >= CHECKPOINT_EVERY) this.saveCheckpoint();
  }

  #headsAfter(parts: readonly SharedPart[]): CheckpointEntry["heads"] {
    const added = new Map<string, { id: string; root: string; ops: SharedOp[] }>();
    for (const { id, root, ops } of parts) {
      const before = added.get(root);
      if (before) before.ops.push(...ops);
      else added.set(root, { id, root, ops: [...ops] });
    }
    return [...added.values()].map((part) => {
      const heads = this.checkpoint.headsOf(part.root) ?? [];
      return { root: part.root, heads: headsAfter(heads, part.ops, () => opsHere(this.#parts, part)) };
    });
  }

  #quarantine({ seq, body }: SharedMessage): void {
    const path = quarantine(this.#parts.context, `shared-${seq}`, body);
    const message = `Message ${seq} of the shared log is none of ours; it was kept in .coco/registry/quarantine/${path.split(/[\\/]/).at(-1)}.`;
    this.#parts.context.notices.push({
      code: "SET_ASIDE",
      message,
      recovery: "Look at it there; nothing of it was read into a log.",
    });
  }
}

async function markAt(log: SharedLog, seq: number): Promise<string> {
  let mark = "";
  for await (const message of log.read(seq - 1, seq)) mark = markOf(message);
  return mark;
}

/** A server that has just become the leader may not have read the last messages again. */
async function stateAfter(
  runtime: Runtime,
  log: SharedLog,
  seen: number,
  identity: string,
): Promise<SharedState | null> {
  for (let attempt = 1; ; attempt++) {
    const state = await log.state();
    const isBehind = state?.identity === identity && state.last < seen;
    if (!isBehind || attempt === MAX_LOOKS) return state;
    await sleep(runtime, LOOK_MS);
  }
}
