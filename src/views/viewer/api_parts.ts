/** Parts of the page of a plan or task. `api.ts` has the answers that hold them, and exports them again. */

import type { Sentence } from "../../sentence.ts";

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

export type Kind = "plan" | "task";
export type Status = "TODO" | "ACTIVE" | "DONE" | "FAILED" | "CANCELED";
export type CheckpointName = "criteria" | "tests" | "security" | "perf" | "docs";
export type ProofMode = "off" | "warn" | "require" | "captured" | "repeated" | "attested";

export interface Claim {
  by: string;
  claimed_at: string;
  /** The claim is in effect before this time. */
  expires_at: string;
  /** Null: the whole task. */
  step: StepRef | null;
  /** In effect as of the moment that `ready` is told for: the two never contradict each other. */
  holds: boolean;
}

export interface StepRef {
  id: string;
  /** `s:0.s:1` */
  path: string;
  title: string;
}

export interface StepItem {
  id: string;
  path: string;
  parent: string | null;
  depth: number;
  title: string;
  /**
   * `waiting`: other steps or tasks come first. `ready`: it can be taken up. `open`: its task has ended or is put away.
   * `claimed`: a claim is in effect, of it, above it or below it.
   */
  state: "done" | "blocked" | "claimed" | "waiting" | "ready" | "open";
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
  /** Files and folders that it is about; empty: those of the packet, else all. */
  files: string[];
  /** Checkpoints that another actor confirms than those who claimed it. */
  confirm: CheckpointName[];
  claim: { by: string; claimed_at: string; expires_at: string } | null;
  depends_on: StepRef[];
  waits_for: StepRef[];
  checkpoints: CheckpointItem[];
  /** Words for everything that closing it still asks for. */
  due: Sentence[];
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
  /** Declared tests and other commands whose newest run failed, at most ten. */
  failed_commands: string[];
  /** Commands that are no declared test: those that prove tests alone, and those whose newest run failed. */
  other_commands: string[];
  /** A stage of the packet proves it, and nothing else. */
  by_packet: boolean;
  /** Links to evidence entries, oldest first: the newest, at most 100. */
  links: { evidence: string; counts: boolean; command: string | null; exit_code: number | null; ts: string }[];
  links_total: number;
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
  /** Values of the branches; the last one is shown. */
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

/** A line of the trace. */
export interface TraceItem {
  id: string;
  ts: string;
  by: string;
  kind: string;
  card: string | null;
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
  /** Actor who captured it; null where another program did. */
  by: string | null;
  /** Steps and checkpoints that name it. */
  linked: { step: StepRef; checkpoint: CheckpointName; counts: boolean }[];
  anchors: { path: string; start_line: number; end_line: number }[];
  runs: EvidenceRun[];
  /** `https://...` and other references, as text: a page links to http and https alone. */
  links: string[];
  /** Kept bytes beside runs. */
  artifacts: BlobRef[];
  commit: string | null;
  /** Recorded, and no proof: a file or its lines were missing, or something is still to be filled in. */
  no_proof: "missing" | "open" | null;
  /** The line of the output that first tells of a failure. An event of an old log keeps none: null. */
  failing_line: string | null;
  /** It was put aside: it neither proves nor fails anything. */
  superseded: { by: string; ts: string; reason: string } | null;
  /** `captured`: Taskfold made the run; `repeated`: in a clean work tree; `attested`: it is signed. */
  degree: "claimed" | "captured" | "repeated" | "attested";
  /** It was captured for tests of a step, and is none of those that the step declares. */
  other_command: boolean;
}

export interface EvidenceRun {
  command: string;
  cwd: string;
  exit_code: number | null;
  stdout: BlobRef | null;
  stderr: BlobRef | null;
}

/** Bytes that were kept, of evidence or of a packet: `entities/{id}/output/{sha256}/{page}.json`, and whole below `/raw`. */
export interface BlobRef {
  sha256: string;
  /** Null where the bytes are not there. */
  size: number | null;
  /** Pages of its text, at most: `OutputAnswer.pages` says how many there are. */
  pages: number;
  /** From the root of the server or of the export on, without a slash before; null where the bytes are not there. */
  raw: string | null;
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
  next: { stage: string | null; action: Sentence; allowed: boolean; because: string | null };
  budgets: {
    retry: { budget: number; used: number };
    paid_calls: { budget: number; used: number };
    /** The budget is of one run; `used` is the longest one. */
    wallclock_sec: { budget: number; used: number };
  };
  scope: { allow: string[]; deny: string[] };
  acceptance: { commands: string[]; criteria: string[]; override: string[] | null };
  /** How context is made smaller, what is kept from it, and which configuration its stages come from. */
  settings: {
    digest_policy: string;
    forbidden_paths: string[];
    redaction_patterns: string[];
    flags: Record<string, boolean>;
    options: Record<string, string>;
    config_sha256: string;
  };
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
  /** Oldest first: the newest, at most 50. */
  attempts: AttemptItem[];
  attempts_total: number;
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
  /** Null while it runs; never before `started_at`. */
  ended_at: string | null;
  how: "passed" | "failed" | "interrupted" | null;
  /** No process runs it any more, and none wrote down its end. False in the past. */
  lost: boolean;
  duration_sec: number | null;
  exit_code: number | null;
  timed_out: boolean;
  reason: Sentence | null;
  acceptance: { command: string; exit_code: number; timed_out: boolean; duration_sec: number; excerpt: string }[];
  stderr: { head: string[]; tail: string[] };
  /** `blob`: where its bytes are; null for an empty file, and for one that was not kept. */
  files: {
    kind: string;
    path: string;
    size: number;
    sha256: string;
    lines: number;
    dropped: boolean;
    blob: BlobRef | null;
  }[];
}

export interface FailureItem {
  attempt: number;
  class: string;
  signature: string;
  exit_code: number | null;
  gate: "passed" | "failed" | "not_judged";
  reasons: Sentence[];
  suggested_actions: string[];
  ts: string;
  retries: { count: number; most: number };
}
