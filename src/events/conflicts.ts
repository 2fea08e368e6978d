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
import type { Change, Writer } from "./writer.ts";

interface LastWriter {
  index: number;
  value: Json;
  by: string;
  ts: string;
  op: string;
}

interface LastAdder {
  index: number;
  ids: string[];
}

type IsAncestor = (a: number, b: number) => boolean;

/** Per field the last writers that no later writer has seen; used only while a log with branches is read whole. */
export class ConcurrentWrites {
  readonly #writers = new Map<string, LastWriter[]>();
  readonly #adders = new Map<string, LastAdder[]>();

  /** `kept`: fields that an undo left as another write has them; it says what it would have made of them. */
  take(
    entity: Entity,
    op: Op,
    record: readonly Change[],
    kept: readonly { field: string; value: Json }[],
    isAncestor: IsAncestor,
  ): void {
    const { by, ts } = op.events.at(-1)!;
    const unseenOf = (field: string): LastWriter[] =>
      (this.#writers.get(field) ?? []).filter((w) => !isAncestor(w.index, op.index));
    const note = (field: string, writers: LastWriter[]): void => {
      this.#writers.set(field, writers);
      const conflict = conflictOf(field, writers);
      if (conflict) entity.conflicts.set(field, conflict);
      else entity.conflicts.delete(field);
    };
    for (const { field, value } of kept) {
      const unseen = unseenOf(field);
      // The one that is shown stands last.
      if (unseen.length > 0) note(field, [{ index: op.index, value, by, ts, op: op.hash }, ...unseen]);
    }
    for (const [field, value] of fieldsOf(record))
      note(field, [...unseenOf(field), { index: op.index, value, by, ts, op: op.hash }]);
    for (const [list, ids] of listsOf(entity, record)) {
      const unseen = (this.#adders.get(list) ?? []).filter((a) => !isAncestor(a.index, op.index));
      if (ids.length > 0) unseen.push({ index: op.index, ids });
      this.#adders.set(list, unseen);
      if (unseen.length > 1)
        entity.moved.set(
          list,
          unseen.flatMap((a) => a.ids),
        );
      else entity.moved.delete(list);
    }
  }
}

/** An op that saw everything settles whatever it writes. With `w` the settling itself can be unwound. */
export function settleConflicts(entity: Entity, record: readonly Change[], w?: Writer): void {
  if (entity.conflicts.size > 0) {
    const left = new Map(entity.conflicts);
    for (const [field] of fieldsOf(record)) left.delete(field);
    if (left.size < entity.conflicts.size) setQuiet(entity, "conflicts", left, w);
  }
  if (entity.moved.size > 0) {
    const left = new Map(entity.moved);
    for (const [list] of listsOf(entity, record)) left.delete(list);
    if (left.size < entity.moved.size) setQuiet(entity, "moved", left, w);
  }
}

function setQuiet<K extends "conflicts" | "moved">(entity: Entity, key: K, value: Entity[K], w?: Writer): void {
  if (w) w.quiet(entity, key, value);
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

function conflictOf(field: string, writers: readonly LastWriter[]): Conflict | null {
  const values: Conflict["values"] = [];
  const seen = new Set<string>();
  for (const w of writers) {
    const text = JSON.stringify(w.value);
    if (seen.has(text)) continue;
    seen.add(text);
    values.push({ value: w.value, by: w.by, ts: w.ts, op: w.op });
  }
  return values.length > 1 ? { field, values } : null;
}
