/**
 * `tasks_evidence_capture` as the host of this package calls it: an item may say that Taskfold made the run, or signed what is there. It
 * stands in no registry, so no call from outside reaches it (PROOF-46).
 */
import { captureEvidence } from "../rules/capture_evidence.ts";
import { withoutSecrets } from "../rules/captured_command.ts";
import { stepOrWhole } from "../rules/step_of.ts";
import { takingBack } from "../rules/taken_back.ts";
import { object } from "../state/schema.ts";
import type { Infer } from "../state/schema.ts";
import { preconditions, stepSelector, target, workspace } from "./common.ts";
import type { DecideContext, Decision } from "./decide_context.ts";
import type { ChangeTool } from "./change_tool.ts";
import { hostEvidenceFields } from "./evidence.ts";
import { tasksEvidenceCapture } from "./tasks_evidence_capture.ts";

const input = object({ workspace, ...target, ...stepSelector, ...hostEvidenceFields, ...preconditions });

function decide(given: Infer<typeof input>, ctx: DecideContext): Decision {
  const { subject } = ctx;
  const step = stepOrWhole(subject, given);
  return captureEvidence(subject, step, takingBack(subject, step, withoutSecrets(subject, step, given)), ctx);
}

export const hostEvidence: ChangeTool = {
  ...tasksEvidenceCapture,
  input,
  masks: (given: Infer<typeof input>, ctx: () => DecideContext) => decide(given, ctx()),
  decide,
};
