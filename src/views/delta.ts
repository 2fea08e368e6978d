/** What happened since a cursor, over one entity or all: whole ops, oldest first, as far as they fit (DELTA rules). */
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
  /** The cursor behind the first `count` ops. */
  cursor: (count: number) => string;
  warnings: Warning[];
}

export function deltaOf(workspace: string, page: DeltaPage, limit: number, maxChars: number | undefined): Fitted {
  const upTo = (count: number): JsonObject => {
    const events = page.ops.slice(0, count).flat();
    return { workspace, cursor: page.cursor(count), next: page.events - events.length, limit, events };
  };
  return fitPage(upTo, page.ops.length, "events", maxChars, DELTA_CUTS);
}
