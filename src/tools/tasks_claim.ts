import { claim, DEFAULT_TTL_S, LONGEST_TTL_S } from "../rules/lease.ts";
import { stepOrWhole } from "../rules/step_of.ts";
import { integer, object, optional } from "../state/schema.ts";
import { claimReply, preconditions, stepSelector, target, termOf, workspace } from "./common.ts";
import { changeTool } from "./change_tool.ts";
import * as out from "./output.ts";

export const tasksClaim = changeTool({
  name: "tasks_claim",
  title: "Claim a step or task",
  doc: "Take a step, or (without one) a whole task, to work on: until the claim expires, others cannot change it. A claim on a plan does not cover its tasks.",
  input: object({
    workspace,
    ...target,
    ...stepSelector,
    ttl_s: optional(
      integer({
        minimum: 1,
        maximum: LONGEST_TTL_S,
        default: DEFAULT_TTL_S,
        description: "Seconds until it expires; call again with fence before then to keep it.",
      }),
    ),
    ...preconditions,
  }),
  output: out.ofClaim,
  examples: [
    { workspace: "acme/repo", task: "TASK-001", path: "s:0" },
    { workspace: "acme/repo", task: "TASK-001", step_id: "STEP-0A1B2C3D", ttl_s: 3600, fence: 7 },
  ],
  decide: (input, ctx) => ({
    drafts: claim(ctx.subject, stepOrWhole(ctx.subject, input), termOf(input.ttl_s, ctx), {
      by: ctx.by,
      now: ctx.now,
      fence: input.fence,
    }),
  }),
  reply: (_input, ctx) => ({ result: claimReply(ctx) }),
});
