import { archivePacket } from "../rules/packet/archive_packet.ts";
import { boolean, either, integer, list, object, oneOf, optional, text } from "../state/schema.ts";
import { namingParts } from "./archive_parts.ts";
import { entityBlock, preconditions, printed } from "./common.ts";
import { changeTool } from "./change_tool.ts";
import * as out from "./output.ts";
import { packetTarget } from "./packet_common.ts";

export const packetArchive = changeTool({
  name: "packet_archive",
  title: "Put a packet into the archive",
  doc: "Move a task and its packet to the archive, outputs included or left out by size; packet_restore brings it back.",
  input: object({
    ...packetTarget,
    outputs: optional(either(oneOf(["keep", "drop"]), integer({ minimum: 0 }))),
    ...preconditions,
  }),
  output: object({ ...out.ofChange, archived: boolean(), folder: text(), dropped: list(text()) }),
  examples: [
    { workspace: "acme/repo", task: "TASK-001" },
    { workspace: "acme/repo", task: "TASK-001", outputs: 1_000_000 },
  ],
  kinds: ["task"],
  archive: "to",
  several: {
    parts: ({ workspace: _workspace, idempotency_key: _key, ...args }, ctx) => {
      const task = ctx.target();
      const naming = namingParts([task], ctx.retention());
      return naming.length === 0
        ? null
        : [{ tool: "packet_archive", args: { ...args, target: undefined, task: task.id } }, ...naming];
    },
  },
  decide: (input, ctx) => ({ drafts: archivePacket(ctx.subject, input.outputs ?? "keep", ctx.dispatcher) }),
  reply: (_input, ctx) => ({
    result: {
      ...entityBlock(ctx.subject),
      archived: true,
      folder: `.coco/archive/${ctx.subject.id}`,
      dropped: (ctx.events[0]?.["dropped"] ?? []) as string[],
      ...printed(ctx),
    },
    suggestions: [
      {
        tool: "packet_restore",
        args: { workspace: ctx.workspace, task: ctx.subject.id },
        reason: "bring it back from the archive",
      },
    ],
  }),
});
