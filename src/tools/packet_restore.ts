import { restorePacket } from "../rules/packet/archive_packet.ts";
import { object } from "../state/schema.ts";
import { entityId, preconditions, workspace } from "./common.ts";
import { defineTool } from "./define.ts";
import { ofPacket, packetReply } from "./packet_common.ts";

export const packetRestore = defineTool({
  name: "packet_restore",
  title: "Bring a packet back from the archive",
  doc: "Move a task that packet_archive put away back among the live ones; outputs that were dropped stay away.",
  input: object({ workspace, task: entityId("Id of the archived task."), ...preconditions }),
  output: object(ofPacket),
  examples: [{ workspace: "acme/repo", task: "TASK-001" }],
  effect: "write",
  target: "entity",
  kinds: ["task"],
  fromArchive: true,
  decide: (_input, ctx) => ({ drafts: restorePacket(ctx.subject) }),
  reply: (_input, ctx) => ({ result: packetReply(ctx) }),
});
