import { restorePacket } from "../rules/packet/archive_packet.ts";
import { object } from "../state/schema.ts";
import { restoringParts } from "./archive_parts.ts";
import { preconditions } from "./common.ts";
import { changeTool } from "./change_tool.ts";
import { ofPacket, packetReply, packetTarget } from "./packet_common.ts";

export const packetRestore = changeTool({
  name: "packet_restore",
  title: "Bring a packet back from the archive",
  doc: "Bring a task back that packet_archive put away; outputs that were dropped stay away.",
  input: object({ ...packetTarget, ...preconditions }),
  output: object(ofPacket),
  examples: [{ workspace: "acme/repo", task: "TASK-001" }],
  kinds: ["task"],
  archive: "from",
  several: { parts: (input, ctx) => restoringParts("packet_restore", input, ctx.target(), ctx.retention()) },
  decide: (_input, ctx) => ({ drafts: restorePacket(ctx.subject) }),
  reply: (_input, ctx) => ({ result: packetReply(ctx) }),
});
