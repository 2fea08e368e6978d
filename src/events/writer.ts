/**
 * The only way an event changes state. It records (field, old, new) while a caller wants the record. A refused decision
 * or a failed write is unwound by it, and concurrent writes of one field are found in it. Nothing else knows which
 * fields an event touches.
 *
 * - `write`: a field two branches can disagree about
 * - `writeUntracked`: bookkeeping (times, counters, reasons) that no caller decides
 * - `push`, `ring`, `put`: additions, which commute
 * - `mark`: nothing changes; undo is told of it
 * - `say`: nothing changes; a value that an undo or redo says, for conflicts
 */
import type { Json } from "../state/json.ts";
import type { Node } from "../state/node.ts";

/** Which map of an entity something was put into. */
export type MapName =
  | "steps"
  | "nodes"
  | "gates"
  | "agents"
  | "facts"
  | "taskdoc"
  | "cards"
  | "gone"
  | "archived_tasks";

export type Change =
  | { how: "write" | "untracked"; node: Node; key: string; old: unknown; value: unknown }
  | { how: "push"; node: Node; key: string; list: unknown[]; value: unknown }
  | { how: "ring"; node: Node; key: string; list: unknown[]; value: unknown; dropped: unknown }
  | { how: "put"; of: MapName; map: Map<string, unknown>; key: string; old: unknown; had: boolean; value: unknown }
  | { how: "mark"; field: string; old: unknown; value: unknown }
  | { how: "say"; field: string; value: Json };

/** A field by its name, before an op and after it. */
export interface FieldChange {
  field: string;
  before: Json;
  after: Json;
}

/** The item that falls out of a ring that is not full. */
const NOTHING = Symbol("nothing");

export class Writer {
  #record: Change[] | null = null;
  readonly #whole: boolean;

  /** `whole`: rings keep everything, for those who read a log once and ask for all that it says. */
  constructor(whole = false) {
    this.#whole = whole;
  }

  /** How many items of a list that is given `most` are kept here. */
  kept(most: number): number {
    return this.#whole ? Infinity : most;
  }

  /** Starts a new record; the writer forgets the one before, and the code that took it keeps it. */
  begin(): Change[] {
    this.#record = [];
    return this.#record;
  }

  end(): void {
    this.#record = null;
  }

  write<N extends Node, K extends keyof N & string>(node: N, key: K, value: N[K]): void {
    this.#record?.push({ how: "write", node, key, old: node[key], value });
    node[key] = value;
  }

  writeUntracked<N extends Node, K extends keyof N & string>(node: N, key: K, value: N[K]): void {
    this.#record?.push({ how: "untracked", node, key, old: node[key], value });
    node[key] = value;
  }

  /** The last `most` items of a list, kept in place: a copy per op would be half of a replay. */
  ring<N extends Node, K extends keyof N & string, T>(node: N & Record<K, T[]>, key: K, item: T, most: number): void {
    const list = node[key] as T[];
    if (this.#whole) return this.push(node, key, list, item);
    const dropped = list.length >= most ? list.shift() : NOTHING;
    this.#record?.push({ how: "ring", node, key, list, value: item, dropped });
    list.push(item);
  }

  push<T>(node: Node, key: string, list: T[], item: T): void {
    this.#record?.push({ how: "push", node, key, list, value: item });
    list.push(item);
  }

  put<T>(of: MapName, map: Map<string, T>, key: string, item: T): void {
    const untyped = map as Map<string, unknown>;
    this.#record?.push({ how: "put", of, map: untyped, key, old: map.get(key), had: map.has(key), value: item });
    map.set(key, item);
  }

  /** Says that an op worked on a step, where no field of the step shows it. */
  touch(node: Node): void {
    this.push(node, "touched", [], null);
  }

  /** Tells conflicts what an undo or redo says of a field, whatever the field comes to (UNDO-31). */
  say(field: string, value: Json): void {
    this.#record?.push({ how: "say", field, value });
  }

  /** Tells undo of something that has a name but no field of its own: a note, a line of the trace. Changes nothing by itself. */
  mark(kind: "note" | "trace", value: { id: string; step?: string | null }): void {
    if (this.#record === null) return;
    const old = value.step === undefined ? { gone: true } : { step: value.step, gone: true };
    this.#record.push({ how: "mark", field: `${kind}.${value.id}`, old, value });
  }
}

/** Takes back every change of a record, last first. */
export function unwind(record: readonly Change[]): void {
  for (let i = record.length - 1; i >= 0; i--) {
    const change = record[i]!;
    if (change.how === "mark" || change.how === "say") continue;
    if (change.how === "push") change.list.pop();
    else if (change.how === "ring") {
      change.list.pop();
      if (change.dropped !== NOTHING) change.list.unshift(change.dropped);
    } else if (change.how === "put") {
      if (change.had) change.map.set(change.key, change.old);
      else change.map.delete(change.key);
    } else (change.node as unknown as Record<string, unknown>)[change.key] = change.old;
  }
}
