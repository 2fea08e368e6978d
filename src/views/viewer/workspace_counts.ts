import type { BoardRow, WorkspaceAnswer } from "./api.ts";
import { isBlocked, isReady } from "./blocked.ts";
import { byStatus } from "./entity_answer.ts";

/** Returns the numbers on top of the board. `complete`: every folder was compared with its log, so that drift is known. */
export function countsOf(rows: readonly BoardRow[], complete: boolean): WorkspaceAnswer["counts"] {
  const live = rows.filter(({ archived }) => archived !== true);
  const tasks = live.filter(({ kind }) => kind === "task");
  const count = (is: (row: BoardRow) => boolean): number => tasks.filter(is).length;
  return {
    plans: live.length - tasks.length,
    tasks: tasks.length,
    archived: rows.length - live.length,
    foreign: live.filter(({ source }) => source === "coco").length,
    by_status: byStatus(tasks),
    ready: count(isReady),
    claimed: count(({ claims }) => claims.some(({ holds }) => holds)),
    blocked: count(isBlocked),
    waiting: count(({ waits_for }) => waits_for.length > 0),
    conflicts: live.filter(({ conflicts }) => conflicts > 0).length,
    failed_proof: count(({ failed_proof }) => failed_proof > 0),
    drift: complete ? live.filter(({ drift }) => drift === true).length : null,
  };
}
