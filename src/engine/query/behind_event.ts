/** The place behind one event, for a reader that names the last event it knows instead of a cursor (DELTA-21). */
import { TaskfoldError } from "../../errors.ts";
import type { Op } from "../../log/types.ts";

/** How many whole ops end there, and how many events of the next. CURSOR_EXPIRED where no op in effect has the event. */
export function behindEvent(ops: readonly Op[], eventId: string): [count: number, some: number] {
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
