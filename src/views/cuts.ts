/**
 * The cuts that may be made in a result, as data. An order of cuts is a list of these; `fitBudget` takes from each, in
 * turn, as little as makes the result fit. A path is names of objects joined by dots; a path that is not there is
 * passed over.
 */
import type { JsonObject } from "../state/schema.ts";

export type Cut =
  /**
   * Items of a list, from one end, while more than `keep` are there. `page` names the pagination that counts them. If
   * its cursors are no numbers, `key` is the member of an item that a cursor is made of. The item is the last one left.
   * `earlier` names the number that counts what comes before the list.
   */
  | { cut: "items"; at: string; from: "front" | "back"; keep: number; page?: string; key?: string; earlier?: string }
  /** Code points of a text beyond the first `keep`. */
  | { cut: "text"; at: string; keep: number }
  /** The same on every text of a list, or on one member of each of its objects, all to one length. */
  | { cut: "lines"; at: string; keep: number; key?: string }
  /** Members of an object beside those named; of a list's objects, from the last one on. */
  | { cut: "members"; at: string; keep: readonly string[] }
  /** All items of every list in an object, which stay there empty. */
  | { cut: "lists"; at: string }
  /** One member of each of a list's objects, from that end on. */
  | { cut: "member"; at: string; key: string; from: "front" | "back" }
  /** The whole member. */
  | { cut: "field"; at: string };

export type CutOrder = readonly Cut[];

/** The object that holds the last name of a path, and that name. */
export interface Spot {
  parent: JsonObject;
  key: string;
}

export function spotOf(result: JsonObject, path: string): Spot | null {
  const names = path.split(".");
  const key = names.pop()!;
  let parent: JsonObject = result;
  for (const name of names) {
    const next = parent[name];
    if (typeof next !== "object" || next === null || Array.isArray(next)) return null;
    parent = next;
  }
  return Object.hasOwn(parent, key) ? { parent, key } : null;
}

/** Before whole members go: the event that a cursor passes is named on its page, whatever room there is (DELTA-2). */
export const NAMING_CUTS: CutOrder = [{ cut: "members", at: "events", keep: ["event_id", "type"] }];

/** The radar core, which goes last: why first, and now never wholly. */
export const CORE_CUTS: CutOrder = [
  { cut: "text", at: "radar.why", keep: 0 },
  { cut: "lines", at: "radar.blockers", keep: 80 },
  { cut: "lines", at: "radar.verify", keep: 80 },
  { cut: "items", at: "radar.blockers", from: "back", keep: 1 },
  { cut: "items", at: "radar.verify", from: "back", keep: 1 },
  { cut: "lines", at: "radar.next", keep: 80 },
  { cut: "items", at: "radar.next", from: "back", keep: 1 },
  { cut: "text", at: "radar.now", keep: 80 },
  // Four lines of 40 fit the least budget there is, unless they are full of characters that JSON escapes.
  { cut: "lines", at: "radar.blockers", keep: 40 },
  { cut: "lines", at: "radar.verify", keep: 40 },
  { cut: "lines", at: "radar.next", keep: 40 },
  { cut: "text", at: "radar.now", keep: 40 },
  { cut: "items", at: "radar.blockers", from: "back", keep: 0 },
  { cut: "items", at: "radar.verify", from: "back", keep: 0 },
  { cut: "items", at: "radar.next", from: "back", keep: 0 },
  { cut: "text", at: "radar.now", keep: 1 },
];

/** The lists of `tasks` in the answer about a plan, in the order in which they go (VIEW-86). */
const TASK_LISTS = ["claimed", "ready_to_complete", "at_risk", "blocked", "in_conflict", "ready"];

/** Titles first, then the ends of the lists, then the lists; the counts and the next call stay until `TASKS_LAST`. */
export const TASKS_CUTS: CutOrder = [
  ...TASK_LISTS.map((list) => ({ cut: "lines", at: `tasks.${list}`, key: "title", keep: 60 }) as const),
  ...TASK_LISTS.map((list) => ({ cut: "items", at: `tasks.${list}`, from: "back", keep: 3 }) as const),
  ...TASK_LISTS.map(
    (list) => ({ cut: "members", at: `tasks.${list}`, keep: ["id", "path", "by", "expires_at"] }) as const,
  ),
  ...TASK_LISTS.map((list) => ({ cut: "field", at: `tasks.${list}` }) as const),
];

export const TASKS_LAST: CutOrder = [
  { cut: "field", at: "tasks.counts" },
  { cut: "field", at: "tasks" },
];

