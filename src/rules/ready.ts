/** Which steps can be taken up now (LEASE-7): in the order in which they are due, with all they wait for behind them. */
import type { Suggestion } from "../errors.ts";
import { TaskfoldError } from "../errors.ts";
import { namedTime, worded } from "../message.ts";
import type { Wording } from "../message.ts";
import type { Draft } from "../events/define.ts";
import type { Find } from "../state/depends.ts";
import { openDependencies } from "../state/depends.ts";
import { hasEnded } from "../state/ended.ts";
import type { Ref, Subject } from "../state/entity.ts";
import { listedOf } from "../state/listed.ts";
import type { Listed } from "../state/listed.ts";
import { heldBelow } from "../state/lease.ts";
import { stepStanding } from "../state/step_standing.ts";
import { firstReady } from "../state/first_ready.ts";
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

/**
 * Claims the first step that is ready. With `whole` it claims the task that has one, if no claim is in it. NOTHING_READY says
 * why there is none, and ALL_DONE that none is left. `passed`: ids of steps that the caller does not want.
 */
export function claimNext(
  subject: Subject,
  { whole, ...term }: Term & { whole: boolean },
  find: Find,
  asking: Asking,
  passed?: ReadonlySet<string>,
): Draft[] {
  const step = isReady(subject, find) ? firstReady(subject.entity, asking.now, passed) : undefined;
  const isFree = !whole || heldBelow(subject.entity, null, asking.now).length === 0;
  if (step && isFree) return claim(subject, whole ? null : step, term, { by: asking.by, now: asking.now });
  const found = whyNot(subject, find, asking.now);
  throw nothingReady(
    subject.id,
    { found, first: [subject], details: stepCounts(subject, find, asking.now) },
    asking.now,
    {
      find,
      look: callOn(subject, "tasks_radar", {}, "See what stands in the way."),
    },
  );
}

/** Why no step was found: in words, with the first of the tasks and the counts of all. */
export interface NoneReady {
  found: Wording;
  first: readonly Subject[];
  details: StepCounts;
}

/**
 * The refusal where no step can be taken up: ALL_DONE where none is left, which no waiting changes, else NOTHING_READY
 * (LEASE-32). `look` is the call that shows what stands in the way. `isWhole` is false where tasks are there that could
 * not be looked at: of them nothing is known.
 */
export function nothingReady(
  where: string,
  { found, first, details }: NoneReady,
  now: string,
  { find, look, more = "", isWhole = true }: { find: Find; look: Suggestion; more?: string; isWhole?: boolean },
): TaskfoldError {
  const message = worded`Expected a step of ${where} that can be taken up, found ${found}.${more}`;
  const near = first.flatMap((task) => [task, ...(hasEnded(task.entity) ? [] : waitsFor(task, find))]);
  const finished = new Map(near.filter(isFinished).map((task) => [task.id, task]));
  const completing = [...finished.values()].map((task) =>
    callOn(task, "tasks_complete", {}, "All of its steps are closed."),
  );
  if (isWhole && details.open === 0 && details.without_steps === 0)
    return new TaskfoldError("ALL_DONE", message, {
      details: { ...details },
      recovery: "Stop here, or add steps or tasks.",
      suggestions: completing,
    });
  return new TaskfoldError("NOTHING_READY", message, {
    details: { ...details, retry_after_ms: untilFree(details, now) },
    recovery: "See what is blocked, claimed, or waits for other tasks, or add steps.",
    suggestions: [...completing, look],
  });
}

function waitsFor({ entity }: Subject, find: Find): Subject[] {
  return openDependencies(entity, find).flatMap((ref) => find(ref) ?? []);
}

/** A task that only waits to be completed. */
function isFinished({ entity }: Pick<Subject, "entity">): boolean {
  if (entity.kind !== "task" || entity.deleted || hasEnded(entity)) return false;
  const { total, completed } = listedOf({ id: "", entity }).steps;
  return total > 0 && completed === total;
}

/** Milliseconds until the first claim ends; null where only a change frees a step. */
function untilFree({ earliest_end: end }: StepCounts, now: string): number | null {
  return end === null ? null : Math.max(0, Date.parse(end) - Date.parse(now));
}

