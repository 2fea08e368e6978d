/** Logs of two commits, or of a commit and the work tree, as the differences between the states that they fold to (GIT-30). */
import { Fold } from "../../events/fold.ts";
import { withPending } from "../../events/foreign.adopted.ts";
import { isKnownType } from "../../events/index.ts";
import { Replay } from "../../log/replay.ts";
import { bytesSource } from "../../log/source.ts";
import type { DiffSide, TaskDiff } from "../../views/task_diff.ts";
import { taskDiff } from "../../views/task_diff.ts";

export { filteredLines } from "../../log/line_counts.ts";
export type { Part, Sentence, TaskDiff } from "../../views/task_diff.ts";

/** Null where both say the same, or neither has an event of ours. */
export function logDiff(before: Buffer | undefined, after: Buffer | undefined): TaskDiff | null {
  const diff = taskDiff(sideOf(before), sideOf(after));
  return diff && diff.events.added + diff.events.missing > 0 ? diff : null;
}

function sideOf(log: Buffer | undefined): DiffSide | null {
  if (!log) return null;
  // All notes: a review tells of each.
  const fold = new Fold(1, true);
  const events = new Map<string, string>();
  const replay = new Replay(
    {
      reset: () => {
        fold.reset();
        events.clear();
      },
      op: (op, place) => {
        for (const event of op.events) events.set(event.hash, event.by);
        return fold.op(op, place);
      },
    },
    { isKnownType },
  );
  replay.load(bytesSource(log));
  return fold.entity && { entity: withPending(fold.entity, replay.report.foreign), events };
}
