/**
 * The read-only JSON interface of the viewer, version 1: what the server answers below `/api/v1/`, and what an export writes as files of
 * the same names (docs/viewer.md, VIEWER rules). Types only. A newer version adds members; a change of meaning is a new version.
 *
 * | name below `/api/v1/` | answer |
 * | --- | --- |
 * | `workspace.json` | `WorkspaceAnswer` |
 * | `board/0.json` to `board/{pages - 1}.json` | `BoardAnswer`, at most `BOARD_PAGE` rows each |
 * | `entities/{id}.json` | `EntityAnswer`, the present state |
 * | `entities/{id}/revisions/{n}.json` | `EntityAnswer`, as of the revision n |
 * | `entities/{id}/differences/{a}-{b}.json` | `DifferenceAnswer`; `differenceOf` of `difference.ts` makes the same from two `EntityAnswer`s |
 * | `entities/{id}/history/0.json` to `.../{pages - 1}.json` | `HistoryAnswer`; page 0 has the first revisions, so that full pages never change |
 * | `entities/{id}/evidence/0.json` to `.../{pages - 1}.json` | `EvidenceAnswer`; page 0 has the first entries |
 * | `entities/{id}/output/{sha256}/0.json` to `.../{pages - 1}.json` | `OutputAnswer`: captured output, one page of its text |
 * | `entities/{id}/check.json` | `CheckAnswer`: what verify finds in this folder now, drift, whether evidence still holds |
 * | `plans/{id}/graph.json` | `GraphAnswer` |
 * | `agents.json` | `AgentsAnswer` |
 * | `health.json` | `HealthAnswer` |
 * | `events` | server-sent events, `ChangeEvent` (served only) |
 *
 * Captured bytes stand beside it: `/raw/v1/{id}/{sha256}` (an export writes `raw/v1/{id}/{sha256}.txt`), text or a download, never a page.
 * A refusal is `ErrorAnswer` with its HTTP status. Ids are safe in addresses and file names as they are: `[A-Za-z0-9._-]`.
 *
 * Where the page gets its data: `<meta name="taskfold-source" content="live">` in its document says it, and an export replaces the word.
 *
 * - `live`: the page fetches `api/v1/NAME` (relative to the document; the cookie goes along) and listens to `api/v1/events`.
 * - `files`: `view --export DIR`. Answers are files beside the document, `api/v1/NAME`. From disk (`file:`) a page can fetch nothing:
 *   beside each `NAME` stands `NAME.js`, a classic script with the one statement `taskfoldData("NAME", answer);`, which works on every
 *   host. The page defines that global function before it adds the script element. Nothing is live. Captured bytes: `raw/v1/ID/SHA.txt`.
 * - `inline`: `view --export DIR --task ID`, one HTML file. The document holds `<script type="application/json" id="taskfold-data">`, an
 *   `EmbeddedData`: every answer that there is, by its name. Scripts and styles of the page stand in the document.
 *
 * An answer that an export left out is not there: 404, a script that fails to load, or no such member. `EntityAnswer.available` names
 * what an export holds of an entity.
 *
 * What the page is built as: `dist/view/index.html` and files beside it that it names by relative addresses, as classic scripts
 * (`<script defer src="./app.js"></script>`: a module script does not load from disk) and style sheets
 * (`<link rel="stylesheet" href="./app.css">`), with routes behind `#`. A chunk that is loaded later is a classic script too. In mode
 * `inline` every other `*.js` of that folder stands in the document before those that it names. No inline script or style, no address
 * outside of the folder.
 */

export const API_VERSION = 1;
/** Rows of one page of the board. */
export const BOARD_PAGE = 2500;
/** Revisions of one page of the history. */
export const HISTORY_PAGE = 200;
/** Entries of one page of evidence, and the most of them that an `EntityAnswer` has. */
export const EVIDENCE_PAGE = 200;
/** Characters (UTF-16) of one page of captured output. */
export const OUTPUT_PAGE = 65_536;

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

export type Kind = "plan" | "task";
export type Status = "TODO" | "ACTIVE" | "DONE" | "FAILED" | "CANCELED";
export type CheckpointName = "criteria" | "tests" | "security" | "perf" | "docs";
export type ProofMode = "off" | "warn" | "require";

/** Beginning of every answer. */
export interface Answer {
  api: typeof API_VERSION;
}

export interface ErrorAnswer extends Answer {
  error: { code: string; message: string; recovery: string | null };
}

/** A log that could not be read, or a limit that was met: told, and everything else goes on. */
export interface ApiWarning {
  code: string;
  message: string;
  recovery: string | null;
}

