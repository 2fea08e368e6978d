/** A call that asks what it would change: the checks of a write on the present state, without lock, event or file. */
import type { CheckedCall, Outcome } from "../entity/job.ts";
import type { Readable } from "../entities/readable.ts";
import { outcomeOf } from "../entity/reply.ts";
import { DecideCall } from "../commit/decide_call.ts";
import { checkExpectations } from "../commit/stage.ts";
import { refuseAway, refuseUnwritable } from "../entity/writable.ts";
import { isoTime } from "../core/world.ts";

export function preview({ world, entities }: Readable, call: CheckedCall): Outcome {
  const { tool, input, workspace, caller } = call;
  const handle = entities.forWriting(workspace, entities.wanted(input, workspace, caller));
  if (!handle.catchUp()) entities.gone(handle, workspace);
  refuseUnwritable(handle);
  const subject = handle.subject(workspace);
  refuseAway(subject.entity, handle.id, workspace);
  checkExpectations(call, subject, { revision: subject.entity.revision, head: () => subject.head });
  const context = new DecideCall(world, entities.around(workspace), handle, call, subject, isoTime(world.now()));
  return outcomeOf(tool.preview!.answer(input as never, context), []);
}
