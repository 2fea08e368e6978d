/**
 * Semantic conflicts: two ops wrote different values to one field and neither saw the other. The later in
 * order is shown, and the conflict stands until an op that saw both writes the field (LOG rules). Derived from
 * the log alone; no event records it.
 */
import type { Op } from "../log/types.ts";
import type { Conflict, Entity } from "../state/entity.ts";
import { isPresence, valueAt } from "../state/fields.ts";
import type { Node } from "../state/node.ts";
import { sortedJson } from "../state/json.ts";
import type { Json } from "../state/json.ts";
import { nodeListName } from "../state/task_node.ts";
import { listName } from "../state/tree.ts";
import { Additions } from "./additions.ts";
import type { ConcurrentWork } from "./concurrent_work.ts";
import { presencesOf } from "./concurrent_work.ts";
import type { Ancestry } from "../log/ancestry.ts";
import { WriterFrontier } from "./writer_frontier.ts";
import type { Change, Writer } from "./writer.ts";

interface LastWriter {
  index: number;
  value: Json;
  /** Of the value, once there is another to compare it with. */
  text?: string;
  by: string;
  ts: string;
  op: string;
}

/** The changes of an op. */
interface Written {
  record: readonly Change[];
  /** The presence of what it worked on. */
  worked: readonly string[];
}

/** The unseen writers of one field, and how many of them wrote each value. */
class FieldWriters {
  readonly #frontier = new WriterFrontier<LastWriter>();
  readonly #texts = new Map<string, number>();

  take(writer: LastWriter, ancestry: Ancestry): void {
    this.#frontier.see(writer.index, ancestry, ({ text }) => {
      if (text !== undefined) this.#uncount(text);
    });
    // Of a single writer no code compares the value, which may be a long text.
    if (this.#frontier.size > 0) {
      for (const one of this.#frontier.size === 1 ? this.#frontier.values() : []) this.#count(one);
      this.#count(writer);
    }
    this.#frontier.add(writer, ancestry);
  }

  /** Whether the values that stand there now differ. */
  get differ(): boolean {
    return this.#texts.size > 1;
  }

  /** Each value once, with the first that wrote it; the value that is shown stands last (EVENT-61). */
  values(entity: Entity, field: string): Conflict["values"] {
    const first = new Map<string, LastWriter>();
    let last: LastWriter | undefined;
    for (const writer of this.#frontier.values()) {
      last = writer;
      if (writer.text !== undefined && !first.has(writer.text)) first.set(writer.text, writer);
    }
    const value = valueAt(entity, field);
    const shown = value === undefined ? last?.text : sortedJson(value);
    const writers = [...first.values()];
    const others = writers.filter(({ text }) => text !== shown);
    const those = others.length < writers.length ? [...others, first.get(shown!)!] : writers;
    return those.map(({ value, by, ts, op }) => ({ value, by, ts, op }));
  }

  #count(writer: LastWriter): void {
    if (writer.text !== undefined) return;
    writer.text = sortedJson(writer.value);
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
  /** By presence, once it was written: its writers, and the ops that worked there, which wrote false (UNDO-38). */
  readonly #workers = new Map<string, FieldWriters>();
  readonly #additions = new Map<string, Additions>();
  readonly #work: ConcurrentWork;
  readonly #changed = { conflicts: new Set<string>(), moved: new Set<string>() };
  #ancestry: Ancestry | null = null;

  constructor(work: ConcurrentWork) {
    this.#work = work;
  }

  take(entity: Entity, op: Op, { record, worked }: Written, ancestry: Ancestry): void {
    this.#ancestry = ancestry;
    const { index } = op;
    const { by, ts } = op.events.at(-1)!;
    const fields = fieldsOf(record);
    for (const [field, value] of fields) {
      const writers = entryOf(this.#writers, field, () => new FieldWriters());
      writers.take({ index, value, by, ts, op: op.hash }, ancestry);
      if (isPresence(field)) {
        const all = entryOf(this.#workers, field, () => this.#workersSoFar(field, ancestry));
        all.take({ index, value, by, ts, op: op.hash }, ancestry);
      }
      this.#judge(entity, field);
    }
    for (const field of worked) {
      const all = fields.has(field) ? undefined : this.#workers.get(field);
      all?.take({ index, value: false, by, ts, op: op.hash }, ancestry);
      if (all) this.#judge(entity, field);
    }
    for (const [list, ids] of listsOf(entity, record)) {
      const additions = entryOf(this.#additions, list, () => new Additions());
      if (!additions.take(index, ids, ancestry)) entity.moved.delete(list);
      else {
        if (!entity.moved.has(list)) entity.moved.set(list, []);
        this.#changed.moved.add(list);
      }
    }
  }

  #judge(entity: Entity, field: string): void {
    if (!this.#writersOf(entity, field).differ) entity.conflicts.delete(field);
    else {
      if (!entity.conflicts.has(field)) entity.conflicts.set(field, { field, values: [] });
      this.#changed.conflicts.add(field);
    }
  }

  #writersOf(entity: Entity, field: string): FieldWriters {
    return (isThere(entity, field) ? this.#workers : this.#writers).get(field)!;
  }

  #workersSoFar(field: string, ancestry: Ancestry): FieldWriters {
    const workers = new FieldWriters();
    for (const worker of this.#work.on(field)) workers.take({ ...worker, value: false }, ancestry);
    return workers;
  }

  /** Fills in what the open conflicts hold. */
  fillIn(entity: Entity): void {
    const { conflicts, moved } = entity;
    const { conflicts: fields, moved: lists } = this.#changed;
    for (const field of fields)
      if (conflicts.has(field))
        conflicts.set(field, { field, values: this.#writersOf(entity, field).values(entity, field) });
    for (const list of lists) if (moved.has(list)) moved.set(list, this.#additions.get(list)!.moved(this.#ancestry!));
    fields.clear();
    lists.clear();
  }
}

/** Whether this is the presence of a step or node that was not deleted: work on it says that it is there. */
function isThere(entity: Entity, field: string): boolean {
  return isPresence(field) && valueAt(entity, field) === false;
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
    const worked = presencesOf(entity, op).filter((field) => isThere(entity, field));
    for (const field of [...fieldsOf(record).keys(), ...worked]) left.delete(field);
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

/** Field names written by an op with the value each ends up with; of an undo or redo what it says (UNDO-31). */
function fieldsOf(record: readonly Change[]): Map<string, Json> {
  const fields = new Map<string, Json>();
  for (const c of record) {
    if (c.how === "write") fields.set(c.node.$ + c.key, c.value as Json);
    else if (c.how === "say") fields.set(c.field, c.value);
  }
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
    if (c.how === "put" || c.how === "mark" || c.how === "say") continue;
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
