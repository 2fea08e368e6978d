/**
 * Folds ops, in replay order, into one entity. Total and in place: an event of an unknown type or with a payload of the
 * wrong shape has no effect and is reported. Nothing here throws.
 */
import type { OpPosition } from "../log/ancestry.ts";
import type { Event, ForeignLine, Op } from "../log/types.ts";
import type { Entity } from "../state/entity.ts";
import { enter, keepActivity, DeferredActivity, messageOf } from "./activity_log.ts";
import { ConcurrentWrites, closeConflicts } from "./conflicts.ts";
import { History, RING } from "./history.ts";
import type { ReversalOf } from "./history.ts";
import { EVENTS } from "./index.ts";
import type { FieldValue, SavedUndoHistory, Reversal } from "./undo_history.ts";
import { UndoHistory } from "./undo_history.ts";
import { ConcurrentArchive } from "./concurrent_archive.ts";
import { presencesOf, ConcurrentWork } from "./concurrent_work.ts";
import type { Change } from "./writer.ts";
import { unwind, Writer } from "./writer.ts";

/** An event that had no effect, and why. */
export interface NoEffect {
  hash: string;
  type: string;
  reason:
    | "newer version"
    | "unknown type"
    | "payload of the wrong shape"
    | "not a first event"
    | "an event that only begins a log"
    | "an attempt of the packet was under way"
    | `undo or redo: ${string}`;
}

/**
 * Goes up with any change of what folding a log gives. Snapshots of another version are not used: what they hold was
 * folded by other rules.
 */
export const FOLD_VERSION = 38;

/** How many writes of a field that undo took back are kept before those below one in effect are let go. */
const WRITES_KEPT = 64;

const NO_LINES: readonly ForeignLine[] = [];
const NO_REVERSALS: readonly Reversal[] = [];

/** The answer of a fold to an op that it cannot judge without the whole log: the log has to be read again. */
export type Again = "again" | undefined;

/** The state to go on from. */
export interface SavedFold {
  entity: Entity;
  /** Ops that could be brought again, the next one last. */
  redo: readonly string[];
  turns: SavedUndoHistory;
}

export class Fold {
  noEffect: NoEffect[] = [];
  #entity: Entity | null = null;
  readonly #late = new DeferredActivity();
  readonly #writer: Writer;
  readonly #ring: number;
  readonly #work = new ConcurrentWork();
  readonly #archive = new ConcurrentArchive();
  #concurrent: ConcurrentWrites | null = null;
  /** False while a log is read from its start: ops far back in it are not kept in detail, unless all are asked for. */
  #detailed: boolean;
  /** The place of the op that a decision reverses. */
  #reversed: number | undefined;
  /** Undos and redos of the op that is being applied. */
  #reversals: readonly Reversal[] = NO_REVERSALS;
  #undoHistory: UndoHistory;
  #place: OpPosition = HERE;
  /** The op that is being applied: one object for all, because thousands of events a second are given it. */
  readonly #at = {
    index: 0,
    saw: (index: number): boolean =>
      index < this.#at.index &&
      (this.#place.joined || (this.#place.ancestry?.isAncestor(index, this.#at.index) ?? false)),
  };
  /** An op could not be judged: what is here is not what the log says, and it has to be read again. */
  stale = false;
  history: History;
  /** Ops that were attempted and of which it is not known yet whether they are in the log, oldest first. */
  staged: Op[] = [];

  /**
   * `ring`: how many past ops are kept in detail; all of them with Infinity. `whole`: notes and trace are kept to the
   * first, for those who page back beyond what a state holds.
   */
  constructor(ring: number = RING, whole = false) {
    this.#writer = new Writer(whole);
    this.#ring = ring;
    this.#detailed = ring === Infinity;
    this.#undoHistory = new UndoHistory(ring === Infinity ? Infinity : WRITES_KEPT);
    this.history = new History(ring);
  }

  get entity(): Entity | null {
    if (this.#entity) {
      this.#late.flush(this.#entity);
      this.#concurrent?.fillIn(this.#entity);
    }
    return this.#entity;
  }

