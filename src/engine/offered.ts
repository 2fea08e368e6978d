/** What a refusal offers is tried on the present state, and what would be refused in its turn is not offered (TOOL-61). */
import type { Suggestion } from "../errors.ts";
import { isTaskfoldError, TaskfoldError } from "../errors.ts";
import { refuseHeld, refuseLeased } from "../rules/lease.ts";
import type { Subject } from "../state/entity.ts";
import { TOOLS } from "../tools/index.ts";
import { DecideCall } from "./decide_call.ts";
import type { Readable, ReadCall } from "./read.ts";
import { isoTime } from "./world.ts";

/** The refusal with the calls that would pass; where none is left, with one that shows what stands in the way. */
export function withPassing(from: Readable, { workspace, caller }: ReadCall, e: unknown): unknown {
  if (!isTaskfoldError(e)) return e;
  const passing = e.suggestions.filter((one) => passes(from, workspace, caller, one));
  if (passing.length === e.suggestions.length) return e;
  const { code, message, recovery, details } = e;
  return new TaskfoldError(code, message, {
    ...(recovery === undefined ? {} : { recovery }),
    ...(details === undefined ? {} : { details }),
    suggestions: passing.length > 0 ? passing : [look(workspace, e.suggestions[0]!)],
    cause: e,
  });
}

function look(workspace: string, { args }: Suggestion): Suggestion {
  const reason = "See what stands in the way, and who has claimed what.";
  return { tool: "tasks_radar", args: { workspace, target: targetOf(args) }, reason };
}

function targetOf({ task, plan, target }: Record<string, unknown>): unknown {
  return task ?? plan ?? target;
}

/** Reads and what makes something pass; of a call that is made of others only the claims are looked at. */
function passes(
  from: Readable,
  workspace: string,
  caller: ReadCall["caller"],
  { tool: name, args }: Suggestion,
): boolean {
  const tool = TOOLS[name];
  const id = targetOf(args);
  if (!tool || typeof id !== "string" || (tool.effect !== "write" && tool.effect !== "txn")) return true;
  try {
    const handle = from.store.find(id);
    if (!handle?.catchUp() || !handle.entity) return false;
    const now = isoTime(from.world.now());
    const subject = handle.subject(workspace);
    const asking = { by: caller.by, now, fence: args["fence"] as number | undefined };
    if (!tool.decide || tool.effect === "txn") {
      refuseHeld(subject, stepOf(subject, args), asking);
      return true;
    }
    const input = filled(args);
    const context = new DecideCall(
      from.world,
      from.entities.around(workspace),
      handle,
      { tool, input, caller },
      subject,
      now,
    );
    if (tool.preview?.when(input as never)) return true;
    refuseLeased(subject, tool.decide(input as never, context).drafts, asking);
    return true;
  } catch (e) {
    if (!isTaskfoldError(e)) throw e;
    return false;
  }
}

function stepOf({ entity }: Subject, { step_id }: Record<string, unknown>) {
  return typeof step_id === "string" ? (entity.steps.get(step_id) ?? null) : null;
}

/** As a caller fills in what only the caller knows. */
function filled(args: Record<string, unknown>): Record<string, unknown> {
  return JSON.parse(JSON.stringify(args).replaceAll(/<fill:[^>]*>/g, "filled in")) as Record<string, unknown>;
}
