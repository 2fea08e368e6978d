/** The demands of the workspace on new steps: modes of those that name none, the least modes, and other eyes (PROOF-44, PROOF-55). */
import { TaskfoldError } from "../errors.ts";
import type { Draft } from "../events/define.ts";
import { stepDefined } from "../events/step.defined.ts";
import { stepsAdded } from "../events/steps.added.ts";
import { PROOF_CHECKPOINTS, PROOF_MODES } from "../state/entity.ts";
import type { ProofMode } from "../state/entity.ts";
import type { Confirm } from "../state/four_eyes.ts";
import type { ProofModes } from "../state/proof_modes.ts";
import type { StepBody } from "../state/step.ts";

/** `modes`: of steps that name none. `minimum`: no step gets a weaker one. */
export interface StepDefaults {
  modes: ProofModes;
  minimum?: ProofModes | undefined;
  confirm?: Confirm | undefined;
}

/**
 * The same events; steps that are added get each mode that they do not set. They are written with it, so a log needs no other file.
 * INVALID_INPUT for a step that is defined with less than the minimum.
 */
export function withDefaultProof(drafts: Draft[], defaults: () => StepDefaults): Draft[] {
  if (!drafts.some(({ type }) => type === stepsAdded.type || type === stepDefined.type)) return drafts;
  const asked = defaults();
  const { modes, minimum = {}, confirm } = asked;
  for (const { type, payload } of drafts)
    if (type === stepDefined.type) refuseLess(payload["proof"] as ProofModes | undefined, minimum);
  if (Object.keys({ ...modes, ...minimum, ...confirm }).length === 0) return drafts;
  return drafts.map((draft) => {
    if (draft.type === stepDefined.type && confirm && draft.payload["confirm"] !== undefined)
      return {
        ...draft,
        payload: { ...draft.payload, confirm: { ...(draft.payload["confirm"] as Confirm), ...confirm } },
      };
    if (draft.type !== stepsAdded.type) return draft;
    const steps = (draft.payload["steps"] as (StepBody & { proof?: ProofModes })[]).map((step) => {
      const proof = modesOfNew(step.proof, asked);
      return {
        ...step,
        ...(Object.keys(proof).length > 0 ? { proof } : {}),
        ...(confirm ? { confirm: { ...step.confirm, ...confirm } } : {}),
      };
    });
    return { ...draft, payload: { ...draft.payload, steps } };
  });
}

/** The modes that a new step gets which names these. */
export function modesOfNew(named: ProofModes | undefined, { modes, minimum = {} }: StepDefaults): ProofModes {
  return raised({ ...modes, ...named }, minimum);
}

function isLess(mode: ProofMode, than: ProofMode): boolean {
  return PROOF_MODES.indexOf(mode) < PROOF_MODES.indexOf(than);
}

function raised(modes: ProofModes, minimum: ProofModes): ProofModes {
  const all = { ...modes };
  for (const c of PROOF_CHECKPOINTS) {
    const least = minimum[c];
    if (least !== undefined && isLess(all[c] ?? "off", least)) all[c] = least;
  }
  return all;
}

function refuseLess(modes: ProofModes | undefined, minimum: ProofModes): void {
  const c = PROOF_CHECKPOINTS.find((one) => {
    const [mode, least] = [modes?.[one], minimum[one]];
    return mode !== undefined && least !== undefined && isLess(mode, least);
  });
  if (c === undefined) return;
  throw new TaskfoldError(
    "INVALID_INPUT",
    `Expected proof of ${c} to be at least ${minimum[c]} in this workspace, found ${modes![c]}.`,
    { recovery: `Give ${minimum[c]} or a mode above it; proof_minimum in .coco/workspace.yaml says so.` },
  );
}
