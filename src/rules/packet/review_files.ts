/** Names under which later stages and people find what the stages of a review left (PACKET-123, PACKET-81). */
import { stageFile } from "../../state/packet.ts";

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

/** The files of the task's folder that the consolidating review may read. */
export const CONSOLIDATED_FILES: readonly string[] = [
  ...Object.keys(CONSOLIDATED).map((stage) => stageFile(stage, "out")),
  "outputs/codex_verify.artifact.md",
];

const NAMES = [...Object.values(CONSOLIDATED), VERIFY_ARTIFACT];

/** Attachments for the consolidating review: outputs that say something, and what the acceptance commands printed. */
export function attachmentsFor(
  role: string,
  textOf: (path: string) => string | undefined,
): { name: string; text: string }[] {
  if (role !== "review_consolidate") return [];
  return CONSOLIDATED_FILES.flatMap((path, i) => {
    const text = textOf(path) ?? "";
    return text.trim() === "" ? [] : [{ name: NAMES[i]!, text }];
  });
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
