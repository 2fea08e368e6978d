/** Blocking (STEP-17). A block is also a gate, by which other programs that share the folder know of it. */
import { TaskfoldError } from "../errors.ts";
import type { Draft } from "../events/define.ts";
import { gateApproved } from "../events/gate.approved.ts";
import { gateBlocked } from "../events/gate.blocked.ts";
import { stepBlocked } from "../events/step.blocked.ts";
import { stepUnblocked } from "../events/step.unblocked.ts";
import type { Step, Subject } from "../state/entity.ts";
import { nameOf, sentence } from "./phrase.ts";
import { reopenCall } from "./suggest.ts";
import { givenText } from "./text.ts";

export function gateIdOf(step: Step): string {
  return `gate-${step.id}`;
}

/** ALREADY_DONE on a closed step. Blocking a blocked step again replaces the reason. */
export function blockStep(subject: Subject, step: Step, reason?: string): Draft[] {
  const why = givenText(reason, "reason");
  if (step.done) {
    throw new TaskfoldError("ALREADY_DONE", `Expected an open step to block; ${nameOf(step)} is closed.`, {
      recovery: "Reopen it first if it has to wait for something.",
      suggestions: [reopenCall(subject, step)],
    });
  }
  const message = sentence(`Blocked ${nameOf(step)}`, why);
  return [
    stepBlocked.draft({ step_id: step.id, reason: why ?? null, message }),
    // An absent reason, not null: the other programs' readers take a text or nothing.
    gateBlocked.draft({ gateId: gateIdOf(step), ...(why === undefined ? {} : { reason: why }), message }),
  ];
}

/** Unblocking a step that is not blocked is no error: the caller has what it wants. */
export function unblockStep(subject: Subject, step: Step, reason?: string): Draft[] {
  return unblockDrafts(subject, step, givenText(reason, "reason"));
}

/** The events that unblock; the gate's only where there is a gate. */
export function unblockDrafts(subject: Subject, step: Step, reason?: string): Draft[] {
  const message = sentence(`Unblocked ${nameOf(step)}`, reason);
  const unblocked = stepUnblocked.draft({ step_id: step.id, message });
  const gateId = gateIdOf(step);
  return subject.entity.gates.has(gateId) ? [unblocked, gateApproved.draft({ gateId, message })] : [unblocked];
}
