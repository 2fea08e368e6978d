/**
 * The read-only JSON interface of the viewer, version 1 (docs/viewer.md, VIEWER rules). The server answers it below `/api/v1/`. An export
 * writes it as files of the same names. Types only. A newer version adds members; a change of meaning is a new version.
 *
 * - `workspace.json`: `WorkspaceAnswer`.
 * - `status.json`: `StatusAnswer`.
 * - `board/0.json` to `board/{pages - 1}.json`: `BoardAnswer`, at most `BOARD_PAGE` rows each.
 * - `entities/{id}.json`: `EntityAnswer`, the present state.
 * - `entities/{id}/revisions/{n}.json`: `EntityAnswer`, as of the revision n.
 * - `entities/{id}/differences/{a}-{b}.json`: `DifferenceAnswer`; `differenceOf` of `difference.ts` makes the same from two `EntityAnswer`s.
 * - `entities/{id}/history/0.json` to `.../{pages - 1}.json`: `HistoryAnswer`. Page 0 has the first revisions, so that full pages never change.
 * - `entities/{id}/evidence/0.json` to `.../{pages - 1}.json`: `EvidenceAnswer`. Page 0 has the first entries. `notes`, `cards` and `trace`
 *   are lists of the same form (`ListName`). `entities/{id}/revisions/{n}/evidence/0.json` is that list as of the revision n (served only).
 * - `entities/{id}/output/{sha256}/0.json` to `.../{pages - 1}.json`: `OutputAnswer`: captured output, one page of its text.
 * - `entities/{id}/check.json`: `CheckAnswer`: what verify finds in this folder now, drift, whether evidence still holds, stale proof.
 * - `plans/{id}/graph.json`: `GraphAnswer`.
 * - `standings.json`: `StandingsAnswer`.
 * - `agents.json`, and `agents/1.json` to `agents/{pages - 1}.json`: `AgentsAnswer`, at most `LANES_PAGE` lanes each.
 * - `search/{text}.json`: `SearchAnswer` (served only). The text is percent-encoded.
 * - `health.json`: `HealthAnswer`.
 * - `logs/0.json` to `logs/{pages - 1}.json`: `LogsAnswer`, at most `LIST_PAGE` logs each.
 * - `events`: server-sent events (served only). `hello` and `shared` have `StreamState`, `change` has `ChangeEvent`. `failed` has
 *   `ErrorAnswer`: the workspace cannot be read until the next `hello`.
 *
 * Captured bytes stand beside it: `/raw/v1/{id}/{sha256}` (an export writes `raw/v1/{id}/{sha256}.txt`), text or a download, never a page.
 * A refusal is `ErrorAnswer` with its HTTP status. Ids are safe in addresses and file names as they are: `[A-Za-z0-9._-]`.
 *
 * Its document says where the page gets its data: `<meta name="taskfold-source" content="live">`. An export replaces the word.
 *
 * - `live`: the page fetches `api/v1/NAME` (relative to the document; the cookie goes along) and listens to `api/v1/events`.
 * - `files`: `view --export DIR`. Answers are files beside the document, `api/v1/NAME`. From disk (`file:`) a page can fetch nothing.
 *   So beside each `NAME` stands `NAME.js`, a classic script, which loads from every place. Its one statement is
 *   `taskfoldData("NAME", answer);`. The page defines that global function before it adds the script element. Nothing is live.
 *   Captured bytes: `raw/v1/ID/SHA.txt`.
 * - `inline`: `view --export DIR --task ID`, one HTML file. The document holds `<script type="application/json" id="taskfold-data">`, an
 *   `EmbeddedData`: every answer that there is, by its name. Scripts and styles of the page stand in the document.
 *
 * An answer that an export left out is not there: 404, a script that fails to load, or no such member. `EntityAnswer.available` names
 * what an export holds of an entity.
 *
 * The built page is `dist/view/index.html`. It names files beside it by relative addresses, and its routes stand behind `#`. A module
 * script does not load from disk, so scripts are classic: `<script defer src="./app.js"></script>`. Styles are
 * `<link rel="stylesheet" href="./app.css">`. A chunk that is loaded later is a classic script too. In mode
 * `inline` every other `*.js` of that folder stands in the document before those that it names. It holds no inline script or
 * style, and no address outside of the folder.
 */

