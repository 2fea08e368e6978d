/**
 * Folds ops, in replay order, into one entity. Total and in place: an event of an unknown type or with a payload of
 * the wrong shape has no effect and is reported; nothing here throws.
 */
import type { Event, ForeignLine, Op } from "../log/types.ts";
import type { Entity } from "../state/entity.ts";
import { enter, keepBook, LateBook, messageOf } from "./book.ts";
import { ConcurrentWrites, settleConflicts } from "./conflicts.ts";
import { History, RING } from "./history.ts";
import { EVENTS } from "./index.ts";
import type { Change } from "./writer.ts";
import { unwind, Writer } from "./writer.ts";

/** Where an op stands in relation to those told before it. */
export interface Place {
  /** Every op told before is an ancestor of this one. */
  joined: boolean;
  /** The log has branches: writes are tracked for conflicts. */
  forked: boolean;
  isAncestor: (a: number, b: number) => boolean;
}

/** An event that had no effect, and why. */
export interface NoEffect {
  hash: string;
  type: string;
  reason:
    | "newer version"
    | "unknown type"
    | "payload of the wrong shape"
    | "not a first event"
    | "an event that only begins a log";
}

/**
 * Goes up with any change of what folding a log gives. Snapshots of another version are not used: what they hold was
 * folded by other rules.
 */
export const FOLD_VERSION = 10;

const NO_LINES: readonly ForeignLine[] = [];

export class Fold {
  noEffect: NoEffect[] = [];
  #entity: Entity | null = null;
  readonly #late = new LateBook();
  readonly #writer: Writer;
  readonly #ring: number;
  #concurrent: ConcurrentWrites | null = null;
  /** False while a log is read from its start: ops far back in it are not kept in detail, unless all are asked for. */
  #detailed: boolean;
  history: History;
  /** Ops that were attempted and of which nobody has said yet that they are in the log, oldest first. */
  staged: Op[] = [];

  /**
   * `ring`: how many past ops are kept in detail; all of them with Infinity. `whole`: notes and trace are kept to the
   * first, for those who page back beyond what a state holds.
   */
  constructor(ring: number = RING, whole = false) {
    this.#writer = new Writer(whole);
    this.#ring = ring;
    this.#detailed = ring === Infinity;
    this.history = new History(ring);
  }

  get entity(): Entity | null {
    if (this.#entity) this.#late.settle(this.#entity);
    return this.#entity;
  }

  /** Forgets everything: the same log comes again from its first op. */
  reset(): void {
    this.#entity = null;
    this.#late.clear();
    this.noEffect = [];
    this.staged = [];
    this.#concurrent = null;
    this.#detailed = this.#ring === Infinity;
    this.history = new History(this.#ring);
  }

  /** The log has been read to its end: what comes from here on is kept in detail, for undo and history. */
  live(): void {
    this.#detailed = true;
  }

  /** Goes on from a state that was folded before; `redo` is what could be brought again there. */
  resume(entity: Entity, redo: readonly string[]): void {
    this.reset();
    this.#entity = entity;
    this.history = History.from(this.#ring, redo);
  }

  /** Takes the next op of a log that is being read. */
  op(op: Op, place: Place): void {
    if (!this.#detailed && !place.forked && !isOpen(this.#entity)) {
      this.#apply(op, null);
      return;
    }
    const record = this.#writer.begin();
    this.#apply(op, record);
    this.#writer.end();
    const entity = this.#entity;
    if (!entity) return;
    if (place.forked) {
      this.#concurrent ??= new ConcurrentWrites();
      this.#concurrent.take(entity, op, record, place.isAncestor);
    } else settleConflicts(entity, record);
  }

  /**
   * Applies an op that has been decided but not yet written, on top of everything known. What comes back
   * undoes it, should the write fail.
   */
  attempt(op: Op): () => void {
    const before = this.entity;
    const noEffect = this.noEffect.length;
    const putHistoryBack = this.history.keep();
    const putBookBack = before ? keepBook(before, op.events[op.events.length - 1]!.by) : null;
    const record = this.#writer.begin();
    this.#apply(op, record);
    if (this.#entity && before) settleConflicts(this.#entity, record, this.#writer);
    this.#writer.end();
    this.staged.push(op);
    return () => {
      this.#unstage(op);
      unwind(record);
      putHistoryBack();
      putBookBack?.();
      this.noEffect.length = noEffect;
      if (!before) this.#entity = null;
    };
  }

  /** An op that was attempted is in the log now. */
  written(op: Op): void {
    this.#unstage(op);
  }

  #unstage(op: Op): void {
    // Written in the order in which they were attempted, taken back in the other: nearly always at one end.
    if (this.staged[0] === op) this.staged.shift();
    else this.staged = this.staged.filter((one) => one !== op);
  }

  /** `record`: what is written here, or null when nobody will ask. */
  #apply(op: Op, record: readonly Change[] | null): void {
    const { events } = op;
    for (let i = 0; i < events.length; i++) this.#event(events[i]!, op.foreign?.get(i) ?? NO_LINES);
    const entity = this.#entity;
    if (!entity) return;
    if (record) {
      this.#late.settle(entity);
      const message = messageOf(op);
      enter(entity, events[events.length - 1]!, message);
      this.history.take(op, entity.revision, message, record);
    } else {
      this.#late.take(entity, op);
      this.history.skim(op);
    }
  }

  #event(event: Event, foreign: readonly ForeignLine[]): void {
    if ((event.v as number) !== 1) return this.#none(event, "newer version");
    const type = EVENTS[event.type];
    if (!type) return this.#none(event, "unknown type");
    if (!type.fits(event.payload)) return this.#none(event, "payload of the wrong shape");
    const entity = this.#entity;
    if (entity === null) {
      if (!type.found) return this.#none(event, "not a first event");
      this.#entity = type.found(event.payload as never, event);
      return;
    }
    if (type.found) return this.#none(event, "an event that only begins a log");
    type.apply(entity, event.payload as never, event, this.#writer, foreign);
    if (event.ts > entity.updated_at) entity.updated_at = event.ts;
  }

  #none(event: Event, reason: NoEffect["reason"]): void {
    // Unknown ancillary types are meant to have no effect; only what surprises is kept.
    if (!event.type.startsWith("x.")) this.noEffect.push({ hash: event.hash, type: event.type, reason });
  }
}

/** Something stands open that an op could settle by what it writes. */
function isOpen(entity: Entity | null): boolean {
  return entity !== null && (entity.conflicts.size > 0 || entity.moved.size > 0);
}
