/** Where a reader goes on that names the last event it knows, or a time, instead of a cursor (DELTA-21). */
import { TaskfoldError } from "../../errors.ts";
import { utcNanos } from "../../log/rfc3339.ts";
import type { Op } from "../../log/types.ts";
import { isEventId } from "../core/log_cursor.ts";

export function isPlace(text: string): boolean {
  return isEventId(text) || utcNanos(text) !== null;
}

/** How many whole ops lie before it, and how many events of the next. CURSOR_EXPIRED where no op in effect has the event. */
export function behindPlace(ops: readonly Op[], place: string): [count: number, some: number] {
  const time = utcNanos(place);
  return time === null ? behindEvent(ops, place) : [behindTime(ops, time), 0];
}

function behindEvent(ops: readonly Op[], eventId: string): [count: number, some: number] {
  const count = ops.findIndex(({ events }) => events.some(({ hash }) => hash === eventId));
  const { events = [] } = ops[count] ?? {};
  const some = events.findIndex(({ hash }) => hash === eventId) + 1;
  if (some > 0) return some === events.length ? [count + 1, 0] : [count, some];
  throw new TaskfoldError(
    "CURSOR_EXPIRED",
    `Expected the id of an event that is in effect here, found ${JSON.stringify(eventId)}.`,
    { recovery: "Read from the start, without since." },
  );
}

/** Counts the ops before the first one after the time. Clocks disagree, so an op behind that one may have an older time. */
function behindTime(ops: readonly Op[], time: string): number {
  const first = ops.findIndex(({ events }) => utcNanos(events[0]!.ts)! > time);
  return first < 0 ? ops.length : first;
}
