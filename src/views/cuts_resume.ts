/** In which order the answers of the resume family are cut. The newest of everything stays longest, the capsule longer than all lists. */
import type { CutOrder } from "./cuts.ts";
import { PAYLOADS, TASKS_CUTS, TASKS_LAST } from "./cuts.ts";

/** The last events, of which the oldest go first. */
function events(of: "timeline" | "delta", keep: number): CutOrder[number] {
  return { cut: "items", at: `${of}.events`, from: "front", keep, earlier: `${of}.earlier` };
}

const TIMELINE: CutOrder = [
  events("timeline", 5),
  { cut: "members", at: "timeline.events", keep: ["event_id", "type", "ts", "by", "message"] },
  events("timeline", 1),
];

const NAMES: CutOrder = [
  { cut: "text", at: "steps.first_open.title", keep: 60 },
  { cut: "text", at: "target.title", keep: 60 },
];

/** The members beside the radar core. */
const LAST: CutOrder = [
  { cut: "field", at: "steps" },
  ...TASKS_LAST,
  { cut: "field", at: "focus_previous" },
  { cut: "field", at: "target" },
];

const SIGNALS: CutOrder = [
  { cut: "items", at: "signals.evidence", from: "front", keep: 1 },
  { cut: "items", at: "signals.decisions", from: "front", keep: 1 },
  { cut: "items", at: "signals.blockers", from: "back", keep: 3 },
  { cut: "lines", at: "signals.evidence", key: "title", keep: 60 },
  { cut: "lines", at: "signals.decisions", key: "title", keep: 60 },
];

const NODES: CutOrder = [
  { cut: "members", at: "task_nodes.entries", keep: ["task_node_id", "path", "title", "status"] },
  { cut: "items", at: "task_nodes.entries", from: "back", keep: 3 },
];

/** `tasks_resume`: `{workspace, target, focus, radar, steps?, detail, step_list, timeline?}`. */
export const RESUME_CUTS: CutOrder = [
  PAYLOADS("timeline.events", "front"),
  { cut: "text", at: "radar.why", keep: 256 },
  { cut: "text", at: "detail.description", keep: 1000 },
  ...TIMELINE,
  {
    cut: "members",
    at: "step_list",
    keep: ["step_id", "path", "title", "done", "blocked", "missing_checkpoints", "missing_proofs"],
  },
  { cut: "items", at: "step_list", from: "back", keep: 10 },
  { cut: "field", at: "timeline" },
  { cut: "field", at: "detail.contract_data" },
  { cut: "text", at: "detail.context", keep: 256 },
  { cut: "text", at: "detail.contract", keep: 256 },
  { cut: "text", at: "detail.description", keep: 0 },
  { cut: "lines", at: "step_list", key: "title", keep: 60 },
  { cut: "items", at: "step_list", from: "back", keep: 1 },
  { cut: "field", at: "detail" },
  { cut: "field", at: "step_list" },
  ...TASKS_CUTS,
  ...NAMES,
  ...LAST,
];

/** `tasks_resume_pack`: `{workspace, target, focus, radar, steps?, task_nodes?, timeline, signals}`. */
export const RESUME_PACK_CUTS: CutOrder = [
  PAYLOADS("timeline.events", "front"),
  { cut: "text", at: "radar.why", keep: 256 },
  ...TIMELINE,
  ...NODES,
  ...SIGNALS,
  events("timeline", 0),
  ...TASKS_CUTS,
  ...NAMES,
  { cut: "field", at: "task_nodes" },
  { cut: "field", at: "timeline" },
  { cut: "field", at: "signals" },
  ...LAST,
];

/** `tasks_context_pack`: `{workspace, target, focus, radar, steps?, delta}`. */
export const CONTEXT_PACK_CUTS: CutOrder = [
  PAYLOADS("delta.events", "front"),
  { cut: "text", at: "radar.why", keep: 256 },
  events("delta", 5),
  { cut: "members", at: "delta.events", keep: ["event_id", "type", "ts", "by", "message"] },
  events("delta", 1),
  events("delta", 0),
  ...TASKS_CUTS,
  ...NAMES,
  { cut: "field", at: "delta" },
  ...LAST,
];

const PAGES = { notes: "event_id", trace: "id", cards: "card_id" } as const;
type PageName = keyof typeof PAGES;

/** The oldest entries of a page go first, and its cursor leads to them. */
function page(name: PageName, keep: number): CutOrder[number] {
  const at = `memory.${name}`;
  return { cut: "items", at: `${at}.entries`, from: "front", keep, page: `${at}.pagination`, key: PAGES[name] };
}

function texts(name: PageName, keep: number): CutOrder[number] {
  return { cut: "lines", at: `memory.${name}.entries`, key: "text", keep };
}

/** The changes go from the oldest on. */
function changes(keep: number): CutOrder[number] {
  return { cut: "items", at: "graph_diff.changes", from: "back", keep, page: "graph_diff.pagination", key: "id" };
}

/** Members that stay in the capsule to the last. */
const CAPSULE = ["type", "version", "workspace", "focus", "action", "escalation"];

/** `tasks_resume_super`, `tasks_snapshot`: as `resumeSuper` makes it. */
export const RESUME_SUPER_CUTS: CutOrder = [
  PAYLOADS("timeline.events", "front"),
  { cut: "text", at: "radar.why", keep: 256 },
  texts("trace", 200),
  texts("notes", 1000),
  texts("cards", 1000),
  changes(10),
  ...TIMELINE,
  page("trace", 3),
  page("notes", 3),
  page("cards", 3),
  changes(1),
  texts("trace", 80),
  texts("notes", 200),
  texts("cards", 200),
  ...NODES,
  ...SIGNALS,
  events("timeline", 0),
  page("trace", 1),
  changes(0),
  page("notes", 1),
  page("cards", 1),
  page("trace", 0),
  page("notes", 0),
  page("cards", 0),
  ...TASKS_CUTS,
  // An empty member still has its cursor, so what stands elsewhere too goes before it.
  { cut: "field", at: "reasoning_ref" },
  { cut: "members", at: "capsule", keep: [...CAPSULE, "handoff", "counts"] },
  ...NAMES,
  { cut: "field", at: "memory.stats" },
  { cut: "members", at: "steps", keep: ["total", "open", "completed", "blocked"] },
  { cut: "lists", at: "capsule.handoff" },
  { cut: "text", at: "radar.why", keep: 60 },
  { cut: "field", at: "focus_previous" },
  { cut: "field", at: "target" },
  { cut: "field", at: "graph_diff" },
  { cut: "field", at: "task_nodes" },
  ...TASKS_LAST,
  { cut: "field", at: "steps" },
  { cut: "field", at: "signals" },
  // The cursors of the memory lead to what was cut, so they go later; the counts stand in other answers, too.
  { cut: "members", at: "capsule", keep: CAPSULE },
  { cut: "field", at: "memory" },
  { cut: "field", at: "timeline" },
  { cut: "field", at: "capsule" },
];