import type {
  CardItem,
  CheckpointName,
  Claim,
  ConflictItem,
  EvidenceItem,
  GateItem,
  Json,
  Kind,
  NoteItem,
  PacketItem,
  PacketState,
  ReportItem,
  Status,
  StepItem,
  StepRef,
  TaskdocSectionItem,
  TraceItem,
} from "./api_parts.ts";

import type { Sentence } from "../../sentence.ts";
import type { Need } from "../../state/need.ts";
import type { HappenedChange } from "../happened.ts";
import type {
  AgentLane,
  AgentStanding,
  Difference,
  FindingItem,
  GraphEdge,
  GraphNode,
  HistoryItem,
  LogItem,
} from "./api_past.ts";

export type {
  AttemptItem,
  BlobRef,
  CardItem,
  CheckpointItem,
  Claim,
  ConflictItem,
  EvidenceItem,
  EvidenceRun,
  FailureItem,
  GateItem,
  Json,
  Kind,
  NodeItem,
  NoteItem,
  PacketItem,
  PacketState,
  ReportItem,
  StageItem,
  StageState,
  Status,
  StepItem,
  StepRef,
  TaskdocSectionItem,
  TraceItem,
} from "./api_parts.ts";

export type { Sentence } from "../../sentence.ts";

export type { HappenedChange } from "../happened.ts";

export type {
  AgentLane,
  AgentMark,
  AgentSpan,
  AgentStanding,
  Difference,
  FieldDifference,
  FindingItem,
  GraphEdge,
  GraphNode,
  HistoryItem,
  ItemDifference,
  LogItem,
  MarkKind,
  PartDifference,
  PartName,
} from "./api_past.ts";

export const API_VERSION = 1;
/** Rows of one page of the board. */
export const BOARD_PAGE = 2500;
/** Revisions of one page of the history. */
export const HISTORY_PAGE = 200;
/** Lanes of one page of agents. */
export const LANES_PAGE = 100;
/** Entries of one page of evidence, notes, cards or trace, and logs of one page of logs. An `EntityAnswer` has at most so many entries of evidence, notes and trace. */
export const LIST_PAGE = 200;
/** Plans and tasks of one answer of a search. */
export const SEARCH_ROWS = 50;
/** Characters (UTF-16) of one page of captured output. */
export const OUTPUT_PAGE = 65_536;

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
  /** When this text was made, RFC 3339 in UTC. It is answered again as long as nothing else in it would be another. */
  now: string;
  /** Null while served; when an export was made. */
  exported_at: string | null;
  /** The one entity that an export is about (`--task`); null otherwise. */
  only: string | null;
  counts: {
    plans: number;
    tasks: number;
    /** In the archive, deleted ones too: the number of `taskfold list`. */
    archived: number;
    /** Folders of another program, not adopted. */
    foreign: number;
    /** Of tasks. */
    by_status: Record<Status, number>;
    ready: number;
    claimed: number;
    blocked: number;
    /** Another task comes first. */
    waiting: number;
    conflicts: number;
    failed_proof: number;
    /** Null until every folder has been checked. */
    drift: number | null;
  };
  /** Pages of the board. */
  board_pages: number;
  /** Numbers of the findings in `health.json`. */
  findings: { faults: number; notes: number; complete: boolean };
  /** At most 100. */
  warnings: ApiWarning[];
  warnings_total: number;
}

/** It has what `tasks_status` answers about the newest changes, with a command line for each need. In an export of one plan or task, of those that its page names. */
export interface StatusAnswer extends Answer {
  stamp: string;
  /** When this was found; the same text is answered again as long as nothing else in it would be another. */
  now: string;
  /** In the order in which people go through them. */
  needs_you: NeedItem[];
  /** The newest first. A page groups them by the days of its reader. */
  happened: HappenedChange[];
  /** There are older changes. */
  happened_more: boolean;
  /** Plans and tasks whose logs were not read for it: these may need someone, too. */
  unseen: { plans: number; tasks: number; ended: number; archived: number };
}

