/** Which steps can be taken up now (LEASE-7): in the order in which they are due, with all they wait for behind them. */
import { TaskfoldError } from "../errors.ts";
import type { Draft } from "../events/define.ts";
import type { Find } from "../state/depends.ts";
import { openDependencies } from "../state/depends.ts";
import type { Ref, Subject } from "../state/entity.ts";
import { covering, inEffect } from "../state/lease.ts";
import type { Listed } from "../state/listed.ts";
import { waitsFor } from "../state/step_waits.ts";
import { postOrder } from "../state/tree.ts";
import { firstReady, hasEnded } from "../state/first_ready.ts";
import type { Asking, Term } from "./lease.ts";
import { claim } from "./lease.ts";
import { counted } from "../state/counted.ts";
import { callOn } from "./suggest.ts";

/** Whether work on the task may begin or go on at all. */
export function isReady({ entity }: Subject, find: Find): boolean {
  return entity.kind === "task" && !hasEnded(entity) && !entity.deleted && openDependencies(entity, find).length === 0;
}

/**
 * The reason that keeps every step of an open task from being taken up; with neither member it takes a change of the
 * task itself.
 */
export interface HeldUp {
  until?: string;
  waits_for?: Ref;
}

/** The same as a list tells it, of a task that has not ended; null where a step can be taken up. */
export function heldUpBy(
  { free_from, depends_on }: Pick<Listed, "free_from" | "depends_on">,
  now: string,
  isDone: (ref: Ref) => boolean,
): HeldUp | null {
  if (free_from === null) return {};
  if (free_from !== undefined && free_from > now) return { until: free_from };
  const waits_for = depends_on.find((ref) => !isDone(ref));
  return waits_for ? { waits_for } : null;
}

/** Claims the first step that is ready; NOTHING_READY says why there is none. */
export function claimNext(subject: Subject, term: Term, find: Find, asking: Asking): Draft[] {
  const step = isReady(subject, find) ? firstReady(subject.entity, asking.now) : undefined;
  if (step) return claim(subject, step, term, { by: asking.by, now: asking.now });
  throw new TaskfoldError(
    "NOTHING_READY",
    `Expected a step of ${subject.id} that can be taken up, found ${whyNot(subject, find, asking.now)}.`,
    {
      details: standing([subject], find, asking.now),
      recovery: "Take up another task, or see what stands in the way.",
      suggestions: [callOn(subject, "tasks_radar", {}, "See what stands in the way.")],
    },
  );
}

function whyNot(subject: Subject, find: Find, now: string): string {
  const { id, entity } = subject;
  if (entity.kind === "plan") return `the plan ${id}, which has none`;
  if (hasEnded(entity)) return `${id} ${entity.status}`;
  const waits = openDependencies(entity, find);
  if (waits.length > 0) return `${id} waiting for ${waits.map((ref) => find(ref)?.id ?? ref.id).join(", ")}`;
  const { open, blocked, claimed, waiting, earliest_end } = standing([subject], find, now);
  const until = earliest_end === null ? "" : `; the first claim ends at ${earliest_end}`;
  const wait = waiting === 0 ? "" : `, ${waiting} waiting for other steps`;
  return `${id} with ${open} open, ${blocked} of them blocked, ${claimed} claimed${wait}${until}`;
}

/** How steps stand, so that a caller knows whether to wait, and how long (LEASE-32). A type alias, for JSON. */
export type Standing = {
  open: number;
  claimed: number;
  waiting: number;
  blocked: number;
  done: number;
  /** When the first of the claims ends; null where there is none. */
  earliest_end: string | null;
};

/** Counts over live steps of tasks that have not ended; a step may be claimed and blocked at once. */
export function standing(tasks: readonly Subject[], find: Find, now: string): Standing {
  const count: Standing = { open: 0, claimed: 0, waiting: 0, blocked: 0, done: 0, earliest_end: null };
  for (const { entity } of tasks) {
    if (hasEnded(entity)) continue;
    const waits = openDependencies(entity, find).length > 0;
    for (const step of postOrder(entity.children)) {
      if (step.done) {
        count.done++;
        continue;
      }
      count.open++;
      if (step.blocked) count.blocked++;
      if (waits || waitsFor(entity, step).length > 0) count.waiting++;
      const ends = covering(entity, step).flatMap(({ lease }) => (inEffect(lease, now) ? [lease.expires_at] : []));
      if (ends.length > 0) count.claimed++;
      for (const end of ends) if (count.earliest_end === null || end < count.earliest_end) count.earliest_end = end;
    }
  }
  return count;
}

/**
 * Returns why none of many tasks has a step to take up. It names the obstacles of the first that have not ended, and
 * how many more there are.
 */
export function whyNone(tasks: readonly Subject[], find: Find, now: string): string {
  const open = tasks.filter(({ entity }) => entity.kind === "task" && !hasEnded(entity));
  if (open.length === 0) return "no task that has not ended";
  const shown = open.slice(0, SHOWN).map((task) => whyNot(task, find, now));
  return [...shown, ...(open.length > SHOWN ? [counted(open.length - SHOWN, "more task")] : [])].join("; ");
}

const SHOWN = 3;
