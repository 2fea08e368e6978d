/** Closing a step (STEP-6, STEP-7, STEP-8). The checks stand in the order in which a caller is told of them. */
import type { Suggestion } from "../errors.ts";
import { TaskfoldError } from "../errors.ts";
import { namedTime, worded } from "../message.ts";
import { remedy, toolName } from "../remedy.ts";
import type { NamedCall } from "../remedy.ts";
import type { Draft } from "../events/define.ts";
import { stepDone } from "../events/step.done.ts";
import { missingCheckpoints, missingProofs, requiredCheckpoints } from "../state/checkpoint.ts";
import { CHECKPOINTS } from "../state/entity.ts";
import type { Step, Subject } from "../state/entity.ts";
import { waitsFor } from "../state/step_waits.ts";
import { openChildren, pathOf } from "../state/tree.ts";
import { failedElsewhere } from "../state/whole_runs.ts";
import { unblockDrafts } from "./block_step.ts";
import type { Confirmations } from "./checkpoints_input.ts";
import { withConfirmations } from "./checkpoints_input.ts";
import type { Asking } from "./lease.ts";
import { keptNothing, listed, nameOf, oneLine, sentence } from "./phrase.ts";
import { progressCall, proofCall, reopenCall, stepCall, unblockCall, verifyCall } from "./suggest.ts";
import { givenText } from "./text.ts";
import { failedIds, proofDetails, proofsToo, unproved, wholeFailed } from "./unproved.ts";
import { verifiedDraft } from "./verify_step.ts";

export interface Closing {
  /** Confirmed in the same op; each one mentioned is required for this close. */
  confirm?: Confirmations;
  /** Passes a block, steps waited for and open children, never a checkpoint or a proof. To pass something it needs `reason`. */
  force?: boolean;
  reason?: string;
}

/**
 * ALREADY_DONE, STEP_BLOCKED, STEP_WAITS, CHILDREN_OPEN, CHECKPOINTS_NOT_CONFIRMED, PROOF_REQUIRED, in this order.
 * INVALID_INPUT for a reason without a force, and for a force without a reason where there is something to pass.
 */
export function closeStep(subject: Subject, step: Step, asking: Asking, how: Closing = {}): Draft[] {
  const forced = reasonOf(subject, step, how);
  refuseDone(subject, step);
  if (how.force === true) refuseUnreasoned(subject, step, forced);
  else {
    refuseBlocked(subject, step);
    refuseWaiting(subject, step);
    refuseOpenChildren(subject, step);
  }
  refuseUnconfirmed(subject, step, how.confirm ?? {});
  refuseUnproved(subject, step, asking);
  return [
    ...(how.confirm === undefined ? [] : [verifiedDraft(step, how.confirm)]),
    ...(step.blocked ? unblockDrafts(subject, step, forced) : []),
    doneDraft(step, forced),
  ];
}

/** As `closeStep`, for the one call that verifies and closes: `confirm` has to name criteria or tests (STEP-11). */
export function verifyAndClose(subject: Subject, step: Step, asking: Asking, confirm: Confirmations): Draft[] {
  if (confirm.criteria === undefined && confirm.tests === undefined) {
    throw new TaskfoldError(
      "INVALID_INPUT",
      `Expected checkpoints to name criteria or tests, found ${Object.keys(confirm).join(", ")}.`,
      {
        ...remedy`Give "gate", or use ${toolName("tasks_verify")} for the others and ${toolName("tasks_done")} to close.`,
        suggestions: [stepCall(subject, step)],
      },
    );
  }
  return closeStep(subject, step, asking, { confirm });
}

function reasonOf(subject: Subject, step: Step, how: Closing): string | undefined {
  const reason = givenText(how.reason, "reason");
  if (how.force !== true && reason !== undefined) {
    throw new TaskfoldError("INVALID_INPUT", "Expected a reason only with force or completed: false, found it alone.", {
      ...remedy`Leave reason out, or write it down with ${toolName("tasks_note")}.`,
      suggestions: [step.done ? reopenCall(subject, step) : stepCall(subject, step)],
    });
  }
  return reason;
}

/** Where nothing stands in the way, force passes nothing and needs no reason. */
function refuseUnreasoned(subject: Subject, step: Step, reason: string | undefined): void {
  if (reason !== undefined) return;
  const waits = waitsFor(subject.entity, step).length > 0;
  const passed = [
    ...(step.blocked ? ["is blocked"] : []),
    ...(waits ? ["waits for others"] : []),
    ...(openChildren(step).length > 0 ? ["has open steps below it"] : []),
  ];
  if (passed.length === 0) return;
  throw new TaskfoldError(
    "INVALID_INPUT",
    `Expected a reason with force, found none; ${nameOf(step)} ${listed(passed)}.`,
    {
      recovery: "Say in reason why the step closes all the same.",
      suggestions: [forceCall(subject, step)],
    },
  );
}

