/** Terms of a step that who works on it would make milder, whichever call does that (PROOF-111). */
import { TaskfoldError } from "../errors.ts";
import { remedy, toolName } from "../remedy.ts";
import type { Draft } from "../events/define.ts";
import type { PastOp } from "../events/history.ts";
import type { PastOf } from "../events/past.ts";
import { redoApplied } from "../events/redo.applied.ts";
import { stepDefined } from "../events/step.defined.ts";
import { undoApplied } from "../events/undo.applied.ts";
import { proofMode } from "../state/checkpoint.ts";
import { CHECKPOINTS, PROOF_CHECKPOINTS, PROOF_MODES } from "../state/entity.ts";
import type { Checkpoint, Lease, ProofCheckpoint, ProofMode, Step, Subject } from "../state/entity.ts";
import { covering } from "../state/lease.ts";
import type { Held } from "../state/lease.ts";
import { listed, nameOf } from "./phrase.ts";
import { callOn } from "./suggest.ts";

/** The terms of a step that an actor holds, before a change. */
interface Terms {
  step: Step;
  held: Held;
  modes: readonly (readonly [ProofCheckpoint, ProofMode])[];
  /** Checkpoints that another actor confirms. */
  eyes: readonly Checkpoint[];
  /** The packet proves its tests: whatever the mode is, other evidence proves less than the commands of the manifest. */
  packet: boolean;
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
    const held = step.deleted ? undefined : covering(entity, step, now).find(({ lease }) => lease.by === by);
    if (!held) return [];
    const modes = PROOF_CHECKPOINTS.map((c) => [c, proofMode(step, c)] as const);
    const { packet, confirm } = step;
    return [{ step, held, modes, packet, eyes: CHECKPOINTS.filter((c) => confirm[c]) }];
  });
}

/** TERMS_HELD for terms that are milder now, after the change has been applied. */
export function refuseWeakened(subject: Subject, terms: readonly Terms[], by: string, pastOf: PastOf): void {
  for (const { step, modes, eyes, packet, held } of terms) {
    if (step.deleted) continue;
    const lost = eyes.filter((c) => !step.confirm[c] && !isOwn(step, c, held.lease, pastOf(false).ops));
    const milder = modes.filter(([c, mode]) => isMilder(proofMode(step, c), mode));
    const was = [
      ...lost.map((c) => `${c} confirmed by another actor`),
      ...milder.map(([c, mode]) => `${c}=${mode}`),
      ...(packet && !step.packet ? ["packet=true"] : []),
    ];
    if (was.length === 0) continue;
    const found = [
      ...lost.map((c) => `${c} by any`),
      ...milder.map(([c]) => `${c}=${proofMode(step, c)}`),
      ...(packet && !step.packet ? ["packet=false"] : []),
    ];
    throw new TaskfoldError(
      "TERMS_HELD",
      `Expected ${nameOf(step)} to ask for no less than ${listed(was)} while ${by} holds it; found ${listed(found)}.`,
      {
        ...remedy`Give the claim back with ${toolName("tasks_release")} first. Any actor may ask for more.`,
        suggestions: [callOn(subject, "tasks_release", held.on ? { step_id: held.on.id } : {}, "Give the claim back.")],
        details: { step_id: step.id, by },
      },
    );
  }
}

/** A signature may be by anyone: it asks for no other actor, as a repeat does. */
function isMilder(mode: ProofMode, was: ProofMode): boolean {
  return PROOF_MODES.indexOf(mode) < PROOF_MODES.indexOf(was) || (was === "repeated" && mode !== "repeated");
}

/** Whether the holder of the claim asked for other eyes on it since, as far as the last ops say. That is no term of the one who handed it out. */
function isOwn(step: Step, c: Checkpoint, { by, claimed_at }: Lease, ops: readonly PastOp[]): boolean {
  const asks = (set: unknown): boolean => (set as Step["confirm"])[c] !== undefined;
  const asked = ops.findLast(({ record }) =>
    record.some(
      (one) => one.how === "write" && one.node === step && one.key === "confirm" && asks(one.value) && !asks(one.old),
    ),
  );
  return asked !== undefined && asked.by === by && asked.ts >= claimed_at;
}
