import { preconditions } from "./common.ts";
import { oneLine } from "../rules/phrase.ts";
import { withReopenings } from "../rules/packet/reopened_steps.ts";
import { configForDefine } from "../rules/packet/config_for.ts";
import { refuseWhileRunning } from "../rules/packet/packet_of.ts";
import { definePacket, maskDefinition } from "../rules/packet/define_packet.ts";
import { maskedGoal } from "../rules/packet/manifest.ts";
import { boolean, jsonObject, object, optional, record, text } from "../state/schema.ts";
import { changeTool } from "./change_tool.ts";
import { ofPacket, packetReply, packetTarget } from "./packet_common.ts";

const example = {
  goal: "Read the config file once",
  routing: { intent: "safe_impl" },
  scope: { allow: ["src/"], deny: [] },
  acceptance: { commands: ["npm test"], criteria: ["the file is opened once"] },
  budgets: { retry_budget: 2, paid_call_budget: 8, max_wallclock_sec: 600 },
  context: { digest_policy: "auto" },
};

export const packetDefine = changeTool({
  name: "packet_define",
  title: "Give a task its packet",
  doc: "Set the whole manifest of a task's packet, and its inputs; task_id is the task's id and may be left out.",
  input: object({
    ...packetTarget,
    manifest: jsonObject({ description: "Fields as in schemas/packet/manifest.json." }),
    inputs: optional(record(text())),
    create: optional(boolean({ description: "Make the task, too." })),
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
  kinds: ["task"],
  several: {
    parts: (input, ctx) => {
      if (input.create !== true) return null;
      const { manifest, inputs, expected_revision, expected_head } = input;
      const { task_id } = manifest as { task_id?: unknown };
      const task = ctx.newId("task", input.task ?? (typeof task_id === "string" ? task_id : undefined));
      const goal = maskedGoal(manifest);
      const title = goal === null ? task : oneLine(goal, TITLE);
      return [
        { tool: "tasks_create", args: { id: task, kind: "task", title, expected_revision, expected_head } },
        { tool: "packet_define", args: { task, manifest, inputs } },
      ];
    },
    partsAgain: ({ create }) =>
      create === true
        ? [
            { tool: "tasks_create", args: {} },
            { tool: "packet_define", args: {} },
          ]
        : [],
    reply: (_input, { parts }) => {
      const { result, warnings = [], suggestions = [] } = parts.at(-1)!;
      return { result, warnings, suggestions };
    },
  },
  masks: ({ manifest, inputs }) => maskDefinition(manifest, inputs),
  decide: (input, ctx) => {
    refuseWhileRunning(ctx.subject, ctx.dispatcher);
    const config = configForDefine(ctx.subject.id, ctx.subject.entity.packet, ctx.packetConfigs);
    const { drafts, warnings } = definePacket(ctx.subject, input.manifest, config, input.inputs);
    return { drafts: withReopenings(ctx.subject, drafts, ctx), warnings };
  },
  reply: (_input, ctx) => ({ result: packetReply(ctx) }),
});

const TITLE = 200;