export interface NeedItem {
  what: Need["kind"];
  /** Id of the plan or task. */
  task: string;
  title: string;
  /** The step that it is about; null where it is about the whole. */
  step_id: string | null;
  path: string | null;
  why: Sentence;
  who: string[];
  since: string | null;
  /** The actor whose claim refuses what ends it, and until when. */
  held?: { by: string; until: string };
  /** Null while it is held. */
  call: { tool: string; input: Record<string, unknown> } | null;
  /** The line for a shell that ends it; null where the program that answers has none, and while it is held. */
  command: string | null;
}

/** It has what `tasks_search` finds of a text in fields, steps, notes and evidence. It leaves out the archive. */
export interface SearchAnswer extends Answer {
  text: string;
  /** Actors of the board whose names have it, at most `SEARCH_ROWS`. */
  agents: string[];
  /** First those whose id or title has it, at most `SEARCH_ROWS`. */
  rows: {
    id: string;
    kind: Kind | null;
    title: string;
    status: Status;
    /** At most five places: a field, the path of a step, a note, evidence. */
    found: { where: string; text: string }[];
  }[];
  total: number;
  /** Plans and tasks that were looked through. */
  searched: number;
  /** Those in the archive, which were not. */
  archived: number;
}

export interface EntityRef {
  id: string;
  /** Null where this workspace has no such entity. */
  title: string | null;
  kind: Kind | null;
  /** As it is now. Null on the page of a revision too: no log tells how others stood then. */
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
  /** Claims, whether in effect or over, at most ten. */
  claims: Claim[];
  /** A step that can be taken up as of `BoardAnswer.now`; null where there is none. */
  ready: StepRef | null;
  /** It has no steps yet, and nothing keeps it from being given some: no task before it, and no claim. It is ready without a step. */
  needs_steps: boolean;
  /** Every step is closed with its proof, and nothing but its completion is left. False for plans. */
  to_complete: boolean;
  /** It is ready, or would be if no claim stood. */
  workable: boolean;
  /** Ids that have to be DONE before. */
  waits_for: string[];
  /**
   * The steps, blockers and gates that stand in its way: at most three lines, then `and N more`. It is blocked unless it is
   * `workable` all the same.
   */
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
  /** Actor of the last change. */
  updated_by: string | null;
  revision: number;
  /** Digest of the ends of the log: another one after every change. Empty for `coco`. */
  head: string;
  /** Codes of what every read of it warns of. */
  warnings: string[];
  /** Set where the entity lies in the archive, deleted ones too. */
  archived?: true;
  /** Set where it was deleted. */
  deleted?: true;
}

export interface BoardAnswer extends Answer {
  stamp: string;
  now: string;
  page: number;
  pages: number;
  total: number;
  /** In natural order of ids; archived ones come last. */
  rows: BoardRow[];
  /** At most 100. */
  warnings: ApiWarning[];
  warnings_total: number;
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
  /** Those of `depends_on` that have to be DONE before; none once it has ended. Empty in the past. */
  waits_for: EntityRef[];
  /** As on the board. */
  needs_steps: boolean;
  to_complete: boolean;
  workable: boolean;
  progress: { done: number; total: number };
  /** `why` is a text of people, and the others are sentences of the engine. */
  radar: { now: Sentence; why: string; verify: Sentence[]; next: Sentence[]; blockers: Sentence[] };
  conflicts: ConflictItem[];
  gates: GateItem[];
  /** Agent instances of another program's roster. */
  agents: { instance: string; agent: string; state: string }[];
  /** Parents first, siblings in order; at most 5000. */
  steps: StepItem[];
  steps_total: number;
  /** Of a plan; null on a task. */
  plan: PlanPart | null;
  /** Newest first, at most 200, and in the present the last few alone; all of them are in `notes/{page}.json`. */
  notes: NoteItem[];
  notes_total: number;
  /** Text of people's files, as far as it was read into the log. */
  people: { file: string; text: string }[];
  decisions: CardItem[];
  /** The reasoning graph, at most 500 cards, the newest ones; all of them are in `cards/{page}.json`. */
  cards: CardItem[];
  cards_total: number;
  /** Newest first, as `notes` are; all of it is in `trace/{page}.json`. */
  trace: TraceItem[];
  trace_total: number;
  report: ReportItem | null;
  /** The newest, oldest first, at most `LIST_PAGE`; all of them are in `evidence/{page}.json`. */
  evidence: EvidenceItem[];
  evidence_total: number;
  /** The sections that hold text, or held some. */
  taskdoc: TaskdocSectionItem[];
  packet: PacketItem | null;
  /** Last ops in a sentence, the newest first, each cut to 2000 characters. */
  recent: { ts: string; by: string; tool: string; message: string }[];
  /** Actors, the latest one first. */
  actors: string[];
  /** Other answers about it that there are; a server has all of them. */
  available: Available;
  warnings: ApiWarning[];
}

