/** The tasks in answers about a plan, and the call that comes next (VIEW-81). */
import type { Suggestion } from "../errors.ts";
import { nameOf } from "../rules/phrase.ts";
import type { Asker } from "../rules/suggest.ts";
import { besideClaims, callOn, nextCalls } from "../rules/suggest.ts";
import { dueItem, isItemFirst } from "../state/checklist.ts";
import { compareIds } from "../state/compare_ids.ts";
import { hasEnded } from "../state/ended.ts";
import type { Subject } from "../state/entity.ts";
import type { Listed } from "../state/listed.ts";
import { tasksInPlan } from "../state/tasks_in_plan.ts";
import type { Due, OpenTask, PlanTasks, TasksBlock } from "../views/plan_tasks.ts";
import { dueIn, planTasksOf, tasksBlock } from "../views/plan_tasks.ts";
import type { ReadContext } from "./read_tool.ts";

export interface RolledUp {
  tasks?: PlanTasks;
  /** The member `tasks` of the answer. */
  block?: TasksBlock;
  calls: Suggestion[];
}

/** As of a moment of the past an answer says nothing of others. */
export const NOT_NOW: RolledUp = { calls: [] };

/** A list tells which tasks the plan has. Only the logs of those that have not ended are read. */
export function rollUp(ctx: ReadContext): RolledUp {
  const { subject, rows, find, idOf, now } = ctx;
  const { entity } = subject;
  if (entity.kind !== "plan") return { calls: nextCalls(subject, ctx) };
  const { live, archived } = tasksInPlan(entity, rows());
  const tasks = planTasksOf(live.toSorted(byId), { find, idOf, now }, archived);
  const calls = callsOf(subject, tasks, ctx);
  const [next] = calls;
  return { tasks, block: tasksBlock(tasks, next), calls };
}

const byId = (a: Listed, b: Listed): number => compareIds(a.id, b.id);

/** The call that comes next stands first. */
function callsOf(plan: Subject, tasks: PlanTasks, asker: Asker): Suggestion[] {
  const { entity } = plan;
  if (hasEnded(entity)) return [];
  const work = (): Suggestion[] => dueIn(tasks, asker.by).flatMap((due) => callsFor(plan, due, asker));
  const item = dueItem(entity.checklist) === undefined ? [] : nextCalls(plan, asker);
  if (item.length === 0)
    return tasks.total === 0 && entity.checklist.steps.length > 0 ? nextCalls(plan, asker) : work();
  if (isItemFirst(entity)) return [...item, ...(tasks.open.length > 0 ? work() : [])];
  return [...(tasks.open.length > 0 || tasks.total === 0 ? work() : []), ...item];
}

function lookCall({ subject }: OpenTask): Suggestion {
  return callOn(subject, "tasks_snapshot", {}, "No task is ready: see what stands in the way.");
}

function callsFor(plan: Subject, due: Due, asker: Asker): Suggestion[] {
  switch (due.what) {
    case "claim":
      return [callOn(plan, "tasks_claim_next", {}, `Take up ${due.task.id} ${nameOf(due.step)}.`)];
    case "complete_task":
    case "add_steps":
      return nextCalls(due.task.subject, asker);
    case "claimed":
    case "stuck":
      return [lookCall(due.task)];
    case "finish":
      return besideClaims(plan, [callOn(plan, "tasks_complete", {}, "Every task of the plan has ended.")], asker);
    case "begin": {
      const args = { task_title: "<fill: what is to be done>" };
      return [callOn(plan, "tasks_macro_start", args, "No task of the plan is open: begin one, or complete the plan.")];
    }
  }
}
