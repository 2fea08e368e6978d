/** The tasks of a plan in one answer (VIEW-81). The plan's own log names none of them. */
import { phrased, textOf } from "../sentence.ts";
import type { Sentence } from "../sentence.ts";
import { toSecond } from "../to_second.ts";
import type { Suggestion } from "../errors.ts";
import type { Find } from "../state/depends.ts";
import { openDependencies } from "../state/depends.ts";
import { isCompletable } from "../state/completion.ts";
import { hasEnded } from "../state/ended.ts";
import type { ArchivedTask, Entity, IdOf, Lease, Status, Step, Subject } from "../state/entity.ts";
import { STATUSES } from "../state/entity.ts";
import { AFTER_ALL_TIMES, firstReady } from "../state/first_ready.ts";
import { heldIn } from "../state/lease.ts";
import { LIMITS } from "../state/limits.ts";
import type { Listed } from "../state/listed.ts";
import { takesNoChange } from "../state/listed.ts";
import type { JsonObject } from "../state/schema.ts";
import { dueStep, isDue } from "../state/step_waits.ts";
import { isFulfilled } from "../state/tasks_in_plan.ts";
import { pathOf, preOrder } from "../state/tree.ts";
import type { TimeText } from "./lines.ts";
import { bounded, claimed, conflicts, obstacles, piece, stepName, stepRisks, stepWaits } from "./lines.ts";
import { waitsOf } from "./waits.ts";

interface Claim {
  /** Null: the whole task. */
  path: string | null;
  lease: Lease;
}

/** A task of the plan that has not ended. */
export interface OpenTask {
  subject: Subject;
  id: string;
  title: string;
  /** The step to take up, where nothing stands in its way. */
  ready: Step | undefined;
  /** The step that would be ready if no claim were in effect. */
  claimable: Step | undefined;
  claims: Claim[];
  obstacles: Sentence[];
  risks: string[];
  conflicts: Sentence[];
  /** It has no live step, and waits for no other task. */
  needs_steps: boolean;
  /** Every step is closed. */
  ready_to_complete: boolean;
}

type Named = Pick<Listed, "id" | "title" | "status" | "log_warnings">;

export interface PlanTasks {
  total: number;
  by_status: Record<Status, number>;
  /** In natural order of ids, as `open`. */
  ended: Named[];
  open: OpenTask[];
  /** How many of the ended are in the archive. */
  archived: number;
}

/** `rows`: the plan's tasks in order, `archived`: those that it names as put away. `find` opens a log, and is asked for tasks that have not ended. */
export interface PlanTasksAround {
  find: Find;
  idOf: IdOf;
  /** When the answer is read: a claim that is over by then is none. */
  now: string;
}

export function planTasksOf(
  rows: readonly Listed[],
  around: PlanTasksAround,
  archived: readonly ArchivedTask[] = [],
): PlanTasks {
  const by_status = Object.fromEntries(STATUSES.map((status) => [status, 0])) as Record<Status, number>;
  const ended: Named[] = [];
  const open: OpenTask[] = [];
  for (const row of rows) {
    by_status[row.status]++;
    const task = hasEnded(row) ? undefined : around.find(row);
    if (task) open.push(openTask(task, row, around));
    else ended.push(row);
  }
  for (const { id, title, status } of archived) {
    by_status[status]++;
    ended.push({ id, title, status });
  }
  return { total: rows.length + archived.length, by_status, ended, open, archived: archived.length };
}

function openTask(task: Subject, row: Listed, { find, idOf, now }: PlanTasksAround): OpenTask {
  const { id, entity } = task;
  const waits = openDependencies(entity, find).length > 0 || takesNoChange(row);
  const steps = [...preOrder(entity.children)];
  return {
    subject: task,
    id,
    title: entity.title,
    ready: waits ? undefined : firstReady(entity, now),
    claimable: waits ? undefined : firstReady(entity, AFTER_ALL_TIMES),
    claims: heldIn(entity, now).map(({ on, lease }) => ({ path: on && pathOf(on), lease })),
    obstacles: [...waitsOf(entity, find, idOf), ...obstacles(entity), ...circle(entity)],
    risks: [...logRisks(row), ...steps.flatMap((step) => [...stepRisks(step)].map(textOf))],
    conflicts: [...conflicts(entity)],
    needs_steps: steps.length === 0 && !waits,
    ready_to_complete: !takesNoChange(row) && isCompletable(entity),
  };
}