function whyNot(subject: Subject, find: Find, now: string): Wording {
  const { id, entity } = subject;
  if (entity.kind === "plan") return worded`the plan ${id}, which has none`;
  if (hasEnded(entity)) return worded`${id} ${entity.status}`;
  const waits = openDependencies(entity, find);
  if (waits.length > 0) return worded`${id} waiting for ${waits.map((ref) => find(ref)?.id ?? ref.id).join(", ")}`;
  const { open, blocked, claimed, waiting, earliest_end } = stepCounts(subject, find, now);
  if (open === 0) return isFinished({ entity }) ? worded`${id} with all steps closed` : worded`${id} without steps`;
  const until = earliest_end === null ? "" : worded`; the first claim ends at ${namedTime(earliest_end)}`;
  const wait = waiting === 0 ? "" : `, ${waiting} waiting for other steps`;
  return worded`${id} with ${open} open, ${blocked} of them blocked, ${claimed} claimed${wait}${until}`;
}

/** How steps stand, so that a caller knows whether to wait, and how long (LEASE-32). A type alias, for JSON. */
export type StepCounts = {
  open: number;
  claimed: number;
  waiting: number;
  blocked: number;
  done: number;
  /** Tasks that have not ended and have no step yet. */
  without_steps: number;
  /** When the first of the claims ends; null where there is none. */
  earliest_end: string | null;
};

/** Counts over live steps; a step may be claimed and blocked at once. */
export function stepCounts({ entity }: Subject, find: Find, now: string): StepCounts {
  if (hasEnded(entity)) return { ...NO_STEPS };
  const { steps } = listedOf({ id: "", entity });
  return stepCountsOf({ steps, step_standing: stepStanding(entity) }, openDependencies(entity, find).length > 0, now);
}

/** The same of the row of a task that has not ended. `waits`: something that the task depends on is not DONE. */
export function stepCountsOf(
  { steps: { total, completed }, step_standing: counts }: Pick<Listed, "steps" | "step_standing">,
  waits: boolean,
  now: string,
): StepCounts {
  const open = total - completed;
  const inEffect = (counts?.claims ?? []).map(([ends, steps]) => ({ steps, ends: ends.filter((end) => end > now) }));
  return {
    open,
    claimed: inEffect.reduce((sum, { ends, steps }) => sum + (ends.length > 0 ? steps : 0), 0),
    waiting: waits ? open : (counts?.waiting ?? 0),
    blocked: counts?.blocked ?? 0,
    done: completed,
    without_steps: total === 0 ? 1 : 0,
    earliest_end: earliest(inEffect.flatMap(({ ends }) => ends)),
  };
}

export const NO_STEPS: StepCounts = {
  open: 0,
  claimed: 0,
  waiting: 0,
  blocked: 0,
  done: 0,
  without_steps: 0,
  earliest_end: null,
};

export function addUp(a: StepCounts, b: StepCounts): StepCounts {
  return {
    open: a.open + b.open,
    claimed: a.claimed + b.claimed,
    waiting: a.waiting + b.waiting,
    blocked: a.blocked + b.blocked,
    done: a.done + b.done,
    without_steps: a.without_steps + b.without_steps,
    earliest_end: earliest([a.earliest_end, b.earliest_end].filter((end) => end !== null)),
  };
}

function earliest(ends: readonly string[]): string | null {
  return ends.reduce<string | null>((first, end) => (first === null || end < first ? end : first), null);
}

/** Why none of `count` open tasks has a step to take up: the obstacles of the first of them, and how many more there are. */
export function whyNone(first: readonly Subject[], count: number, find: Find, now: string): Wording {
  if (count === 0) return worded`no task that has not ended`;
  const shown = first.map((task) => whyNot(task, find, now));
  const more = count > shown.length ? `; ${counted(count - shown.length, "more task")}` : "";
  return worded`${shown.reduce((all, one) => worded`${all}; ${one}`)}${more}`;
}

/** How many tasks `whyNone` tells of. */
export const SHOWN = 3;
