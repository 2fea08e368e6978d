import { TaskfoldError } from "../errors.ts";
import type { Subject } from "../state/entity.ts";
import { callOn } from "./suggest.ts";

/** Checklists and contracts are for plans (PLANS-1). */
export function refuseTask(subject: Subject): void {
  if (subject.entity.kind === "plan") return;
  throw new TaskfoldError("INVALID_INPUT", `Expected a plan; ${subject.id} is a task.`, {
    recovery: "Name the plan that is meant; a task has steps instead.",
    suggestions: [callOn(subject, "tasks_radar", {}, "See what this task says.")],
  });
}
