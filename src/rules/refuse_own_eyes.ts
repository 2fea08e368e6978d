/** Confirmations by who did the work, where the step wants other eyes, whichever call makes them (PROOF-55). */
import { TaskfoldError } from "../errors.ts";
import { remedy, toolName } from "../remedy.ts";
import type { Draft } from "../events/define.ts";
import { stepDone } from "../events/step.done.ts";
import { stepVerified } from "../events/step.verified.ts";
import type { Checkpoint, Step, Subject } from "../state/entity.ts";
import { ownEyes } from "../state/four_eyes.ts";
import { allOf, withConfirmations } from "./checkpoints_input.ts";
import type { Confirmations } from "./checkpoints_input.ts";
import { nameOf } from "./phrase.ts";
import { callOn } from "./suggest.ts";

/** CONFIRM_OTHER for a claimant who confirms. Of a step without a claimant, for an actor who confirms and closes. */
export function refuseOwnEyes(subject: Subject, drafts: readonly Draft[], by: string): void {
  const now = new Map<string, Step>();
  for (const { type, payload } of drafts) {
    const id = payload["step_id"] as string;
    const step = now.get(id) ?? subject.entity.steps.get(id);
    if (!step) continue;
    if (type === stepVerified.type) {
      const confirmations = payload["checkpoints"] as Confirmations;
      const yes = Object.entries(confirmations).flatMap(([c, value]) => (value ? [[c, [{ by, op: Infinity }]]] : []));
      const after = {
        ...withConfirmations(step, confirmations),
        confirmed_by: { ...step.confirmed_by, ...Object.fromEntries(yes) },
      };
      now.set(id, after);
      const own = ownEyes(after).filter((c) => confirmations[c] === true);
      if (own.length > 0) throw confirmOther(subject, step, own, by);
    } else if (type === stepDone.type) {
      const own = ownEyes(step, by);
      if (own.length > 0) throw confirmOther(subject, step, own, by);
    }
  }
}

/** The same for steps that stood open before an undo or redo by that actor, which has been applied. */
export function refuseOwnEyesReversal(subject: Subject, open: readonly Step[], by: string): void {
  for (const step of open) {
    const own = step.done && !step.deleted ? ownEyes(step, by) : [];
    if (own.length > 0) throw confirmOther(subject, step, own, by);
  }
}

function confirmOther(subject: Subject, step: Step, own: readonly Checkpoint[], by: string): TaskfoldError {
  const claimed = step.claimants?.includes(by) === true;
  return new TaskfoldError(
    "CONFIRM_OTHER",
    `Expected ${own.join(", ")} of ${nameOf(step)} confirmed by another actor than ${claimed ? "those who claimed it" : "the one who closes it"}; found ${by}.`,
    {
      ...remedy`Leave that to another actor, who calls ${toolName("tasks_verify")} with checkpoints: ${JSON.stringify(allOf(own))}. Give back a claim first.`,
      suggestions: [callOn(subject, "tasks_radar", {}, "See what is left to confirm.")],
      details: { step_id: step.id, checkpoints: own, by },
    },
  );
}
