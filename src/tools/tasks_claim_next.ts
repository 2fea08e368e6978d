import { DEFAULT_TTL_S, LONGEST_TTL_S } from "../rules/lease.ts";
import { claimNext, stepCounts, whyNone } from "../rules/ready.ts";
import { claimedCalls } from "../rules/suggest.ts";
import { AFTER_ALL_TIMES, firstReady } from "../state/first_ready.ts";
import { boolean, integer, object, optional } from "../state/schema.ts";
import { expectations, fromFocus, maxChars, stepOfCall, stepReply, target, termOf, workspace } from "./common.ts";
import { fitBudget } from "../views/budget.ts";
import { CLAIM_CUTS } from "../views/cuts.ts";
import { workOf } from "../views/work.ts";
import { changeTool } from "./change_tool.ts";
import * as out from "./output.ts";
import * as view from "./output_views.ts";
import { worded } from "../message.ts";

export const tasksClaimNext = changeTool({
  name: "tasks_claim_next",
  title: "Claim the next ready step",
  doc: "Find the first step that can be taken up (of a task, of a plan's tasks, or of all), and claim it. Answers with all that its work needs.",
  input: object({
    workspace,
    ...target,
    ttl_s: optional(
      integer({ minimum: 1, maximum: LONGEST_TTL_S, default: DEFAULT_TTL_S, description: "Seconds until it expires." }),
    ),
    whole: optional(boolean({ description: "Claim all of its task." })),
    max_chars: maxChars,
    ...expectations,
  }),
  output: out.cuttable({ ...out.claimed, work: view.work }),
  examples: [
    { workspace: "acme/repo", plan: "PLAN-001" },
    { workspace: "acme/repo", task: "TASK-001", ttl_s: 1800, max_chars: 2000 },
    { workspace: "acme/repo", whole: true },
  ],
  route: ({ scope, ready, open, find, now }) => {
    if (scope?.entity.kind === "task")
      return {
        ids: [scope.id],
        none: () => ({ found: worded`none`, first: [scope], details: stepCounts(scope, find, now) }),
      };
    const plan = scope?.entity.root;
    let tried = 0;
    const ids = function* (): Generator<string> {
      for (const id of ready(plan)) {
        tried++;
        yield id;
      }
    };
    const none = () => {
      const { count, first, details } = open(plan);
      return { found: tried > 0 ? worded`none left` : whyNone(first, count, find, now), first, details };
    };
    return { ids: ids(), none };
  },
  decide: (input, ctx) => ({
    drafts: claimNext(
      ctx.subject,
      { ...termOf(input.ttl_s, ctx), whole: input.whole === true },
      ctx.find,
      ctx,
      ctx.passedOver,
    ),
  }),
  reply: (input, ctx) => {
    const { entity } = ctx.subject;
    // Of a whole task the first step to work on, whatever is claimed there.
    const step = input.whole === true ? (firstReady(entity, AFTER_ALL_TIMES) ?? null) : stepOfCall(ctx);
    const lease = input.whole === true ? entity.lease : (step?.lease ?? null);
    const claimed = stepReply(ctx, { lease }, step);
    const whole = { ...claimed, ...fromFocus(ctx), ...(step ? { work: workOf(ctx.subject, step) } : {}) };
    const { result, warnings } = fitBudget(whole, input.max_chars, CLAIM_CUTS);
    return { result, warnings, suggestions: step && !step.done ? claimedCalls(ctx.subject, step) : [] };
  },
});
