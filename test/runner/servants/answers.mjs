// @ts-check
// What a servant answers, by its role, in the form that the role's gate asks for. No model: the same prompt gives the same answer.

/** The sections of a context pack. */
export const PACK = [
  "0. Goal",
  "1. Non-goals",
  "2. Scope",
  "3. Acceptance",
  "4. Fixed Decisions",
  "5. Files to Read",
  "6. Prohibited Actions",
  "7. Current State",
  "8. Open Questions",
  "9. Change History",
];

/** @param {string[]} titles */
const sections = (titles) => titles.map((title) => `## ${title}\n\n${title} as far as it is known.\n`).join("\n");

/** A diff that makes a new file of one line. @param {string} path */
export const newFile = (path, line = "made by codex") => `--- /dev/null\n+++ b/${path}\n@@ -0,0 +1 @@\n+${line}\n`;

/** @type {Record<string, (prompt: string) => string>} */
export const ANSWERS = {
  brief: (prompt) =>
    `${sections(["Summary", "Acceptance", "Scope", "Constraints"])}
## Verify Commands

\`\`\`sh
${marker(prompt, "verify") ?? "true"}
\`\`\`

## Updated Context Pack

${sections(PACK)}`,
  impl: (prompt) => newFile(marker(prompt, "path") ?? "src/made.txt"),
  verify: () => "The commands were read; nothing was changed.\n",
  review: () => sections(["Findings", "Test gaps", "Breaking changes", "Minimal fix"]),
  review_consolidate: () => sections(["Findings", "Test gaps", "Breaking changes", "Minimal fix"]),
  runbook: () => sections(["Problem", "Plan", "Commands", "Risks"]),
  test_design: () => Array.from({ length: 12 }, (_, n) => `- case ${n + 1}: one input, one output`).join("\n") + "\n",
  static_verify: () => sections(["Pre-execution checks", "Dangerous changes", "Rollback plan", "Go/No-Go"]),
  test_impl: (prompt) =>
    `## Added or Updated Tests\n\nOne.\n\n## Unified Diff\n\n\`\`\`diff\n${newFile(marker(prompt, "path") ?? "test/made.txt")}\`\`\`\n\n## Rationale\n\nIt was missing.\n`,
};

/** Text of a line `servant-NAME: text` in the prompt. @param {string} prompt @param {string} name */
export function marker(prompt, name) {
  return new RegExp(`^servant-${name}: (.*)$`, "m").exec(prompt)?.[1];
}