/** `tasks_radar`: `{workspace, target, target_from?, focus, radar, steps?, tasks?}`. */
export const RADAR_CUTS: CutOrder = [
  { cut: "text", at: "radar.why", keep: 256 },
  ...TASKS_CUTS,
  { cut: "text", at: "steps.first_open.title", keep: 60 },
  { cut: "text", at: "target.title", keep: 60 },
  { cut: "field", at: "steps" },
  ...TASKS_LAST,
  { cut: "field", at: "target" },
];

/** `tasks_claim_next`: the work in it goes before the claim does, whose number its holder needs. */
export const CLAIM_CUTS: CutOrder = [
  { cut: "text", at: "work.why", keep: 256 },
  { cut: "items", at: "work.notes", from: "front", keep: 1 },
  { cut: "lines", at: "work.notes", key: "text", keep: 200 },
  { cut: "field", at: "event" },
  { cut: "items", at: "work.notes", from: "front", keep: 0 },
  { cut: "text", at: "work.why", keep: 0 },
  { cut: "items", at: "work.tests", from: "back", keep: 3 },
  { cut: "items", at: "work.success_criteria", from: "back", keep: 3 },
  { cut: "lines", at: "work.tests", keep: 80 },
  { cut: "lines", at: "work.success_criteria", keep: 80 },
  { cut: "field", at: "head" },
  { cut: "field", at: "work" },
  { cut: "text", at: "step.title", keep: 60 },
  { cut: "field", at: "step" },
];

/** `tasks_handoff`: as the radar, with `handoff {done, remaining, risks, notes}`. */
export const HANDOFF_CUTS: CutOrder = [
  { cut: "text", at: "radar.why", keep: 256 },
  { cut: "items", at: "handoff.notes", from: "front", keep: 1 },
  // The lists of the handoff name the tasks too.
  ...TASKS_CUTS,
  { cut: "items", at: "handoff.done", from: "back", keep: 3 },
  { cut: "items", at: "handoff.remaining", from: "back", keep: 5 },
  { cut: "items", at: "handoff.risks", from: "back", keep: 5 },
  { cut: "items", at: "handoff.notes", from: "front", keep: 0 },
  { cut: "lines", at: "handoff.done", keep: 60 },
  { cut: "lines", at: "handoff.remaining", keep: 60 },
  { cut: "lines", at: "handoff.risks", keep: 60 },
  { cut: "text", at: "steps.first_open.title", keep: 60 },
  { cut: "text", at: "target.title", keep: 60 },
  { cut: "field", at: "steps" },
  ...TASKS_LAST,
  // A caller of a handoff needs this more than why (BUDGET-4).
  { cut: "text", at: "radar.why", keep: 0 },
  { cut: "field", at: "target" },
  { cut: "items", at: "handoff.done", from: "back", keep: 0 },
  { cut: "items", at: "handoff.remaining", from: "back", keep: 1 },
  { cut: "items", at: "handoff.risks", from: "back", keep: 1 },
  { cut: "field", at: "handoff" },
];

/** The payload that stands in an event a second time goes before anything else (BUDGET-8). */
export const PAYLOADS = (at: string, from: "front" | "back"): Cut => ({ cut: "member", at, key: "payload", from });

/**
 * `tasks_delta`: `{workspace, cursor, next, limit, events}`. Whole ops fit, or whole events; only an event that does
 * not fit alone is cut, and it is the only one then.
 */
export const DELTA_CUTS: CutOrder = [
  PAYLOADS("events", "back"),
  { cut: "members", at: "events", keep: ["event_id", "type", "ts", "task"] },
  { cut: "field", at: "limit" },
  { cut: "field", at: "workspace" },
];

/** `recall_taskdoc`: who wrote it when is kept, the text goes from its end. */
export const RECALL_CUTS: CutOrder = [
  { cut: "field", at: "conflict" },
  { cut: "text", at: "content", keep: 0 },
];

/** `tasks_context`: rows go from the end of the page, and the pagination points at the first one left out. */
export const CONTEXT_CUTS: CutOrder = [
  { cut: "items", at: "tasks", from: "back", keep: 10, page: "tasks_pagination" },
  { cut: "items", at: "plans", from: "back", keep: 10, page: "plans_pagination" },
  { cut: "items", at: "tasks", from: "back", keep: 1, page: "tasks_pagination" },
  { cut: "items", at: "plans", from: "back", keep: 1, page: "plans_pagination" },
  { cut: "field", at: "by_status" },
  { cut: "items", at: "plans", from: "back", keep: 0, page: "plans_pagination" },
  { cut: "items", at: "tasks", from: "back", keep: 0, page: "tasks_pagination" },
];

