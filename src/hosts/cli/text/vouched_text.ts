/** Prints for people who vouches for which proof. */
import type { EntityVerdict, StepVerdict } from "../../../attest/vouched.ts";
import { counted } from "../../../state/counted.ts";
import { textRows } from "./layout.ts";
import { safeLine } from "./safe_text.ts";

/** A plan or task a line, and below it its closed steps and those that are vouched for. */
export function vouchedText(verdicts: readonly EntityVerdict[], wide?: number): string {
  const rows = verdicts.flatMap((verdict) => [
    [verdict.id, historyOf(verdict), safeLine(verdict.title)],
    ...verdict.steps
      .filter(({ done, vouched }) => done || vouched)
      .map((step) => [`  ${step.path}`, proofOf(step), safeLine(step.title)]),
  ]);
  return textRows(rows, wide);
}

function historyOf({ signed, later }: EntityVerdict): string {
  if (!signed) return "not signed";
  const since = later === 0 ? "" : `, ${counted(later, "change")} since`;
  return safeLine(`signed by ${signed.principal} up to revision ${signed.revision}${since}`);
}

function proofOf({ vouched, by, git_commits: commits, required }: StepVerdict): string {
  if (!vouched) return required.length > 0 ? "NOT VOUCHED" : "not vouched";
  const at = commits.map((commit) => commit.slice(0, 12)).join(", ");
  return safeLine(`vouched by ${by.join(", ")} at ${at}`);
}
