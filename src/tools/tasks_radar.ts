import { object, optional, orNull, text } from "../state/schema.ts";
import { fitBudget } from "../views/budget.ts";
import { RADAR_CUTS } from "../views/cuts.ts";
import { radarOf } from "../views/radar.ts";
import { stepsSummary } from "../views/steps_summary.ts";
import { targetOf } from "../views/target.ts";
import { at, fromFocus, maxChars, readOnly, target, workspace } from "./common.ts";
import { readTool } from "./read_tool.ts";
import { NOT_NOW, rollUp } from "./plan_tasks.ts";
import * as out from "./output.ts";
import * as view from "./output_views.ts";
import { readerOf } from "./reader.ts";

export const tasksRadar = readTool({
  name: "tasks_radar",
  title: "Now, why, verify, next, blockers",
  doc: "Show on one screen where a plan or task stands: now, why, what to verify, what is next, what stands in the way.",
  input: object({ workspace, ...target, at, max_chars: maxChars, read_only: readOnly }),
  output: out.cuttable({
    workspace: text(),
    target: view.target,
    at: view.moment,
    focus: orNull(text()),
    radar: view.radar,
    steps: optional(view.steps),
    tasks: optional(view.planTasks),
  }),
  examples: [
    { workspace: "acme/repo", task: "TASK-001" },
    { workspace: "acme/repo", max_chars: 1500 },
  ],
  target: "entity",
  reads: ["git_tree"],
  reply: (input, ctx) => {
    const { subject } = ctx;
    const steps = stepsSummary(subject.entity);
    const { tasks, block, calls } = input.at === undefined ? rollUp(ctx) : NOT_NOW;
    const whole = {
      workspace: ctx.workspace,
      target: targetOf(subject, ctx.idOf),
      ...(input.at === undefined ? {} : { at: input.at }),
      ...fromFocus(ctx),
      focus: ctx.focus,
      radar: radarOf(subject, readerOf(ctx, { tasks, at: input.at })),
      ...(steps === null ? {} : { steps }),
      ...(block ? { tasks: block } : {}),
    };
    return { ...fitBudget(whole, input.max_chars, RADAR_CUTS), suggestions: calls };
  },
});
