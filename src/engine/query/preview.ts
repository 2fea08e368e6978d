/** A call that asks what it would change: the checks of a write on the present state, without lock, event or file. */
import type { CheckedCall, CallResult } from "../entity/job.ts";
import type { ReadModel } from "../entities/read_model.ts";
import { callResult } from "../entity/reply.ts";
import { DecideCall } from "../commit/decide_call.ts";
import { checkExpectations } from "../commit/decide.ts";
import { refuseAway, refuseUnwritable } from "../entity/writable.ts";
import type { ChangeTool } from "../../tools/change_tool.ts";
import { isoTime } from "../core/context.ts";

export function preview(from: ReadModel, call: CheckedCall<ChangeTool>): CallResult {
  return callResult(call.tool.preview!.answer(call.input as never, presentContext(from, call)), []);
}

/** The values of a decision, as they are without a lock. Refuses what the decision would refuse of any input. */
export function presentContext({ context, entities }: ReadModel, call: CheckedCall<ChangeTool>): DecideCall {
  const { workspace } = call;
  const loaded = entities.forWriting(workspace, entities.wanted(call));
  if (!loaded.catchUp()) entities.gone(loaded, workspace);
  refuseUnwritable(loaded);
  const subject = loaded.subject(workspace);
  refuseAway(subject.entity, loaded.id, workspace);
  checkExpectations(call, subject, { revision: subject.entity.revision, head: () => subject.head });
  return new DecideCall(context, entities.around(workspace), loaded, call, subject, isoTime(context.now()));
}
