/** Calls that leave open which entity they are about: tried on one after the other, until one takes the event. */
import { isTaskfoldError } from "../../errors.ts";
import { nothingReady } from "../../rules/ready.ts";
import type { Entities } from "../entities/entities.ts";
import type { LoadedEntity } from "../entity/loaded_entity.ts";
import type { CheckedCall, Job, CallResult } from "../entity/job.ts";
import type { ReadModel } from "../entities/read_model.ts";
import type { TargetInput, Wanted } from "../entities/target.ts";
import { wantedTarget } from "../entities/target.ts";
import type { ChangeTool } from "../../tools/change_tool.ts";
import { isoTime } from "../core/context.ts";
import { remedy, TASKFOLD } from "../../remedy.ts";

/** Another caller was faster, another program made the folder, or nothing can be written there: the next one may do. */
const PASSED = /^(?:NOTHING_READY|ALL_DONE|LEASE_HELD|UNKNOWN_ID|NOT_CHECKED_OUT|ARCHIVED|LOG_.*|PATH_UNSAFE)$/;

export async function route(
  { context, store, entities }: ReadModel,
  call: CheckedCall<ChangeTool>,
  key: Job["key"],
  {
    write,
    replay,
  }: { write: (loaded: LoadedEntity) => Promise<CallResult>; replay: (deleted: LoadedEntity) => CallResult },
): Promise<CallResult> {
  const { tool, input, workspace, caller } = call;
  const { listing } = entities;
  // A repeated call goes where the first one went, whatever is ready by now, and also when that was deleted since.
  const before = key && listing.chosenWith(key.key, workspace);
  if (before && store.find(before.id) !== before) return replay(before);
  // Work is handed out in the whole workspace, unless the caller itself has turned to a part of it.
  const named = wantedTarget(input as TargetInput);
  const focus = named ? null : entities.ownFocus(workspace, caller.by);
  if (focus !== null) call.focus = { target: focus, from: "focus", by: caller.by };
  const wanted: Wanted | undefined = named ?? (focus === null ? undefined : { id: focus, from: "focus" });
  const scope = wanted && !before ? entities.find(workspace, wanted).subject : undefined;
  const find = (ref: Parameters<Entities["subjectOf"]>[0]) => entities.subjectOf(ref, workspace);
  const { ready, openCounts, warnings } = listing.open(workspace);
  const now = isoTime(context.now());
  const routed = tool.route!({
    scope,
    ready: (plan) => ready(now, plan),
    open: (plan) => openCounts(now, find, plan),
    find,
    now,
  });
  const ids = before ? [before.id] : routed.ids;
  const isOnly = before !== undefined || scope?.entity.kind === "task";
  for (const id of ids) {
    try {
      const outcome = await write(entities.forWriting(workspace, { id, from: "input" }));
      return { ...outcome, warnings: [...warnings, ...outcome.warnings] };
    } catch (e) {
      if (isOnly || !isTaskfoldError(e) || !PASSED.test(e.code)) throw e;
      if (!/^(?:LOG_(?!FOREIGN)|PATH_UNSAFE)/.test(e.code)) continue;
      const message = `${id} is passed over: ${e.message}`;
      const [code, verb] = e.code === "LOG_TWO_FOLDERS" ? [e.code, "resolve"] : ["LOG_DAMAGED" as const, "verify"];
      warnings.push({ code, message, ...remedy`${TASKFOLD} ${verb} ${id}` });
    }
  }
  const where = scope ? `${scope.entity.kind} ${scope.id}` : "the workspace";
  const hidden = warnings.filter(({ code }) => code === "NOT_CHECKED_OUT").map(({ message }) => ` ${message}`);
  throw nothingReady(where, routed.none(), now, {
    find,
    look: { tool: "tasks_context", args: { workspace }, reason: "See which tasks there are and what they wait for." },
    more: hidden.join(""),
    isWhole: warnings.length === 0,
  });
}
