/** The plan's part of a call that puts tasks away or brings one back: the plan names its archived tasks (ARCHIVE-9). */
import { isNamed } from "../rules/archive_task.ts";
import type { Retention } from "../rules/retention.ts";
import { planOf } from "../rules/retention.ts";
import type { Subject } from "../state/entity.ts";
import type { PartCall } from "./calls.ts";

/** One for each plan, in the order of its first task. */
export function namingParts(tasks: readonly Subject[], retention: Retention): PartCall[] {
  const byPlan = new Map<string, string[]>();
  for (const task of tasks) {
    const plan = planOf(task, retention);
    if (plan) byPlan.set(plan.id, [...(byPlan.get(plan.id) ?? []), task.id]);
  }
  return [...byPlan].map(([plan, ids]) => ({ tool: "tasks_archive", args: { plan, tasks: ids } }));
}

/** Null where no plan names the task. */
export function unnamingPart(task: Subject, retention: Retention): PartCall | null {
  const plan = planOf(task, retention);
  return plan && isNamed(plan.entity, task)
    ? { tool: "tasks_restore", args: { plan: plan.id, tasks: [task.id] } }
    : null;
}

/** The calls of a tool that brings back one task; null: an ordinary call. */
export function restoringParts(
  tool: string,
  { workspace: _workspace, idempotency_key: _key, ...args }: Record<string, unknown>,
  task: Subject,
  retention: Retention,
): PartCall[] | null {
  const plan = task.entity.kind === "task" ? unnamingPart(task, retention) : null;
  return plan && [{ tool, args: { ...args, ...(named(args) ? {} : { task: task.id }) } }, plan];
}

function named({ task, plan, target }: Record<string, unknown>): boolean {
  return (task ?? plan ?? target) !== undefined;
}
