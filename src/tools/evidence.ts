/** The forms of evidence: by itself, and as the proof of a macro. */
import { EXIT_CODE, LINE_NUMBER } from "../state/evidence.ts";
import { LIMITS } from "../state/limits.ts";
import { either, integer, jsonObject, list, object, oneOf, optional, text } from "../state/schema.ts";
import { checkpointNames } from "./common.ts";

const itemFields = {
  evidence_id: optional(text({ description: "Kebab-case." })),
  kind: text({ minLength: 1, maxLength: 200, description: "Your name for it, such as test-run." }),
  title: optional(text({ description: "Default: what it names." })),
  summary: optional(text({ description: "The finding." })),
  command: optional(text({ description: "That was run." })),
  cwd: optional(text({ description: "Where." })),
  stdout: optional(text()),
  stderr: optional(text()),
  exit_code: optional(integer({ ...EXIT_CODE })),
  diff: optional(text()),
  content: optional(text()),
  url: optional(text()),
  external_uri: optional(text({ description: "Another name for url." })),
  path: optional(
    text({
      minLength: 1,
      maxLength: 4096,
      description: "File of the repository, or .jsonl of the task.",
    }),
  ),
  commit: optional(text({ pattern: "^[0-9a-f]{7,64}$", description: "Commit that has or shows it." })),
  start_line: optional(integer({ ...LINE_NUMBER, description: "From 1." })),
  end_line: optional(integer({ ...LINE_NUMBER, description: "Default: start_line." })),
  meta: optional(jsonObject({ description: "Anything else." })),
  test: optional(either(text({ description: "Declared test it is for." }), integer({ minimum: 0 }))),
};

const item = object(itemFields);

export const evidenceFields = {
  evidence_id: optional(text({ description: "Of the only piece." })),
  items: optional(list(item, { description: "Commands with output, files, links, texts." })),
  artifacts: optional(list(item, { description: "Another name for items." })),
  checks: optional(
    list(text(), { description: "Receipts: CMD: and a command, LINK: and an address. A sentence is no proof." }),
  ),
  attachments: optional(
    list(text({ minLength: 1, maxLength: 4096 }), {
      description: "Files in the task folder, or URLs.",
    }),
  ),
  checkpoint: optional(checkpointNames),
  supersedes: optional(list(text(), { maxItems: 200, description: "Ids that no longer count." })),
  reason: optional(text({ description: "Why; stays on record." })),
  max_items: optional(integer({ minimum: 1, description: `Lowers the limit of ${LIMITS.evidenceItems} pieces.` })),
  max_artifact_bytes: optional(
    integer({
      minimum: 1,
      description: `Lowers the limit of ${LIMITS.evidenceItemBytes} bytes a piece.`,
    }),
  ),
};

/** Fields of an item that only the host of this package gives; no tool of the registry has them (PROOF-46). */
export const startedRun = object({
  argv: list(text()),
  env: list(text()),
  started_at: text(),
  ended_at: text(),
  git_commit: optional(text()),
  tree: optional(text()),
  ignores: optional(text()),
  attributes: optional(text()),
  changes: optional(text()),
  wrote: optional(text()),
  left: optional(oneOf(["unknown"])),
  lock: optional(object({ path: text(), sha256: text() })),
  platform: text(),
  checkout: optional(oneOf(["clean"])),
});

const attestation = object({
  envelope: text(),
  of: list(text()),
  head: text(),
  revision: integer(),
  git_commit: text(),
  key: text(),
});

export const hostEvidenceFields = {
  ...evidenceFields,
  items: optional(list(object({ ...itemFields, captured: optional(startedRun), attestation: optional(attestation) }))),
};
