import { firstCodePoints } from "../rules/phrase.ts";
import { redactorOf } from "../rules/packet/redact.ts";
import { reviewInputs, reviewManifest } from "../rules/packet/review_manifest.ts";
import { list, object, optional, text } from "../state/schema.ts";
import { expectations, workspace } from "./common.ts";
import { batchTool } from "./batch_tool.ts";
import { ofPacket } from "./packet_common.ts";

export const packetReview = batchTool({
  name: "packet_review",
  title: "Make the packet of a review",
  doc: "Make a task with a post_impl_review packet from a context pack and an implementation report.",
  input: object({
    workspace,
    id: optional(
      text({ minLength: 1, maxLength: 64, description: "Id of the task; left out, the next number is taken." }),
    ),
    goal: optional(text({ minLength: 1, maxLength: 1000 })),
    context_pack: text({ minLength: 1 }),
    impl_report: text({ minLength: 1 }),
    allow: optional(list(text(), { maxItems: 1000, description: "Paths of which the review may propose changes." })),
    ...expectations,
  }),
  output: object(ofPacket),
  examples: [
    {
      workspace: "acme/repo",
      context_pack: "## 0. Goal\n\nRead the file once.\n",
      impl_report: "Read in one place now.\n",
      allow: ["src/", "test/"],
    },
  ],
  target: "workspace",
  parts: (input, ctx) => {
    const task = ctx.newId("task", input.id);
    const manifest = reviewManifest(input);
    const { expected_revision, expected_head } = input;
    const title = firstCodePoints(redactorOf(undefined).redact(manifest["goal"] as string).text, TITLE);
    return [
      { tool: "tasks_create", args: { id: task, kind: "task", title, expected_revision, expected_head } },
      { tool: "packet_define", args: { task, manifest, inputs: reviewInputs(input) } },
    ];
  },
  reply: (_input, ctx) => {
    const { result, warnings = [], suggestions = [] } = ctx.parts.at(-1)!;
    return { result, warnings, suggestions };
  },
});

const TITLE = 200;
