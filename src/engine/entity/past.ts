/** The past of an entity: the ring in memory and the end of the log, or every op by a replay that keeps them all. */
import { TaskfoldError } from "../../errors.ts";
import type { Past, PastOf, Timeline } from "../../events/past.ts";
import { isKnownType } from "../../events/index.ts";
import { readOpsAt } from "../../log/read_ops_at.ts";
import { readOps } from "../../log/read_ops.ts";
import type { Event } from "../../log/types.ts";
import type { Entity } from "../../state/entity.ts";
import type { LoadedEntity } from "./loaded_entity.ts";
import { writeCursor } from "../core/log_cursor.ts";
import { printWhole } from "./reply.ts";
import { stateAt } from "./state_at.ts";

/** `entity`: the present one, or as it was after an earlier op; it may be another program's, which has no past here. */
export function pastOf(loaded: LoadedEntity, entity: Entity): PastOf {
  // Made for every call, and asked by few: nothing is prepared here.
  return (whole): Past => {
    const { history } = loaded.fold;
    const near: Past = {
      entity,
      ops: history.ops,
      redo: history.redo,
      whole: history.whole,
      timeline: (most) => timelineOf(loaded, entity, most),
      everything: () => everythingOf(loaded, entity),
    };
    if (!whole || history.whole) return near;
    const last = loaded.report.ops - 1;
    const moment = stateAt(loaded, "", (op) => op.index === last, { ring: Infinity });
    if (!moment) return near;
    // Ops of this batch that are decided and not yet written are in the ring only.
    const staged = history.ops.filter((op) => op.revision > last + 1);
    const redo = staged.length === 0 ? moment.fold.history.redo : near.redo;
    return { ...near, ops: [...moment.fold.history.ops, ...staged], redo, whole: true };
  };
}

function timelineOf(loaded: LoadedEntity, entity: Entity, most: number): Timeline {
  const { report, fold } = loaded;
  if (fold.entity === null || fold.entity.root !== entity.root) {
    return { events: [], earlier: 0, cursor: writeCursor({ heads: [], part: {} }) };
  }
  const isPresent = fold.entity.revision === entity.revision;
  const { events, total, heads } = isPresent ? present(loaded, most) : upTo(loaded, entity.revision);
  const at = isPresent && fold.staged.length === 0 && report.linear ? loaded.tail.at(-1) : undefined;
  const shown = most === 0 ? [] : events.slice(-most);
  return {
    events: shown.map((event) => printWhole(event, loaded.id)),
    earlier: total - shown.length,
    cursor: writeCursor({ heads, part: {}, ...(at === undefined ? {} : { at }) }),
  };
}

interface LogEvents {
  events: Event[];
  /** Events in effect, these included. */
  total: number;
  heads: readonly string[];
}

/** The log's end where it was last read, then what this batch has decided and not yet written. */
function present(loaded: LoadedEntity, most: number): LogEvents {
  const { report, fold } = loaded;
  const staged = fold.staged.flatMap((op) => op.events);
  const heads = fold.staged.length > 0 ? [fold.staged.at(-1)!.last] : report.heads;
  const rest = Math.max(0, most - staged.length);
  const written = rest === 0 || report.ops === 0 ? [] : writtenOf(loaded, rest);
  return { events: [...written, ...staged], total: report.events + staged.length, heads };
}

function writtenOf(loaded: LoadedEntity, most: number): Event[] {
  const offsets = loaded.tail.slice(-most);
  const read = loaded.log.withSource((source) => readOpsAt(source, offsets));
  if (read) return read.flat();
  // A merge has put other lines between those of an op.
  const { ops } = loaded.log.withSource((source) => readOps(source, { isKnownType, checkHash: false }));
  return ops.slice(-most).flatMap((op) => op.events);
}

/** As it was told then: a repeated call gets the answer of the first. */
function upTo(loaded: LoadedEntity, revision: number): LogEvents {
  const all = loaded.log.withSource((source) => readOps(source, { isKnownType, checkHash: false }));
  const ops = all.ops.slice(0, revision);
  const events = ops.flatMap((op) => op.events);
  return { events, total: events.length, heads: ops.slice(-1).map((op) => op.last) };
}

function everythingOf(loaded: LoadedEntity, entity: Entity): Entity {
  const { report, fold } = loaded;
  if (fold.entity === null || fold.entity.root !== entity.root) return entity;
  const last = Math.min(entity.revision, report.ops) - 1;
  const staged = fold.staged.slice(0, Math.max(0, entity.revision - report.ops));
  const reversed = staged
    .flatMap((op) => op.events.map(({ payload }) => payload["op"]))
    .filter((op) => typeof op === "string");
  const moment = last < 0 ? undefined : stateAt(loaded, "", (op) => op.index === last, { whole: true, reversed });
  if (!moment) throw new TaskfoldError("INTERNAL", `Expected op ${last} in the log of ${loaded.id}, found none.`);
  for (const op of staged) moment.fold.op(op, { joined: true, ancestry: null });
  return moment.subject.entity;
}
