/**
 * Each call that a refusal offers is tried on the present state. A call that would be refused in its turn, or that
 * claims forbid, is not offered (TOOL-9).
 */
import type { Suggestion } from "../../errors.ts";
import { isTaskfoldError, TaskfoldError } from "../../errors.ts";
import { remedyOf } from "../../remedy.ts";
import { refuseHeld, refuseLeased } from "../../rules/lease.ts";
import { isLive } from "../../state/live.ts";
import { archiveOf } from "../../tools/tool.ts";
import { TOOLS } from "../../tools/index.ts";
import { DecideCall } from "../commit/decide_call.ts";
import { mayBeHeld, stepOf, targetOf } from "./may_be_held.ts";
import type { CheckedCall } from "../entity/job.ts";
import type { ReadModel } from "../entities/read_model.ts";
import { isoTime } from "../core/context.ts";

/** The refusal with the calls that would pass; where none is left, with one that shows what stands in the way. */
export function withPassing(from: ReadModel, { workspace, caller }: CheckedCall, e: unknown): unknown {
  if (!isTaskfoldError(e)) return e;
  const passing = e.suggestions.filter((one) => passes(from, workspace, caller, one));
  if (passing.length === e.suggestions.length) return e;
  const { code, message, details } = e;
  return new TaskfoldError(code, message, {
    ...remedyOf(e),
    ...(details === undefined ? {} : { details }),
    suggestions: passing.length > 0 ? passing : [look(workspace, e.suggestions[0]!)],
    cause: e,
  });
}

/**
 * Returns the calls that an answer offers, without those that a claim keeps the caller from now; where none is left, a
 * look (TOOL-9, LEASE-36).
 */
export function withoutHeld(
  from: ReadModel,
  call: CheckedCall,
  offered: Suggestion[],
  isRepeated: boolean,
): Suggestion[] {
  // A repeated call offers what its first answer did, of a state that is past.
  const holds = (one: Suggestion): boolean =>
    isFree(from, call, one) && (!isRepeated || passes(from, call.workspace, call.caller, one));
  const free = offered.filter(holds);
  return free.length > 0 || offered.length === 0 ? free : [look(call.workspace, offered[0]!)];
}

function isFree(from: ReadModel, { workspace, caller }: CheckedCall, one: Suggestion): boolean {
  if (!mayBeHeld(from, workspace, one)) return true;
  const { args } = one;
  const tool = TOOLS[one.tool];
  const id = targetOf(args);
  if (!tool || typeof id !== "string" || (tool.effect !== "write" && tool.effect !== "txn")) return true;
  const loaded = from.store.find(id);
  const entity = loaded?.entity;
  if (!loaded || !entity) return true;
  if (tool.effect === "write" && tool.route) return false;
  const place = stepOf(entity, args);
  const asking = { by: caller.by, now: isoTime(from.context.now()), fence: args["fence"] as number | undefined };
  return isTaken(() => refuseHeld(loaded.subject(workspace), place, asking));
}

function isTaken(refuse: () => void): boolean {
  try {
    refuse();
    return true;
  } catch (e) {
    if (!isTaskfoldError(e)) throw e;
    return false;
  }
}

function look(workspace: string, { args }: Suggestion): Suggestion {
  const reason = "See what stands in the way, and who has claimed what.";
  return { tool: "tasks_radar", args: { workspace, target: targetOf(args) }, reason };
}

/** Reads and what makes something pass; of a call that is made of others only the claims are looked at. */
function passes(
  from: ReadModel,
  workspace: string,
  caller: CheckedCall["caller"],
  { tool: name, args }: Suggestion,
): boolean {
  const tool = TOOLS[name];
  const id = targetOf(args);
  if (!tool || typeof id !== "string" || (tool.effect !== "write" && tool.effect !== "txn")) return true;
  try {
    const loaded = archiveOf(tool) === "from" ? from.store.findArchived(id) : from.store.find(id);
    if (!loaded?.catchUp() || !loaded.entity) return false;
    const now = isoTime(from.context.now());
    const subject = loaded.subject(workspace);
    const asking = { by: caller.by, now, fence: args["fence"] as number | undefined };
    if (tool.effect === "txn") {
      const place = stepOf(subject.entity, args);
      if (place === null ? args["step_id"] !== undefined : !isLive(place)) return false;
      refuseHeld(subject, place, asking);
      return true;
    }
    const input = filled(args);
    const context = new DecideCall(
      from.context,
      from.entities.around(workspace),
      loaded,
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

/** As a caller fills in what only the caller knows. */
function filled(args: Record<string, unknown>): Record<string, unknown> {
  return JSON.parse(JSON.stringify(args).replaceAll(/<fill:[^>]*>/g, "filled in")) as Record<string, unknown>;
}