/** Force passes no checkpoint and no proof: where those are missing they come first. */
function forceCall(subject: Subject, step: Step): Suggestion {
  const missing = missingCheckpoints(step);
  if (missing.length > 0) return verifyCall(subject, step, missing);
  const proofs = missingProofs(step);
  if (proofs.length > 0) return proofCall(subject, step, proofs);
  return progressCall(subject, step, { force: true, reason: "<fill: why it closes all the same>" });
}

function doneDraft(step: Step, forced: string | undefined): Draft {
  if (forced === undefined) {
    return stepDone.draft({ step_id: step.id, message: sentence(`Closed ${nameOf(step)}`) });
  }
  return stepDone.draft({ step_id: step.id, forced, message: sentence(`Closed ${nameOf(step)} by force`, forced) });
}

function refuseDone(subject: Subject, step: Step): void {
  if (!step.done) return;
  const by = step.done_by === null ? "" : ` by ${step.done_by}`;
  const at = step.done_at === null ? "" : worded` at ${namedTime(step.done_at)}`;
  throw new TaskfoldError("ALREADY_DONE", worded`Expected an open step; ${nameOf(step)} was closed${by}${at}.`, {
    recovery: "Nothing is left to do here; reopen it only if there is.",
    suggestions: [reopenCall(subject, step)],
  });
}

/** The step, closed by force, in a sentence. */
function forced({ id }: Subject, step: Step): NamedCall {
  const [tool, path] = ["tasks_progress", pathOf(step)];
  const input = { task: id, path, force: true, reason: "WHY" };
  return { tool, input, text: `${id} ${path} by ${tool} with force and a reason`, ahead: "it by " };
}

function refuseBlocked(subject: Subject, step: Step): void {
  if (!step.blocked) return;
  const why = step.block_reason === null ? "" : ` (${oneLine(step.block_reason)})`;
  throw new TaskfoldError("STEP_BLOCKED", `Expected a step that is not blocked; ${nameOf(step)} is${why}.`, {
    ...remedy`Unblock it, or close ${forced(subject, step)}.`,
    suggestions: [unblockCall(subject, step)],
  });
}

function refuseWaiting(subject: Subject, step: Step): void {
  const waits = waitsFor(subject.entity, step);
  if (waits.length === 0) return;
  throw new TaskfoldError(
    "STEP_WAITS",
    `Expected what ${nameOf(step)} depends on to be closed; it waits for ${listed(waits.map(nameOf))}.`,
    {
      ...remedy`Close those first, or close ${forced(subject, step)}.`,
      suggestions: [stepCall(subject, step)],
      details: { waits_for: waits.map((other) => ({ step_id: other.id, path: pathOf(other) })) },
    },
  );
}

function refuseOpenChildren(subject: Subject, step: Step): void {
  const open = openChildren(step);
  if (open.length === 0) return;
  const names = listed(open.map(nameOf));
  throw new TaskfoldError(
    "CHILDREN_OPEN",
    `Expected every step below ${nameOf(step)} to be closed; ${open.length} open: ${names}.`,
    {
      ...remedy`Close those first, or close ${forced(subject, step)}.`,
      suggestions: [stepCall(subject, open[0]!)],
      details: { open: open.map((s) => s.id) },
    },
  );
}

function refuseUnconfirmed(subject: Subject, step: Step, confirm: Confirmations): void {
  const { confirmed } = withConfirmations(step, confirm);
  const rules = requiredCheckpoints(step);
  const required = CHECKPOINTS.filter((c) => rules.includes(c) || confirm[c] !== undefined);
  const missing = required.filter((c) => !confirmed[c]);
  if (missing.length === 0) return;
  const found = required.map((c) => `${c} ${confirmed[c] ? "confirmed" : "not confirmed"}`).join(", ");
  const proofs = missingProofs(step);
  throw new TaskfoldError(
    "CHECKPOINTS_NOT_CONFIRMED",
    `Expected ${required.join(", ")} confirmed before ${nameOf(step)} closes; found ${found}.${proofsToo(subject, step, proofs)}`,
    {
      ...remedy`Confirm what is missing once it holds, then close the step.${keptNothing(subject, failedIds(subject, step, proofs))}`,
      suggestions: [
        verifyCall(subject, step, missing),
        ...(proofs.length === 0 ? [] : [proofCall(subject, step, proofs)]),
      ],
      details: { missing, ...proofDetails(subject, step, proofs) },
    },
  );
}

function refuseUnproved(subject: Subject, step: Step, asking: Asking): void {
  const missing = missingProofs(step);
  if (missing.length > 0) throw unproved(subject, step, missing);
  const left = failedElsewhere(subject.entity, step);
  if (left.length > 0) throw wholeFailed(subject, left, asking);
}
