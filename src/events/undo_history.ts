/**
 * Which ops stand undone, and what that leaves in the fields they wrote (UNDO-30). An undo takes its op's writes out of
 * effect: each field is then as the last write in effect left it. So an op that is in effect keeps what it wrote,
 * whichever branch it is of, and nothing that an undo says is believed.
 *
 * Kept are only ops that were reversed and the fields they wrote. Of an op that it does not know it says so: the log is read
 * again from its start, with that op in mind.
 */
import type { Op } from "../log/types.ts";
import type { Entity } from "../state/entity.ts";
import type { Json } from "../state/schema.ts";
import { fitsField, isPresence, OF_STATUS } from "../state/fields.ts";
import type { PastOp } from "./history.ts";
import type { Change, FieldChange } from "./writer.ts";
import { changesOf, isReversal, isUndoable } from "./history.ts";
import type { GateThen, LackedBefore } from "./gate_then.ts";
import { lackedBefore, opens } from "./gate_then.ts";

/** The value that one op gave a field. */
interface Write {
  op: string;
  value: Json;
  undone: boolean;
}

/** The writes of one field since the first op that was reversed, in order, upon what the field was before. */
interface Writes {
  base: Json;
  /** Index of the op that the list begins with; null once earlier writes were left out. */
  from: number | null;
  list: readonly Write[];
}

interface UndoneOp {
  index: number;
  /** Names of what it wrote. */
  fields: readonly string[];
  /** Of each step that it opened, what its gate lacked right before. */
  lacked: LackedBefore;
}

/** As plain JSON. */
export interface SavedUndoHistory {
  ops: [string, UndoneOp][];
  fields: [string, Writes][];
}

export interface FieldValue {
  field: string;
  value: Json;
}

/** The outcome of an undo or redo. */
export interface Reversal {
  op: string;
  undo: boolean;
  /** There is such an op, and it can be undone. */
  known: boolean;
  /** Its place in replay order; undefined where only the whole log tells. */
  index?: number;
  /** To be written: of the fields that it names those that no later write keeps, and no work. */
  fields: FieldValue[];
  /** The value that it says of each field that it names with effect: what conflicts go by (UNDO-31). */
  namedFields: FieldValue[];
  /** The member of the payload that has no effect, and why. */
  fault: string | null;
  /** By what a step is judged that this closes again; null where only the whole log tells. */
  gate: GateThen | null;
}

/** Fields that are there or not, and that nothing but their own op and its undo writes. */
const ENTRY = /^(?:gate|note|trace|card)\./;

type Undoing = () => void;

export class UndoHistory {
  #ops = new Map<string, UndoneOp>();
  #fields = new Map<string, Writes>();
  /** Ops that an undo or redo named, whether or not there are such ops. They are known from the start of a reading on. */
  readonly #wanted = new Set<string>();
  readonly #most: number;
  #journal: Undoing[] | null = null;

  /** `most`: a list of writes that is longer is cut, below one that was not taken back. */
  constructor(most: number) {
    this.#most = most;
  }

  /** A log that names no op of its past needs no record of it. */
  get awaits(): boolean {
    return this.#wanted.size > 0;
  }

  want(op: string): void {
    this.#wanted.add(op);
  }

  clear(): void {
    this.#ops.clear();
    this.#fields.clear();
  }

