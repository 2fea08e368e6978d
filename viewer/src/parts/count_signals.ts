import { hasEnded } from "../../../src/state/ended.ts";
import type { BoardRow } from "../../../src/views/viewer/api.ts";
import { isReady } from "../../../src/views/viewer/blocked.ts";

/** How many facts stand out on a row, as `signalsOf` has them. A board asks it of each row, so it makes no words. */
export function countSignals(row: BoardRow): number {
  const facts = [
    row.failed_proof > 0,
    row.conflicts > 0,
    row.blocked.length > 0,
    row.drift,
    (row.faults ?? 0) > 0,
    row.to_complete,
    row.waits_for.length > 0 && !hasEnded(row),
    isReady(row),
    row.packet && !(row.archived && row.packet.state === "archived"),
    row.source === "coco",
    row.archived,
  ];
  return row.claims.length + facts.filter(Boolean).length;
}
