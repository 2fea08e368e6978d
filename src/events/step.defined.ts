import type { ProofCheckpoint, ProofMode } from "../state/entity.ts";
import type { Confirm } from "../state/four_eyes.ts";
import { lacksInLog } from "../state/checkpoint.ts";
import { boolean, list, openObject, optional, text } from "../state/schema.ts";
import { defineEvent } from "./define.ts";
import { liveStep, message, stepId } from "./parts.ts";
import { recomputeAccepted, recomputeGate } from "./recompute.ts";
import { confirmBy, proofModes } from "./steps.added.ts";

export const stepDefined = defineEvent({
  type: "step.defined",
  doc: "A step's title, criteria, tests, blockers, dependencies, proof modes, files or the checkpoints that another actor confirms were set, or whether it names the packet. New criteria or tests take back their confirmation.",
  payload: openObject({
    step_id: stepId,
    title: optional(text()),
    success_criteria: optional(list(text())),
    tests: optional(list(text())),
    blockers: optional(list(text())),
    depends_on: optional(list(text())),
    confirm: optional(confirmBy),
    files: optional(list(text())),
    packet: optional(boolean()),
    proof: optional(proofModes),
    message,
  }),
  undoable: true,
  undo: "Restores the fields it set and the confirmations it took back.",
  apply: (entity, p, _fact, w) => {
    const step = liveStep(entity, p.step_id);
    if (!step) return;
    const before = step.done ? lacksInLog(step) : [];
    if (p.title !== undefined) w.write(step, "title", p.title);
    if (p.blockers !== undefined) w.write(step, "blockers", p.blockers);
    if (p.depends_on !== undefined) w.write(step, "depends_on", p.depends_on);
    if (p.files !== undefined) w.write(step, "files", p.files);
    if (p.confirm !== undefined) w.write(step, "confirm", p.confirm as Confirm);
    if (p.packet !== undefined) {
      w.write(step, "packet", p.packet);
      recomputeAccepted(entity, step, w);
    }
    if (p.success_criteria !== undefined) {
      w.write(step, "success_criteria", p.success_criteria);
      w.write(step.confirmed, "criteria", false);
    }
    if (p.tests !== undefined) {
      w.write(step, "tests", p.tests);
      w.write(step.confirmed, "tests", false);
    }
    for (const [checkpoint, mode] of Object.entries(p.proof ?? {})) {
      w.write(step.proof, checkpoint as ProofCheckpoint, mode as ProofMode);
    }
    recomputeGate(entity, step, before, "what it has to fulfil was changed", w);
  },
});
