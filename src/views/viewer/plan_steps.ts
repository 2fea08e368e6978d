/** How far a plan is, by the steps of its tasks. Page and cards of a plan count by this one rule. */
import type { BoardRow } from "./api.ts";

/** Of a task that ended without being DONE, no step is left to do. */
export function stepsOf(tasks: readonly Pick<BoardRow, "status" | "progress">[]): BoardRow["progress"] {
  const counted = tasks.filter(({ status }) => status !== "CANCELED" && status !== "FAILED");
  return {
    done: counted.reduce((sum, { progress }) => sum + progress.done, 0),
    total: counted.reduce((sum, { progress }) => sum + progress.total, 0),
  };
}
