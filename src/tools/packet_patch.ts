import { preconditions } from "./common.ts";
import { withReopenings } from "../rules/packet/reopened_steps.ts";
import { refuseWhileRunning } from "../rules/packet/packet_of.ts";
import { patchPacket } from "../rules/packet/define_packet.ts";
import { jsonObject, object } from "../state/schema.ts";
import { changeTool } from "./change_tool.ts";
import { ofPacket, packetReply, packetTarget } from "./packet_common.ts";

export const packetPatch = changeTool({
  name: "packet_patch",
  title: "Change a packet's manifest",
  doc: "Set members of the manifest and leave the others: an object goes into the object there, null takes a member away.",
  input: object({
    ...packetTarget,
    manifest: jsonObject({ description: "The members to set." }),
    ...preconditions,
  }),
  output: object(ofPacket),
  examples: [{ workspace: "acme/repo", task: "TASK-001", manifest: { budgets: { paid_call_budget: 12 } } }],
  kinds: ["task"],
  masks: (input, ctx) => patchPacket(ctx().subject, input.manifest, ctx().packetConfigs),
  decide: (input, ctx) => {
    refuseWhileRunning(ctx.subject, ctx.dispatcher);
    const { drafts, warnings } = patchPacket(ctx.subject, input.manifest, ctx.packetConfigs);
    return { drafts: withReopenings(ctx.subject, drafts, ctx), warnings };
  },
  reply: (_input, ctx) => ({ result: packetReply(ctx) }),
});
