import { boolean, list, object, optional, orNull, text } from "../state/schema.ts";
import { fitBudget } from "../views/budget.ts";
import { RESUME_CUTS } from "../views/cuts_resume.ts";
import { resumeOf } from "../views/resume.ts";
import { maxChars, readOnly, target, workspace } from "./common.ts";
import { readTool } from "./read_tool.ts";
import { AskedLimits, eventsLimit, partsOf, timelineOf } from "./resume.ts";
import { rollUp } from "./plan_tasks.ts";
import * as out from "./output.ts";
import * as view from "./output_views.ts";

export const tasksResume = readTool({
  name: "tasks_resume",
  title: "Load a plan or task",
  doc: "Load a plan or task whole: its fields, its steps one by one, its radar, and what happened last.",
  input: object({ workspace, ...target, events_limit: eventsLimit, max_chars: maxChars, read_only: readOnly }),
  output: out.cuttable({
    ...view.resumeHead,
    detail: object({
      description: optional(text()),
      context: optional(orNull(text())),
      contract: optional(orNull(text())),
      contract_data: optional(view.value),
      priority: text(),
      tags: list(text()),
      depends_on: list(text()),
      complete_when_done: optional(boolean()),
    }),
    step_list: view.stepList,
    timeline: optional(view.timeline),
  }),
  examples: [
    { workspace: "acme/repo", task: "TASK-001" },
    { workspace: "acme/repo", task: "TASK-001", events_limit: 0, read_only: false },
  ],
  target: "entity",
  restoresFocus: true,
  reply: (input, ctx) => {
    const limits = new AskedLimits(input);
    const rolled = rollUp(ctx);
    const most = limits.of("events_limit");
    const whole = resumeOf(partsOf(ctx, rolled), most === 0 ? undefined : timelineOf(ctx, most));
    const { result, warnings } = fitBudget(whole, input.max_chars, RESUME_CUTS);
    return { result, warnings: [...limits.warnings, ...warnings], suggestions: rolled.calls };
  },
});
