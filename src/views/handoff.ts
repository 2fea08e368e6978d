import { itemsBehind } from "../state/checklist.ts";
import type { Checkpoint } from "../state/checkpoint.ts";
import { CHECKPOINTS, failedRuns, hasProof, PROOF_CHECKPOINTS } from "../state/checkpoint.ts";
import { shorten } from "../state/code_points.ts";
import type { Entity, Note, Subject } from "../state/entity.ts";
import { isLive } from "../state/live.ts";
import type { Link, Step } from "../state/step.ts";
import { waitsFor } from "../state/step_waits.ts";
import { pathOf, postOrder, preOrder } from "../state/tree.ts";
import { peoplesNotes } from "./people.ts";
import type { BrokenProof } from "./evidence_check.ts";
import { brokenLine } from "./evidence_check.ts";
import { because, bounded, claimed, dueOn, isEnded, piece, stepName, troubles } from "./lines.ts";

export type HandoffNote = { ts: string; by: string; path: string | null; text: string };

/** A shift report: what is done, what remains, what may go wrong. */
export type Handoff = {
  done: string[];
  remaining: string[];
  risks: string[];
  /** The last few notes, oldest first, then what people wrote in their files. */
  notes: HandoffNote[];
};

/** Longest note shown, in code points; README.md and the log have all of it. */
const NOTE = 1_000;

/** `limit` bounds each of the three lists; one more line counts what did not fit (VIEW-9, VIEW-10). */
export function handoffOf({ entity }: Subject, limit = 50, broken: readonly BrokenProof[] = []): Handoff {
  return {
    done: bounded(done(entity), limit),
    remaining: bounded(remaining(entity), limit),
    risks: bounded(risks(entity, broken), limit),
    notes: [...entity.notes.map((note) => noteOf(entity, note)), ...peoplesNotes(entity, NOTE)],
  };
}

function* done(entity: Entity): Generator<string> {
  if (entity.status === "DONE") yield `The ${entity.kind} is DONE${because(entity.status_reason)}`;
  for (const item of entity.checklist.steps.slice(0, itemsBehind(entity.checklist))) yield piece(item);
  for (const step of preOrder(entity.children)) if (step.done) yield stepName(step);
}

/** Open steps in the order in which they are due, then the end of the whole. */
function* remaining(entity: Entity): Generator<string> {
  if (isEnded(entity.status)) return;
  for (const item of entity.checklist.steps.slice(itemsBehind(entity.checklist))) yield piece(item);
  let steps = 0;
  for (const step of postOrder(entity.children)) {
    steps++;
    if (!step.done)
      yield `${stepName(step)}: ${step.blocked ? "unblock, " : ""}${[...waitOn(entity, step), ...dueOn(step), "close"].join(", ")}${step.lease ? ` (${claimed(step.lease)})` : ""}`;
  }
  if (entity.kind === "task" && steps === 0) yield "Add steps to this task";
  else yield `Finish ${entity.kind}`;
}

function* risks(entity: Entity, broken: readonly BrokenProof[]): Generator<string> {
  if (entity.status === "FAILED" || entity.status === "CANCELED") {
    yield `The ${entity.kind} is ${entity.status}${because(entity.status_reason)}`;
  }
  yield* troubles(entity);
  for (const proof of broken) yield piece(brokenLine(proof), 400);
  for (const step of preOrder(entity.children)) {
    if (step.forced !== null) yield `${stepName(step)} was closed by force${because(step.forced)}`;
    for (const c of CHECKPOINTS) for (const run of failedRuns(step.linked[c])) yield failedLine(step, c, run);
    const unproven = PROOF_CHECKPOINTS.filter((c) => step.proof[c] === "warn" && !hasProof(step, c));
    if (unproven.length > 0) yield `${stepName(step)} has no proof of ${unproven.join(", ")}, which was asked for`;
  }
}

function waitOn(entity: Entity, step: Step): string[] {
  const waits = waitsFor(entity, step);
  return waits.length === 0 ? [] : [`wait for ${bounded(waits.map(pathOf), 5).join(", ")}`];
}

function failedLine(step: Step, checkpoint: Checkpoint, { evidence, command, exit_code }: Link): string {
  const what = command === null ? "" : ` (${piece(command, 80)})`;
  return `${stepName(step)}: a run for ${checkpoint} failed: evidence:${evidence}${what} ended with exit code ${exit_code}`;
}

export function noteOf(entity: Entity, note: Note): HandoffNote {
  const step = note.step === null ? undefined : entity.steps.get(note.step);
  const path = step && isLive(step) ? pathOf(step) : null;
  return { ts: note.ts, by: note.by, path, text: shorten(note.text, NOTE) };
}
