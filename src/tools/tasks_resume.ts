import { nextCalls } from "../rules/suggest.ts";
import { object } from "../state/schema.ts";
import { fitBudget } from "../views/budget.ts";
import { RESUME_CUTS } from "../views/cuts_resume.ts";
import { resumeOf } from "../views/resume.ts";
import { maxChars, readOnly, target, workspace } from "./common.ts";
import { defineTool } from "./define.ts";
import { AskedLimits, eventsLimit, partsOf, timelineOf } from "./resume.ts";

export const tasksResume = defineTool({
  name: "tasks_resume",
  title: "Load a plan or task",
  doc: "Load a plan or task whole: its fields, its steps one by one, its radar, and what happened last.",
  input: object({ workspace, ...target, events_limit: eventsLimit, max_chars: maxChars, read_only: readOnly }),
  examples: [
    { workspace: "acme/repo", task: "TASK-001" },
    { workspace: "acme/repo", task: "TASK-001", events_limit: 0, read_only: false },
  ],
  effect: "read",
  target: "entity",
  restoresFocus: true,
  reply: (input, ctx) => {
    const limits = new AskedLimits(input);
    const most = limits.of("events_limit");
    const whole = resumeOf(partsOf(ctx), most === 0 ? undefined : timelineOf(ctx, most));
    const { result, warnings } = fitBudget(whole, input.max_chars, RESUME_CUTS);
    return { result, warnings: [...limits.warnings, ...warnings], suggestions: nextCalls(ctx.subject) };
  },
});