/** Lines about steps that wait for each other: a merge closed a circle of them, and none is due. */
function circle(entity: Entity): Iterable<Sentence> {
  const due = dueStep(entity);
  return due && !isDue(entity, due) ? stepWaits(entity) : [];
}

export type Due =
  | { what: "claim"; task: OpenTask; step: Step }
  /** `held`: the claim of another actor on the whole task, which refuses the call. */
  | { what: "complete_task" | "add_steps"; task: OpenTask; held: Lease | undefined }
  | { what: "claimed" | "stuck"; task: OpenTask }
  | { what: "finish" | "begin" };

/**
 * The things that are due in the plan now, the most pressing first; of each kind at most one. A task that another actor
 * than `by` holds whole stands back behind a free one.
 */
export function dueIn({ open, ended }: PlanTasks, by: string | undefined): Due[] {
  const due: Due[] = [];
  const held = ({ claims }: OpenTask): Lease | undefined =>
    claims.find(({ path, lease }) => path === null && lease.by !== by)?.lease;
  const first = (isDue: (task: OpenTask) => boolean): OpenTask | undefined =>
    open.find((task) => isDue(task) && !held(task)) ?? open.find(isDue);
  for (const task of open) if (task.ready && due.length === 0) due.push({ what: "claim", task, step: task.ready });
  const complete = first((task) => task.ready_to_complete);
  if (complete) due.push({ what: "complete_task", task: complete, held: held(complete) });
  const empty = first((task) => task.needs_steps);
  if (empty) due.push({ what: "add_steps", task: empty, held: held(empty) });
  if (due.length > 0) return due;
  const claimed = open.find((task) => task.claimable);
  if (claimed) return [{ what: "claimed", task: claimed }];
  const [stuck] = open;
  if (stuck) return [{ what: "stuck", task: stuck }];
  return [{ what: isFulfilled(ended) ? "finish" : "begin" }];
}

/** The same as lines of a radar. */
export function dueLines(
  tasks: PlanTasks,
  { by, timeText = toSecond }: { by?: string | undefined; timeText?: TimeText | undefined },
): Sentence[] {
  return dueIn(tasks, by).map((due) => {
    switch (due.what) {
      case "claim":
        return phrased`Take up ${due.task.id} ${stepName(due.step)}`;
      case "complete_task":
        return due.held
          ? phrased`Complete ${nameOf(due.task)} when the claim of ${due.held.by} ends: ${timeText(due.held.expires_at)}`
          : phrased`Complete ${nameOf(due.task)}: every step of it is closed`;
      case "add_steps":
        return due.held
          ? phrased`Add steps to ${nameOf(due.task)} when the claim of ${due.held.by} ends: ${timeText(due.held.expires_at)}`
          : phrased`Add steps to ${nameOf(due.task)}`;
      case "claimed":
        return phrased`Wait for a claim to end: ${nothingReady(tasks.open, timeText)}`;
      case "stuck":
        return phrased`See what stands in the way of ${due.task.id}: ${nothingReady(tasks.open, timeText)}`;
      case "finish":
        return tasks.by_status.CANCELED > 0
          ? phrased`Finish plan: every task has ended`
          : phrased`Finish plan: every task is DONE`;
      case "begin":
        return phrased`Add tasks to this plan, or finish it: no task is open`;
    }
  });
}

function nothingReady(open: readonly OpenTask[], timeText: TimeText): Sentence {
  const ends = open.flatMap(({ claims }) => claims.map(({ lease }) => lease.expires_at)).toSorted();
  const claims = open.filter((task) => task.claims.length > 0).length;
  const first = ends[0] === undefined ? "" : phrased` (the first claim ends at ${timeText(ends[0])})`;
  const held = open.filter((task) => task.obstacles.length > 0).length;
  return phrased`no task is ready, ${claims} claimed${first}, ${held} blocked`;
}

/** Lines about what stands in the way of tasks, conflicts first. */
export function taskTroubles({ open }: PlanTasks): Sentence[] {
  const of = (list: "conflicts" | "obstacles"): Sentence[] =>
    open.flatMap((task) => task[list].map((line) => phrased`${task.id}: ${line}`));
  return [...of("conflicts"), ...of("obstacles")];
}