export interface Available {
  /** Revisions with a page: from `from` to `to`; null where there is none. */
  revisions: { from: number; to: number } | null;
  /** 0 where the log is longer than a reader holds at once: then it has no past to show. */
  history_pages: number;
  evidence_pages: number;
  check: boolean;
  graph: boolean;
}

export interface PlanPart {
  contract: string | null;
  contract_data: Json;
  checklist: { doc: string; items: { text: string; state: "done" | "due" | "open" }[] };
  /** Its tasks in natural order of ids, as of now, at most `BOARD_PAGE`: rows of the board have all of them. Empty in the past. */
  tasks: { id: string; title: string; status: Status; progress: { done: number; total: number }; archived: boolean }[];
  tasks_total: number;
  by_status: Record<Status, number>;
  /** Steps of these tasks, closed and all. A task that was canceled or failed does not count. */
  steps: { done: number; total: number };
}

/** One page of a list of an entity, oldest first. */
interface ListAnswer extends Answer {
  id: string;
  head: string;
  page: number;
  pages: number;
  total: number;
}

export interface EvidenceAnswer extends ListAnswer {
  evidence: EvidenceItem[];
}

export interface NotesAnswer extends ListAnswer {
  notes: NoteItem[];
}

export interface CardsAnswer extends ListAnswer {
  cards: CardItem[];
}

export interface TraceAnswer extends ListAnswer {
  trace: TraceItem[];
}

/** The lists of an entity that have pages of their own. */
export const LIST_NAMES = ["evidence", "notes", "cards", "trace"] as const;
export type ListName = (typeof LIST_NAMES)[number];

export interface OutputAnswer extends Answer {
  id: string;
  sha256: string;
  size: number;
  page: number;
  pages: number;
  /**
   * Text of the page. Bytes that are no UTF-8 are U+FFFD. Of terminal codes only colours and weights are left: render or strip
   * `ESC [ ... m`. Every other control character but tab and line feed is gone.
   */
  text: string;
  /** It holds NUL bytes: likely no text. */
  binary: boolean;
  /** It is longer than 4 MiB: the pages have the beginning, and the raw bytes all of it. */
  cut: boolean;
}

/** A quarter of an hour with a change: in quarters since 1970, its least revision, and its number of changes. A reader makes days of a zone of them. */
export type Quarter = [start: number, first: number, changes: number];

export interface HistoryAnswer extends Answer {
  id: string;
  head: string;
  page: number;
  pages: number;
  /** Revisions of the whole log. */
  total: number;
  /** Oldest first: revisions `page * HISTORY_PAGE + 1` and on. */
  ops: HistoryItem[];
  /** Of the latest 367 days at least, the oldest first. The last page alone has them. If their changes are fewer than `total`, older ones are left out. */
  quarters: Quarter[];
}

export interface DifferenceAnswer extends Answer, Difference {
  id: string;
}

