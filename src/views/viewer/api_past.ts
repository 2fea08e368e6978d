/** Parts of answers about the past, graphs, agents and health. `api.ts` exports them again. */
import type { Json, Kind, NoteItem, StageState, Status, StepRef } from "./api_parts.ts";

export interface HistoryItem {
  revision: number;
  /** Event id of its first event. */
  op: string;
  ts: string;
  by: string;
  agent_instance: string | null;
  turn: string | null;
  tool: string;
  message: string;
  /** Types of its events: `step.done`. */
  events: string[];
  /** Taken back, and not brought again. */
  undone: boolean;
  /** Taken back once, and brought again. */
  redone: boolean;
  /** It can still be undone. */
  undoable: boolean;
  /** Of an undo or redo: the op that it turned. */
  turns: { op: string; revision: number | null; how: "undo" | "redo" } | null;
  /** It came from another branch than the op before it: no op that it saw is that one. */
  merged: boolean;
  /** Fields that it wrote, at most 50; values are cut to 2000 characters. */
  changes: { field: string; label: string; before: Json; after: Json }[];
  changes_total: number;
}

/** Differences of `to` from `from`. */
export interface Difference {
  from: number;
  to: number;
  /** Fields of the entity: title, status, description, ... */
  fields: { field: string; before: Json; after: Json }[];
  steps: StepDifference[];
  /** Ids that came, the newest as far as pages have them; and how many came in all. */
  evidence: string[];
  evidence_total: number;
  notes: NoteItem[];
  notes_total: number;
  cards: { id: string; title: string; how: "added" | "removed" }[];
  taskdoc: { name: string; before: string | null; after: string | null }[];
  stages: { stage: string; before: StageState | null; after: StageState | null }[];
  conflicts: { label: string; how: "came" | "settled" }[];
}

export interface StepDifference {
  id: string;
  path: string;
  title: string;
  how: "added" | "removed" | "changed";
  fields: { field: string; before: Json; after: Json }[];
}

export interface FindingItem {
  code: string;
  /** Id of the entity; null: of the workspace. */
  entity: string | null;
  /** From the workspace's root on. */
  file: string;
  line: number | null;
  byte: number | null;
  message: string;
  /** Good to know, and no fault. */
  note: boolean;
  /** Its meaning, its usual cause and the way out; null for a code without such a text. */
  explained: { what: string; why: string; next: string } | null;
}

export interface LogItem {
  id: string;
  bytes: number;
  events: number;
  revisions: number;
  created_at: string;
  updated_at: string;
  /** Of the last seven days that the log has events in. */
  bytes_last_week: number;
}

export interface GraphNode {
  id: string;
  title: string;
  kind: Kind;
  status: Status;
  /** It belongs to the plan; false: another entity that one of its tasks depends on. */
  inside: boolean;
  ready: boolean;
  /** Something stands in the way, and no step of it is ready. */
  blocked: boolean;
  /** Something stands in the way of a part of it, and another step is ready. */
  partly_blocked: boolean;
  /** Another task comes first. */
  waits: boolean;
  claimed_by: string | null;
  progress: { done: number; total: number };
  /** Longest way to it from a node that waits for nothing. */
  rank: number;
  critical: boolean;
}

/** `to` waits for `from`. */
export interface GraphEdge {
  from: string;
  to: string;
  /** `from` is DONE. */
  done: boolean;
  critical: boolean;
}

export type MarkKind =
  | "create"
  | "claim"
  | "release"
  | "close"
  | "reopen"
  | "complete"
  | "evidence"
  | "failure"
  | "block"
  | "unblock"
  | "undo"
  | "redo"
  | "report"
  | "stage_start"
  | "stage_end"
  | "kill"
  | "hand_over"
  | "take_over"
  | "note"
  | "change";

export interface AgentLane {
  /** `agent:ada`, `human:ann`, `system` */
  by: string;
  first: string;
  last: string;
  /** Of all its marks, those left out included. */
  counts: Partial<Record<MarkKind, number>>;
  /** In order of time; `counts` has the number of all. */
  marks: AgentMark[];
  /** In order of their begin, at most 5000, the newest ones. */
  spans: AgentSpan[];
  spans_total: number;
  /** Claimed places at which it cannot go on now. */
  waits: { entity: string; title: string; step: StepRef | null; why: string[] }[];
}

export interface AgentMark {
  ts: string;
  kind: MarkKind;
  entity: string;
  revision: number;
  step: string | null;
  /** In a sentence: the message of the op. */
  text: string;
  /** Of `hand_over` and `take_over`: to whom, or from whom. */
  other: string | null;
}

/** A claim, or an attempt of a stage, from its begin to its end. */
export interface AgentSpan {
  kind: "claim" | "stage";
  entity: string;
  /** Id of the step; null: the whole. For a stage its name. */
  of: string | null;
  title: string;
  from: string;
  /** Null while it lasts; for a claim that ran out `expires_at`. */
  to: string | null;
  expires_at: string | null;
  /** `killed`: the holder was not heard of again, and another took it; `taken`: another took it before its end. */
  end: "open" | "closed" | "released" | "expired" | "killed" | "taken" | "passed" | "failed" | "interrupted";
  /** Actor that took it over. */
  other: string | null;
}
