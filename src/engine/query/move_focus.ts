/** The focus tools: they move what one actor means on this machine, and nothing in a log. */
import type { FocusTool } from "../../tools/focus_tool.ts";
import { writeFocus } from "../entities/focus.ts";
import type { CheckedCall, CallResult } from "../entity/job.ts";
import type { ReadModel } from "../entities/read_model.ts";
import { callResult } from "../entity/reply.ts";
import type { TargetInput } from "../entities/target.ts";
import { targetRequired, wantedTarget } from "../entities/target.ts";
import { refuseAway } from "../entity/writable.ts";

export function moveFocus(
  { context, store, entities }: ReadModel,
  { tool, input, workspace, caller }: CheckedCall<FocusTool>,
): CallResult {
  const before = entities.focus(workspace, caller.by)?.target ?? null;
  const { idOf, find } = entities.around(workspace);
  const known = { workspace, by: caller.by, focus_previous: before, idOf, find };
  if (tool.target === "workspace") {
    if (before !== null) writeFocus(context, workspace, caller.by, null);
    return callResult(tool.reply(input as never, { ...known, focus: null }), []);
  }
  const wanted = wantedTarget(input as TargetInput);
  if (!wanted) throw targetRequired(workspace, store.ids());
  const { loaded, subject, warnings } = entities.find(workspace, wanted);
  refuseAway(subject.entity, loaded.id, workspace);
  writeFocus(context, workspace, caller.by, { id: loaded.id, root: subject.entity.root });
  return callResult(tool.reply(input as never, { ...known, subject, focus: loaded.id }), warnings);
}
