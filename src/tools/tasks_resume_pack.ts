import { object, optional } from "../state/schema.ts";
import { fitBudget } from "../views/budget.ts";
import { RESUME_PACK_CUTS } from "../views/cuts_resume.ts";
import { resumePack, signalsOf } from "../views/resume.ts";
import { maxChars, readOnly, target, workspace } from "./common.ts";
import { readTool } from "./read_tool.ts";
import { AskedLimits, eventsLimit, partsOf, signalLimits, timelineOf } from "./resume.ts";
import { rollUp } from "./plan_tasks.ts";
import * as out from "./output.ts";
import * as view from "./output_views.ts";

export const tasksResumePack = readTool({
  name: "tasks_resume_pack",
  title: "Resume: radar, events, signals",
  doc: "Take up a plan or task again: its radar, what happened last, what was decided and seen, what stands in the way.",
  input: object({
    workspace,
    ...target,
    events_limit: eventsLimit,
    ...signalLimits,
    max_chars: maxChars,
    read_only: readOnly,
  }),
  output: out.cuttable({
    ...view.resumeHead,
    task_nodes: optional(view.openNodes),
    timeline: view.timeline,
    signals: view.signals,
  }),
  examples: [
    { workspace: "acme/repo", task: "TASK-001", max_chars: 4000 },
    { workspace: "acme/repo", task: "TASK-001", read_only: false },
  ],
  target: "entity",
  restoresFocus: true,
  reply: (input, ctx) => {
    const limits = new AskedLimits(input);
    const rolled = rollUp(ctx);
    const timeline = timelineOf(ctx, limits.of("events_limit"));
    const parts = partsOf(ctx, rolled);
    const whole = resumePack(parts, timeline, signalsOf(ctx.subject, limits.signals(), parts.reader));
    const { result, warnings } = fitBudget(whole, input.max_chars, RESUME_PACK_CUTS);
    return { result, warnings: [...limits.warnings, ...warnings], suggestions: rolled.calls };
  },
});
