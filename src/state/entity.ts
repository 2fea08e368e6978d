/**
 * The shapes of a plan or a task: what one log says. Everything here is folded; nothing is read from anywhere else.
 * Files of functions import this one; it imports none of them.
 */
import type { Checklist } from "./checklist.ts";
import type { Config } from "./config.ts";
import type { EvidenceEntry, EvidenceFacts, ReceiptKind } from "./evidence.ts";
import type { Node } from "./node.ts";
import type { Manifest, Packet } from "./packet.ts";
import type { HumanFile, HumanText } from "./human_files.ts";
import type { Card, CardStage, TraceEntry } from "./reasoning.ts";
import type { Report } from "./report.ts";
import type { Json } from "./json.ts";
import type { Taskdoc } from "./taskdoc.ts";

export const KINDS = ["plan", "task"] as const;
export type Kind = (typeof KINDS)[number];

export const STATUSES = ["TODO", "ACTIVE", "DONE", "FAILED", "CANCELED"] as const;
export type Status = (typeof STATUSES)[number];

export const TOPOLOGIES = ["swarm", "squad"] as const;
export type Topology = (typeof TOPOLOGIES)[number];

export const CHECKPOINTS = ["criteria", "tests", "security", "perf", "docs"] as const;
export type Checkpoint = (typeof CHECKPOINTS)[number];

/** Proof can be asked for on these; `criteria` is a judgement, there is nothing to attach. */
export const PROOF_CHECKPOINTS = ["tests", "security", "perf", "docs"] as const;
export type ProofCheckpoint = (typeof PROOF_CHECKPOINTS)[number];

/** Those after `require` take no proof of a lower degree than their name says (PROOF-48). */
export const PROOF_MODES = ["off", "warn", "require", "captured", "repeated", "attested"] as const;
export type ProofMode = (typeof PROOF_MODES)[number];

/** How one entity names another: rules follow the root, people read the id. */
export interface Ref {
  id: string;
  root: string;
}

/** The present id of the entity of a reference; the id as written where no entity here has that root. */
export type IdOf = (ref: Ref) => string;

export interface Note {
  /** Hash of the event that brought it. */
  id: string;
  ts: string;
  by: string;
  /** Id of the step it was written on; null: on the entity. */
  step: string | null;
  text: string;
}

/** One op in a sentence, for README and radar. */
export interface RecentOp {
  ts: string;
  by: string;
  tool: string;
  message: string;
}

/** A human or automatic gate, ours (`gate-<step id>`) or one that another program opened. */
export interface Gate {
  id: string;
  own: boolean;
  state: "open" | "blocked" | "approved" | "rejected";
  reason: string | null;
  blocked_at: string | null;
  resolved_at: string | null;
  resolved_by: string | null;
  /** Where another program chose them: `human-approval` and people's notes otherwise. */
  type?: GateType;
  instructions?: string | null;
  /** Time of the foreign line that said so, with nine digits; absent when a task file did. */
  said_at?: string;
}

export const GATE_TYPES = ["human-approval", "auto-check", "milestone-gate"] as const;
export type GateType = (typeof GATE_TYPES)[number];

/** An agent instance that another program ran in this folder. */
/** Words of Coco's roster that are all `active` here. */
export const AGENT_WORDS = ["pending", "active", "dormant"] as const;
export type AgentWord = (typeof AGENT_WORDS)[number];

export interface Agent {
  instance: string;
  agent: string;
  state: "active" | "awaiting" | "completed" | "failed";
  /** Coco's word for an agent that has not ended, as its task file had it; absent when a line is the later source. */
  word?: AgentWord;
  /** Top-level step it was given, and what it was started with; only a task file tells. */
  assigned?: string | null;
  skills?: string[];
  /** Time of the foreign line that said so, with nine digits; absent when a task file did. */
  said_at?: string;
}

/** An end of the log that task.yaml named, and that the log did not have when a writer looked. */
export interface LostEnd {
  /** The head that task.yaml named. */
  head: string;
  revision: number;
  /** How far the log went then. */
  found: string;
  found_revision: number;
  /** A person accepted the loss. */
  accepted: boolean;
}

/** Two or more concurrent writes of one field, none of which saw the other; the last in order is shown. */
export interface Conflict {
  field: string;
  values: { value: Json; by: string; ts: string; op: string }[];
}

/** A task that was put away, as its plan names it. */
export interface ArchivedTask {
  id: string;
  title: string;
  status: Status;
  /** It was brought back since. */
  restored: boolean;
}

