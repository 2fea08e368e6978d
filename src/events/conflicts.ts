/**
 * Semantic conflicts: two ops wrote different values to one field and neither saw the other. The later in
 * order is shown, and the conflict stands until an op that saw both writes the field (LOG rules). Derived from
 * the log alone; no event records it.
 */
import type { Op } from "../log/types.ts";
import type { Conflict, Entity } from "../state/entity.ts";
import type { Node } from "../state/node.ts";
import type { Json } from "../state/schema.ts";
import { nodeListName } from "../state/task_node.ts";
import { listName } from "../state/tree.ts";
import type { KeptValue } from "./turns.ts";
import type { ConcurrentWork } from "./concurrent_work.ts";
import { presencesOf } from "./concurrent_work.ts";
import type { Ancestry } from "./writer_frontier.ts";
import { WriterFrontier } from "./writer_frontier.ts";
import type { Change, Writer } from "./writer.ts";

interface LastWriter {
  index: number;
  value: Json;
  /** Of the value, once there is another to compare it with. */
  text?: string;
  /** The field was left as another write has it: that one is shown, and stands last. */
  isKept?: true;
  by: string;
  ts: string;
  op: string;
}

interface LastAdder {
  index: number;
  ids: string[];
}

/** The changes of an op to fields. */
interface Written {
  record: readonly Change[];
  /** Fields that an undo left as another write has them; it says what it would have made of them. */
  kept: readonly KeptValue[];
  /** The presence of what it worked on. */
  worked: readonly string[];
}

/** The unseen writers of one field, and how many of them wrote each value. */
class FieldWriters {
  readonly #frontier = new WriterFrontier<LastWriter>();
  readonly #texts = new Map<string, number>();

  /** True when the values that stand there now differ. */
  take(writer: LastWriter, ancestry: Ancestry): boolean {
    this.#frontier.see(writer.index, ancestry, ({ text }) => {
      if (text !== undefined) this.#uncount(text);
    });
    // Of a single writer no code compares the value, which may be a long text.
    if (this.#frontier.size > 0) {
      for (const one of this.#frontier.size === 1 ? this.#frontier.values() : []) this.#count(one);
      this.#count(writer);
    }
    this.#frontier.add(writer, ancestry);
    return this.#texts.size > 1;
  }

  /** Whether a writer is there that this op has not seen. Asked for undo and redo alone, so it may look at each. */
  hasUnseen(op: number, ancestry: Ancestry): boolean {
    for (const { index } of this.#frontier.values()) if (!ancestry.isAncestor(index, op)) return true;
    return false;
  }

  /** Each value once, with the first that wrote it. */
  values(): Conflict["values"] {
    const first = new Map<string, LastWriter>();
    const all = [...this.#frontier.values()];
    const kept = all.filter(({ isKept }) => isKept).toReversed();
    for (const writer of [...kept, ...all.filter(({ isKept }) => !isKept)])
      if (writer.text !== undefined && !first.has(writer.text)) first.set(writer.text, writer);
    return [...first.values()].map(({ value, by, ts, op }) => ({ value, by, ts, op }));
  }

  #count(writer: LastWriter): void {
    if (writer.text !== undefined) return;
    writer.text = JSON.stringify(writer.value);
    this.#texts.set(writer.text, (this.#texts.get(writer.text) ?? 0) + 1);
  }

  #uncount(text: string): void {
    const left = this.#texts.get(text)! - 1;
    if (left > 0) this.#texts.set(text, left);
    else this.#texts.delete(text);
  }
}

/**
 * Per field the last writers that no later writer has seen; used only while a log with branches is read whole. The
 * conflicts are put together when a caller asks: of thousands of branches each op would copy them.
 */
export class ConcurrentWrites {
  readonly #writers = new Map<string, FieldWriters>();
  readonly #adders = new Map<string, WriterFrontier<LastAdder>>();
  readonly #work: ConcurrentWork;
  /** Steps and nodes that an undo left because of work on another branch. */
  readonly #watched = new Set<string>();
  readonly #changed = { conflicts: new Set<string>(), moved: new Set<string>() };

  constructor(work: ConcurrentWork) {
    this.#work = work;
  }