export interface WorkspaceAnswer extends Answer {
  /** Id that the root is bound to; null where it is bound to none. */
  id: string | null;
  /** Name of the root's folder, never its path. */
  name: string;
  /** Release of Taskfold that answers. */
  version: string;
  /** Changes with every change of any plan or task. */
  stamp: string;
  /** When this was answered, RFC 3339 in UTC. */
  now: string;
  /** Null while served; when an export was made. */
  exported_at: string | null;
  /** The one entity that an export is about (`--task`); null otherwise. */
  only: string | null;
  counts: {
    plans: number;
    tasks: number;
    archived: number;
    /** Folders of another program, not adopted. */
    foreign: number;
    /** Of tasks. */
    by_status: Record<Status, number>;
    ready: number;
    claimed: number;
    blocked: number;
    conflicts: number;
    failed_proof: number;
    /** Null until every folder has been checked. */
    drift: number | null;
  };
  /** Pages of the board. */
  board_pages: number;
  /** What `health.json` tells whole. */
  findings: { faults: number; notes: number; complete: boolean };
  warnings: ApiWarning[];
}

export interface Claim {
  by: string;
  claimed_at: string;
  /** The claim is in effect before this time. */
  expires_at: string;
  /** Null: the whole task. */
  step: StepRef | null;
}

export interface StepRef {
  id: string;
  /** `s:0.s:1` */
  path: string;
  title: string;
}

export interface EntityRef {
  id: string;
  /** Null where this workspace has no such entity. */
  title: string | null;
  kind: Kind | null;
  status: Status | null;
  archived: boolean;
}

export interface BoardRow {
  id: string;
  kind: Kind;
  title: string;
  status: Status;
  /** Id of the plan; null for plans, and tasks without one. */
  plan: string | null;
  priority: string;
  tags: string[];
  assignee: string | null;
  depends_on: string[];
  /** `log`: an entity of ours; `coco`: the task.yaml of another program, not adopted. */
  source: "log" | "coco";
  /** Claims, whether in effect or over, at most ten; compare `expires_at` with the clock. */
  claims: Claim[];
  /** A step that can be taken up as of `BoardAnswer.now`; null where there is none. */
  ready: StepRef | null;
  /** Ids that have to be DONE before. */
  waits_for: string[];
  /** Why it is blocked: steps, blockers, gates; at most three lines, then `and N more`. */
  blocked: string[];
  /** Open conflicts. */
  conflicts: number;
  /** Steps of which the newest run of a proof failed. */
  failed_proof: number;
  /** A folded file is not as the log says; null until it has been checked. */
  drift: boolean | null;
  /** Findings of verify about it that are faults; null until it has been checked. */
  faults: number | null;
  /** Live steps of a task; tasks of a plan. */
  progress: { done: number; total: number };
  packet: { state: PacketState; stage: string | null } | null;
  created_at: string;
  updated_at: string;
  /** Who changed it last. */
  updated_by: string | null;
  revision: number;
  /** Digest of the ends of the log: another one after every change. Empty for `coco`. */
  head: string;
  /** Codes of what every read of it warns of. */
  warnings: string[];
  /** Set where the entity lies in the archive. */
  archived?: true;
}

export interface BoardAnswer extends Answer {
  stamp: string;
  now: string;
  page: number;
  pages: number;
  total: number;
  /** In natural order of ids; archived ones come last. */
  rows: BoardRow[];
  warnings: ApiWarning[];
}

