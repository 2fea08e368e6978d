import { preconditions } from "./common.ts";
import { withReopenings } from "../rules/packet/reopened_steps.ts";
import { reopenStage } from "../rules/packet/stop_stage.ts";
import { object } from "../state/schema.ts";
import { changeTool } from "./change_tool.ts";
import { ofPacket, packetReply, packetStage, packetTarget, reason } from "./packet_common.ts";

export const packetStageReopen = changeTool({
  name: "packet_stage_reopen",
  title: "Do a stage again",
  doc: "Open a stage again: its marker goes, its outputs stay until it runs again.",
  input: object({ ...packetTarget, stage: packetStage, reason, ...preconditions }),
  output: object(ofPacket),
  examples: [{ workspace: "acme/repo", task: "TASK-001", stage: "gemini_brief", reason: "the request changed" }],
  kinds: ["task"],
  decide: (input, ctx) => ({
    drafts: withReopenings(ctx.subject, reopenStage(ctx.subject, input.stage, input.reason), ctx),
  }),
  reply: (_input, ctx) => ({ result: packetReply(ctx) }),
});
