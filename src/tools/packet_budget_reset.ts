import { preconditions } from "./common.ts";
import { refuseWhileRunning } from "../rules/packet/packet_of.ts";
import { resetBudget } from "../rules/packet/stop_stage.ts";
import { BUDGETS } from "../state/packet.ts";
import { object, oneOf } from "../state/schema.ts";
import { changeTool } from "./change_tool.ts";
import { ofPacket, packetReply, packetTarget, reason } from "./packet_common.ts";

export const packetBudgetReset = changeTool({
  name: "packet_budget_reset",
  title: "Fill a budget up",
  doc: "Let paid calls, or retries of every failure, count from zero again.",
  input: object({ ...packetTarget, kind: oneOf(BUDGETS), reason, ...preconditions }),
  output: object(ofPacket),
  examples: [{ workspace: "acme/repo", task: "TASK-001", kind: "paid_call_budget", reason: "approved by the owner" }],
  kinds: ["task"],
  decide: (input, ctx) => {
    refuseWhileRunning(ctx.subject, ctx.dispatcher);
    return { drafts: resetBudget(ctx.subject, input.kind, input.reason) };
  },
  reply: (_input, ctx) => ({ result: packetReply(ctx) }),
});