  take(entity: Entity, op: Op, { record, kept, worked }: Written, ancestry: Ancestry): void {
    const { index } = op;
    const { by, ts } = op.events.at(-1)!;
    const note = (field: string, writers: FieldWriters, writer: LastWriter): void => {
      if (!writers.take(writer, ancestry)) entity.conflicts.delete(field);
      else {
        if (!entity.conflicts.has(field)) entity.conflicts.set(field, { field, values: [] });
        this.#changed.conflicts.add(field);
      }
    };
    for (const { field, value, left } of kept) {
      const writers = left ? this.#watch(field, ancestry) : this.#writers.get(field);
      if (writers && (left || writers.hasUnseen(index, ancestry)))
        note(field, writers, { index, value, by, ts, op: op.hash, isKept: true });
    }
    const fields = fieldsOf(record);
    for (const field of worked)
      if (!fields.has(field) && (this.#watched.has(field) || entity.conflicts.has(field))) fields.set(field, false);
    for (const [field, value] of fields) {
      const writers = entryOf(this.#writers, field, () => new FieldWriters());
      note(field, writers, { index, value, by, ts, op: op.hash });
    }
    for (const [list, ids] of listsOf(entity, record)) {
      const adders = entryOf(this.#adders, list, () => new WriterFrontier<LastAdder>());
      adders.see(index, ancestry);
      if (ids.length > 0) adders.add({ index, ids }, ancestry);
      if (adders.size <= 1) entity.moved.delete(list);
      else {
        if (!entity.moved.has(list)) entity.moved.set(list, []);
        this.#changed.moved.add(list);
      }
    }
  }

  /** From here on work counts as a write that the step or node is there; earlier work is told now. */
  #watch(field: string, ancestry: Ancestry): FieldWriters {
    this.#watched.add(field);
    return entryOf(this.#writers, field, () => {
      const writers = new FieldWriters();
      for (const worker of this.#work.on(field)) writers.take({ ...worker, value: false }, ancestry);
      return writers;
    });
  }

  /** Fills in what the open conflicts hold. */
  fillIn({ conflicts, moved }: Entity): void {
    const { conflicts: fields, moved: lists } = this.#changed;
    for (const field of fields)
      if (conflicts.has(field)) conflicts.set(field, { field, values: this.#writers.get(field)!.values() });
    for (const list of lists)
      if (moved.has(list))
        moved.set(
          list,
          [...this.#adders.get(list)!.values()].flatMap(({ ids }) => ids),
        );
    fields.clear();
    lists.clear();
  }
}

function entryOf<V>(map: Map<string, V>, key: string, make: () => V): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}

/**
 * An op that saw everything resolves each conflict about a field that it writes. With `w` the resolution itself can be
 * unwound.
 */
export function closeConflicts(entity: Entity, op: Op, record: readonly Change[], w?: Writer): void {
  if (entity.conflicts.size > 0) {
    const left = new Map(entity.conflicts);
    for (const field of [...fieldsOf(record).keys(), ...presencesOf(entity, op)]) left.delete(field);
    if (left.size < entity.conflicts.size) setQuiet(entity, "conflicts", left, w);
  }
  if (entity.moved.size > 0) {
    const left = new Map(entity.moved);
    for (const [list] of listsOf(entity, record)) left.delete(list);
    if (left.size < entity.moved.size) setQuiet(entity, "moved", left, w);
  }
}

function setQuiet<K extends "conflicts" | "moved">(entity: Entity, key: K, value: Entity[K], w?: Writer): void {
  if (w) w.writeUntracked(entity, key, value);
  else entity[key] = value;
}

/** Field names written by an op with the value each ends up with. */
function fieldsOf(record: readonly Change[]): Map<string, Json> {
  const fields = new Map<string, Json>();
  for (const c of record) if (c.how === "write") fields.set(c.node.$ + c.key, c.value as Json);
  return fields;
}

/** Lists of steps and nodes an op touched: by adding to them (with the ids), or by working on one in them (no ids). */
function listsOf(entity: Entity, record: readonly Change[]): Map<string, string[]> {
  const lists = new Map<string, string[]>();
  const touch = (list: string): string[] => {
    const ids = lists.get(list) ?? [];
    lists.set(list, ids);
    return ids;
  };
  for (const c of record) {
    if (c.how === "put" || c.how === "mark") continue;
    if (c.how === "push" && c.key === "children") touch(`${c.node.$}children`).push((c.value as { id: string }).id);
    else {
      const node = nodeOf(entity, c.node);
      if (node) touch(nodeListName(node.step));
      const step = stepOf(entity, c.node);
      if (!step) continue;
      touch(listName(step.parent));
      if (c.how === "push" && c.key === "nodes") touch(nodeListName(step.id)).push(c.value as string);
    }
  }
  return lists;
}

function stepOf(entity: Entity, node: Node) {
  const match = /^step\.(STEP-[0-9A-F]{8})\./.exec(node.$);
  return match ? entity.steps.get(match[1]!) : undefined;
}

function nodeOf(entity: Entity, { $ }: Node) {
  const match = /^node\.(NODE-[0-9A-F]{8})\./.exec($);
  return match ? entity.nodes.get(match[1]!) : undefined;
}
