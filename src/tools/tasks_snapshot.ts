import { object } from "../state/schema.ts";
import { readTool } from "./read_tool.ts";
import { superInput, superResume } from "./resume.ts";
import * as view from "./output_views.ts";

export const tasksSnapshot = readTool({
  name: "tasks_snapshot",
  title: "One screen to take over from",
  doc: "Show a plan or task as the next actor needs it: the capsule and everything of tasks_resume_super. Also shows how the cards differ from the base branch of git.",
  input: object(superInput),
  output: view.resumeSuper,
  examples: [
    { workspace: "acme/repo", task: "TASK-001", max_chars: 6000 },
    { workspace: "acme/repo", task: "TASK-001", read_only: false },
  ],
  target: "entity",
  reads: ["git_base"],
  restoresFocus: true,
  reply: (input, ctx) => superResume(ctx, input, true),
});
