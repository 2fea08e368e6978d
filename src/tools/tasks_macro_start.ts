import { boolean, object, optional, orNull, text } from "../state/schema.ts";
import type { BootstrapInput } from "./bootstrap.ts";
import { bootstrapFields, bootstrapParts, bootstrapResult } from "./bootstrap.ts";
import { expectations, maxChars, workspace } from "./common.ts";
import { batchTool } from "./batch_tool.ts";
import { fitMacro, RESUME } from "./macro_room.ts";
import * as out from "./output.ts";
import { tasksResumeSuper } from "./tasks_resume_super.ts";
import * as view from "./output_views.ts";

const DEFAULT_TEMPLATE = "basic-task";

export const tasksMacroStart = batchTool({
  name: "tasks_macro_start",
  title: "Start a task",
  doc: "Start work: make a task with steps (or from a template), focus it, and answer with everything to begin from. Without a plan it goes to the focused one, else to Inbox.",
  input: object({
    workspace,
    ...bootstrapFields,
    resume_max_chars: maxChars,
    ...expectations,
  }),
  output: object({
    task_id: text(),
    task_qualified_id: text(),
    plan_id: text(),
    plan_qualified_id: text(),
    plan_created: boolean(),
    steps: out.stepNames,
    think_pipeline: optional(out.thought),
    focus_restored: boolean(),
    focus_previous: orNull(text()),
    resume: orNull(view.resumeSuper),
  }),
  examples: [
    { workspace: "acme/repo", task_title: "Fix the crash on rename", description: "Seen on Linux only." },
    {
      workspace: "acme/repo",
      plan_title: "Version 2",
      task_title: "Write the parser",
      template: "principal-task",
      resume_max_chars: 6000,
    },
  ],
  target: "workspace",
  parts: (input, ctx) => bootstrapParts(filled(input), ctx, { inbox: true }),
  reply: (input, ctx) => {
    const { plan, task, more } = bootstrapResult(ctx);
    const { id } = task as { id: string };
    const { steps, think_pipeline } = more;
    return fitMacro(
      (max_chars) => {
        const resume = ctx.view(tasksResumeSuper, { task: id, max_chars, read_only: false });
        return {
          result: {
            task_id: id,
            task_qualified_id: task["qualified_id"] ?? null,
            plan_id: plan["id"] ?? null,
            plan_qualified_id: plan["qualified_id"] ?? null,
            plan_created: plan["created"] ?? false,
            steps: steps ?? [],
            ...(think_pipeline === undefined ? {} : { think_pipeline }),
            focus_restored: ctx.focus !== id,
            focus_previous: ctx.focus,
            resume: resume.result,
          },
          warnings: resume.warnings ?? [],
          suggestions: resume.suggestions ?? [],
        };
      },
      input.resume_max_chars,
      // The cards that were just written are named as long as anything is.
      {
        noticed: ctx.noticed,
        view: RESUME,
        spare: [(result) => (result["steps"] = []), (result) => delete result["think_pipeline"]],
      },
    );
  },
});

/** The default template, where the input says nothing of steps. */
function filled(input: BootstrapInput): BootstrapInput {
  const template = input.template ?? (input.steps === undefined ? DEFAULT_TEMPLATE : undefined);
  return { ...input, ...(template === undefined ? {} : { template }) };
}
