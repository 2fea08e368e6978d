import { isProvedByPacket } from "../state/checkpoint.ts";
import { heldSteps } from "../state/completion.ts";
import { dueItem, isItemFirst, itemsBehind } from "../state/checklist.ts";
import { hasEnded } from "../state/ended.ts";
import type { Entity, Step, Subject } from "../state/entity.ts";
import { firstReady } from "../state/first_ready.ts";
import { covering, heldBelow, lastOfOthers } from "../state/lease.ts";
import { phrased, textOf } from "../sentence.ts";
import type { Sentence } from "../sentence.ts";
import { toSecond } from "../to_second.ts";
import { LIMITS } from "../state/limits.ts";
import { dueStep, waitsFor } from "../state/step_waits.ts";
import { countCodePoints, shorten } from "../state/code_points.ts";
import { packetNextLines, packetTroubles } from "./packet_lines.ts";
import type { Reader } from "./human_files.ts";
import { toRead } from "./human_files.ts";
import { dueLines, taskTroubles } from "./plan_tasks.ts";
import {
  blockersText,
  boundedLines,
  claims,
  dueFor,
  dueOn,
  declaredTestLine,
  movedPaths,
  piece,
  stepName,
  stepWaits,
  troubles,
} from "./lines.ts";
import { preOrder } from "../state/tree.ts";
import { failedOnWhole } from "../state/whole_runs.ts";

/** One screen, one truth (seed tasks, "Required UX properties"). */
export type Radar = {
  now: string;
  why: string;
  verify: string[];
  next: string[];
  blockers: string[];
};

/** The same with the form of each sentence. `why` is what a person wrote. */
export interface RadarSentences {
  now: Sentence;
  why: string;
  verify: Sentence[];
  next: Sentence[];
  blockers: Sentence[];
}

/** A radar is one screen also without `max_chars`: what is longer stands in README.md whole. */
const WHY = 4_000;
/** Criteria and tests shown of the step that is due, of each. */
const SHOWN = 3;

export function radarOf(subject: Subject, reader: Reader = {}, mostBlockers?: number): Radar {
  const { now, why, verify, next, blockers } = radarSentences(subject, reader, mostBlockers);
  return {
    now: now.text,
    why,
    verify: verify.map(textOf),
    next: next.map(textOf),
    blockers: blockers.map(textOf),
  };
}

/**
 * Where the work stands and what to do next (VIEW-4). Texts of people that the reader may not have seen come
 * first in `next`. `mostBlockers`: as many lines as the caller wants of what stands in the way.
 */
export function radarSentences(subject: Subject, reader: Reader = {}, mostBlockers?: number): RadarSentences {
  const { entity } = subject;
  const step = dueStep(entity);
  const due = step ? dueOn(step) : [];
  return {
    now: nowOf(subject, step),
    why: whyOf(entity),
    verify: [
      ...(step ? verifyOf(step, due) : []),
      ...boundedLines(verifyClosed(entity), SHOWN),
      ...boundedLines(hasEnded(entity) ? [] : (reader.stale ?? []), SHOWN),
    ],
    next: [...toRead(entity, reader), ...nextOf(entity, step, reader)],
    blockers: boundedLines(blockersOf(entity, reader), LIMITS.radarBlockers).slice(0, mostBlockers),
  };
}

function blockersOf(
  entity: Entity,
  { by, now, timeText, waits = [], tasks, dispatcher, isBeside = false }: Reader,
): Sentence[] {
  const own = [
    ...(isBeside ? movedPaths(entity) : troubles(entity)),
    ...packetTroubles(entity, dispatcher),
    ...waits,
    ...claims(entity, { by, now, timeText }),
    ...(isBeside ? [] : stepWaits(entity)),
  ];
  return tasks && !hasEnded(entity) ? [...own, ...taskTroubles(tasks)] : own;
}

function nowOf({ id, entity }: Subject, step: Step | undefined): Sentence {
  const title = piece(entity.title);
  const name = entity.kind === "plan" ? phrased`Plan ${id}: ${title}` : phrased`Task ${id}: ${title}`;
  if (hasEnded(entity)) return phrased`${name} (${entity.status})`;
  return step ? phrased`${name} | ${stepName(step)}` : name;
}

function whyOf(entity: Entity): string {
  const why = [entity.description, entity.contract, entity.context].find((text) => text && text.trim() !== "") ?? "";
  const short = shorten(why, WHY);
  return short === why ? why : `${short} (${countCodePoints(why)} characters; README.md has all of them)`;
}

/** Returns the demands of evidence that came after a step was closed, and proof that ran none of the declared tests. */
function* verifyClosed(entity: Entity): Generator<Sentence> {
  for (const step of preOrder(entity.children)) {
    if (!step.done) continue;
    yield* dueOn(step).map((what) => phrased`${stepName(step)}: ${what}`);
    yield* declaredTestLine(step);
  }
}

