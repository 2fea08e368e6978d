import { CHECKPOINTS, PROOF_CHECKPOINTS, PROOF_MODES } from "../state/entity.ts";
import { boolean, list, oneOf, openObject, optional, orNull, text } from "../state/schema.ts";
import { newStep } from "../state/step.ts";
import type { StepBody } from "../state/step.ts";
import { noteClaimsAbove } from "./claimants.ts";
import { defineEvent } from "./define.ts";
import { liveStep, message, stepId } from "./parts.ts";
import { reopenAbove, recomputeAccepted } from "./recompute.ts";

export const proofModes = openObject(
  Object.fromEntries(PROOF_CHECKPOINTS.map((c) => [c, optional(oneOf(PROOF_MODES))])) as {
    [C in (typeof PROOF_CHECKPOINTS)[number]]: ReturnType<
      typeof optional<ReturnType<typeof oneOf<typeof PROOF_MODES>>>
    >;
  },
);

export const confirmBy = openObject(
  Object.fromEntries(CHECKPOINTS.map((c) => [c, optional(oneOf(["other"]))])) as {
    [C in (typeof CHECKPOINTS)[number]]: ReturnType<typeof optional<ReturnType<typeof oneOf<readonly ["other"]>>>>;
  },
);

export const stepsAdded = defineEvent({
  type: "steps.added",
  doc: "Steps were added at the end of a list: at the top, or under a parent step.",
  payload: openObject({
    parent: orNull(stepId),
    steps: list(
      openObject({
        id: stepId,
        title: text(),
        success_criteria: list(text()),
        tests: list(text()),
        blockers: list(text()),
        /** Ids of steps that have to be closed before. */
        depends_on: optional(list(text())),
        confirm: optional(confirmBy),
        /** Files and folders below the root that it is about. */
        files: optional(list(text())),
        /** Whether it names the packet of the task. */
        packet: optional(boolean()),
        proof: optional(proofModes),
      }),
    ),
    message,
  }),
  undoable: true,
  undo: "Deletes the added steps, unless work was done on them since.",
  apply: (entity, p, _fact, w) => {
    const parent = p.parent === null ? null : entity.steps.get(p.parent);
    if (parent === undefined) return;
    const siblings = parent ? parent.children : entity.children;
    const owner = parent ?? entity;
    for (const body of p.steps) {
      if (entity.steps.has(body.id)) continue;
      const step = newStep(body.id, parent, siblings.length, body as StepBody);
      if (step.packet) recomputeAccepted(entity, step, w);
      w.put("steps", entity.steps, step.id, step);
      w.push(owner, "children", siblings, step);
      noteClaimsAbove(entity, step, w);
    }
    if (parent === null || liveStep(entity, parent.id)) reopenAbove(entity, parent, "steps were added", w);
  },
});
