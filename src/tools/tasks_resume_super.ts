import { boolean, object, optional } from "../state/schema.ts";
import { readTool } from "./read_tool.ts";
import { superInput, superResume } from "./resume.ts";
import * as view from "./output_views.ts";

export const tasksResumeSuper = readTool({
  name: "tasks_resume_super",
  title: "Resume with all that was thought",
  doc: "Take up a plan or task again with everything: radar, steps, capsule, signals, notes, trace, cards, last events, and what is missing of it.",
  input: object({
    ...superInput,
    graph_diff: optional(
      boolean({ default: false, description: "Also compare the cards with those in the base branch of git." }),
    ),
  }),
  output: view.resumeSuper,
  examples: [
    { workspace: "acme/repo", task: "TASK-001", max_chars: 6000 },
    { workspace: "acme/repo", task: "TASK-001", notes_limit: 50, graph_diff: true, read_only: false },
  ],
  target: "entity",
  reads: ["git_base"],
  restoresFocus: true,
  reply: (input, ctx) => superResume(ctx, input, input.graph_diff ?? false),
});