function verifyOf(step: Step, due: readonly Sentence[]): Sentence[] {
  if (due.length === 0) return declaredTestLine(step);
  const missing = (list: readonly string[], worded: (text: string) => Sentence): Sentence[] =>
    boundedLines(
      list.map((text) => worded(piece(text))),
      SHOWN,
    );
  return [
    ...due.map((what) => phrased`${stepName(step)}: ${what}`),
    ...declaredTestLine(step),
    ...(step.confirmed.criteria ? [] : missing(step.success_criteria, (text) => phrased`criterion: ${text}`)),
    ...((step.packet ? isProvedByPacket(step) : step.confirmed.tests)
      ? []
      : missing(step.tests, (text) => phrased`test: ${text}`)),
  ];
}

function nextOf(entity: Entity, step: Step | undefined, reader: Reader): Sentence[] {
  if (hasEnded(entity)) return [phrased`Nothing: the ${entity.kind} is ${entity.status}`];
  if (entity.kind === "plan") return nextOfPlan(entity, reader);
  const packet = packetNextLines(entity, reader.dispatcher);
  if (packet.length > 0) return [...packet, ...(step ? nextOfStep(entity, step, reader) : [])];
  if (entity.children.every((s) => s.deleted) && !entity.packet)
    return whileHeld(entity, null, reader) ?? [phrased`Add steps to this task`];
  if (!step) return whileHeld(entity, null, reader) ?? finishOf(entity);
  return nextOfStep(entity, step, reader);
}

/** A task whose steps are closed may lack something since: then it cannot be completed. */
function finishOf(entity: Entity): Sentence[] {
  const held = heldSteps(entity).flatMap(dueFor);
  const whole = failedOnWhole(entity).map(({ checkpoints, command, step }) =>
    step
      ? phrased`Run again what failed for ${checkpoints} for ${stepName(step)}: ${piece(command, 80)}`
      : phrased`Run again what failed for ${checkpoints} for the task: ${piece(command, 80)}`,
  );
  return held.length + whole.length === 0 ? [phrased`Finish task`] : boundedLines([...held, ...whole], SHOWN);
}

function nextOfStep(entity: Entity, step: Step, reader: Reader): Sentence[] {
  const held = whileHeld(entity, step, reader);
  if (held) return held;
  const waits = waitsFor(entity, step);
  if (waits.length > 0) return [phrased`Close first what ${stepName(step)} waits for: ${waits.map(stepName)}`];
  if (step.blocked) return [phrased`Unblock ${stepName(step)}`];
  if (step.blockers.length > 0) return [phrased`Clear the blockers of ${stepName(step)}: ${blockersText(step)}`];
  const due = dueFor(step);
  return due.length === 0 ? [phrased`Close next step ${stepName(step)}`] : due;
}

/** Says what the reader may do while another actor holds the step, or with null the whole, which takes no change of the reader. Undefined where none holds it. */
function whileHeld(
  entity: Entity,
  step: Step | null,
  { by, now, timeText = toSecond }: Reader,
): Sentence[] | undefined {
  if (now === undefined) return undefined;
  const last = lastOfOthers([...covering(entity, step, now), ...heldBelow(entity, step, now)], by);
  if (!last) return undefined;
  const free = firstReady(entity, now);
  const { lease } = last;
  const ends = timeText(lease.expires_at);
  return [
    ...(free ? [phrased`Take up ${stepName(free)}`] : []),
    step
      ? phrased`Claim ${stepName(step)} when the claim of ${lease.by} ends: ${ends}`
      : phrased`Claim the ${entity.kind} when the claim of ${lease.by} ends: ${ends}`,
  ];
}

/** Without `tasks`, as of a moment of the past, the plan's log does not tell which tasks it has. */
function nextOfPlan(entity: Entity, reader: Reader): Sentence[] {
  const { checklist } = entity;
  const { tasks } = reader;
  // A claim of the plan keeps others from its checklist and its end, and from none of its tasks.
  const held = whileHeld(entity, null, reader);
  const item = dueItem(checklist);
  if (item !== undefined) {
    const next = held ?? [phrased`Next item ${itemsBehind(checklist) + 1}/${checklist.steps.length}: ${piece(item)}`];
    const work = tasks && tasks.open.length > 0 ? dueLines(tasks, reader) : [];
    return isItemFirst(entity) ? [...next, ...work] : [...work, ...next];
  }
  if (tasks && tasks.total > 0) return (tasks.open.length === 0 ? held : undefined) ?? dueLines(tasks, reader);
  if (checklist.steps.length > 0) return held ?? [phrased`Finish plan: every item of its checklist is behind`];
  return [
    tasks
      ? phrased`Add tasks to this plan`
      : phrased`Work on the tasks of this plan or add some, finish it when they are done`,
  ];
}
