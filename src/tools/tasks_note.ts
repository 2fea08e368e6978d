import { noteStep } from "../rules/note_step.ts";
import { stepOrWhole } from "../rules/step_of.ts";
import { object, text } from "../state/schema.ts";
import { preconditions, stepReply, stepSelector, target, workspace } from "./common.ts";
import { changeTool } from "./change_tool.ts";
import * as out from "./output.ts";

export const tasksNote = changeTool({
  name: "tasks_note",
  title: "Write a note",
  doc: "Write down progress, a finding or a decision, on a step or (without one) on the plan or task.",
  input: object({
    workspace,
    ...target,
    ...stepSelector,
    note: text({ minLength: 1, description: "Kept whole in the log." }),
    ...preconditions,
  }),
  output: object(out.ofStep),
  examples: [
    { workspace: "acme/repo", task: "TASK-001", path: "s:0", note: "The grammar is ambiguous at else." },
    { workspace: "acme/repo", plan: "PLAN-001", note: "Decided to ship without the importer." },
  ],
  decide: (input, ctx) => ({ drafts: noteStep(ctx.subject, stepOrWhole(ctx.subject, input), input.note) }),
  reply: (_input, ctx) => ({ result: stepReply(ctx) }),
});
