/** The focus tools: they move what one actor means on this machine, and nothing in a log. */
import type { Subject } from "../../state/entity.ts";
import { writeFocus } from "../entities/focus.ts";
import type { CheckedCall, CallResult } from "../entity/job.ts";
import type { ReadModel } from "../entities/read_model.ts";
import { noPast } from "../entity/past.ts";
import { callResult } from "../entity/reply.ts";
import type { TargetInput } from "../entities/target.ts";
import { targetRequired, wantedTarget } from "../entities/target.ts";
import { refuseAway } from "../entity/writable.ts";

export function moveFocus(
  { context, store, entities }: ReadModel,
  { tool, input, workspace, caller }: CheckedCall,
): CallResult {
  const before = entities.focus(workspace, caller.by)?.target ?? null;
  const wanted = wantedTarget(input as TargetInput);
  const found = wanted && entities.find(workspace, wanted);
  if (found) refuseAway(found.subject.entity, found.loaded.id, workspace);
  const after = found?.loaded.id ?? null;
  if (tool.name === "tasks_focus_set" && !found) throw targetRequired(workspace, store.ids());
  const focus = found ? { id: found.loaded.id, root: found.subject.entity.root } : null;
  if (focus || before !== null) writeFocus(context, workspace, caller.by, focus);
  const subject = found?.subject as Subject;
  const { idOf, find } = entities.around(workspace);
  const replyContext = {
    workspace,
    subject,
    by: caller.by,
    events: [],
    focus: after,
    focus_previous: before,
    idOf,
    find,
    past: noPast,
  };
  return callResult(tool.reply(input as never, replyContext), found?.warnings ?? []);
}
