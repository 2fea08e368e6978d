import { preconditions } from "./common.ts";
import { finishStage } from "../rules/packet/finish_stage.ts";
import { withReopenings } from "../rules/packet/reopened_steps.ts";
import { openNames } from "../rules/packet/open_files.ts";
import { ACCEPTANCE_MODES } from "../state/packet_config.ts";
import { PACKET_LIMITS } from "../state/packet_schema.ts";
import { boolean, integer, list, object, oneOf, optional, text } from "../state/schema.ts";
import { changeTool } from "./change_tool.ts";
import { ofPacket, packetReply, packetRun, packetStage, packetTarget } from "./packet_common.ts";

const time = text({ pattern: "^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}Z$" });

export const acceptanceResult = {
  command: text(),
  exit_code: integer(),
  timed_out: optional(boolean()),
  duration_sec: optional(integer({ minimum: 0 })),
  stdout: optional(text()),
  stderr: optional(text()),
};

export const acceptanceLimits = {
  maxItems: 2 * PACKET_LIMITS.commands,
  description: "Results of the acceptance commands, in order.",
};

export const stageFinishFields = {
  ...packetTarget,
  stage: packetStage,
  run: packetRun,
  exit_code: integer(),
  timed_out: optional(boolean()),
  start: optional(time),
  end: optional(time),
  duration_sec: optional(integer({ minimum: 0 })),
  out: optional(text({ description: "The model's answer; default: the file outputs/<stage>.<tool>.out." })),
  err: optional(text()),
  acceptance: optional(list(object(acceptanceResult), acceptanceLimits)),
  commands: optional(oneOf(ACCEPTANCE_MODES, { description: "Whose commands had to run." })),
  changed_paths: optional(list(text(), { description: "All that changed. Left out, no change is judged." })),
  applies: optional(oneOf(["applies", "applied", "neither", "no_git"])),
  refused: optional(text()),
  ...preconditions,
};

export const packetStageFinish = changeTool({
  name: "packet_stage_finish",
  title: "End a stage of a packet",
  doc: "End the attempt that runs: its output is kept and its gate judged; the stage is done or failed.",
  input: object(stageFinishFields),
  output: object({ ...ofPacket, passed: boolean(), reasons: list(text()) }),
  examples: [
    { workspace: "acme/repo", task: "TASK-001", stage: "gemini_review", exit_code: 0, out: "## Findings\nnone\n" },
  ],
  kinds: ["task"],
  facts: ({ stage, run }, subject) => ({
    files: openNames(subject, stage, { run }),
    texts: openNames(subject, stage, { files: ["out", "err"], run }),
  }),
  masks: (input, ctx) => finishStage(ctx().subject, input, ctx()),
  decide: (input, ctx) => {
    const finished = finishStage(ctx.subject, input, ctx);
    return { ...finished, drafts: withReopenings(ctx.subject, finished.drafts, ctx) };
  },
  reply: (_input, ctx) => {
    const failed = ctx.events.find(({ type }) => type === "stage_failed");
    const reasons = (failed?.["reasons"] ?? []) as string[];
    return { result: packetReply(ctx, { passed: failed === undefined, reasons }) };
  },
});
