/** The refusal of an id that its caller did not give: the focus is still on what was deleted, by whoever. */
import { isTaskfoldError, TaskfoldError } from "../errors.ts";
import { readFocus } from "./focus.ts";
import type { CheckedCall } from "./job.ts";
import type { TargetInput } from "./target.ts";
import { wantedTarget } from "./target.ts";
import type { World } from "./world.ts";

/** Says so, and offers to clear it (TOOL-30); any other error comes back as it is. */
export function aboutFocus(world: World, { tool, input, workspace, caller }: CheckedCall, e: unknown): unknown {
  if (!isTaskfoldError(e) || e.code !== "UNKNOWN_ID" || e.details?.["id"] === undefined) return e;
  if (tool.target !== "entity" || wantedTarget(input as TargetInput)) return e;
  if (focusOf(world, workspace, caller.by) !== e.details["id"]) return e;
  return new TaskfoldError(e.code, `${e.message} The call names none, and the focus is on that one.`, {
    recovery: "Name a plan or task, or clear the focus.",
    suggestions: [{ tool: "tasks_focus_clear", args: { workspace }, reason: "forget the focus" }, ...e.suggestions],
    details: { ...e.details, target_from: "focus" },
    cause: e,
  });
}

/** A disk that fails by now takes nothing from the refusal, which is an answer. */
function focusOf(world: World, workspace: string, by: string): string | null {
  try {
    return readFocus(world, workspace, by);
  } catch (e) {
    if (!isTaskfoldError(e)) throw e;
    return null;
  }
}
