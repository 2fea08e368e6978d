import { preconditions } from "./common.ts";
import { filesOfInterrupted, interruptStage } from "../rules/packet/stop_stage.ts";
import { object } from "../state/schema.ts";
import { defineTool } from "./define.ts";
import { ofPacket, packetReply, packetStage, packetTarget, reason } from "./packet_common.ts";

export const packetStageInterrupt = defineTool({
  name: "packet_stage_interrupt",
  title: "Give an attempt up",
  doc: "End an attempt whose dispatcher was killed; its cost stays paid.",
  input: object({ ...packetTarget, stage: packetStage, reason, ...preconditions }),
  output: object(ofPacket),
  examples: [{ workspace: "acme/repo", task: "TASK-001", stage: "codex_impl", reason: "the dispatcher was killed" }],
  effect: "write",
  target: "entity",
  kinds: ["task"],
  files: ({ stage }, subject) => filesOfInterrupted(subject, stage),
  decide: (input, ctx) => interruptStage(ctx.subject, input.stage, input.reason, ctx),
  reply: (_input, ctx) => ({ result: packetReply(ctx) }),
});