  /** Forgets everything but which ops it has to watch for: the same log comes again from its first op. */
  reset(): void {
    this.#entity = null;
    this.#work.reset();
    this.#archive.reset();
    this.#undoHistory.clear();
    this.stale = false;
    this.#late.clear();
    this.noEffect = [];
    this.staged = [];
    this.#concurrent = null;
    this.#detailed = this.#ring === Infinity;
    this.history = new History(this.#ring);
  }

  /** Another log may come, or one that lost lines: what was found in readings before says nothing of it. */
  forget(): void {
    this.#work.forget();
  }

  /** Looks at an op behind the moment that is asked for: it may tell what an undo before that leaves. */
  lookAhead(op: Op, { ancestry }: OpPosition): Again {
    return this.#entity && ancestry ? this.#work.take(op, presencesOf(this.#entity, op), ancestry) : undefined;
  }

  /** The log has been read to its end: what comes from here on is kept in detail, for undo and history. */
  live(): void {
    this.#detailed = true;
  }

  /** Returns the input of `resume`, besides the entity. */
  save(): Omit<SavedFold, "entity"> {
    return { redo: this.history.redo, turns: this.#undoHistory.save() };
  }

  /** Goes on from a state that was folded before. */
  resume({ entity, redo, turns }: SavedFold): void {
    this.reset();
    this.#entity = entity;
    this.#undoHistory.resume(turns);
    this.#detailed = true;
    this.history = History.from(this.#ring, redo);
  }

  /** An undo or redo may name this op: it is watched for when the log is read. */
  want(op: string): void {
    this.#undoHistory.want(op);
  }

  /** Takes the next op of a log that is being read. */
  op(op: Op, place: OpPosition): Again {
    if (this.stale) return this.#lookOut(op);
    if (!this.#detailed && place.ancestry === null && !this.#undoHistory.awaits && !isOpen(this.#entity)) {
      this.#apply(op, null, place);
      return this.stale ? "again" : undefined;
    }
    const before = this.#entity?.archived ?? false;
    const record = this.#writer.begin();
    this.#apply(op, record, place);
    this.#writer.end();
    if (this.stale) return "again";
    const entity = this.#entity;
    if (!entity) return undefined;
    if (place.ancestry !== null) {
      const after = entity.archived;
      setArchived(entity, this.#archive.take(op, { before, after }, place.ancestry));
      this.#concurrent ??= new ConcurrentWrites(this.#work);
      const worked = presencesOf(entity, op);
      this.#concurrent.take(entity, op, { record, worked }, place.ancestry);
      return this.#work.take(op, worked, place.ancestry);
    }
    closeConflicts(entity, op, record);
    return undefined;
  }

  /** The log will be read again: what is left of it only has to say which ops to watch for. */
  #lookOut(op: Op): Again {
    for (const event of op.events) {
      const reversal = reversalIn(event);
      if (reversal && EVENTS[event.type]!.fits(event.payload)) this.#undoHistory.want(reversal.op);
    }
    return "again";
  }

  /**
   * Applies an op that has been decided but not yet written, on top of everything known. The function that it returns
   * undoes it, should the write fail. `reversed`: where it is an undo or redo, the place in replay order of the op that it names.
   */
  attempt(op: Op, reversed?: number): () => void {
    const before = this.entity;
    const noEffect = this.noEffect.length;
    const putHistoryBack = this.history.keep();
    const putActivityBack = before ? keepActivity(before, op.events[op.events.length - 1]!.by) : null;
    const restoreUndo = this.#undoHistory.keep();
    const { stale } = this;
    const record = this.#writer.begin();
    this.#reversed = reversed;
    this.#apply(op, record, HERE);
    this.#undoHistory.accept();
    if (this.#entity && before) closeConflicts(this.#entity, op, record, this.#writer);
    this.#writer.end();
    this.staged.push(op);
    return () => {
      this.#unstage(op);
      unwind(record);
      restoreUndo();
      this.stale = stale;
      putHistoryBack();
      putActivityBack?.();
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

  /** `record`: the changes of the op, or null when no caller will ask. */
  #apply(op: Op, record: readonly Change[] | null, place: OpPosition): void {
    const { events } = op;
    this.#reversals = NO_REVERSALS;
    this.#at.index = op.index;
    this.#place = place;
    for (let i = 0; i < events.length; i++) this.#event(events[i]!, op, op.foreign?.get(i) ?? NO_LINES, place);
    const entity = this.#entity;
    if (!entity) return;
    if (record) {
      this.#late.flush(entity);
      const message = messageOf(op);
      enter(entity, events[events.length - 1]!, message);
      this.history.take(op, entity.revision, message, record, this.#reversals);
      this.#undoHistory.take(entity, op, record, this.#reversals);
    } else {
      this.#late.take(entity, op);
      this.history.skim();
    }
  }

  #event(event: Event, op: Op, foreign: readonly ForeignLine[], place: OpPosition): void {
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
    if (entity.packet && type.isHeld?.(event.payload as never, entity.packet, this.#at))
      return this.#none(event, "an attempt of the packet was under way");
    const reversal = reversalIn(event);
    const payload = reversal ? this.#reverse(entity, event, reversal, op, place) : event.payload;
    if (!payload) return;
    type.apply(entity, payload as never, event, this.#writer, foreign, this.#at);
    if (event.ts > entity.updated_at) entity.updated_at = event.ts;
  }

  /** The payload of an undo or redo with what its fields come to here; undefined when it has no effect. */
  #reverse(
    entity: Entity,
    event: Event,
    { op: named, undo }: ReversalOf,
    op: Op,
    place: OpPosition,
  ): object | undefined {
    const { ops: recent, whole } = this.history;
    const given = { op: named, undo, fields: event.payload["fields"] as unknown as FieldValue[] };
    const reversal = this.#undoHistory.reverse(entity, given, {
      recent,
      whole,
      saw: this.#at.saw,
      leaves: (field) => place.ancestry !== null && this.#work.leaves(op, field, place.ancestry),
      forked: place === HERE || place.ancestry !== null,
    });
    if (!reversal) {
      this.stale = true;
      this.#undoHistory.want(named);
      if (place !== HERE) return undefined;
      // Decisions made here were made upon the whole log, so they hold as they are until that is read again.
      this.#reversals = [
        ...this.#reversals,
        { ...given, known: true, namedFields: given.fields, fault: null, gate: null },
      ];
      return { ...event.payload, index: this.#reversed };
    }
    if (reversal.fault !== null) this.#none(event, `undo or redo: ${reversal.fault}`);
    if (!reversal.known) return undefined;
    this.#reversals = [...this.#reversals, reversal];
    return {
      ...event.payload,
      fields: reversal.fields,
      namedFields: reversal.namedFields,
      gate: reversal.gate,
      index: reversal.index,
    };
  }

  #none(event: Event, reason: NoEffect["reason"]): void {
    // Unknown ancillary types are meant to have no effect; only what surprises is kept.
    if (!event.type.startsWith("x.")) this.noEffect.push({ hash: event.hash, type: event.type, reason });
  }
}

/** The outcome of branches is no op's doing, and stands in no record. */
function setArchived(entity: Entity, archived: boolean): void {
  if (entity.archived === archived) return;
  entity.archived = archived;
  if (entity.packet) entity.packet = { ...entity.packet, archived };
}

/** Returns whether a conflict is open that an op could resolve by what it writes. */
function isOpen(entity: Entity | null): boolean {
  return entity !== null && (entity.conflicts.size > 0 || entity.moved.size > 0);
}

/** Where an op that is decided here stands. */
const HERE: OpPosition = { joined: true, ancestry: null };

function reversalIn({ type, payload }: Event): ReversalOf | undefined {
  if (type !== "undo.applied" && type !== "redo.applied") return undefined;
  return { op: payload["op"] as string, undo: type === "undo.applied" };
}
