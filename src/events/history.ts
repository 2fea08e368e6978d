/**
 * The last ops as undo and history need them: the fields that each wrote, from what to what. A ring, so that memory
 * does not grow with the log. Older ops are found by replaying the log with a ring that has no end.
 */
import type { Op } from "../log/types.ts";
import type { Json } from "../state/schema.ts";
import { fieldAt } from "../state/fields.ts";
import type { Entity, Step } from "../state/entity.ts";
import { EVENTS } from "./index.ts";
import type { Change, FieldChange } from "./writer.ts";

export interface PastOp {
  /** Hash of its first event, and of its last. */
  op: string;
  last: string;
  revision: number;
  ts: string;
  by: string;
  tool: string;
  message: string;
  types: string[];
  undoable: boolean;
  /** An undo took it back and no redo has brought it again. */
  undone: boolean;
  /** The changes that it wrote; `changesOf` and `touchedBy` read them when a caller asks. */
  record: readonly Change[];
}

/** How many ops the ring of an open workspace holds. */
export const RING = 128;
/** How much longer the list gets before it is cut: a new list is cheap, and what it holds too long outlives the young generation. */
const SLACK = 1.25;

const UNDO = "undo.applied";
const REDO = "redo.applied";

export class History {
  /** Oldest first. */
  ops: PastOp[] = [];
  /** Undone ops that can be brought again, the next one last. */
  redo: string[] = [];
  /** True while `ops` holds every op since the first. */
  whole = true;
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  /** A history that begins in the middle of a log: with no op, and with what could be redone there. */
  static from(most: number, redo: readonly string[]): History {
    const history = new History(most);
    history.whole = false;
    history.redo = [...redo];
    return history;
  }

  /** `reversals`: which ops it took back or brought again. */
  take(op: Op, revision: number, message: string, record: readonly Change[], reversals: readonly ReversalOf[]): void {
    const last = op.events.at(-1)!;
    const { ts, by } = last;
    const types = op.events.map((e) => e.type);
    for (const reversal of reversals) this.#reverse(reversal);
    const undoable = isUndoable(op);
    if (undoable && this.redo.length > 0) this.redo = [];
    this.ops.push({
      op: op.hash,
      last: op.last,
      revision,
      ts,
      by,
      tool: last.op.tool,
      message,
      types,
      undoable,
      undone: false,
      record,
    });
    if (this.ops.length <= this.#most * SLACK) return;
    // A new list: the code that keeps the old one may have to put it back.
    this.ops = this.ops.slice(-this.#most);
    this.whole = false;
  }

  /** Of an op that is not kept in detail nothing is known but that there are such ops. */
  skim(): void {
    this.whole = false;
  }

  /** Returns a function that puts the history back as it is now. */
  keep(): () => void {
    const { ops, redo, whole } = this;
    const { length } = ops;
    return () => {
      ops.length = length;
      this.ops = ops;
      this.redo = redo;
      this.whole = whole;
    };
  }

  /** Of the undos and redos of an op, the latest in the order holds. */
  #reverse({ op, undo }: ReversalOf): void {
    const index = this.ops.findLastIndex((past) => past.op === op);
    if (index >= 0) this.ops = this.ops.with(index, { ...this.ops[index]!, undone: undo });
    this.redo = this.redo.filter((one) => one !== op);
    if (undo) this.redo = [...this.redo, op];
  }
}

/** An undo or redo of an op. */
export interface ReversalOf {
  op: string;
  undo: boolean;
}

export function isUndoable(op: Op): boolean {
  return op.events.every((e) => e.v === 1 && e.by !== "system" && EVENTS[e.type]?.undoable === true);
}

/** An op that is only an undo or a redo of another one: it is not itself in the way of anything. */
export function isReversal(past: PastOp): boolean {
  return past.types.some((t) => t === UNDO || t === REDO);
}

/** The fields that an op wrote, each from what it was before the op to what it was after. */
export function changesOf(entity: Entity, { record }: Pick<PastOp, "record">): FieldChange[] {
  const changes = new Map<string, FieldChange>();
  const note = (field: string, before: unknown, after: unknown): void => {
    const known = changes.get(field);
    if (known) known.after = after as Json;
    else changes.set(field, { field, before: before as Json, after: after as Json });
  };
  for (const change of record) {
    if (change.how === "mark") note(change.field, change.old, change.value);
    else if (change.how === "put") {
      if (change.of === "gates") note(`gate.${change.key}`, change.had ? change.old : null, change.value);
      else if (change.of === "cards") note(`card.${change.key}`, { gone: true }, { gone: false });
      // A step or node that was added: undoing it means deleting it.
      else if (change.of === "steps") note(`step.${change.key}.deleted`, true, false);
      else if (change.of === "nodes") note(`node.${change.key}.deleted`, true, false);
    } else if (change.how === "write" || change.how === "untracked") {
      const field = change.node.$ + change.key;
      if (fieldAt(entity, field)) note(field, change.old, change.value);
    }
  }
  return [...changes.values()];
}

/** Ids of the steps and nodes that an op worked on, by whatever means. A claim does not name the steps below it, which keep its actor (UNDO-38). */
export function touchedBy({ record }: PastOp): Set<string> {
  const touched = new Set<string>();
  for (const change of record) {
    if (change.how === "mark" || change.how === "put" || change.how === "say") continue;
    if (change.how === "untracked" && change.key === "claimants") continue;
    const id = /^(?:step|node)\.((?:STEP|NODE)-[0-9A-F]{8})\./.exec(change.node.$)?.[1];
    if (id !== undefined) touched.add(id);
    if (change.how === "push" && change.key === "children") touched.add((change.value as Step).id);
    if (change.how === "push" && change.key === "nodes") touched.add(change.value as string);
  }
  return touched;
}
