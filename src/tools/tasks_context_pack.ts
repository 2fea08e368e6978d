import { object } from "../state/schema.ts";
import { fitBudget } from "../views/budget.ts";
import { CONTEXT_PACK_CUTS } from "../views/cuts_resume.ts";
import { resumeHead } from "../views/resume.ts";
import { maxChars, readOnly, target, workspace } from "./common.ts";
import { readTool } from "./read_tool.ts";
import { AskedLimits, deltaLimit, partsOf, timelineOf } from "./resume.ts";
import { rollUp } from "./plan_tasks.ts";
import * as out from "./output.ts";
import * as view from "./output_views.ts";

export const tasksContextPack = readTool({
  name: "tasks_context_pack",
  title: "Radar and the last events",
  doc: "Show the radar of a plan or task and its last events, with the cursor from which tasks_delta goes on.",
  input: object({ workspace, ...target, delta_limit: deltaLimit, max_chars: maxChars, read_only: readOnly }),
  output: out.cuttable({ ...view.resumeHead, delta: view.timeline }),
  examples: [
    { workspace: "acme/repo", task: "TASK-001", delta_limit: 10 },
    { workspace: "acme/repo", max_chars: 2000 },
  ],
  target: "entity",
  reply: (input, ctx) => {
    const limits = new AskedLimits(input);
    const rolled = rollUp(ctx);
    const whole = { ...resumeHead(partsOf(ctx, rolled)), delta: timelineOf(ctx, limits.of("delta_limit")) };
    const { result, warnings } = fitBudget(whole, input.max_chars, CONTEXT_PACK_CUTS);
    return { result, warnings: [...limits.warnings, ...warnings], suggestions: rolled.calls };
  },
});
