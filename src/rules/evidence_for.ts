import { TaskfoldError } from "../errors.ts";
import { remedy, toolName } from "../remedy.ts";
import type { Step, Subject } from "../state/entity.ts";
import type { EvidenceEntry } from "../state/evidence.ts";
import { CHECKPOINTS } from "../state/entity.ts";
import { listed, oneLine } from "./phrase.ts";
import { callOn } from "./suggest.ts";

/** Entries of the index: those linked to checkpoints of `step`, those that `ids` names, or all. UNKNOWN_ID for an id that is none. */
export function evidenceFor(subject: Subject, step: Step | null, ids: readonly string[] | undefined): EvidenceEntry[] {
  const { evidence } = subject.entity;
  const wanted = ids && new Set(ids.map((id) => id.replace(/^evidence:/, "")));
  const known = new Set(evidence.map((entry) => entry.id));
  const unknown = [...(wanted ?? [])].filter((id) => !known.has(id));
  if (unknown.length > 0) {
    throw new TaskfoldError(
      "UNKNOWN_ID",
      `Expected ids of evidence of ${subject.id}, found ${listed(unknown.map((id) => oneLine(id)))}.`,
      {
        ...remedy`shared/evidence/index.json lists them, and so does ${toolName("tasks_evidence_verify")}.`,
        suggestions: [callOn(subject, "tasks_evidence_verify", {}, "Look at all of it.")],
      },
    );
  }
  const linked = step && new Set(CHECKPOINTS.flatMap((c) => step.linked[c].map((link) => link.evidence)));
  return evidence.filter(({ id }) => (wanted?.has(id) ?? true) && (linked?.has(id) ?? true));
}
