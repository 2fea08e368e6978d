import { preconditions } from "./common.ts";
import { definePacket } from "../rules/packet/define_packet.ts";
import { jsonObject, object, optional, record, text } from "../state/schema.ts";
import { defineTool } from "./define.ts";
import { ofPacket, packetReply, packetTarget } from "./packet_common.ts";

const example = {
  goal: "Read the config file once",
  routing: { intent: "safe_impl" },
  scope: { allow: ["src/"], deny: [] },
  acceptance: { commands: ["npm test"], criteria: ["the file is opened once"] },
  budgets: { retry_budget: 2, paid_call_budget: 8, max_wallclock_sec: 600 },
  context: { digest_policy: "auto" },
};

export const packetDefine = defineTool({
  name: "packet_define",
  title: "Give a task its packet",
  doc: "Set the whole manifest of a task's packet, and its inputs; task_id is the task's id and may be left out.",
  input: object({
    ...packetTarget,
    manifest: jsonObject({ description: "Fields as in schemas/packet/manifest.json." }),
    inputs: optional(record(text())),
    ...preconditions,
  }),
  output: object(ofPacket),
  examples: [
    { workspace: "acme/repo", task: "TASK-001", manifest: example },
    {
      workspace: "acme/repo",
      task: "TASK-001",
      manifest: { ...example, routing: { intent: "review_only" } },
      inputs: { "user_request.md": "Review the last commit.\n" },
    },
  ],
  effect: "write",
  target: "entity",
  kinds: ["task"],
  decide: (input, ctx) => definePacket(ctx.subject, input.manifest, ctx.packetConfig(), input.inputs),
  reply: (_input, ctx) => ({ result: packetReply(ctx) }),
});
