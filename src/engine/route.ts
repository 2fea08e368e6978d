/** Calls that leave open which entity they are about: tried on one after the other, until one takes the event. */
import { isTaskfoldError, TaskfoldError } from "../errors.ts";
import type { Entities } from "./entities.ts";
import { readFocus } from "./focus.ts";
import type { Handle } from "./handle.ts";
import type { Job, Outcome } from "./job.ts";
import type { Readable, ReadCall } from "./read.ts";
import type { TargetInput, Wanted } from "./target.ts";
import { wantedTarget } from "./target.ts";
import { isoTime } from "./world.ts";

export async function route(
  { world, store, entities }: Readable,
  { tool, input, workspace, caller }: ReadCall,
  key: Job["key"],
  { write, replay }: { write: (handle: Handle) => Promise<Outcome>; replay: (deleted: Handle) => Outcome },
): Promise<Outcome> {
  const { subjects, warnings } = entities.listing(workspace);
  // A repeated call goes where the first one went, whatever is ready by now, and also when that was deleted since.
  const before = key && subjects.find(({ id }) => store.find(id)?.keys.has(key.key));
  const deleted = key && !before ? entities.archivedWith(key.key) : undefined;
  if (deleted) return replay(deleted);
  const focus = readFocus(world, workspace, caller.by);
  const wanted: Wanted | undefined =
    wantedTarget(input as TargetInput) ?? (focus === null ? undefined : { id: focus, from: "focus" });
  const scope = wanted && !before ? entities.find(workspace, wanted).subject : undefined;
  const find = (ref: Parameters<Entities["subjectOf"]>[0]) => entities.subjectOf(ref, workspace);
  const routed = tool.route!({ scope, listing: subjects, find, now: isoTime(world.now()) });
  const ids = before ? [before.id] : routed.ids;
  for (const id of ids) {
    try {
      const outcome = await write(entities.forWriting(workspace, { id, from: "input" }));
      return { ...outcome, warnings: [...warnings, ...outcome.warnings] };
    } catch (e) {
      // Somebody was faster, or another program made the folder.
      const passed = isTaskfoldError(e) && (e.code === "NOTHING_READY" || e.code === "LOG_FOREIGN");
      if (!passed || ids.length === 1) throw e;
    }
  }
  const where = scope ? `${scope.entity.kind} ${scope.id}` : "the workspace";
  const { found, details } = routed.none();
  throw new TaskfoldError("NOTHING_READY", `Expected a step of ${where} that can be taken up, found ${found}.`, {
    details,
    recovery: "See what is blocked, claimed, or waits for other tasks, or add steps.",
    suggestions: [
      { tool: "tasks_context", args: { workspace }, reason: "See which tasks there are and what they wait for." },
    ],
  });
}
