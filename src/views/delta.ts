/**
 * Events since a cursor, over one entity or all: whole ops, oldest first, as far as they fit. If not even the first op
 * fits, the page has events of it (DELTA rules).
 */
import type { Warning } from "../errors.ts";
import type { JsonObject } from "../state/schema.ts";
import type { Fitted } from "./budget.ts";
import { fitPage } from "./budget.ts";
import { DELTA_CUTS } from "./cuts.ts";

export interface DeltaQuery {
  since?: string;
  /** Most events on a page; an op with more comes whole. */
  limit: number;
}

/** A page before it is fitted to a budget. */
export interface DeltaPage {
  /** Printed events of each op. */
  ops: readonly (readonly JsonObject[])[];
  /** Events since the cursor, those after this page included. */
  events: number;
  /** The cursor behind the first `count` ops and so many events of the next. */
  cursor: (count: number, some: number) => string;
  warnings: Warning[];
}

export function deltaOf(head: JsonObject, page: DeltaPage, limit: number, maxChars: number | undefined): Fitted {
  // Only inside the first op: a caller with room for one does not get half of the next.
  const inFirst = Math.max(0, (page.ops[0]?.length ?? 0) - 1);
  const upTo = (place: number): JsonObject => {
    const [count, some] = place <= inFirst ? [0, place] : [place - inFirst, 0];
    const events = [...page.ops.slice(0, count).flat(), ...(page.ops[count] ?? []).slice(0, some)];
    return { ...head, cursor: page.cursor(count, some), next: page.events - events.length, limit, events };
  };
  return fitPage(upTo, inFirst + page.ops.length, "events", maxChars, DELTA_CUTS, DELTA_CUTS[0]);
}
