/** Putting an ended task away and bringing it back, and what its plan says of that (ARCHIVE rules). */
import { TaskfoldError } from "../errors.ts";
import type { Draft } from "../events/define.ts";
import { taskArchived } from "../events/task.archived.ts";
import { taskRestored } from "../events/task.restored.ts";
import { tasksArchived } from "../events/tasks.archived.ts";
import { tasksRestored } from "../events/tasks.restored.ts";
import { isArchived, isArchivedOrDeleted } from "../state/archive.ts";
import { hasEnded } from "../state/ended.ts";
import type { Subject } from "../state/entity.ts";
import type { LookForDispatcher } from "../state/packet_next.ts";
import { firstOpen } from "../state/tree.ts";
import { refuseBusy } from "./packet/packet_of.ts";
import { counted } from "../state/counted.ts";
import { listed, nameOf, sentence } from "./phrase.ts";
import { callOn } from "./suggest.ts";
import { remedy, TASKFOLD } from "../remedy.ts";

/** ALREADY_DONE, NOT_DONE, STEPS_OPEN or STAGE_RUNNING; TARGET_CONTRADICTION for a plan, which stays. */
export function archiveTask(subject: Subject, dispatcher: LookForDispatcher): Draft[] {
  const { id, entity } = subject;
  if (entity.kind === "plan") throw isPlan(subject);
  if (isArchived(entity)) throw alreadyAway(subject);
  if (!hasEnded(entity)) throw notEnded(subject);
  const open = entity.status === "DONE" ? firstOpen(entity) : undefined;
  if (open)
    throw new TaskfoldError("STEPS_OPEN", `Expected every step of ${id} to be closed, found ${nameOf(open)} open.`, {
      recovery: "Close or delete it, then archive the task.",
      suggestions: [callOn(subject, "tasks_radar", {}, "see what is open")],
      details: { id, step_id: open.id },
    });
  refuseBusy(subject, dispatcher);
  return [taskArchived.draft({ message: sentence(`Archived task "${entity.title}"`) })];
}

export function restoreTask(subject: Subject): Draft[] {
  refuseLive(subject);
  const { kind, title } = subject.entity;
  return [taskRestored.draft({ message: sentence(`Restored ${kind} "${title}" from the archive`) })];
}

/** ALREADY_DONE for one that is not in the archive. */
export function refuseLive({ id, entity }: Subject): void {
  if (entity.archived) return;
  throw new TaskfoldError("ALREADY_DONE", `Expected an archived task; ${id} is live.`, {
    recovery: "Go on with it as it is.",
    details: { id },
  });
}

/** Returns the plan's events about tasks that go with this call. */
export function nameArchived(tasks: readonly Subject[]): Draft[] {
  const named = tasks.map(({ id, entity: { root, title, status } }) => ({ id, root, title, status }));
  return [
    tasksArchived.draft({
      tasks: named,
      message: sentence(`Archived ${counted(tasks.length, "task")}: ${idsOf(tasks)}`),
    }),
  ];
}

/** The plan names those no more that are live. ALREADY_DONE where it names none of them. */
export function nameRestored({ id, entity }: Subject, tasks: readonly Subject[]): Draft[] {
  const back = tasks.filter((task) => !isArchivedOrDeleted(task.entity) && isNamed(entity, task));
  if (back.length === 0)
    throw new TaskfoldError(
      "ALREADY_DONE",
      `Expected tasks that ${id} names as archived and that are live; found none.`,
      {
        recovery: "Go on with them as they are.",
        details: { id },
      },
    );
  const named = back.map((task) => ({ id: task.id, root: task.entity.root }));
  return [
    tasksRestored.draft({
      tasks: named,
      message: sentence(`Restored ${counted(back.length, "task")}: ${idsOf(back)}`),
    }),
  ];
}

/** Whether the plan names the task as archived. */
export function isNamed({ archived_tasks }: Subject["entity"], { entity: { root } }: Subject): boolean {
  return archived_tasks.get(root)?.restored === false;
}

function idsOf(tasks: readonly Subject[]): string {
  return listed(tasks.map(({ id }) => id));
}

function isPlan(subject: Subject): TaskfoldError {
  const { id } = subject;
  return new TaskfoldError("TARGET_CONTRADICTION", `Expected a task; ${id} is a plan, and plans stay where they are.`, {
    recovery: "Archive those of its tasks that have ended.",
    suggestions: [callOn(subject, "tasks_archive", {}, "archive its ended tasks")],
    details: { id, kind: "plan" },
  });
}

function alreadyAway({ id }: Subject): TaskfoldError {
  return new TaskfoldError("ALREADY_DONE", `Expected a live task; ${id} is in the archive.`, {
    ...remedy`${TASKFOLD} restore ${id} brings it back.`,
    details: { id },
  });
}

function notEnded(subject: Subject): TaskfoldError {
  const { id, entity } = subject;
  return new TaskfoldError("NOT_DONE", `Expected a task that is DONE, FAILED or CANCELED; ${id} is ${entity.status}.`, {
    recovery: "Complete it, or set it to FAILED or CANCELED.",
    suggestions: [callOn(subject, "tasks_radar", {}, "see what is left to do")],
    details: { id, status: entity.status },
  });
}
