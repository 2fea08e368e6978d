import { preconditions } from "./common.ts";
import { filesOfInterrupted, interruptStage } from "../rules/packet/stop_stage.ts";
import { object } from "../state/schema.ts";
import { changeTool } from "./change_tool.ts";
import { ofPacket, packetReply, packetRun, packetStage, packetTarget, reason } from "./packet_common.ts";

export const packetStageInterrupt = changeTool({
  name: "packet_stage_interrupt",
  title: "Give an attempt up",
  doc: "End an attempt whose dispatcher was killed; its cost stays paid.",
  input: object({ ...packetTarget, stage: packetStage, run: packetRun, reason, ...preconditions }),
  output: object(ofPacket),
  examples: [{ workspace: "acme/repo", task: "TASK-001", stage: "codex_impl", reason: "the dispatcher was killed" }],
  kinds: ["task"],
  facts: ({ stage, run }, subject) => ({ files: filesOfInterrupted(subject, stage, run) }),
  decide: (input, ctx) => interruptStage(ctx.subject, input, ctx),
  reply: (_input, ctx) => ({ result: packetReply(ctx) }),
});
