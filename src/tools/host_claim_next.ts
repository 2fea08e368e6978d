/**
 * `tasks_claim_next` as the worker of this package calls it: it passes over steps that the worker lost. It stands in no registry, so no
 * call from outside reaches it (LEASE-56).
 */
import { claimNext } from "../rules/ready.ts";
import { termOf } from "./common.ts";
import type { DecideContext, Tool } from "./define.ts";
import { tasksClaimNext } from "./tasks_claim_next.ts";

/** `lost`: ids of steps. */
export function hostClaimNext(lost: ReadonlySet<string>): Tool {
  return {
    ...tasksClaimNext,
    decide: ({ ttl_s }: { ttl_s?: number }, ctx: DecideContext) => ({
      drafts: claimNext(ctx.subject, { ...termOf(ttl_s, ctx), whole: false }, ctx.find, ctx, lost),
    }),
  };
}