/** A type alias, because only those fit where JSON is asked for. */
export type Lease = {
  by: string;
  claimed_at: string;
  expires_at: string;
  /** Revision of the claim: the number by which its holder shows that it has not lost it. */
  fence: number;
};

/** Evidence linked to a checkpoint; `counts` is false for placeholders, missing files and failed runs. */
export interface Link {
  evidence: string;
  counts: boolean;
  /** The kind of receipt: of a command that was run, or of where its result can be read. */
  receipt: ReceiptKind | null;
  /** The command and where it was run; null where the evidence is no run. */
  command: string | null;
  cwd: string | null;
  exit_code: number | null;
  /** Place of its op in replay order, from 0. */
  op: number;
  /** When it was captured: never before an earlier run of its text that its op has seen (PROOF-33). */
  time: string;
  /** The same over all spellings of its command, on whatever place of the task; absent where that is `time`. */
  ran_at?: string;
  /** Something was kept, or an exit code 0 recorded, that backs what it says. */
  backed: boolean;
  /** The declared test that it was captured for, if its writer knew of one. */
  test?: string;
  /** It was put aside with a reason: neither proof nor failure (EVID-58). */
  superseded?: true;
  /** Taskfold started the command itself, for `repeated` in a clean work tree that it made. Absent for a claim. */
  degree?: "captured" | "repeated";
  /** The actor that recorded it, beside `degree`. */
  by?: string;
  /** An attestation names it. Whether its key is trusted, the log does not say. */
  signed?: true;
}

/** A step or the whole, as callers can claim it. */
export interface Claimable {
  /** The claim that stands: the last in order. */
  lease: Lease | null;
  /** Claims of other branches that it displaced while they ran, the latest first; absent where there are none (LEASE-9). */
  displaced?: readonly Lease[] | undefined;
}

/** `op`: the place in replay order of the op that confirmed. `brought`: that op took the confirmation back, and the actor undid it. */
export interface Confirmer {
  by: string;
  op: number;
  brought?: true;
}

export interface Step extends Node, Claimable {
  readonly id: string;
  readonly parent: Step | null;
  /** Position among its siblings, deleted ones included: a path is never given to another step (STEP-1). */
  readonly ordinal: number;
  readonly children: Step[];
  /** Ids of its task nodes, deleted ones included. */
  readonly nodes: string[];
  title: string;
  success_criteria: string[];
  tests: string[];
  blockers: string[];
  readonly confirmed: Node & Record<Checkpoint, boolean>;
  readonly proof: Node & Record<Checkpoint, ProofMode>;
  readonly linked: Node & Record<Checkpoint, Link[]>;
  done: boolean;
  done_at: string | null;
  done_by: string | null;
  /** Why `force` passed a block or open children when the step was closed. */
  forced: string | null;
  /** Why a step that had been closed is open again. */
  reopened: string | null;
  blocked: boolean;
  block_reason: string | null;
  deleted: boolean;
  notes: number;
  /** Ids of steps that have to be closed before this one; an adopted step may name what is no step of ours. */
  depends_on: string[];
  /** Checkpoints that another actor than those who claimed the step confirms; any may confirm the others (PROOF-55). */
  confirm: { readonly [C in Checkpoint]?: "other" };
  /** Files and folders below the root that it is about; without any those of the packet, else all (PROOF-51). */
  files: string[];
  /** The actors who claimed the step while it was open, and by checkpoint those who stand for its confirmation, the one that counts last. */
  claimants?: string[];
  confirmed_by?: { [C in Checkpoint]?: readonly Confirmer[] };
  /** It names the task's packet: only the packet's verifying stage proves its tests (PACKET-218). */
  packet: boolean;
  /**
   * The degree of the proof that this stage gives now; null where it gives none, and for a step that does not name the packet. `brief`: it ran
   * commands of a brief alone, which is proof for a closing in a log only.
   */
  accepted: "brief" | "claimed" | "captured" | null;
  /** An adopted milestone that was in work, which our steps do not say. */
  started?: true;
}

export const NODE_LISTS = ["success_criteria", "next_steps", "blockers", "dependencies", "problems", "risks"] as const;
export type NodeList = (typeof NODE_LISTS)[number];

/** The fields of a node that a caller may give. */
export interface NodeBody extends Record<NodeList, string[]> {
  title: string;
  status: Status;
  priority: string;
  description: string;
  context: string | null;
}

