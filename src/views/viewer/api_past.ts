/** Parts of answers about the past, graphs, agents and health. `api.ts` exports them again. */
import type { Sentence } from "../../sentence.ts";
import type { CheckpointName, EvidenceItem, Json, Kind, Status, StepRef } from "./api_parts.ts";

export interface HistoryItem {
  revision: number;
  /** Event id of its first event. */
  op: string;
  ts: string;
  by: string;
  agent_instance: string | null;
  turn: string | null;
  tool: string;
  /** Cut to 2000 characters. */
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
  /** Evidence that it captured, at most 50; `step` is the path then, null for the whole. */
  evidence: {
    id: string;
    kind: EvidenceItem["kind"];
    title: string;
    command: string | null;
    exit_code: number | null;
    step: string | null;
    checkpoints: CheckpointName[];
  }[];
  evidence_total: number;
}

/** A row of the table of agents. */
export interface AgentStanding {
  by: string;
  /** Steps, stages and tasks that it finished. */
  done: number;
  /** Runs and stages of it that failed. */
  failed: number;
  /** Null where nothing failed, or only what no log keeps as a mark. */
  last_failure: string | null;
  last: string;
  /** Ids of plans and tasks, each once, at most 100: where a claim or a stage of it lasts, and where it waits. */
  holds: string[];
  waits: string[];
}

/** Differences of `to` from `from`. */
export interface Difference {
  from: number;
  to: number;
  /** Fields of the entity: title, status, description, ... */
  fields: FieldDifference[];
  /** Those in which something is different. */
  parts: PartDifference[];
  /** Parts that the two pages do not hold whole: what only the rest of them has is not compared. */
  cut: PartName[];
}

export interface FieldDifference {
  field: string;
  before: Json;
  after: Json;
}

export type PartName =
  | "steps"
  | "nodes"
  | "claims"
  | "gates"
  | "conflicts"
  | "evidence"
  | "notes"
  | "cards"
  | "trace"
  | "report"
  | "report_agents"
  | "agents"
  | "people"
  | "taskdoc"
  | "packet"
  | "stages"
  | "attempts";

export interface PartDifference {
  part: PartName;
  /** As far as the two pages hold them; in the order of the later page, and those that went last. */
  items: ItemDifference[];
  /** How many came and how many went in all: at least those among `items`. */
  added: number;
  removed: number;
}

export interface ItemDifference {
  /** Of the entry in its part: of a claim the id of its step, or nothing for the whole. */
  id: string;
  /** For people: path and title of a step, the text of a note. */
  name: string;
  /** Actor that wrote it; null where the entry names none. */
  by: string | null;
  how: "added" | "removed" | "changed";
  /** Of one that came or went: its values, in the parts where its name does not say enough. */
  fields: FieldDifference[];
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
  /** It belongs to the plan; false: another entity that one of its tasks depends on, or that an open one of these waits for. */
  inside: boolean;
  ready: boolean;
  /** Something stands in the way, and no step of it is ready or only claimed. */
  blocked: boolean;
  /** Something stands in the way of a part of it, and another step is ready or only claimed. */
  partly_blocked: boolean;
  /** Another task comes first. */
  waits: boolean;
  claimed_by: string | null;
  /** Open conflicts. */
  conflicts: number;
  /** Steps of which the newest run of a proof failed. */
  failed_proof: number;
  progress: { done: number; total: number };
  /** Longest way to it from a node that depends on none of this graph. */
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
  /** Last act that is not ahead of `now`. Where each is, the first one. */
  last: string;
  /** Of all its marks, those left out included. */
  counts: Partial<Record<MarkKind, number>>;
  /** In order of time; `counts` has the number of all. */
  marks: AgentMark[];
  /** In order of their begin, at most 5000, the newest ones. */
  spans: AgentSpan[];
  spans_total: number;
  /** Claimed places at which it cannot go on now. */
  waits: { entity: string; title: string; step: StepRef | null; why: Sentence[] }[];
}

export interface AgentMark {
  ts: string;
  kind: MarkKind;
  entity: string;
  revision: number;
  step: string | null;
  /** In a sentence: the message of the op. */
  text: string;
  /** Of `hand_over` and `take_over`: to whom, or from whom. Of `kill`: who took it over. Of `release`: whose claim, if another actor ended it. */
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
  /**
   * `closed`: its place was closed, ended, deleted or put away. `taken`: another branch claimed it too. `revoked`: another actor ended
   * it by force. `killed`: it ran out, and its holder did nothing in any log until another actor took it over.
   */
  end:
    | "open"
    | "closed"
    | "released"
    | "expired"
    | "killed"
    | "taken"
    | "revoked"
    | "passed"
    | "failed"
    | "interrupted";
  /** Actor that took it over, to whom it was handed over, or who revoked it. */
  other: string | null;
}
