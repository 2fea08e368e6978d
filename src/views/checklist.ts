import { checklistProgress, itemsBehind } from "../state/checklist.ts";
import type { Entity } from "../state/entity.ts";

export type ChecklistBlock = {
  checklist: { doc: string; current: number; steps: string[] };
  /** `1/3`: items behind of all. */
  plan_progress: string;
};

/** A plan's checklist as replies print it (PLANS-2). */
export function checklistOf({ checklist }: Entity): ChecklistBlock {
  return {
    checklist: { doc: checklist.doc, current: itemsBehind(checklist), steps: [...checklist.steps] },
    plan_progress: checklistProgress(checklist),
  };
}