/** A plan or task as a page: points of one state of one log. */
export interface EntityAnswer extends Answer {
  id: string;
  kind: Kind;
  source: "log" | "coco";
  archived: boolean;
  /** It was deleted and lies in the archive. */
  deleted: boolean;
  /** Of the state that is shown. */
  revision: number;
  head: string;
  /** Present end of the log: `revision` is smaller in the past. */
  latest: { revision: number; head: string };
  /** Id of the last event of this state; null for `coco`. */
  op: string | null;
  title: string;
  description: string;
  context: string | null;
  status: Status;
  status_reason: string | null;
  priority: string;
  tags: string[];
  domain: string | null;
  phase: string | null;
  component: string | null;
  assignee: string | null;
  topology: "swarm" | "squad";
  parent: EntityRef | null;
  depends_on: EntityRef[];
  /** Tasks and plans that depend on it, as of now. Empty in the past. */
  needed_by: EntityRef[];
  created_at: string;
  created_by: string;
  updated_at: string;
  claims: Claim[];
  ready: StepRef | null;
  progress: { done: number; total: number };
  radar: { now: string; why: string; verify: string[]; next: string[]; blockers: string[] };
  conflicts: ConflictItem[];
  gates: GateItem[];
  /** Agent instances of another program's roster. */
  agents: { instance: string; agent: string; state: string }[];
  /** Parents first, siblings in order; at most 5000. */
  steps: StepItem[];
  steps_total: number;
  /** Of a plan; null on a task. */
  plan: PlanPart | null;
  /** Newest first, at most 200. */
  notes: NoteItem[];
  notes_total: number;
  /** What people wrote in their files, as far as it was read into the log. */
  people: { file: string; text: string }[];
  decisions: CardItem[];
  /** The reasoning graph, at most 500 cards, the newest ones. */
  cards: CardItem[];
  cards_total: number;
  /** Newest first, at most 200. */
  trace: { id: string; ts: string; by: string; kind: string; card: string | null; text: string }[];
  trace_total: number;
  report: ReportItem | null;
  /** The newest, oldest first, at most `EVIDENCE_PAGE`; all of them are in `evidence/{page}.json`. */
  evidence: EvidenceItem[];
  evidence_total: number;
  /** The sections that hold text, or held some. */
  taskdoc: TaskdocSectionItem[];
  packet: PacketItem | null;
  /** Last ops in a sentence, newest first. */
  recent: { ts: string; by: string; tool: string; message: string }[];
  /** Who acted, the one that acted last first. */
  actors: string[];
  /** What an answer of an export holds besides; while served, everything is there. */
  available: Available;
  warnings: ApiWarning[];
}

export interface Available {
  /** Revisions with a page: from `from` to `to`; null where there is none. */
  revisions: { from: number; to: number } | null;
  history_pages: number;
  evidence_pages: number;
  check: boolean;
  graph: boolean;
}

export interface PlanPart {
  contract: string | null;
  contract_data: Json;
  checklist: { doc: string; items: { text: string; state: "done" | "due" | "open" }[] };
  /** Its tasks in natural order of ids, as of now: rows of the board have the rest. Empty in the past. */
  tasks: { id: string; title: string; status: Status; progress: { done: number; total: number }; archived: boolean }[];
  by_status: Record<Status, number>;
}

export interface StepItem {
  id: string;
  path: string;
  parent: string | null;
  depth: number;
  title: string;
  /** `waiting`: other steps come first; `ready`: it can be taken up; `claimed`: it is, unless `claim.expires_at` is over. */
  state: "done" | "blocked" | "claimed" | "waiting" | "ready";
  done: boolean;
  done_at: string | null;
  done_by: string | null;
  /** Why force closed it. */
  forced: string | null;
  /** Why it is open again. */
  reopened: string | null;
  blocked: boolean;
  block_reason: string | null;
  blockers: string[];
  success_criteria: string[];
  tests: string[];
  claim: { by: string; claimed_at: string; expires_at: string } | null;
  depends_on: StepRef[];
  waits_for: StepRef[];
  checkpoints: CheckpointItem[];
  /** What closing it still asks for, in words. */
  due: string[];
  notes: number;
  nodes: NodeItem[];
}

export interface CheckpointItem {
  name: CheckpointName;
  /** Closing asks for its confirmation. */
  required: boolean;
  confirmed: boolean;
  proof: ProofMode;
  /** `proved`, or what is missing; `none` where no proof is asked for and none is there. */
  proof_state: "proved" | "missing" | "failed" | "none";
  /** A stage of the packet proves it, and nothing else. */
  by_packet: boolean;
  /** Links to evidence entries, oldest first. */
  links: { evidence: string; counts: boolean; command: string | null; exit_code: number | null; ts: string }[];
}

export interface NodeItem {
  id: string;
  path: string;
  title: string;
  status: Status;
  priority: string;
  description: string;
  context: string | null;
  success_criteria: string[];
  next_steps: string[];
  blockers: string[];
  dependencies: string[];
  problems: string[];
  risks: string[];
}

export interface ConflictItem {
  /** Name of the field in the log. */
  field: string;
  /** The same for people: `s:0 title`. */
  label: string;
  step: StepRef | null;
  /** What each branch wrote; the last one is shown. */
  values: { value: Json; by: string; ts: string; op: string; shown: boolean }[];
}

export interface GateItem {
  id: string;
  own: boolean;
  state: "open" | "blocked" | "approved" | "rejected";
  type: string | null;
  reason: string | null;
  blocked_at: string | null;
  resolved_at: string | null;
  resolved_by: string | null;
}

export interface NoteItem {
  id: string;
  ts: string;
  by: string;
  step: StepRef | null;
  text: string;
}

