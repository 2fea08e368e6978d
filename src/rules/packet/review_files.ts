/** Names under which later stages and people find what the stages of a review left (PACKET-80, PACKET-81). */

export interface StageText {
  stage: string;
  text: string;
}

/** Name of a stage's output among the attachments of `copilot_review_consolidate`. */
const CONSOLIDATED: Readonly<Record<string, string>> = {
  gemini_review: "gemini_review.md",
  gemini_test_design: "test_matrix.md",
  gemini_static_verify: "verification_checklist.md",
  codex_review: "codex_review.md",
  codex_test_impl: "test_implementation_report.md",
  codex_verify: "verification_report.md",
  copilot_review: "copilot_review.md",
};

const VERIFY_ARTIFACT = "verification_gate_artifact.md";

/** Attachments for the consolidating review: outputs that say something, and what the acceptance commands printed. */
export function consolidateAttachments(
  outputs: readonly StageText[],
  verifyArtifact: string | null,
): { name: string; text: string }[] {
  const named = outputs.flatMap(({ stage, text }) =>
    Object.hasOwn(CONSOLIDATED, stage) ? [{ name: CONSOLIDATED[stage]!, text }] : [],
  );
  const all = verifyArtifact === null ? named : [...named, { name: VERIFY_ARTIFACT, text: verifyArtifact }];
  return all.filter(({ text }) => text.trim() !== "");
}

/** The six artifacts of a review after the implementation, in the order of their stages. */
export const REVIEW_ARTIFACTS: readonly { stage: string; name: string }[] = [
  { stage: "gemini_review", name: "gemini_review.md" },
  { stage: "gemini_test_design", name: "test_matrix.md" },
  { stage: "gemini_static_verify", name: "verification_checklist.md" },
  { stage: "codex_review", name: "codex_precision_review.md" },
  { stage: "codex_test_impl", name: "test_implementation_report.md" },
  { stage: "codex_verify", name: "verification_report.md" },
];
