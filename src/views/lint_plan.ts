import type { Entity, Subject } from "../state/entity.ts";
import { bounded, isEnded } from "./lines.ts";
import type { Issue } from "./lint_issue.ts";
import { counted } from "../state/counted.ts";

/** What is wrong with a plan's checklist, and with its end (LINT-2). */
export function* lintPlan(entity: Entity, tasksOfPlan: () => readonly Subject[]): Generator<Issue> {
  const { steps, current } = entity.checklist;
  if (steps.length === 0 && !isEnded(entity.status)) {
    yield {
      severity: "warning",
      code: "NO_CHECKLIST",
      message: "The plan has no checklist, so nothing says what is next.",
      recovery: "Give it one with tasks_plan.",
    };
  }
  if (current > steps.length) {
    yield {
      severity: "error",
      code: "CHECKLIST_INDEX_OUT_OF_RANGE",
      message: `The checklist has ${counted(steps.length, "item")}, yet ${current} are said to be behind.`,
      recovery: "Say with tasks_plan how many are.",
    };
  }
  if (!isEnded(entity.status)) return;
  const open = tasksOfPlan().filter((task) => !isEnded(task.entity.status));
  if (open.length === 0) return;
  const ids = open.map((task) => task.id);
  yield {
    severity: "warning",
    code: "OPEN_TASKS",
    message: `The plan is ${entity.status}, but tasks of it have not ended: ${bounded(ids, 5).join(", ")}.`,
    recovery: "Complete or cancel them, or set the plan to ACTIVE again with tasks_complete.",
  };
}
