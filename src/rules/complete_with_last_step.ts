/** Completing a task in the op that closes its last step, where the task or its plan asks for that (STEP-79). */
import { worded } from "../message.ts";
import { isTaskfoldError } from "../errors.ts";
import type { TaskfoldError, Warning } from "../errors.ts";
import { remedyOf } from "../remedy.ts";
import type { Draft } from "../events/define.ts";
import { Trial } from "../events/trial.ts";
import type { Find } from "../state/depends.ts";
import { hasEnded } from "../state/ended.ts";
import type { Subject } from "../state/entity.ts";
import { firstOpen } from "../state/tree.ts";
import { completeEntity } from "./complete_entity.ts";
import type { Around } from "./work_begun.ts";

/** Whether closing the last step of the task completes it: as the task says, else as its plan does. */
export function completesWhenDone({ entity }: Pick<Subject, "entity">, find: Find): boolean {
  const ofPlan = (): boolean | null | undefined => entity.parent && find(entity.parent)?.entity.complete_when_done;
  return entity.complete_when_done ?? ofPlan() ?? false;
}

/** The drafts that close a step, and behind them the completion. A task that may not be DONE stays open, with a warning that says why. */
export function withCompletion(
  subject: Subject,
  closing: Draft[],
  around: Around & { find: Find },
): { drafts: Draft[]; warnings: Warning[] } {
  const alone = { drafts: closing, warnings: [] };
  if (hasEnded(subject.entity) || !completesWhenDone(subject, around.find)) return alone;
  const trial = new Trial(subject.entity, { ts: around.now, by: around.by });
  try {
    trial.apply(closing);
    if (firstOpen(subject.entity)) return alone;
    const { drafts } = completeEntity(subject, "DONE", undefined, around);
    return { drafts: [...closing, ...drafts], warnings: [] };
  } catch (e) {
    if (!isTaskfoldError(e)) throw e;
    return { drafts: closing, warnings: [stillOpen(subject, e)] };
  } finally {
    trial.end();
  }
}

function stillOpen({ id }: Subject, refusal: TaskfoldError): Warning {
  return {
    code: "NOT_COMPLETED",
    ...worded`The step is closed, and ${id} stays open. ${refusal.code}: ${refusal}`,
    ...remedyOf(refusal),
  };
}
