/** The call that keeps what a refused macro was given as proof (MACRO-6). */
import type { Suggestion } from "../errors.ts";
import type { Step, Subject } from "../state/entity.ts";
import { countCodePoints } from "../state/code_points.ts";
import type { EvidenceInput } from "./capture_evidence.ts";
import type { EvidenceItem } from "./evidence_item.ts";
import { nameOf } from "./phrase.ts";
import { callOn } from "./suggest.ts";

/** Pieces of each list that the call names, and characters of an output that it repeats. */
const MAX_PIECES = 5;
const MAX_OUTPUT = 200;

const LISTS = ["items", "artifacts", "checks", "attachments"] as const;

export function recordCall(subject: Subject, step: Step, evidence: EvidenceInput): Suggestion {
  const { items, artifacts, checks, attachments, ...more } = evidence;
  const args = {
    step_id: step.id,
    ...more,
    ...(items ? { items: items.slice(0, MAX_PIECES).map(shortened) } : {}),
    ...(artifacts ? { artifacts: artifacts.slice(0, MAX_PIECES).map(shortened) } : {}),
    ...(checks ? { checks: checks.slice(0, MAX_PIECES) } : {}),
    ...(attachments ? { attachments: attachments.slice(0, MAX_PIECES) } : {}),
  };
  const cut = LISTS.some((list) => (evidence[list]?.length ?? 0) > MAX_PIECES);
  const which = cut ? `the first ${MAX_PIECES} pieces of what was given` : "what was given";
  return callOn(subject, "tasks_evidence_capture", args, `Keep ${which} as evidence of ${nameOf(step)}, proof or not.`);
}

/** An answer repeats no long output: its caller has it. */
function shortened(item: EvidenceItem): EvidenceItem {
  const short = { ...item };
  for (const output of ["stdout", "stderr", "diff", "content"] as const)
    if (countCodePoints(item[output] ?? "") > MAX_OUTPUT) short[output] = `<fill: the same ${output}>`;
  return short;
}
