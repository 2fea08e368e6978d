/** The ops of one entity, newest first, with what each changed (VIEW rules). */
import { changesOf, isReversal } from "../events/history.ts";
import type { PastOp } from "../events/history.ts";
import type { FieldChange } from "../events/writer.ts";
import { shorten } from "../state/code_points.ts";
import type { PastOf } from "../events/past.ts";
import type { Fitted } from "./budget.ts";
import { fitPage } from "./budget.ts";
import { HISTORY_CUTS } from "./cuts.ts";
import { compareIds } from "../state/compare_ids.ts";
import type { Entity } from "../state/entity.ts";
import type { Json, JsonObject } from "../state/schema.ts";

/** Longest value that a list of ops shows; the whole stands in the log. */
const MAX_CHARACTERS = 200;

export function historyRow(entity: Entity, past: PastOp, redo: readonly string[]): JsonObject {
  return {
    revision: past.revision,
    op: past.op,
    ts: past.ts,
    by: past.by,
    tool: past.tool,
    message: past.message,
    events: past.types.map((t) => t.replaceAll(".", "_")),
    undoable: past.undoable && !past.undone,
    undone: past.undone,
    ...(past.undone ? { redoable: redo.at(-1) === past.op } : {}),
    ...(isReversal(past) ? {} : { changes: changesOf(entity, past).map(change) }),
  };
}

function change({ field, before, after }: FieldChange): JsonObject {
  return { field, before: short(before), after: short(after) };
}

function short(value: Json): Json {
  if (value === null || typeof value === "boolean" || typeof value === "number") return value;
  const text = typeof value === "string" ? value : JSON.stringify(value);
  const cut = shorten(text, MAX_CHARACTERS);
  return cut === text ? value : cut;
}

/**
 * A plan or task as the history of a workspace looks at it. Its past is asked for only where it may be among the
 * newest.
 */
export interface PastSource {
  id: string;
  /** Not before its last op. */
  updated_at: string;
  /** Undefined where another program keeps the folder, or it is gone. */
  open: () => { entity: Entity; past: PastOf } | undefined;
}

interface HistoryCursor {
  id: string;
  entity: Entity;
  past: PastOf;
  ops: readonly PastOp[];
  redo: readonly string[];
  whole: boolean;
  /** How many of `ops` have not been told. */
  left: number;
}

/** Milliseconds since 1970. */
export interface TimeSpan {
  after: number;
  /** It is part of the span. */
  until: number;
}

/**
 * Ops of all plans and tasks, newest first, each log in its own order (UNDO-13). `before`: only those after this op in
 * that order. `more` is false when the first op of all has been told, or the first one that is not after the span's begin.
 */
export function workspaceHistory(
  sources: readonly PastSource[],
  { before, limit, after, until }: TimeSpan & { before: string | undefined; limit: number },
): { rows: JsonObject[]; more: boolean } | undefined {
  const rows: JsonObject[] = [];
  let found = before === undefined;
  for (const { id, entity, op, redo } of newestFirst(sources)) {
    const ms = Date.parse(op.ts);
    if (found && ms <= after) return { rows, more: false };
    if (rows.length === limit) return { rows, more: true };
    if (found && ms <= until) rows.push({ task: id, ...historyRow(entity, op, redo) });
    if (op.op === before) found = true;
  }
  return found ? { rows, more: false } : undefined;
}

/** Opens a log only where it may have the next one. */
export function* newestFirst(
  sources: readonly PastSource[],
): Generator<Pick<HistoryCursor, "id" | "entity" | "redo"> & { op: PastOp }> {
  const closed = sources.toSorted((a, b) => (a.updated_at < b.updated_at ? -1 : 1));
  const open: HistoryCursor[] = [];
  for (let next = newest(open, closed); next; next = newest(open, closed)) {
    const { id, entity, redo } = next;
    yield { id, entity, redo, op: next.ops[--next.left]! };
  }
}

/** Whose last untold op is the newest one; opens what may have a newer one. Ties by id. */
function newest(open: HistoryCursor[], closed: PastSource[]): HistoryCursor | undefined {
  for (;;) {
    let first: HistoryCursor | undefined;
    for (const one of open) if (hasMore(one) && (!first || isNewer(one, first))) first = one;
    const other = closed.at(-1);
    if (!other || (first && other.updated_at < timeOf(first))) return first;
    closed.pop();
    const opened = other.open();
    if (!opened) continue;
    const { ops, redo, whole } = opened.past(false);
    open.push({ id: other.id, ...opened, ops, redo, whole, left: ops.length });
  }
}

/** Memory holds the last ops only: when those are told, the log is replayed. */
function hasMore(one: HistoryCursor): boolean {
  if (one.left > 0 || one.whole) return one.left > 0;
  const known = one.ops.length;
  const { ops, redo } = one.past(true);
  Object.assign(one, { ops, redo, whole: true, left: ops.length - known });
  return one.left > 0;
}

const timeOf = ({ ops, left }: HistoryCursor): string => ops[left - 1]!.ts;

function isNewer(a: HistoryCursor, b: HistoryCursor): boolean {
  const [at, than] = [timeOf(a), timeOf(b)];
  return at === than ? compareIds(a.id, b.id) > 0 : at > than;
}

/** A page before it is fitted to a budget. */
export interface HistoryPage {
  head: JsonObject;
  /** Rows, newest first. */
  operations: readonly JsonObject[];
  /** The member of the last row that the next page begins before. */
  by: "revision" | "op";
  /** Whether there are ops before these. */
  more: boolean;
}

/** As many of the rows as fit; `next_before` leads to those left out. */
export function fitHistory({ head, operations, by, more }: HistoryPage, maxChars: number | undefined): Fitted {
  const upTo = (count: number): JsonObject => {
    const rows = operations.slice(0, count);
    const next_before = more || count < operations.length ? (rows.at(-1)?.[by] ?? null) : null;
    return { ...head, operations: rows, next_before };
  };
  return fitPage(upTo, operations.length, "operations", maxChars, HISTORY_CUTS);
}
