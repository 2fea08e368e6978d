/** Calls that one call only makes, one after the other, each for itself: a refusal stops none of the others. */
import { TOOLS } from "../tools/index.ts";
import type { CallReply, ToolCall } from "../tools/define.ts";
import type { Caller, Outcome } from "./job.ts";
import { outcomeOf } from "./read.ts";
import type { Reply } from "./reply.ts";
import type { TxnCall } from "./txn_plan.ts";

type Door = (name: string, input: unknown, caller: Caller) => Promise<Reply>;

export async function callEach(
  door: Door,
  { tool, input, workspace, caller }: TxnCall,
  calls: readonly ToolCall[],
): Promise<Outcome> {
  const replies: CallReply[] = [];
  for (const [index, { tool: name, args }] of calls.entries()) {
    const reply = await door(name, { workspace, ...keyed(input, name, index), ...args }, caller);
    replies.push(reply as unknown as CallReply);
  }
  return outcomeOf(tool.each!.reply(input as never, replies), []);
}

/** The key of all, with the place: so that the whole may be called again. A key of its own goes before. */
function keyed({ idempotency_key: key }: Record<string, unknown>, name: string, index: number) {
  const effect = Object.hasOwn(TOOLS, name) ? TOOLS[name]!.effect : undefined;
  const changes = effect === "write" || effect === "create" || effect === "txn";
  return typeof key === "string" && changes ? { idempotency_key: `${key}#${index}` } : {};
}
