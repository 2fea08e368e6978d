import { textOf } from "../sentence.ts";
import { itemsBehind } from "../state/checklist.ts";
import { degreeShown, hasProof } from "../state/checkpoint.ts";
import { shorten } from "../state/code_points.ts";
import { hasEnded } from "../state/ended.ts";
import type { Entity, Note, Step, Subject } from "../state/entity.ts";
import { PROOF_CHECKPOINTS } from "../state/entity.ts";
import { BEFORE_ALL_TIMES } from "../state/first_ready.ts";
import { holding } from "../state/lease.ts";
import { isLive } from "../state/live.ts";
import { waitsFor } from "../state/step_waits.ts";
import { pathOf, postOrder, preOrder } from "../state/tree.ts";
import { packetDone, packetRemaining, packetTroubles } from "./packet_lines.ts";
import { humanNotes } from "./human_files.ts";
import type { BrokenEvidence } from "./evidence_check.ts";
import { brokenLine } from "./evidence_check.ts";
import type { PlanTasks } from "./plan_tasks.ts";
import { doneTasks, openTasks, taskRisks, taskTroubles } from "./plan_tasks.ts";
import type { TimeText } from "./lines.ts";
import { because, bounded, claimed, dueOn, piece, stepName, stepRisks, troubles } from "./lines.ts";

export type HandoffNote = { ts: string; by: string; path: string | null; text: string };

/** A shift report: what is done, what remains, what may go wrong. */
export type Handoff = {
  done: string[];
  remaining: string[];
  risks: string[];
  /** The last few notes, oldest first, then what people wrote in their files. */
  notes: HandoffNote[];
  /** Only where `notes` has not all of them whole. */
  notes_left_out?: NotesLeftOut;
};

/** Notes before those that are shown, notes of which only the beginning is shown, and the call that has all of them. */
export type NotesLeftOut = { earlier: number; cut: number; whole: string };

/** Longest note shown, in code points; README.md and the log have all of it. */
const NOTE = 1_000;

/** Facts beside the log: evidence that does not hold (CHECK-2), and the tasks of a plan. */
export interface HandoffAround {
  broken?: readonly BrokenEvidence[];
  tasks?: PlanTasks | undefined;
  /** When the answer is read: a claim that is over by then is not told. */
  now?: string | undefined;
  timeText?: TimeText | undefined;
}

/** `limit` bounds each of the three lists; one more line counts what did not fit (VIEW-9). */
export function handoffOf(subject: Subject, limit = 50, around: HandoffAround = {}): Handoff {
  const { entity } = subject;
  return {
    done: bounded(done(entity, around), limit),
    remaining: bounded(remaining(entity, around), limit),
    risks: bounded(risks(entity, around), limit),
    ...notesOf(subject),
  };
}

/** The last notes as a page shows them, and what it leaves out of them. */
export function notesOf({ id, entity }: Pick<Subject, "id" | "entity">): Pick<Handoff, "notes" | "notes_left_out"> {
  const shown = entity.notes.map((note) => noteOf(entity, note));
  const notes = [...shown, ...humanNotes(entity, NOTE)];
  const earlier = Math.max(0, entity.note_count - entity.notes.length);
  const cut = entity.notes.filter(({ text }, at) => text !== shown[at]!.text).length;
  if (earlier + cut === 0) return { notes };
  return { notes, notes_left_out: { earlier, cut, whole: `taskfold log ${id} --json` } };
}

function* done(entity: Entity, { tasks }: HandoffAround): Generator<string> {
  if (entity.status === "DONE") yield `The ${entity.kind} is DONE${because(entity.status_reason).text}`;
  for (const item of entity.checklist.steps.slice(0, itemsBehind(entity.checklist))) yield piece(item);
  for (const step of preOrder(entity.children)) if (step.done) yield `${stepName(step)}${degrees(entity, step)}`;
  yield* packetDone(entity);
  if (tasks) yield* doneTasks(tasks);
}

/** ` (tests captured)`, or nothing where only claims prove. */
function degrees(entity: Entity, step: Step): string {
  const each = PROOF_CHECKPOINTS.flatMap((c) => {
    const degree = hasProof(step, c) ? degreeShown(entity, step, c) : undefined;
    return degree === undefined ? [] : [`${c} ${degree}`];
  });
  return each.length === 0 ? "" : ` (${each.join(", ")})`;
}

/** The first thing that the next actor has to do about a blocked step. */
function unblocking(step: Step): string[] {
  if (step.blocked) return ["unblock"];
  return step.blockers.length > 0 ? ["clear the blockers"] : [];
}

/** Open steps in the order in which they are due, then the end of the whole. */
function* remaining(entity: Entity, { tasks, now = BEFORE_ALL_TIMES, timeText }: HandoffAround): Generator<string> {
  if (hasEnded(entity)) return;
  for (const item of entity.checklist.steps.slice(itemsBehind(entity.checklist))) yield piece(item);
  if (tasks) yield* openTasks(tasks, timeText);
  let steps = 0;
  for (const step of postOrder(entity.children)) {
    steps++;
    if (step.done) continue;
    const lease = holding(step, now);
    yield `${stepName(step)}: ${[...unblocking(step), ...waitOn(entity, step), ...dueOn(step).map(textOf), "close"].join(", ")}${lease ? ` (${claimed(lease, timeText)})` : ""}`;
  }
  yield* packetRemaining(entity);
  if (entity.kind === "task" && steps === 0 && !entity.packet) yield "Add steps to this task";
  else yield `Finish ${entity.kind}`;
}

function* risks(entity: Entity, { broken = [], tasks }: HandoffAround): Generator<string> {
  if (entity.status === "FAILED" || entity.status === "CANCELED") {
    yield `The ${entity.kind} is ${entity.status}${because(entity.status_reason).text}`;
  }
  for (const line of [...troubles(entity), ...packetTroubles(entity)]) yield line.text;
  for (const evidence of broken) yield piece(brokenLine(evidence), 400);
  for (const step of preOrder(entity.children)) yield* [...stepRisks(step)].map(textOf);
  if (tasks) yield* [...taskTroubles(tasks).map(textOf), ...taskRisks(tasks)];
}

function waitOn(entity: Entity, step: Step): string[] {
  const waits = waitsFor(entity, step);
  return waits.length === 0 ? [] : [`wait for ${bounded(waits.map(pathOf), 5).join(", ")}`];
}

export function noteOf(entity: Entity, note: Note): HandoffNote {
  const step = note.step === null ? undefined : entity.steps.get(note.step);
  const path = step && isLive(step) ? pathOf(step) : null;
  return { ts: note.ts, by: note.by, path, text: shorten(note.text, NOTE) };
}