export interface CheckAnswer extends Answer {
  id: string;
  head: string;
  checked_at: string;
  /** A folded file is not as the log says. */
  drift: boolean;
  findings: FindingItem[];
  findings_total: number;
  /**
   * Steps with proof of other files than those of now, at most 500. An export asks no git, and names none. `is_need`: `status` names it, too. It
   * names none of a closed step whose mode takes a claim, because work goes on behind it.
   */
  stale: { step: StepRef; checkpoint: CheckpointName; why: Sentence; is_need: boolean }[];
  /**
   * By id: whether what an entry points at still stands there as it did. `backs`: steps that count it as proof. `stale`: why a run that proves
   * something is one of other files, as `show` says it; null: it is not, or git was not asked.
   */
  evidence: Record<
    string,
    {
      status: "holds" | "broken" | "unverifiable";
      why: Sentence[];
      title: string;
      backs: StepRef[];
      stale: Sentence | null;
    }
  >;
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
  /** Of all of them, those that are no notes. */
  faults_total: number;
  logs: {
    count: number;
    bytes: number;
    events: number;
    /** The largest first, at most `LIST_PAGE`: all of them are in `logs/{page}.json`. */
    largest: LogItem[];
    /** Bytes and events of all logs by day in UTC, the latest 366 days that have any. */
    growth: { day: string; events: number; bytes: number }[];
    /** Events of days before those in `growth`. */
    early: number;
  };
}

export interface LogsAnswer extends Answer {
  stamp: string;
  page: number;
  pages: number;
  total: number;
  /** The largest first. */
  logs: LogItem[];
}

export interface GraphAnswer extends Answer {
  id: string;
  stamp: string;
  now: string;
  nodes: GraphNode[];
  edges: GraphEdge[];
  /** Ids along the chain of open tasks with most open steps that ends in the plan, first to do first. It may lead through other plans. */
  critical_path: string[];
  /** Ids of tasks that can be taken up. */
  ready: string[];
  /** Ids that wait for each other in a circle; empty as a rule. */
  circle: string[];
  /** Nodes were left out above 2000, tasks of other plans first. */
  cut: boolean;
}

export interface StandingsAnswer extends Answer {
  stamp: string;
  now: string;
  /** How each actor stands, in the order of lanes, at most 10000: `LANES_PAGE` of them are a page of lanes. */
  standings: AgentStanding[];
  total: number;
}

export interface AgentsAnswer extends Answer {
  stamp: string;
  now: string;
  page: number;
  pages: number;
  /** Time that the lanes of this page cover: to `now` while a claim or a stage lasts. */
  from: string | null;
  to: string | null;
  /** Where lanes begin unless a reader wants all of the time: the marks before it are few, and far from the others. */
  main_from: string | null;
  /** Marks of this page before `main_from`. */
  early: number;
  /** Marks of this page more than five minutes after `now`, by a wrong clock. Lists have the first 1000, and no lane reaches to them. */
  ahead: number;
  /** The one that acted last first. */
  lanes: AgentLane[];
  lanes_total: number;
  /** Marks were left out: above 20000 those before `from`, and of one log above 2000 the older ones. */
  cut: boolean;
  throughput: {
    bucket: "hour" | "day";
    /** Of every lane, in order of time, at most the latest 366 days; empty buckets are left out. */
    buckets: { start: string; closes: number; reopens: number; changes: number }[];
    /** Changes before the first bucket. */
    early: number;
  };
}

/** Whether the server takes in what other machines write. `away`: no server of the shared log answers, or none lets this machine in. */
export type SharedSide = "followed" | "away";

/** Data of the events `hello`, the first one of a stream, and `shared`, which tells of another `shared`. After `hello` look at `workspace.json` again. */
export interface StreamState {
  stamp: string;
  /** Null without a shared log, and until the server knows. */
  shared: SharedSide | null;
}

/** Data of the event `change`. */
export interface ChangeEvent {
  stamp: string;
  /** `row`: as the board has it now; null where it is gone from there, and in an event of more than 1000 changes. */
  changes: { id: string; what: "new" | "changed" | "gone"; head: string; revision: number; row: BoardRow | null }[];
  /** Rows of others that say something of those: their plans, and what waits for them. */
  others: BoardRow[];
}

/** Answers by their names: `entities/TASK-001.json`. In a document `<` stands as `\u003c`. */
export type EmbeddedData = Record<string, Answer>;