const STEP_ROW = ["step_id", "path", "title", "done", "blocked", "missing_checkpoints", "missing_proofs"];

/** `tasks_mirror`: rows go from the end of the page, and the pagination points at the first one left out. The last row is cut after that. */
export const MIRROR_CUTS: CutOrder = [
  { cut: "text", at: "plan.contract", keep: 4_000 },
  { cut: "items", at: "steps", from: "back", keep: 1, page: "pagination" },
  { cut: "items", at: "tasks", from: "back", keep: 10, page: "pagination" },
  { cut: "lines", at: "plan.checklist.steps", keep: 200 },
  { cut: "field", at: "plan.contract_data" },
  { cut: "members", at: "steps", keep: STEP_ROW },
  { cut: "items", at: "tasks", from: "back", keep: 1, page: "pagination" },
  { cut: "field", at: "plan" },
  { cut: "field", at: "task" },
  { cut: "lines", at: "steps", key: "title", keep: 60 },
  { cut: "lines", at: "tasks", key: "title", keep: 60 },
];

/** `tasks_status`: what happened goes before what needs an actor, from the end of each. */
export const STATUS_CUTS: CutOrder = [
  { cut: "member", at: "happened", key: "changes", from: "back" },
  { cut: "items", at: "happened", from: "back", keep: 5 },
  { cut: "lines", at: "needs_you", key: "why", keep: 120 },
  { cut: "items", at: "needs_you", from: "back", keep: 1 },
  { cut: "items", at: "happened", from: "back", keep: 0 },
];

/** `tasks_history`: `fitHistory` leaves out whole operations; one that does not fit alone loses its values, then its events. */
export const HISTORY_CUTS: CutOrder = [
  {
    cut: "members",
    at: "operations",
    keep: ["task", "revision", "op", "ts", "by", "tool", "message", "undoable", "undone"],
  },
  { cut: "lines", at: "operations", key: "message", keep: 60 },
  { cut: "field", at: "target" },
  { cut: "field", at: "workspace" },
];

/** `tasks_evidence_verify`: as the mirror. Broken entries stand first, so they go last. */
export const VERIFY_CUTS: CutOrder = [
  { cut: "items", at: "evidence", from: "back", keep: 1, page: "pagination" },
  { cut: "members", at: "evidence", keep: ["id", "kind", "title", "status", "degree", "why", "stale"] },
  { cut: "members", at: "evidence", keep: ["id", "kind", "title", "status", "degree"] },
  { cut: "lines", at: "evidence", key: "title", keep: 60 },
  { cut: "field", at: "target" },
];

/** `tasks_search`: rows go from the end of the page, as in the mirror. */
export const SEARCH_CUTS: CutOrder = [
  { cut: "items", at: "tasks", from: "back", keep: 1, page: "pagination" },
  { cut: "lines", at: "tasks", key: "title", keep: 60 },
  { cut: "members", at: "tasks", keep: ["id", "title", "status"] },
];

/** `tasks_lint`: the gravest come first as they are found, and `summary` counts them all. */
export const LINT_CUTS: CutOrder = [
  { cut: "lines", at: "issues", key: "message", keep: 400 },
  { cut: "items", at: "issues", from: "back", keep: 10 },
  { cut: "lines", at: "issues", key: "message", keep: 120 },
  { cut: "items", at: "issues", from: "back", keep: 1 },
  { cut: "field", at: "context_health" },
  { cut: "field", at: "target" },
];

/** `packet_show`: the manifest is a file of the task folder, and goes first; the stages and what comes next go last. */
export const PACKET_SHOW_CUTS: CutOrder = [
  { cut: "field", at: "manifest" },
  { cut: "text", at: "packet.goal", keep: 1_000 },
  { cut: "items", at: "inputs", from: "back", keep: 10 },
  { cut: "lines", at: "packet.last_failure.reasons", keep: 200 },
  { cut: "items", at: "packet.last_failure.reasons", from: "back", keep: 5 },
  { cut: "field", at: "override" },
  { cut: "field", at: "inputs" },
  { cut: "text", at: "packet.goal", keep: 200 },
  { cut: "field", at: "packet.last_failure" },
  { cut: "items", at: "packet.stages", from: "back", keep: 1 },
];

/** `packet_plan`: where values come from goes before the values. */
export const PACKET_PLAN_CUTS: CutOrder = [
  { cut: "field", at: "from" },
  { cut: "field", at: "options" },
  { cut: "field", at: "flags" },
  { cut: "items", at: "stages", from: "back", keep: 1 },
];