export interface TaskNode extends Node, NodeBody {
  readonly id: string;
  /** Id of the step it stands in. */
  readonly step: string;
  /** Position in the step, deleted ones included: a path is never given to another node. */
  readonly ordinal: number;
  deleted: boolean;
}

export interface Entity extends Node, Claimable {
  /** Hash of the first event: the identity. The folder's name is not part of the state. */
  readonly root: string;
  readonly kind: Kind;
  readonly created_at: string;
  readonly created_by: string;
  title: string;
  description: string;
  context: string | null;
  priority: string;
  tags: string[];
  depends_on: Ref[];
  domain: string | null;
  phase: string | null;
  component: string | null;
  assignee: string | null;
  /** Whether the task is completed with its last step; null: as its plan says. Of a plan: for tasks that do not say. */
  complete_when_done: boolean | null;
  contract: string | null;
  contract_data: Json;
  /** Of a plan: proof modes of steps of its tasks that name none. */
  proof: { readonly [C in ProofCheckpoint]?: ProofMode };
  /** Plans only; empty on a task. */
  readonly checklist: Checklist;
  topology: Topology;
  parent: Ref | null;
  status: Status;
  status_reason: string | null;
  /** When it became DONE, FAILED or CANCELED, and by whom; null while it is open, and where its log does not tell. */
  ended_at: string | null;
  ended_by: string | null;
  deleted: boolean;
  /** Put away, to be read and brought back: its folder is in the archive, as that of a deleted one. */
  archived: boolean;
  /** Of a plan, by root: the tasks of it that were put away. */
  readonly archived_tasks: Map<string, ArchivedTask>;
  /** Every step ever added, deleted ones included, by id. */
  readonly steps: Map<string, Step>;
  readonly children: Step[];
  /** Every task node ever added, deleted ones included, by id. */
  readonly nodes: Map<string, TaskNode>;
  readonly evidence: EvidenceEntry[];
  /** By id of the entry, where there are any. */
  readonly facts: Map<string, EvidenceFacts>;
  /** Last few, oldest first. All of them are in the log. */
  notes: Note[];
  note_count: number;
  /** The reasoning graph by card id, cards that were taken back included, and how many of each stage are left. */
  readonly cards: Map<string, Card>;
  card_counts: Record<CardStage, number>;
  /** Ids of all cards in the order in which they came, and of the decisions among them. */
  readonly card_order: string[];
  readonly decisions: string[];
  /** Last few lines of the trace, oldest first. All of them are in the log. */
  trace: TraceEntry[];
  trace_count: number;
  /** Notes and lines of the trace that were ever taken back, by id, and whether they still are. */
  readonly gone: Map<string, boolean>;
  /**
   * The packet's task, and its progress; null where the entity carries no packet. Two branches may disagree about the
   * first.
   */
  manifest: Manifest | null;
  packet: Packet | null;
  /** The last report that was made; null before there is one. */
  report: Report | null;
  recent: RecentOp[];
  /** Revision of the last op of each actor, the one that acted last at the end; of the 64 latest actors. */
  acted: Map<string, number>;
  readonly gates: Map<string, Gate>;
  readonly agents: Map<string, Agent>;
  config: Config;
  /** The texts of people's files, as far as they were read in. */
  readonly people: Record<HumanFile, HumanText>;
  /** Sections that were written. */
  readonly taskdoc: Taskdoc;
  /** By head, in the order in which they were noted. */
  lost_ends: LostEnd[];
  /** Time, with nine digits, of the other program's task file that was taken in last: lines up to it are in it. */
  taken_until: string | null;
  /** Largest ts of any event. */
  updated_at: string;
  /** Ops applied. */
  revision: number;
  /** Open conflicts by field name, in the order they came up. */
  conflicts: Map<string, Conflict>;
  /** Step lists whose paths a merge moved: name of the list to the ids concerned. */
  moved: Map<string, string[]>;
}

/** One entity with the names that are not in its log: what views, projections and replies are made from. */
export interface Subject {
  /** The status that answers show, where others than its own log have a say: a plan's tasks. */
  readonly status?: Status;
  /** Folder name. */
  id: string;
  /** Workspace id. */
  workspace: string;
  entity: Entity;
  /** Digest of the sorted head hashes. */
  head: string;
  /** Evidence that earlier parts of a call brought, which a refusal of that call takes back (TXN-1). */
  readonly unrecorded?: ReadonlySet<string> | undefined;
}

/** The source of an entity's files: all of its log that is in effect. */
export interface Folded extends Subject {
  /** Of the lines of its events, as a writer writes them. */
  bytes: number;
}