export function taskRisks({ open, ended }: PlanTasks): string[] {
  return [
    ...ended.flatMap((task) => [
      ...(task.status === "FAILED" ? [`${nameOf(task)} is FAILED`] : []),
      ...logRisks(task).map((line) => `${task.id}: ${line}`),
    ]),
    ...open.flatMap(({ id, risks }) => risks.map((line) => `${id}: ${line}`)),
  ];
}

function endedRisks(task: Named): string[] {
  return [...(task.status === "FAILED" ? ["The task is FAILED"] : []), ...logRisks(task)];
}

function logRisks({ log_warnings = [] }: Pick<Named, "log_warnings">): string[] {
  const codes = log_warnings.filter((code) => code !== "LOG_TWO_FOLDERS");
  return [
    ...(codes.length === log_warnings.length
      ? []
      : ["It lies in two folders, and takes no change before resolve joins them"]),
    ...(codes.length === 0 ? [] : [`Its log is not whole: ${codes.join(", ")}`]),
  ];
}

export function doneTasks({ ended }: PlanTasks): string[] {
  return ended.filter(({ status }) => status === "DONE").map(nameOf);
}

/** Each open task with what is to be done about it. */
export function openTasks({ open }: PlanTasks, timeText?: TimeText): string[] {
  return open.map((task) => {
    const parts = [
      ...task.claims.slice(0, 1).map(({ lease }) => claimed(lease, timeText)),
      ...(task.ready ? [`take up ${stepName(task.ready)}`] : []),
      ...bounded(task.obstacles.map(textOf), 1),
      ...(task.needs_steps ? ["add steps"] : []),
      ...(task.ready_to_complete ? ["complete it"] : []),
    ];
    return parts.length === 0 ? nameOf(task) : `${nameOf(task)}: ${parts.join(", ")}`;
  });
}

function nameOf({ id, title }: Pick<Named, "id" | "title">): string {
  return `${id} ${piece(title)}`;
}

export type TasksBlock = ReturnType<typeof tasksBlock>;

/** The block of an answer: counts of everything, and of each list the first few. */
export function tasksBlock({ total, by_status, open, ended, archived }: PlanTasks, next: Suggestion | undefined) {
  const named = ({ id, title }: Pick<Named, "id" | "title">) => ({ id, title });
  const because = (task: OpenTask, why: readonly string[]) => ({ ...named(task), why: bounded(why, 3) });
  const ready = open.flatMap((task) =>
    task.ready ? [{ ...named(task), path: pathOf(task.ready), step: task.ready.title }] : [],
  );
  const claims = open.flatMap((task) =>
    task.claims.map(({ path, lease }) => ({ ...named(task), path, by: lease.by, expires_at: lease.expires_at })),
  );
  const blocked = open
    .filter((task) => task.obstacles.length > 0)
    .map((task) => because(task, task.obstacles.map(textOf)));
  const at_risk = [
    ...ended.flatMap((task) => (endedRisks(task).length > 0 ? [{ ...named(task), why: endedRisks(task) }] : [])),
    ...open.filter((task) => task.risks.length > 0).map((task) => because(task, task.risks)),
  ];
  const in_conflict = open
    .filter((task) => task.conflicts.length > 0)
    .map((task) => because(task, task.conflicts.map(textOf)));
  const ready_to_complete = open.filter((task) => task.ready_to_complete).map(named);
  return {
    total,
    by_status,
    ...(archived === 0 ? {} : { archived }),
    counts: {
      ready: ready.length,
      claimed: claims.length,
      blocked: blocked.length,
      at_risk: at_risk.length,
      in_conflict: in_conflict.length,
      ready_to_complete: ready_to_complete.length,
    },
    next: next ? { tool: next.tool, purpose: next.reason, args: next.args as JsonObject } : null,
    ready: ready.slice(0, LIMITS.radarBlockers),
    claimed: claims.slice(0, LIMITS.radarBlockers),
    blocked: blocked.slice(0, LIMITS.radarBlockers),
    at_risk: at_risk.slice(0, LIMITS.radarBlockers),
    in_conflict: in_conflict.slice(0, LIMITS.radarBlockers),
    ready_to_complete: ready_to_complete.slice(0, LIMITS.radarBlockers),
  };
}
