/**
 * Events of one entity in replay order, a page at a time. A cursor names the heads of what was shown and never a
 * position. Lines that git brings later and that replay puts before are delivered all the same (HISTORY rules).
 */
import type { Warning } from "../../errors.ts";
import { TaskfoldError } from "../../errors.ts";
import { isKnownType } from "../../events/index.ts";
import { headDigest } from "../../log/canonical.ts";
import type { ReadOps } from "../../log/read_ops.ts";
import { readOps } from "../../log/read_ops.ts";
import { bytesSource } from "../../log/source.ts";
import type { Op } from "../../log/types.ts";
import type { TaskfoldEvent } from "../../events/generated/event_types.ts";
import type { PrintedEvent } from "../../events/printed_event.ts";
import type { ReadAccess } from "../entities/read_model.ts";
import { limitClamped } from "../../views/page.ts";
import { mustBeText } from "../core/input/must_be_text.ts";
import type { LoadedEntity } from "../entity/loaded_entity.ts";
import { unreadable } from "../entity/loaded_entity.ts";
import { NOTHING_SEEN, readCursor, writeCursor } from "../core/log_cursor.ts";
import { printWhole, typed } from "../entity/reply.ts";
import type { Store } from "../entity/store.ts";
import { findEntity } from "../entities/target.ts";
import { behindPlace, isPlace } from "./place.ts";

export interface LogQuery {
  /** Cursor of an earlier page, the id of an event, or a time of RFC 3339: go on from there. */
  since?: string;
  /** Most events on the page: 1 to 200, 50 when left out. */
  limit?: number;
}

export interface LogPage {
  id: string;
  workspace: string;
  events: TaskfoldEvent[];
  /** Goes on from here, now or after more has happened. */
  cursor: string;
  /** Events that come after this page. */
  more: number;
  /** Events in effect in the whole log. */
  total: number;
  revision: number;
  head: string;
  /** The warnings that every read of this entity has beside its answer, and LIMIT_CLAMPED. */
  warnings: Warning[];
}

const DEFAULT_LIMIT = 50;
const MOST = 200;

/**
 * A page of the history of a live or archived entity; an empty one where another program made the folder. UNKNOWN_ID,
 * INVALID_INPUT, CURSOR_EXPIRED or LOG_UNREADABLE when there is none to give.
 * @internal
 */
export function readLog(engine: ReadAccess, id: string, query: LogQuery): LogPage {
  const { limit, clamped } = limitOf(query.limit);
  if (query.since !== undefined) mustBeText("since", query.since);
  const place = query.since !== undefined && isPlace(query.since) ? query.since : undefined;
  const seen = query.since === undefined || place !== undefined ? NOTHING_SEEN : readCursor(query.since);
  const workspace = engine.binding?.workspace ?? "";
  const { store, entities } = engine.reading();
  const loaded = loadedOf(store, workspace, id);
  const { foreign, warnings } = entities.look(loaded, workspace);
  const { ops, beforeAny, report } = opsOf(loaded, foreign);
  const known = new Map(ops.map((op) => [op.last, op]));
  const [count, some] = place === undefined ? [0, 0] : behindPlace(ops, place);
  const heads = [...ops.slice(0, count), ...seen.heads.map((hash) => known.get(hash) ?? expired(loaded.id))];
  const begun = new Set(ops.map((op) => op.hash));
  for (const hash of Object.keys(seen.part)) if (!begun.has(hash)) expired(loaded.id);

  const before = beforeAny(heads.map((head) => head.index));
  const given = new Set(heads);
  const shown = (op: Op): boolean => given.has(op) || before(op.index);
  const events: PrintedEvent[] = [];
  const part = { ...seen.part, ...(some > 0 ? { [ops[count]!.hash]: some } : {}) };
  const whole = [...heads];
  let more = 0;
  for (const op of ops) {
    if (shown(op)) continue;
    const from = part[op.hash] ?? 0;
    const to = Math.min(op.events.length, from + limit - events.length);
    for (const event of op.events.slice(from, to)) events.push(printWhole(event, loaded.id));
    more += op.events.length - to;
    if (to === op.events.length) {
      delete part[op.hash];
      whole.push(op);
    } else if (to > 0) part[op.hash] = to;
  }
  const covered = beforeAny(whole.map((op) => op.index));
  const tips = whole.filter((op) => !covered(op.index));
  return {
    id: loaded.id,
    workspace,
    events: typed(events),
    cursor: writeCursor({ heads: tips.map((op) => op.last).toSorted(), part }),
    more,
    total: report.events,
    revision: report.ops,
    head: foreign ? "" : headDigest(report.heads),
    warnings: [...warnings, ...clamped],
  };
}

function limitOf(limit: number = DEFAULT_LIMIT): { limit: number; clamped: Warning[] } {
  if (!Number.isSafeInteger(limit) || limit < 1) {
    throw new TaskfoldError(
      "INVALID_INPUT",
      `Expected limit to be a whole number from 1 (at most ${MOST} are given), found ${String(limit)}.`,
    );
  }
  if (limit <= MOST) return { limit, clamped: [] };
  const clamped = limitClamped("limit", { asked: limit, limit: MOST }, "Follow the cursor for the rest.");
  return { limit: MOST, clamped: [clamped] };
}

function loadedOf(store: Store, workspace: string, id: string): LoadedEntity {
  // Another process may have archived what this one still knows as live.
  const live = store.find(id)?.catchUp() === true;
  return (live ? undefined : store.findArchived(id)) ?? findEntity(store, workspace, id);
}

/** The whole log in memory: a page of a log with branches cannot be found in less. Looked at before, so that it is a file. */
function opsOf(loaded: LoadedEntity, foreign: boolean): ReadOps {
  if (foreign) return readOps(bytesSource(Buffer.alloc(0)));
  try {
    return loaded.log.withSource((source) => readOps(source, { isKnownType }));
  } catch (e) {
    throw unreadable(e);
  }
}

function expired(id: string): never {
  throw new TaskfoldError(
    "CURSOR_EXPIRED",
    `Expected a cursor of the log of ${id}; this one names changes that are not in it.`,
    {
      recovery: "Read from the start, without since.",
    },
  );
}
