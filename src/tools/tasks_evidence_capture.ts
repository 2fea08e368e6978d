import { attachmentsOf, captureEvidence, evidenceOf } from "../rules/capture_evidence.ts";
import { stepOrWhole } from "../rules/step_of.ts";
import { stepCall } from "../rules/suggest.ts";
import { LIMITS } from "../state/limits.ts";
import { integer, jsonObject, list, object, optional, text } from "../state/schema.ts";
import { checkpointNames, preconditions, stepOfCall, stepReply, stepSelector, target, workspace } from "./common.ts";
import { defineTool } from "./define.ts";

const item = object({
  kind: text({ minLength: 1, maxLength: 200, description: "What you call it, such as test-run." }),
  title: optional(text({ description: "Default: the command, file, link or first words." })),
  summary: optional(text({ description: "What it shows." })),
  command: optional(text({ description: "Makes it the record of a command." })),
  cwd: optional(text({ description: "Where the command ran." })),
  stdout: optional(text()),
  stderr: optional(text()),
  exit_code: optional(integer({ minimum: -2147483648, maximum: 4294967295 })),
  diff: optional(text()),
  content: optional(text()),
  url: optional(text()),
  external_uri: optional(text({ description: "Another name for url." })),
  path: optional(
    text({ minLength: 1, maxLength: 4096, description: "File of the repository; with lines, an anchor in it." }),
  ),
  start_line: optional(integer({ description: "From 1." })),
  end_line: optional(integer({ description: "Default: start_line." })),
  meta: optional(jsonObject({ description: "Anything else." })),
});

export const tasksEvidenceCapture = defineTool({
  name: "tasks_evidence_capture",
  title: "Capture evidence",
  doc: "Record what was run, read or produced, on a step or on the whole, and link it to checkpoints; closes nothing.",
  input: object({
    workspace,
    ...target,
    ...stepSelector,
    items: optional(list(item, { description: "Commands with output, file anchors, links, texts." })),
    artifacts: optional(list(item, { description: "Another name for items." })),
    checks: optional(
      list(text(), { description: "Receipts: CMD: a command that was run, LINK: an address, or a sentence." }),
    ),
    attachments: optional(
      list(text({ minLength: 1, maxLength: 4096 }), {
        description: "Files in the task folder, such as agents/w1/out.log.",
      }),
    ),
    checkpoint: optional(checkpointNames),
    max_items: optional(
      integer({ minimum: 1, description: `Lowers the limit of ${LIMITS.evidenceItems} pieces for this call.` }),
    ),
    max_artifact_bytes: optional(
      integer({
        minimum: 1,
        description: `Lowers the limit of ${LIMITS.evidenceItemBytes} bytes a piece for this call.`,
      }),
    ),
    ...preconditions,
  }),
  examples: [
    {
      workspace: "acme/repo",
      task: "TASK-001",
      path: "s:0",
      checks: ["CMD: npm test", "LINK: https://ci.example/1"],
      checkpoint: "tests",
    },
    {
      workspace: "acme/repo",
      task: "TASK-001",
      items: [
        { kind: "test-run", command: "npm test", exit_code: 0, stdout: "12 passed\n" },
        { kind: "code", path: "src/parser.ts", start_line: 10, end_line: 24, summary: "the fix" },
      ],
      attachments: ["agents/w1/out.log"],
    },
  ],
  effect: "write",
  target: "entity",
  files: (input) => attachmentsOf(input),
  decide: (input, ctx) => captureEvidence(ctx.subject, stepOrWhole(ctx.subject, input), input, ctx.files),
  reply: (_input, ctx) => {
    const step = stepOfCall(ctx);
    const evidence = evidenceOf(ctx.subject.entity, ctx.events[0]?.event_id ?? "");
    const named = evidence.map(({ id, kind, title }) => ({ id, kind, title }));
    const cite = evidence.map(({ id }) => `evidence:${id}`);
    return {
      result: stepReply(ctx, { evidence: named, cite }),
      suggestions: step && !step.done ? [stepCall(ctx.subject, step)] : [],
    };
  },
});
