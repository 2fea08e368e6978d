/** Refuses to call a plan or task not begun where work has begun (STEP-21): every answer would go on saying ACTIVE. */
import type { Suggestion } from "../errors.ts";
import { TaskfoldError } from "../errors.ts";
import { remedy, toolName } from "../remedy.ts";
import { archivedTasks } from "../state/archive.ts";
import { counted } from "../state/counted.ts";
import type { IdOf, Subject } from "../state/entity.ts";
import { BEFORE_ALL_TIMES } from "../state/first_ready.ts";
import { heldIn, inEffect } from "../state/lease.ts";
import type { Held } from "../state/lease.ts";
import type { Listed } from "../state/listed.ts";
import { hasBegunTask, isBegunTask } from "../state/plan_status.ts";
import { hasBegun, hasBegunBesideClaims, hasLastingWork, shownStatus } from "../state/status.ts";
import { listed, nameOf } from "./phrase.ts";
import { callOn } from "./suggest.ts";

/** The rest of the workspace, and the caller. */
export interface Around {
  now: string;
  by: string;
  idOf: IdOf;
  /** Live tasks of the plan. */
  tasksOfPlan: () => readonly Subject[];
  /** Every plan and task as a list shows it. */
  rows: () => readonly Listed[];
}

/** A refusal names the first ones. */
const MOST = 5;
const STAYS = "Evidence, a packet's attempts and work that another program began cannot be taken back.";

export function refuseBegun(subject: Subject, around: Around): void {
  if (subject.entity.kind === "plan") return refuseBegunPlan(subject, around);
  if (!hasBegun(subject.entity)) return;
  throw new TaskfoldError(
    "WORK_BEGUN",
    `Expected a task without work in it for TODO; work in ${subject.id} has begun.`,
    hasLastingWork(subject.entity)
      ? { recovery: `${STAYS} Set it to ACTIVE.`, suggestions: [activeCall(subject)] }
      : {
          ...remedy`Release its claims and take the work back with ${toolName("tasks_undo")}, or set it to ACTIVE.`,
          suggestions: takingBack(subject, around).slice(0, MOST),
        },
  );
}

function refuseBegunPlan(plan: Subject, around: Around): void {
  const { entity } = plan;
  if (!hasBegunTask(entity.root, around.rows())) return;
  const live = around.tasksOfPlan().filter((task) => isBegunTask({ status: shownStatus(task) }));
  const away = archivedTasks(entity).filter(([, { status }]) => status === "DONE");
  const gone = away.map(([root, { id }]) => around.idOf({ id, root }));
  const named = [...live.map(({ id }) => id), ...gone.map((id) => `${id} (archived)`)];
  const found = `work in ${counted(named.length, "task")} of ${plan.id} has begun: ${listed(named)}`;
  const lasting = live.some((task) => hasLastingWork(task.entity));
  const recovery = lasting
    ? `${STAYS} Set the plan to ACTIVE.`
    : "Take the work in its tasks back, or set the plan to ACTIVE.";
  const restoring = gone.map((id): Suggestion => {
    const args = { workspace: plan.workspace, task: id };
    return { tool: "tasks_restore", args, reason: `Bring ${id} back: it is DONE.` };
  });
  throw new TaskfoldError("WORK_BEGUN", `Expected a plan without work in its tasks for TODO; ${found}.`, {
    recovery,
    suggestions: lasting
      ? [activeCall(plan)]
      : [...live.flatMap((task) => takingBack(task, around)), ...restoring].slice(0, MOST),
    details: { begun: named.slice(0, MOST), count: named.length },
  });
}

/** No other call helps where work stays that nothing takes back. */
function activeCall(subject: Subject): Suggestion {
  return callOn(subject, "tasks_complete", { status: "ACTIVE" }, `Say that work in ${subject.id} has begun.`);
}

/** Calls that give back what is claimed of a task, and the one that takes back what was done in it. */
function takingBack(task: Subject, asking: Around): Suggestion[] {
  const { entity } = task;
  const claims = heldIn(entity, BEFORE_ALL_TIMES).map((held) => releaseCall(task, held, asking));
  if (hasBegunBesideClaims(entity)) {
    return [...claims, callOn(task, "tasks_history", {}, `See which changes of ${task.id} can be undone.`)];
  }
  const isSet = entity.status !== "TODO" && claims.length === 0;
  return isSet ? [callOn(task, "tasks_complete", { status: "TODO" }, `Set ${task.id} to TODO first.`)] : claims;
}

/** Another caller's claim ends by force until it expires. */
function releaseCall(task: Subject, { on, lease }: Held, { by, now }: Around): Suggestion {
  const isOthers = lease.by !== by && inEffect(lease, now);
  const args = {
    ...(on ? { step_id: on.id } : {}),
    ...(isOthers ? { force: true, reason: "<fill: why the claim ends>" } : { fence: lease.fence }),
  };
  const place = on ? nameOf(on) : task.id;
  return callOn(task, "tasks_release", args, `End the claim of ${lease.by} on ${place}.`);
}
