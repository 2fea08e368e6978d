/** Evidence that a call puts aside, with a reason (EVID-58). */
import { TaskfoldError } from "../errors.ts";
import type { Step, Subject } from "../state/entity.ts";
import { parseReceipt } from "../state/evidence.ts";
import { evidenceFor } from "./evidence_for.ts";
import { callOn } from "./suggest.ts";
import { givenText } from "./text.ts";

interface Superseding {
  supersedes: string[];
  reason: string;
}

/** UNKNOWN_ID for what is no entry; INVALID_INPUT without a reason, and for an entry that is superseded already. */
export function supersededBy(
  subject: Subject,
  step: Step | null,
  { supersedes, reason }: { supersedes?: readonly string[]; reason?: string },
): Superseding | undefined {
  const why = givenText(reason, "reason");
  const call = { ...(step ? { step_id: step.id } : {}), supersedes: [...(supersedes ?? [])].slice(0, MAX_CITED) };
  if (supersedes === undefined || supersedes.length === 0) {
    if (why === undefined) return undefined;
    throw new TaskfoldError("INVALID_INPUT", "Expected a reason only beside supersedes, found it alone.", {
      recovery: "Name in supersedes the evidence that no longer counts, or leave reason out.",
    });
  }
  const { facts } = subject.entity;
  const entries = evidenceFor(subject, null, supersedes);
  const again = entries.find(({ id }) => facts.get(id)?.superseded);
  if (again) {
    throw new TaskfoldError(
      "INVALID_INPUT",
      `Expected evidence that counts, found evidence:${again.id}, which ${facts.get(again.id)!.superseded!.by} superseded already.`,
      { recovery: "Leave it out: it neither proves nor fails anything." },
    );
  }
  if (why === undefined || parseReceipt(why).placeholder) {
    const found = why === undefined ? "none" : "one that is still to be filled in";
    throw new TaskfoldError("INVALID_INPUT", `Expected a reason beside supersedes, found ${found}.`, {
      recovery: "Say in reason why that evidence no longer counts: it stays on record with that reason.",
      suggestions: [
        callOn(
          subject,
          "tasks_evidence_capture",
          { ...call, reason: "<fill: why it no longer counts>" },
          "Supersede it with a reason.",
        ),
      ],
    });
  }
  return { supersedes: entries.map(({ id }) => facts.get(id)?.derived ?? id), reason: why };
}

const MAX_CITED = 20;
