import { DEFAULT_TTL_S, LONGEST_TTL_S } from "../rules/lease.ts";
import { firstReady } from "../rules/first_ready.ts";
import { claimNext, isReady, whyNone } from "../rules/ready.ts";
import { stepCall } from "../rules/suggest.ts";
import { integer, object, optional } from "../state/schema.ts";
import { claimReply, expectations, stepOfCall, target, termOf, workspace } from "./common.ts";
import { defineTool } from "./define.ts";
import * as out from "./output.ts";

export const tasksClaimNext = defineTool({
  name: "tasks_claim_next",
  title: "Claim the next ready step",
  doc: "Find the first step that can be taken up (of a task, of a plan's tasks, or of all) and claim it, in one change.",
  input: object({
    workspace,
    ...target,
    ttl_s: optional(
      integer({ minimum: 1, maximum: LONGEST_TTL_S, default: DEFAULT_TTL_S, description: "Seconds until it expires." }),
    ),
    ...expectations,
  }),
  output: out.ofClaim,
  examples: [
    { workspace: "acme/repo", plan: "PLAN-001" },
    { workspace: "acme/repo", task: "TASK-001", ttl_s: 1800 },
  ],
  effect: "write",
  target: "entity",
  route: ({ scope, listing, find, now }) => {
    if (scope?.entity.kind === "task") return { ids: [scope.id], none: () => "none" };
    const within = listing.filter(({ entity }) => scope === undefined || entity.parent?.root === scope.entity.root);
    const ids = within.filter((s) => isReady(s, find) && firstReady(s.entity, now) !== undefined).map((s) => s.id);
    return { ids, none: () => (ids.length > 0 ? "none left" : whyNone(within, find, now)) };
  },
  decide: (input, ctx) => ({
    drafts: claimNext(ctx.subject, termOf(input.ttl_s, ctx), ctx.find, { by: ctx.by, now: ctx.now }),
  }),
  reply: (_input, ctx) => {
    const step = stepOfCall(ctx);
    return { result: claimReply(ctx), suggestions: step && !step.done ? [stepCall(ctx.subject, step)] : [] };
  },
});
