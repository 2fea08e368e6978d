import type { Checkpoint } from "../state/entity.ts";
import {
  anchorsOf,
  attachmentsOf,
  captureEvidence,
  commitsOf,
  evidenceOf,
  foldersOf,
} from "../rules/capture_evidence.ts";
import type { CapturedEvidence } from "../rules/capture_evidence.ts";
import { stepOrWhole } from "../rules/step_of.ts";
import { failedCapture, otherThanNamed, weakReceipts } from "../rules/weak_proof.ts";
import { besideClaims, stepCall } from "../rules/suggest.ts";
import { list, object, optional, text } from "../state/schema.ts";
import { preconditions, stepOfCall, stepReply, stepSelector, target, workspace } from "./common.ts";
import { changeTool } from "./change_tool.ts";
import { evidenceFields } from "./evidence.ts";
import * as out from "./output.ts";

export const tasksEvidenceCapture = changeTool({
  name: "tasks_evidence_capture",
  title: "Capture evidence",
  doc: "Record what was run, read or produced, on a step or on the whole, and link it to checkpoints; closes nothing.",
  input: object({
    workspace,
    ...target,
    ...stepSelector,
    ...evidenceFields,
    ...preconditions,
  }),
  output: object({
    ...out.ofStep,
    evidence: list(object({ id: text(), kind: text(), title: text() })),
    cite: list(text()),
    superseded: optional(list(text())),
  }),
  examples: [
    {
      workspace: "acme/repo",
      task: "TASK-001",
      path: "s:0",
      items: [{ kind: "run", command: "npm test", exit_code: 0, stdout: "12 passed\n" }],
      checkpoint: "tests",
    },
    {
      workspace: "acme/repo",
      task: "TASK-001",
      checks: ["CMD: npm audit", "LINK: https://ci.example/1"],
      items: [{ kind: "code", path: "src/parser.ts", start_line: 10, end_line: 24, summary: "the fix" }],
      attachments: ["agents/w1/out.log"],
    },
  ],
  facts: (input) => ({
    files: attachmentsOf(input),
    anchors: anchorsOf(input),
    commits: commitsOf(input),
    folders: foldersOf(input),
  }),
  decide: (input, ctx) => captureEvidence(ctx.subject, stepOrWhole(ctx.subject, input), input, ctx),
  reply: (input, ctx) => {
    const step = stepOfCall(ctx);
    const [event] = ctx.events;
    const captured = (event ?? {}) as CapturedEvidence;
    const evidence = evidenceOf(ctx.subject.entity, captured, event?.event_id ?? "");
    const named = evidence.map(({ id, kind, title }) => ({ id, kind, title }));
    const checkpoints = (event?.["checkpoints"] ?? []) as Checkpoint[];
    const aside = event?.["supersedes"] as string[] | undefined;
    const cite = evidence.map(({ id }) => `evidence:${id}`);
    return {
      result: stepReply(ctx, { evidence: named, cite, ...(aside ? { superseded: aside } : {}) }),
      warnings: step
        ? [
            ...failedCapture(
              ctx.subject,
              step,
              evidence.map(({ id }) => id),
            ),
            ...weakReceipts(step, checkpoints, input.checks ?? []),
            ...otherThanNamed(ctx.subject, step, captured.items ?? []),
          ]
        : [],
      suggestions: step && !step.done ? besideClaims(ctx.subject, [stepCall(ctx.subject, step)], ctx) : [],
    };
  },
});
