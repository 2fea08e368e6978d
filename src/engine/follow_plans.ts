/** The second change of a call that ended a task or opened one: a plan that ends with its last task follows (STEP-82). */
import type { Warning } from "../errors.ts";
import { isTaskfoldError } from "../errors.ts";
import { errnoOf } from "../files/storage_error.ts";
import { followedStatus } from "../rules/follow_tasks.ts";
import type { Entities } from "./entities/entities.ts";
import type { CheckedCall } from "./entity/job.ts";
import type { Flip } from "./entity/flips.ts";
import type { Door } from "./each.ts";

interface Following {
  entities: Entities;
  call: Door["call"];
}

/**
 * Call when the first change is in the log. If two calls each end one of the last two tasks, the later one sees both ends.
 * Tells what became of the plans, and never throws for what they refuse.
 */
export async function followPlans(
  from: Following,
  { workspace, caller }: CheckedCall,
  flips: readonly Flip[],
): Promise<Warning[]> {
  const plans = new Map(flips.map((one) => [one.plan.root, one]));
  const warnings: Warning[] = [];
  for (const one of plans.values()) warnings.push(...(await followPlan(from, workspace, caller, one)));
  return warnings;
}

async function followPlan(
  { entities, call }: Following,
  workspace: string,
  caller: CheckedCall["caller"],
  { plan: ref, at }: Flip,
): Promise<Warning[]> {
  try {
    const around = entities.around(workspace);
    const plan = around.find(ref);
    if (!plan || (at !== undefined && plan.entity.updated_at >= at)) return [];
    const status = followedStatus(plan, around.rows);
    if (!status) return [];
    const { error, warnings } = await call("tasks_complete", { workspace, plan: plan.id, status }, caller);
    if (error) return error.code === "ALREADY_DONE" ? [] : [notFollowed(plan.id, status, error)];
    return [followed(plan.id, plan.entity.title, status), ...(warnings as Warning[])];
  } catch (e) {
    // The task has changed by now, and no fault of another log takes that back.
    if (!isTaskfoldError(e) && errnoOf(e) === undefined) throw e;
    const { code, message } = e as { code: string; message: string };
    return [notFollowed(ref.id, "DONE", { code, message })];
  }
}

function followed(id: string, title: string, status: "DONE" | "ACTIVE"): Warning {
  const message =
    status === "DONE"
      ? `${id} "${title}" is DONE: its last open task has ended.`
      : `${id} "${title}" is ACTIVE again: a task of it is open.`;
  return { code: "PLAN_FOLLOWED", message };
}

function notFollowed(
  id: string,
  status: "DONE" | "ACTIVE",
  { code, message, recovery }: { code: string; message: string; recovery?: string | undefined },
): Warning {
  return {
    code: "NOT_COMPLETED",
    message: `The task has changed, and ${id} ${status === "DONE" ? "stays open" : "stays DONE"}. ${code}: ${message}`,
    ...(recovery === undefined ? {} : { recovery }),
  };
}
