/** Headings of level 2 that a role's output has to have; the templates ask for the same ones (PACKET-54). */

/** Title by title as it stands here. */
export const BRIEF_HEADINGS = [
  "Summary",
  "Acceptance",
  "Scope",
  "Constraints",
  "Verify Commands",
  "Updated Context Pack",
];

/** Beginnings of the titles inside the updated context pack, in any case. */
export const PACK_HEADINGS = [
  "0. Goal",
  "1. Non-goals",
  "2. Scope",
  "3. Acceptance",
  "4. Fixed",
  "5. Files to Read",
  "6. Prohibited Actions",
  "7. Current State",
  "8. Open Questions",
  "9. Change History",
];

const REVIEW = ["Findings", "Test gaps", "Breaking changes", "Minimal fix"];

/** Beginnings of the titles, in any case. */
export const ROLE_HEADINGS: Readonly<Record<string, readonly string[]>> = {
  review: REVIEW,
  review_consolidate: REVIEW,
  runbook: ["Problem", "Plan", "Commands", "Risks"],
  static_verify: ["Pre-execution checks", "Dangerous changes", "Rollback plan", "Go/No-Go"],
  test_impl: ["Added or Updated Tests", "Unified Diff", "Rationale"],
};
