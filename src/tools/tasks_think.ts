import { nextCalls } from "../rules/suggest.ts";
import { thinkDrafts, thinkProperties } from "../rules/think.ts";
import { object, optional, text } from "../state/schema.ts";
import { thinkPipeline } from "../views/think_pipeline.ts";
import { preconditions, printed, target, taskBlock, workspace } from "./common.ts";
import { changeTool } from "./change_tool.ts";
import * as out from "./output.ts";

export const tasksThink = changeTool({
  name: "tasks_think",
  title: "Lay down reasoning",
  doc: "Write down the reasoning about a plan or task. It is frame, hypothesis, test, evidence and decision as cards that support each other, or a line of the trace.",
  input: object({
    workspace,
    ...target,
    ...thinkProperties,
    trace: optional(text({ description: "A step of thought that is no card." })),
    ...preconditions,
  }),
  output: object({ ...out.ofTask, think_pipeline: out.thought, ...out.happened }),
  examples: [
    {
      workspace: "acme/repo",
      task: "TASK-001",
      hypothesis: "The cache is stale after a rename.",
      test: { title: "Rename and read", text: "Rename a folder, read it by its new name within the same second." },
      status: { hypothesis: "likely" },
    },
    {
      workspace: "acme/repo",
      task: "TASK-001",
      decision: { title: "Key the cache by inode", text: "Names move, see evidence:cmd-0a1b2c3d-1.", supports: [] },
      note_decision: false,
      trace: "Looked at the other two callers as well.",
    },
  ],
  decide: ({ trace, ...input }, ctx) => ({
    drafts: thinkDrafts(input, { cards: ctx.subject.entity.cards, newCardId: ctx.newCardId, trace }),
  }),
  reply: (_input, ctx) => ({
    result: { ...taskBlock(ctx.subject), think_pipeline: thinkPipeline(ctx.events), ...printed(ctx) },
    suggestions: nextCalls(ctx.subject, ctx),
  }),
});