  save(): SavedUndoHistory {
    return { ops: [...this.#ops], fields: [...this.#fields] };
  }

  resume({ ops, fields }: SavedUndoHistory): void {
    this.#ops = new Map(ops);
    this.#fields = new Map(fields);
  }

  /** Returns a function that takes back everything from here on. */
  keep(): Undoing {
    const journal: Undoing[] = [];
    this.#journal = journal;
    return () => {
      for (const undo of journal.toReversed()) undo();
    };
  }

  /** Changes from here on stay. */
  accept(): void {
    this.#journal = null;
  }

  /** Takes note of an op that has been applied. `reversals`: what the undos and redos in it wrote. */
  take(entity: Entity, op: Op, record: readonly Change[], reversals: readonly Reversal[]): void {
    const tracked = this.#wanted.has(op.hash) && isUndoable(op);
    if (!tracked && this.#fields.size === 0) return;
    const restored = new Map(reversals.flatMap((one) => one.fields).map(({ field, value }) => [field, value]));
    const changes = changesOf(entity, { record });
    for (const { field, after } of changes) {
      // A value that an undo restored is the write of an earlier op; changes that followed from it are the undo's own.
      if (restored.has(field) && (ENTRY.test(field) || same(restored.get(field)!, after))) continue;
      const known = this.#fields.get(field);
      if (known) this.#put(this.#fields, field, this.#with(known, { op: op.hash, value: after, undone: false }));
    }
    if (tracked) this.#track(op.hash, op.index, changes, lackedBefore(entity, op.index, [changes]));
  }

  /** Returns the outcome of an undo or redo; undefined when its op is not known and the log has to be read again. */
  reverse(
    entity: Entity,
    given: { op: string; undo: boolean; fields: readonly FieldValue[] },
    at: ReversalPlace,
  ): Reversal | undefined {
    const { op, undo } = given;
    if (!this.#ops.has(op) && !this.#recall(entity, op, at)) {
      if (!this.#wanted.has(op)) return undefined;
      return {
        op,
        undo,
        known: false,
        fields: [],
        namedFields: [],
        gate: null,
        fault: "it names no op before it that can be undone",
      };
    }
    const reversed = this.#ops.get(op)!;
    const gate = undo ? { until: reversed.index, lacked: reversed.lacked } : { until: reversed.index + 1, lacked: {} };
    const reversal: Reversal = {
      op,
      undo,
      known: at.saw(reversed.index),
      index: reversed.index,
      fields: [],
      namedFields: [],
      fault: null,
      gate,
    };
    if (!reversal.known) return { ...reversal, fault: "it names an op that it had not seen" };
    const faults: string[] = [];
    for (const { field, value } of given.fields) {
      const name = field.slice(0, 80);
      if (!fitsField(entity, field, value)) faults.push(`no value of a field: ${name}`);
      else if (reversed.fields.includes(field)) {
        this.#reverseField(reversal, field, value, at.leaves);
        if (field === "status") this.#reverseUnnamed(reversal, given.fields, at.leaves);
      }
      // Another branch may be why the op wrote less here than where it was undone.
      else if (!at.forked) faults.push(`its op did not write ${name}`);
    }
    if (faults.length > 0) reversal.fault = faults.slice(0, 5).join("; ");
    return reversal;
  }

  /** The end of the whole goes with its status, also where only the status is named (UNDO-30). */
  #reverseUnnamed(reversal: Reversal, named: readonly FieldValue[], leaves: ReversalPlace["leaves"]): void {
    for (const field of OF_STATUS)
      if (!named.some((one) => one.field === field)) this.#reverseField(reversal, field, null, leaves);
  }

  #reverseField(reversal: Reversal, field: string, given: Json, leaves: ReversalPlace["leaves"]): void {
    const writes = this.#fields.get(field)!;
    const at = writes.list.findIndex((w) => w.op === reversal.op);
    if (at >= 0) {
      const list = writes.list.with(at, { ...writes.list[at]!, undone: reversal.undo });
      this.#put(this.#fields, field, { ...writes, list });
    }
    const later = at < 0 || writes.list.some((w, i) => i > at && !w.undone);
    const value = inEffect(this.#fields.get(field)!);
    const left = reversal.undo && !later && isPresence(field) && leaves(field);
    reversal.namedFields.push({ field, value: given });
    if (!later && !left) reversal.fields.push({ field, value });
  }

  /** Knows an op from now on that is among the last ones. False when they do not tell all that is needed. */
  #recall(entity: Entity, op: string, { recent, whole }: ReversalPlace): boolean {
    const at = recent.findIndex((past) => past.op === op);
    const past = recent[at];
    if (!past) {
      if (whole) this.#wanted.add(op);
      return false;
    }
    // There is nothing to look for in the rest of the log.
    this.#wanted.add(op);
    if (!past.undoable) return false;
    const changes = changesOf(entity, past);
    const lacked = lackedBefore(
      entity,
      indexOf(past),
      changes.some(opens) ? recent.slice(at).map((one) => changesOf(entity, one)) : [],
    );
    const made: [string, Writes][] = [];
    for (const { field, before } of changes) {
      const known = this.#fields.get(field);
      if (known?.list.some((w) => w.op === op)) continue;
      const until = known ? known.from : Infinity;
      if (until === null) return this.#giveUp(op);
      const list = writesIn(entity, recent.slice(at), field, until);
      if (!list) return this.#giveUp(op);
      made.push([field, { base: before, from: indexOf(past), list: [...list, ...(known?.list ?? [])] }]);
    }
    for (const [field, writes] of made) this.#put(this.#fields, field, writes);
    this.#put(this.#ops, op, { index: indexOf(past), fields: changes.map((c) => c.field), lacked });
    return true;
  }

  /** The op is there, and only the whole log tells of it. */
  #giveUp(op: string): false {
    this.#wanted.delete(op);
    return false;
  }

  #track(op: string, index: number, changes: readonly FieldChange[], lacked: LackedBefore): void {
    this.#put(this.#ops, op, { index, fields: changes.map((c) => c.field), lacked });
    for (const { field, before, after } of changes) {
      if (this.#fields.has(field)) continue;
      this.#put(this.#fields, field, { base: before, from: index, list: [{ op, value: after, undone: false }] });
    }
  }

  /** Below a write that was not taken back nothing shows. When it is taken back, the log is read again. */
  #with({ base, from, list }: Writes, write: Write): Writes {
    const all = [...list, write];
    if (all.length <= this.#most) return { base, from, list: all };
    const at = all.findLastIndex((w, i) => i < this.#most / 2 && !this.#ops.has(w.op));
    return at < 0 ? { base, from, list: all } : { base: all[at]!.value, from: null, list: all.slice(at + 1) };
  }

  #put<T>(map: Map<string, T>, key: string, value: T): void {
    const old = map.get(key);
    this.#journal?.push(() => (old === undefined ? map.delete(key) : map.set(key, old)));
    map.set(key, value);
  }
}

/** How an undo or redo lies to the ops before it. */
export interface ReversalPlace {
  /** The last ops, oldest first, with what they wrote. */
  recent: readonly PastOp[];
  /** These are all there are. */
  whole: boolean;
  /** Whether its writer knew the op of that index. */
  saw: (index: number) => boolean;
  forked: boolean;
  /** Whether a branch that its writer had not seen worked on this step or node, or below it. */
  leaves: (presence: string) => boolean;
}

/** Writes of a field by these ops before the op of index `until`; null when an undo among them left something of its own. */
function writesIn(entity: Entity, ops: readonly PastOp[], field: string, until: number): Write[] | null {
  const list: Write[] = [];
  for (const past of ops) {
    if (indexOf(past) >= until) break;
    const change = changesOf(entity, past).find((c) => c.field === field);
    if (!change) continue;
    if (isReversal(past)) return null;
    list.push({ op: past.op, value: change.after, undone: false });
  }
  return list;
}

/** Returns the value that the last write in effect left. */
function inEffect({ base, list }: Writes): Json {
  const last = list.findLast((w) => !w.undone);
  return last ? last.value : base;
}

function indexOf(past: PastOp): number {
  return past.revision - 1;
}

function same(a: Json, b: Json): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}
