/** Takes the messages of the shared log in, in their order, and keeps count for all processes of this machine. */
import type { SharedLog, SharedLogPort, SharedMessage, SharedState } from "../core/shared_log.ts";
import { quarantine } from "../core/quarantine.ts";
import { errnoOf } from "../../files/storage_error.ts";
import type { EngineParts } from "../parts.ts";
import { replaced, unavailable } from "./failures.ts";
import { Blobs } from "./blobs.ts";
import { Folding } from "./folding.ts";
import { areSameHeads, headsAfter } from "./heads.ts";
import { Incoming } from "./incoming.ts";
import { LogEnds } from "./log_ends.ts";
import type { SharedOp, SharedPart } from "./message.ts";
import { Receiver } from "./message.ts";
import type { Noted } from "./position.ts";
import { Position } from "./position.ts";
import { opsHere } from "./step.ts";
import { syncLog, takeIn } from "./take_in.ts";

/** Most messages, and most bytes of them, that are taken in under one hold of the locks. */
const MOST_TOGETHER = { messages: 200, bytes: 4 * 1024 * 1024 };
/** So many messages are not folded one by one. */
const FAR_BEHIND = 50;
/** After so many messages the logs are synced, and the position behind them. */
const CHECKPOINT = 1000;
const MOST_LOOKS = 20;
const LOOK_MS = 100;

export class Intake {
  readonly position: Position;
  readonly folding: Folding;
  readonly blobs: Blobs;
  readonly #parts: EngineParts;
  readonly #port: SharedLogPort;
  readonly #receiver = new Receiver();
  readonly #incoming = new Incoming();
  readonly #unsynced = new Set<string>();
  readonly #ends: LogEnds;
  #identity = "";
  #seen = 0;
  /** Last message that is known to be stored. */
  #known = 0;
  #sinceCheckpoint = 0;

  constructor(parts: EngineParts, port: SharedLogPort) {
    this.#parts = parts;
    this.#port = port;
    this.position = new Position(parts.context);
    this.folding = new Folding(parts);
    this.#ends = new LogEnds(parts.context, parts.logs);
    this.blobs = new Blobs(parts, port.blobs === "all");
  }

  /** Last message that was read. Those of an unfinished body are ahead of the position. */
  get seen(): number {
    return this.#seen;
  }