export interface CardItem {
  id: string;
  stage: "frame" | "hypothesis" | "test" | "evidence" | "decision";
  title: string;
  text: string;
  status: string;
  tags: string[];
  /** Ids of cards that it supports. */
  supports: string[];
  ts: string;
  by: string;
  agent: string | null;
}

export interface ReportItem {
  title: string;
  summary: string;
  ts: string;
  by: string;
  agents: {
    instance: string;
    agent: string;
    status: "success" | "working" | "blocked" | "failed";
    summary: string;
    conclusions: { text: string; evidence: string[] }[];
    questions: string[];
    next_actions: string[];
  }[];
}

export interface EvidenceItem {
  id: string;
  kind: "file-anchor" | "command-execution" | "runtime-event-range";
  title: string;
  summary: string;
  created_at: string;
  /** Steps and checkpoints that name it. */
  linked: { step: StepRef; checkpoint: CheckpointName; counts: boolean }[];
  anchors: { path: string; start_line: number; end_line: number }[];
  runs: EvidenceRun[];
  /** `https://...` and other references, as text: a page links to http and https alone. */
  links: string[];
  /** Kept bytes beside runs. */
  artifacts: BlobRef[];
  commit: string | null;
  /** Recorded, and no proof: a file was missing, or something is still to be filled in. */
  no_proof: "missing" | "open" | null;
}

export interface EvidenceRun {
  command: string;
  cwd: string;
  exit_code: number | null;
  stdout: BlobRef | null;
  stderr: BlobRef | null;
}

/** Bytes that were kept: `entities/{id}/output/{sha256}/{page}.json`, and whole below `/raw`. */
export interface BlobRef {
  sha256: string;
  /** Null where the bytes are not there. */
  size: number | null;
  /** Pages of its text, at most: `OutputAnswer.pages` says how many there are. */
  pages: number;
  /** From the root of the server or of the export on, without a slash before; null where the bytes are not there. */
  raw: string | null;
}

export interface EvidenceAnswer extends Answer {
  id: string;
  head: string;
  page: number;
  pages: number;
  total: number;
  /** Oldest first. */
  evidence: EvidenceItem[];
}

export interface OutputAnswer extends Answer {
  id: string;
  sha256: string;
  size: number;
  page: number;
  pages: number;
  /**
   * Text of the page. What is no UTF-8 is U+FFFD. Of terminal codes only colours and weights are left (`ESC [ ... m`, render or strip
   * them); every other control character but tab and line feed is gone.
   */
  text: string;
  /** It holds NUL bytes: likely no text. */
  binary: boolean;
}

export interface TaskdocSectionItem {
  /** Null: one of goals, constraints, progress. */
  category: string | null;
  selector: string;
  /** `goals`, `bearinmind/risks` */
  name: string;
  /** Put before agents always; others are recalled. */
  injected: boolean;
  content: string;
  bytes: number;
  /** `content` was cut to 256 KiB. */
  cut: boolean;
  first: { ts: string; by: string; revision: number };
  last: { ts: string; by: string; revision: number };
  changes: number;
  /** Null, or the texts that branches wrote without seeing each other's; the last one is shown. */
  conflict: { content: string; by: string; ts: string; op: string; shown: boolean }[] | null;
}

export type PacketState = "pending" | "running" | "done" | "failed" | "interrupted" | "stopped" | "archived";
export type StageState = "pending" | "running" | "done" | "failed" | "interrupted";

export interface PacketItem {
  state: PacketState;
  goal: string;
  intent: string;
  archived: boolean;
  group: string;
  profile: string;
  next: { stage: string | null; action: string; allowed: boolean; because: string | null };
  budgets: {
    retry: { budget: number; used: number };
    paid_calls: { budget: number; used: number };
    wallclock_sec: { budget: number; used: number };
  };
  scope: { allow: string[]; deny: string[] };
  acceptance: { commands: string[]; criteria: string[]; override: string[] | null };
  inputs: { path: string; source: "user" | "brief" | "import"; bytes: number; sha256: string }[];
  /** Lanes, in the order of the plan. */
  stages: StageItem[];
  updated_at: string;
}

export interface StageItem {
  stage: string;
  tool: string;
  role: string;
  model: string;
  timeout_sec: number;
  timeout_mode: string;
  paid: boolean;
  state: StageState;
  done_at: string | null;
  attempts: AttemptItem[];
  failure: FailureItem | null;
}

export interface AttemptItem {
  attempt: number;
  run: string;
  model: string;
  by: string;
  paid: boolean;
  imported: boolean;
  reopened: boolean;
  started_at: string;
  /** Null while it runs. */
  ended_at: string | null;
  how: "passed" | "failed" | "interrupted" | null;
  duration_sec: number | null;
  exit_code: number | null;
  timed_out: boolean;
  reason: string | null;
  acceptance: { command: string; exit_code: number; timed_out: boolean; duration_sec: number; excerpt: string }[];
  stderr: { head: string[]; tail: string[] };
  files: { kind: string; path: string; size: number; sha256: string; lines: number; dropped: boolean }[];
}

