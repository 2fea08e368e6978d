/** Logs of two commits, or of a commit and the work tree, as the differences between the states that they fold to (GIT-30). */
import { withPending } from "../../events/foreign.adopted.ts";
import { bytesSource } from "../../log/source.ts";
import type { DiffSide, TaskDiff } from "../../views/task_diff.ts";
import { taskDiff } from "../../views/task_diff.ts";
import { foldLog } from "../../fold_log.ts";

export { filteredLines } from "../../log/line_counts.ts";
export type { Part, Sentence, ShownFile, TaskDiff } from "../../views/task_diff.ts";

/** Null where both say the same, or neither has an event of ours. */
export function logDiff(before: Buffer | undefined, after: Buffer | undefined): TaskDiff | null {
  const diff = taskDiff(sideOf(before), sideOf(after));
  return diff && diff.events.added + diff.events.missing > 0 ? diff : null;
}

function sideOf(log: Buffer | undefined): DiffSide | null {
  if (!log) return null;
  // All notes: a review tells of each.
  const {
    entity,
    report,
    gathered: events,
  } = foldLog(bytesSource(log), {
    ring: 1,
    whole: true,
    start: () => new Map<string, string>(),
    each: ({ events: all }, _fold, by) => all.forEach((event) => by.set(event.hash, event.by)),
  });
  return entity && { entity: withPending(entity, report.foreign), events };
}
