import type { Draft } from "../events/define.ts";
import { stepVerified } from "../events/step.verified.ts";
import { lacksInLog, lacksMore } from "../state/checkpoint.ts";
import { CHECKPOINTS } from "../state/entity.ts";
import type { Step, Subject } from "../state/entity.ts";
import type { Confirmations } from "./checkpoints_input.ts";
import { withConfirmations } from "./checkpoints_input.ts";
import { nameOf, sentence } from "./phrase.ts";
import { reopenFrom } from "./reopen_step.ts";

/** Confirms checkpoints or takes them back (STEP-9, STEP-15); a closed step whose gate fails then is open again. */
export function verifyStep(subject: Subject, step: Step, confirmations: Confirmations): Draft[] {
  const verified = verifiedDraft(step, confirmations);
  if (!step.done || !lacksMore(lacksInLog(withConfirmations(step, confirmations)), lacksInLog(step))) return [verified];
  return [verified, ...reopenFrom(subject, step, "not all of its checkpoints are confirmed any more")];
}

/** The event alone, for calls that go on to close the step. */
export function verifiedDraft(step: Step, confirmations: Confirmations): Draft {
  const yes = CHECKPOINTS.filter((c) => confirmations[c] === true).join(", ");
  const no = CHECKPOINTS.filter((c) => confirmations[c] === false).join(", ");
  const what = [yes === "" ? "" : `confirmed ${yes}`, no === "" ? "" : `took back ${no}`].filter((w) => w !== "");
  const text = `${what.join(" and ")} of ${nameOf(step)}`;
  const message = sentence(text[0]!.toUpperCase() + text.slice(1));
  return stepVerified.draft({ step_id: step.id, checkpoints: confirmations, message });
}
