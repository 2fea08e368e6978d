import { LIMITS } from "../state/limits.ts";
import { integer, object, optional } from "../state/schema.ts";
import { fitBudget } from "../views/budget.ts";
import { HANDOFF_CUTS } from "../views/cuts.ts";
import { brokenEvidence } from "../views/evidence_check.ts";
import { handoffOf } from "../views/handoff.ts";
import { radarOf } from "../views/radar.ts";
import { stepsSummary } from "../views/steps_summary.ts";
import { limitClamped } from "../views/page.ts";
import { targetOf } from "../views/target.ts";
import { at, fromFocus, maxChars, readOnly, target, workspace } from "./common.ts";
import { readTool } from "./read_tool.ts";
import { NOT_NOW, rollUp } from "./plan_tasks.ts";
import * as view from "./output_views.ts";
import { readerOf, timeOf } from "./reader.ts";

const DEFAULT_LIMIT = 50;

export const tasksHandoff = readTool({
  name: "tasks_handoff",
  title: "Shift report",
  doc: "Report what is done, what remains and what may go wrong, with the radar, for the next actor.",
  input: object({
    workspace,
    ...target,
    limit: optional(
      integer({
        minimum: 1,
        description: `Lines in each list, ${DEFAULT_LIMIT} by default, at most ${LIMITS.listPage}.`,
      }),
    ),
    at,
    max_chars: maxChars,
    read_only: readOnly,
  }),
  output: view.handoff,
  examples: [
    { workspace: "acme/repo", task: "TASK-001" },
    { workspace: "acme/repo", limit: 10, max_chars: 2000 },
  ],
  target: "entity",
  reads: ["git_commits"],
  reply: (input, ctx) => {
    const { subject } = ctx;
    const asked = input.limit ?? DEFAULT_LIMIT;
    const limit = Math.min(asked, LIMITS.listPage);
    const steps = stepsSummary(subject.entity);
    const { tasks, block, calls } = input.at === undefined ? rollUp(ctx) : NOT_NOW;
    const broken = ctx.beside ? brokenEvidence(subject.entity, ctx.beside.look) : [];
    const whole = {
      workspace: ctx.workspace,
      target: targetOf(subject, ctx.idOf),
      ...(input.at === undefined ? {} : { at: input.at }),
      ...fromFocus(ctx),
      handoff: handoffOf(subject, limit, { broken, tasks, now: timeOf(ctx, input.at), timeText: ctx.timeText }),
      radar: radarOf(subject, readerOf(ctx, { tasks, at: input.at })),
      ...(steps === null ? {} : { steps }),
      ...(block ? { tasks: block } : {}),
    };
    const { result, warnings } = fitBudget(whole, input.max_chars, HANDOFF_CUTS);
    const clamped = asked > limit ? [limitClamped("limit", { asked, limit })] : [];
    return { result, warnings: [...clamped, ...warnings], suggestions: calls };
  },
});