export interface FailureItem {
  attempt: number;
  class: string;
  signature: string;
  exit_code: number | null;
  gate: "passed" | "failed" | "not_judged";
  reasons: string[];
  suggested_actions: string[];
  ts: string;
  retries: { count: number; most: number };
}

export interface HistoryAnswer extends Answer {
  id: string;
  head: string;
  page: number;
  pages: number;
  /** Revisions of the whole log. */
  total: number;
  /** Oldest first: revisions `page * HISTORY_PAGE + 1` and on. */
  ops: HistoryItem[];
}

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
  /** What it wrote, at most 50; values are cut to 2000 characters. */
  changes: { field: string; label: string; before: Json; after: Json }[];
  changes_total: number;
}

export interface DifferenceAnswer extends Answer, Difference {
  id: string;
}

/** What is another in `to` than in `from`. */
export interface Difference {
  from: number;
  to: number;
  /** Fields of the entity: title, status, description, ... */
  fields: { field: string; before: Json; after: Json }[];
  steps: StepDifference[];
  /** Ids that came. */
  evidence: string[];
  notes: NoteItem[];
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

export interface CheckAnswer extends Answer {
  id: string;
  head: string;
  checked_at: string;
  /** A folded file is not as the log says. */
  drift: boolean;
  findings: FindingItem[];
  findings_total: number;
  /** By id: whether what an entry points at still stands there as it did. */
  evidence: Record<string, { status: "holds" | "broken" | "unverifiable"; why: string[] }>;
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
  /** What it means, where it comes from as a rule, and what to do about it; null for a code without such a text. */
  explained: { what: string; why: string; next: string } | null;
}

export interface HealthAnswer extends Answer {
  stamp: string;
  /** How far the check is: each folder is checked in turn while the server runs. */
  checked: number;
  total: number;
  complete: boolean;
  /** When the oldest of these checks was made; null before the first. */
  checked_at: string | null;
  /** Faults first, at most 1000. */
  findings: FindingItem[];
  findings_total: number;
  logs: {
    count: number;
    bytes: number;
    events: number;
    /** The largest first, at most 200. */
    largest: LogItem[];
    /** Bytes and events of all logs by day in UTC, the latest 366 days that have any. */
    growth: { day: string; events: number; bytes: number }[];
  };
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

export interface GraphAnswer extends Answer {
  id: string;
  stamp: string;
  now: string;
  nodes: GraphNode[];
  edges: GraphEdge[];
  /** Ids along the longest chain of what is not DONE, first to do first. */
  critical_path: string[];
  /** Ids of tasks that can be taken up. */
  ready: string[];
  /** Ids that wait for each other in a circle; empty as a rule. */
  circle: string[];
  /** Nodes were left out above 2000. */
  cut: boolean;
}

export interface GraphNode {
  id: string;
  title: string;
  kind: Kind;
  status: Status;
  /** It belongs to the plan; false: another entity that one of its tasks depends on. */
  inside: boolean;
  ready: boolean;
  blocked: boolean;
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

export interface AgentsAnswer extends Answer {
  stamp: string;
  now: string;
  /** Time that the lanes cover. */
  from: string | null;
  to: string | null;
  /** The one that acted last first, at most 200. */
  lanes: AgentLane[];
  lanes_total: number;
  /** Marks before `from` were left out above 20000. */
  cut: boolean;
  throughput: {
    bucket: "hour" | "day";
    /** In order of time; empty buckets are left out. */
    buckets: { start: string; closes: number; reopens: number; changes: number }[];
  };
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
  /** In order of time. */
  marks: AgentMark[];
  spans: AgentSpan[];
  /** What it has claimed and cannot go on with now. */
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
  /** Who took it over. */
  other: string | null;
}

/** Data of one event of the stream, named `change`. After `hello` (`{stamp}`) and after a reconnect, look at `workspace.json` again. */
export interface ChangeEvent {
  stamp: string;
  /** `row`: as the board has it now; null where it is gone from there. */
  changes: { id: string; what: "new" | "changed" | "gone"; head: string; revision: number; row: BoardRow | null }[];
  /** Rows of others that say something of those: their plans, and what waits for them. */
  others: BoardRow[];
}

/** Answers by their names: `entities/TASK-001.json`. In a document `<` stands as `\u003c`. */
export type EmbeddedData = Record<string, Answer>;
