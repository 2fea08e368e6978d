/** The proof modes that the workspace names for steps which name none (PROOF-44). */
import type { Draft } from "../events/define.ts";
import { stepsAdded } from "../events/steps.added.ts";
import type { ProofModes } from "../state/proof_modes.ts";
import type { StepInput } from "./add_steps.ts";

/** The same events; steps that are added get each mode that they do not set. They are written with it, so a log needs no other file. */
export function withDefaultProof(drafts: Draft[], defaults: () => ProofModes): Draft[] {
  if (!drafts.some(({ type }) => type === stepsAdded.type)) return drafts;
  const modes = defaults();
  if (Object.keys(modes).length === 0) return drafts;
  return drafts.map((draft) => {
    if (draft.type !== stepsAdded.type) return draft;
    const steps = (draft.payload["steps"] as StepInput[]).map((step) => ({
      ...step,
      proof: { ...modes, ...step.proof },
    }));
    return { ...draft, payload: { ...draft.payload, steps } };
  });
}
