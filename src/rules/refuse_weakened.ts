/** Terms of a step that who works on it would make milder, whichever call does that (PROOF-111). */
import { TaskfoldError } from "../errors.ts";
import { remedy, toolName } from "../remedy.ts";
import type { Draft } from "../events/define.ts";
import { redoApplied } from "../events/redo.applied.ts";
import { stepDefined } from "../events/step.defined.ts";
import { undoApplied } from "../events/undo.applied.ts";
import { proofMode } from "../state/checkpoint.ts";
import { CHECKPOINTS, PROOF_CHECKPOINTS, PROOF_MODES } from "../state/entity.ts";
import type { Checkpoint, ProofCheckpoint, ProofMode, Step, Subject } from "../state/entity.ts";
import { covering } from "../state/lease.ts";
import { listed, nameOf } from "./phrase.ts";
import { callOn } from "./suggest.ts";

/** The terms of a step for an actor, before a change. */
interface Terms {
  step: Step;
  /** The claim by which the actor holds it: of a step, or (null) of the whole. */
  held?: Step | null;
  /** Of a step that the actor holds. */
  modes: readonly (readonly [ProofCheckpoint, ProofMode])[];
  /** Checkpoints that another actor confirms, of a step that the actor holds or held. */
  eyes: readonly Checkpoint[];
}

/** Events that set what a step asks for. */
const SETTING: ReadonlySet<string> = new Set([stepDefined.type, undoApplied.type, redoApplied.type]);

/** The terms of steps that bind this actor; none where the drafts set none. */
export function termsFor(
  { entity }: Subject,
  drafts: readonly Draft[],
  { by, now }: { by: string; now: string },
): Terms[] {
  if (!drafts.some(({ type }) => SETTING.has(type))) return [];
  return [...entity.steps.values()].flatMap((step) => {
    if (step.deleted) return [];
    const held = covering(entity, step, now).find(({ lease }) => lease.by === by);
    const modes = held ? PROOF_CHECKPOINTS.map((c) => [c, proofMode(step, c)] as const) : [];
    const eyes = step.claimants?.includes(by) ? CHECKPOINTS.filter((c) => step.confirm?.[c]) : [];
    return modes.length + eyes.length === 0 ? [] : [{ step, modes, eyes, ...(held ? { held: held.on } : {}) }];
  });
}

/** TERMS_HELD for terms that are milder now, after the change has been applied. */
export function refuseWeakened(subject: Subject, terms: readonly Terms[], by: string): void {
  for (const { step, modes, eyes, held } of terms) {
    if (step.deleted) continue;
    const lost = eyes.filter((c) => !step.confirm?.[c]);
    if (lost.length > 0) throw eyesTaken(subject, step, lost, by);
    const milder = modes.filter(([c, mode]) => strength(proofMode(step, c)) < strength(mode));
    if (milder.length > 0) throw modesLowered(subject, step, { milder, held, by });
  }
}

function strength(mode: ProofMode): number {
  return PROOF_MODES.indexOf(mode);
}

function eyesTaken(subject: Subject, step: Step, lost: readonly Checkpoint[], by: string): TaskfoldError {
  return new TaskfoldError(
    "TERMS_HELD",
    `Expected ${lost.join(", ")} of ${nameOf(step)} to stay for another actor to confirm; found that ${by}, who claimed it, takes that away.`,
    {
      ...remedy`Leave that to another actor: ${toolName("tasks_define")} of an actor who never claimed the step sets it. Any actor may ask for more.`,
      suggestions: [callOn(subject, "tasks_radar", {}, "See what is left to confirm.")],
      details: { step_id: step.id, checkpoints: lost, by },
    },
  );
}

function modesLowered(
  subject: Subject,
  step: Step,
  { milder, held, by }: { milder: Terms["modes"]; held: Terms["held"]; by: string },
): TaskfoldError {
  const was = milder.map(([c, mode]) => `${c}=${mode}`);
  const found = milder.map(([c]) => `${c}=${proofMode(step, c)}`);
  return new TaskfoldError(
    "TERMS_HELD",
    `Expected ${nameOf(step)} to ask for no less than ${listed(was)} while ${by} holds it; found ${listed(found)}.`,
    {
      ...remedy`Give the claim back with ${toolName("tasks_release")} first, or let another actor set it. Any actor may ask for more.`,
      suggestions: [callOn(subject, "tasks_release", held ? { step_id: held.id } : {}, "Give the claim back.")],
      details: { step_id: step.id, by },
    },
  );
}