  /** Finds out how far this machine is; true where it counts messages for the first time. SHARED_REPLACED where it knows of another log. */
  begin(state: SharedState): boolean {
    const { position } = this;
    const isNew = position.identity === "";
    if (isNew) position.begin(state.identity);
    else if (position.identity !== state.identity || state.last < position.seq)
      throw replaced(this.#port, position.seq, state);
    if (state.first > position.seq + 1) throw replaced(this.#port, position.seq, state);
    this.#identity = state.identity;
    this.#seen = Math.max(this.#seen, position.seq);
    return isNew;
  }

  /** The present state of the shared log. SHARED_REPLACED where it is another one. */
  async stateOf(log: SharedLog): Promise<SharedState> {
    const seen = this.#seen;
    const state = await stateAfter(log, seen);
    if (!state || state.identity !== this.#identity || state.last < seen) throw replaced(this.#port, seen, state);
    return state;
  }

  /** A message that came by itself; false where it is known. */
  heard(message: SharedMessage): boolean {
    if (message.seq <= this.#seen) return false;
    this.#known = Math.max(this.#known, message.seq);
    this.#incoming.add(message);
    return true;
  }

  get hasHeard(): boolean {
    return this.#incoming.first !== undefined;
  }

  /** So many messages are stored. */
  knows(last: number): void {
    this.#known = Math.max(this.#known, last);
  }

  /** Whether the log of an id ends as the shared log says, as far as that is known without reading it. */
  isInStep(id: string): boolean {
    const end = this.#ends.of(id);
    return end !== undefined && areSameHeads([end.head], this.position.headsOf(end.root) ?? []);
  }

  /** Takes in every message that is known to be stored. Call alone among the processes of this machine. */
  async catchUp(log: SharedLog): Promise<void> {
    const { position } = this;
    position.refresh();
    if (position.identity === "") {
      // The file was deleted: what is there already is found to be there.
      position.begin(this.#identity);
      this.#seen = 0;
    }
    if (position.identity !== this.#identity) throw replaced(this.#port, position.seq, null);
    if (position.seq > this.#seen) {
      this.#seen = position.seq;
      this.#receiver.forget();
    }
    for (;;) {
      const heard = this.#incoming.behind(this.#seen);
      if (heard.length > 0) await this.foldingAfter((changed) => this.#takeAll(log, heard, changed));
      else if (this.#seen < this.#known) await this.#readUpTo(log, this.#incoming.first ?? this.#known);
      else return;
    }
  }

  /** Their lines are in the logs. */
  took(seq: number, parts: readonly SharedPart[]): void {
    for (const { id } of parts) this.#unsynced.add(id);
    this.#note({ seq, heads: this.#headsAfter(parts) }, 1);
    this.#seen = Math.max(this.#seen, seq);
  }

  /** Syncs the logs, and then the position. If a log cannot be synced, its messages are taken in again after a restart of the machine. */
  checkpoint(): void {
    this.#sinceCheckpoint = 0;
    for (const id of this.#unsynced) if (this.#isSynced(id)) this.#unsynced.delete(id);
    if (this.#unsynced.size > 0) return;
    this.#parts.context.remote.sync();
    this.position.checkpoint();
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

  /** Folds what was changed once the work ends, also where it fails midway: a message that is taken in again changes nothing. */
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

  async #readAll(log: SharedLog, upTo: number, changed: Set<string>): Promise<void> {
    const ends = upTo - this.#seen > FAR_BEHIND ? this.#ends : undefined;
    let batch: SharedMessage[] = [];
    let bytes = 0;
    const take = async (): Promise<void> => {
      await this.#takeAll(log, batch, changed, ends);
      batch = [];
      bytes = 0;
    };
    for await (const message of log.read(this.#seen, upTo)) {
      batch.push(message);
      bytes += message.body.length;
      if (batch.length < MOST_TOGETHER.messages && bytes < MOST_TOGETHER.bytes) continue;
      await take();
    }
    await take();
  }

  /** Adds the ids of those whose logs changed to `changed`. */
  async #takeAll(
    log: SharedLog,
    messages: readonly SharedMessage[],
    changed: Set<string>,
    ends?: LogEnds,
  ): Promise<void> {
    const taken: SharedPart[][] = [];
    let last = 0;
    for (const message of messages) {
      const received = this.#receiver.take(message);
      if (received.kind === "partial") continue;
      if (received.kind === "none") this.#setAside(message);
      const own = received.kind === "whole" ? received.parts : [];
      last = message.seq;
      if (own.length > 0) taken.push(own);
    }
    const parts = taken.flat();
    const ids = new Set<string>();
    try {
      if (taken.length > 0) await takeIn(this.#parts, taken, ids, ends);
    } finally {
      for (const id of ids) changed.add(id);
      // Lines that are there already may wait for a sync as well.
      for (const id of [...ids, ...parts.map((part) => part.id)]) this.#unsynced.add(id);
    }
    this.blobs.wanted(log, parts);
    if (last > 0) this.#note({ seq: last, heads: this.#headsAfter(parts) }, messages.length);
    this.#seen = Math.max(this.#seen, messages.at(-1)?.seq ?? 0);
  }

  #note(noted: Noted, messages: number): void {
    this.position.note(noted);
    this.#sinceCheckpoint += messages;
    if (this.#sinceCheckpoint >= CHECKPOINT) this.checkpoint();
  }

  #headsAfter(parts: readonly SharedPart[]): Noted["heads"] {
    const added = new Map<string, { id: string; root: string; ops: SharedOp[] }>();
    for (const { id, root, ops } of parts) {
      const before = added.get(root);
      if (before) before.ops.push(...ops);
      else added.set(root, { id, root, ops: [...ops] });
    }
    return [...added.values()].map((part) => {
      const heads = this.position.headsOf(part.root) ?? [];
      return { root: part.root, heads: headsAfter(heads, part.ops, () => opsHere(this.#parts, part)) };
    });
  }

  #setAside({ seq, body }: SharedMessage): void {
    const path = quarantine(this.#parts.context, `shared-${seq}`, body);
    const message = `Message ${seq} of the shared log is none of ours; it was kept in .coco/registry/quarantine/${path.split(/[\\/]/).at(-1)}.`;
    this.#parts.context.notices.push({
      code: "SET_ASIDE",
      message,
      recovery: "Look at it there; nothing of it was read into a log.",
    });
  }
}

/** A server that has just become the leader may not have read the last messages again. */
export async function stateAfter(log: SharedLog, seen: number): Promise<SharedState | null> {
  for (let attempt = 1; ; attempt++) {
    const state = await log.state();
    if (!state || state.last >= seen || attempt === MOST_LOOKS) return state;
    await new Promise((done) => setTimeout(done, LOOK_MS));
  }
}
