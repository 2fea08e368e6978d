/**
 * `tasks_evidence_capture` as the host of this package calls it: an item may say that Taskfold made the run, or signed what is there. It
 * stands in no registry, so no call from outside reaches it (PROOF-50).
 */
import { object } from "../state/schema.ts";
import { preconditions, stepSelector, target, workspace } from "./common.ts";
import type { Tool } from "./define.ts";
import { hostEvidenceFields } from "./evidence.ts";
import { tasksEvidenceCapture } from "./tasks_evidence_capture.ts";

export const hostEvidence: Tool = {
  ...tasksEvidenceCapture,
  input: object({ workspace, ...target, ...stepSelector, ...hostEvidenceFields, ...preconditions }),
};
