/**
 * The definition of a tool: a name, a schema, and two pure functions. `decide` turns state and input into events or
 * refuses, `reply` turns the state afterwards into an answer. Time, ids and file facts come in as values; the engine
 * does everything that touches the world.
 */
import type { ErrorCode, Suggestion, TaskfoldError, Warning, WarningCode } from "../errors.ts";
import type { Draft } from "../events/define.ts";
import type { PastOf } from "../events/past.ts";
import type { IsLeftOut } from "../state/depends.ts";
import type { Entity, IdOf, Kind, Ref, Subject } from "../state/entity.ts";
import type { PacketConfigs } from "../state/packet_config.ts";
import type { LookForDispatcher } from "../state/packet_next.ts";
import type { Infer, JsonObject, TSchema } from "../state/schema.ts";
import type { StalenessOf } from "../state/staleness.ts";
import type { Look } from "../views/evidence_check.ts";
import type { DeltaPage, DeltaQuery } from "../views/delta.ts";
import type { GitBase } from "../views/graph_diff.ts";
import type { PastSource } from "../views/history.ts";
import type { Listed } from "../state/listed.ts";
import type { TaskdocViolation } from "../views/taskdoc.ts";
import type { Anchor, AnchoredLines } from "../rules/evidence_item.ts";
import type { NoneReady, Standing } from "../rules/ready.ts";
import type { Retention } from "../rules/retention.ts";
import type { PrintedEvent } from "../events/printed_event.ts";
import { targetFrom } from "./output_views.ts";

/** The file that the engine found at a path that a caller named. */
export type FileFact =
  | { state: "present"; size: number; sha256: string; lines: number }
  | { state: "missing" }
  | { state: "unsafe"; why: string };

/** Bytes that must be durable before the event that names them. */
export interface Blob {
  sha256: string;
  bytes: Uint8Array;
}

/** A file of the task folder that must be durable before the event that names it: its bytes, or the file that gets its name. */
export type Content = { path: string; bytes: Uint8Array } | { path: string; from: string };

export interface DecideContext {
  /** The entity as it is now. For `create` tools: undefined. */
  subject: Subject;
  now: string;
  /** `now` and so many seconds. */
  inSeconds: (seconds: number) => string;
  by: string;
  /** Ids of steps that the caller takes up no more: its host says so, and no input does (LEASE-56). */
  passedOver?: ReadonlySet<string> | undefined;
  /** A fresh `STEP-` id that no step of this entity has. */
  newStepId: () => string;
  /** The same for a `NODE-` id. */
  newNodeId: () => string;
  /** The same for a `CARD-` id. */
  newCardId: () => string;
  /** Entities that `refs` named, by the text that named them; ids that do not exist have been refused already. */
  refs: ReadonlyMap<string, Ref & { kind: Kind }>;
  /** The files at the paths that `files` named. */
  files: ReadonlyMap<string, FileFact>;
  /** Which servants and pipelines packets have here. */
  packetConfigs: PacketConfigs;
  /** Text of the files that `texts` named, by path: of each the first 4 MiB; not there where there is no such file. */
  texts: ReadonlyMap<string, string>;
  /** The present id of a plan or task that a payload names. Costs a look at its log. */
  idOf: IdOf;
  /** The plan or task that a reference names, deleted ones included; undefined where nothing here has its root. */
  find: (ref: Ref) => Subject | undefined;
  /** The lines that `anchors` named, by their names. */
  anchors: ReadonlyMap<string, AnchoredLines>;
  /** Whether the repository has the commits that `commits` named; null where git cannot be asked. */
  commits: ReadonlyMap<string, boolean | null>;
  /** Live tasks whose parent is this plan. Costs a look at their logs. */
  tasksOfPlan: () => Subject[];
  /** Every plan and task as a list shows it, deleted ones too, by id in natural order. */
  rows: () => readonly Listed[];
  /** The entity's last ops, or all of them at the price of a replay. */
  past: PastOf;
  /** The other process that holds the packet's lock. */
  dispatcher: LookForDispatcher;
}

export interface RouteContext {
  /** The entity that the input or the focus names; undefined when neither names one. */
  scope: Subject | undefined;
  /** Ids of those that a step can be taken up in, of all or of the plan with this root. */
  ready: (plan?: string) => Iterable<string>;
  /** Live tasks that have not ended, of all or of that plan: how many, the first of them, and how their steps stand. */
  open: (plan?: string) => { count: number; first: readonly Subject[]; details: Standing };
  find: (ref: Ref) => Subject | undefined;
  now: string;
}

export interface Decision {
  drafts: Draft[];
  blobs?: Blob[];
  contents?: Content[];
  warnings?: Warning[];
}

/** A call of another tool; `workspace` is added. */
export interface ToolCall {
  tool: string;
  args: Record<string, unknown>;
}

/** A call as part of a transaction. */
export interface PartCall extends ToolCall {
  /** Refused for another reason than INVALID_INPUT it is left out with this warning, and the others stand. */
  otherwise?: WarningCode;
  /** Calls that would work when it is refused with this code; they go before those that its own tool offers. */
  suggest?: (code: ErrorCode) => Suggestion[];
}

/** The whole answer of a call, as its caller would have got it. */
export interface CallReply extends JsonObject {
  success: boolean;
  result: JsonObject | null;
  warnings: { code: string }[];
  suggestions: JsonObject[];
  error: { code: string; message: string } | null;
}

/** The facts that a transaction may look at to say which calls it is made of. */
export interface PartsContext {
  workspace: string;
  /** The entity that the input names, else the focus; refused as any call is when neither names one. */
  target: () => Subject;
  /** The focused plan or task, if it is live. */
  focused: () => Subject | undefined;
  /** The live plan or task of that id; UNKNOWN_ID when there is none. */
  find: (id: string) => Subject;
  /** Every plan and task as a list shows it, deleted ones too, by id in natural order. */
  rows: () => readonly Listed[];
  /** Live tasks of a plan, in the same order. Costs a look at their logs. */
  tasksOfPlan: (root: string) => Subject[];
  /** The facts that a sweep of the archive looks at. */
  retention: () => Retention;
  /** The id that the plan, or the task, which this call makes gets: the next one, or the one that is wanted. At most one of a kind. */
  newId: (kind: Kind, wanted?: string) => string;
}

/** One call of a transaction, done. */
export interface PartDone extends Answer {
  tool: string;
  /** Id of the entity it changed or made. */
  task: string;
  events: PrintedEvent[];
}

export interface ReplyContext {
  workspace: string;
  /** The entity after the call. Absent for tools whose target is the workspace. */
  subject: Subject;
  /** The caller's clock. For reads: a claim that is over by then is none. */
  now?: string;
  /** Events of this call's op, in order; empty for reads. */
  events: PrintedEvent[];
  /** Set when the target came from the focus: the caller's own, or the one that was set last in the workspace. */
  target_from?: "focus" | "workspace_focus";
  /** Id of the focused entity after the call, or null. */
  focus: string | null;
  /** Whose focus that is. Reads only. */
  focus_from?: "focus" | "workspace_focus" | undefined;
  /** Id of the focused entity before the call (focus tools). */
  focus_previous: string | null;
  /** The present id of a plan or task that a payload names. Costs a look at its log. */
  idOf: IdOf;
  /** Every plan and task as a list shows it, deleted ones too, by id in natural order. For reads and transactions. */
  rows?: () => readonly Listed[];
  /** When every log was looked at last; undefined where it was for this answer. */
  asOf?: () => string | undefined;
  /** Live tasks of a plan, in the same order. For reads and transactions; costs a look at their logs. */
  tasksOfPlan?: (root: string) => Subject[];
  /** The entity's last ops, or all of them at the price of a replay. */
  past: PastOf;
  /** The call moved the focus to its target (`restoresFocus`); `focus_previous` is what it was. */
  focus_restored?: true;
  /** The same entity in the base branch of git. For tools that read `git_base`. */
  gitBase?: () => GitBase;
  /**
   * The events since a cursor, of the entity that the input names or of all. For tools whose target is the workspace.
   */
  delta?: (query: DeltaQuery) => DeltaPage;
  /** The facts that a sweep of the archive looks at, as things stand now. Transactions only. */
  retention?: () => Retention;
  /** Names of the folders in the archive, and what some of them are: costs a look at each of those logs. For reads about the workspace. */
  archive?: { names: () => readonly string[]; read: (ids: readonly string[]) => Listed[] };
  /** The calls of a transaction in order, each with what its tool said of it. */
  parts?: PartDone[];
  /** Warnings that stand in the reply beside those of the tool's answer. Transactions only. */
  noticed?: readonly Warning[];
  /** A reading tool's answer about what is there now; its result is null where that was deleted since. Transactions only. */
  view?: (tool: string, args: Record<string, unknown>) => ViewAnswer;
  /** The plan or task that a reference names, deleted ones included; undefined where nothing here has its root. Costs a look at its log. */
  find: (ref: Ref) => Subject | undefined;
  /** Whether git has the plan or task of a reference, and a sparse checkout leaves it out. Reads only. */
  isLeftOut?: IsLeftOut;
  /** The folder that holds everything. For tools whose target is the workspace. */
  storageDir?: string;
  /** The caller. */
  by?: string;
  /** Every plan and task, archived ones too. Only where a tool that may be about the workspace is. */
  pasts?: () => PastSource[];
  /** The past of one of them; undefined where another program keeps the folder, or it is gone. For reads about the workspace. */
  pastOf?: (part: "tasks" | "archive", id: string) => { entity: Entity; past: PastOf } | undefined;
  /** Folded files of a live plan or task that were changed by hand. For tools that read `folded_files`; costs a look at each. */
  changedByHand?: (id: string) => string[];
  /** `unread` of a live plan or task. For reads about the workspace. */
  unreadOf?: (id: string) => string[];
  /** Compares captured runs with the work tree. For tools that read `git_tree`, about the present; starts git at the first run. */
  staleness?: StalenessOf | undefined;
  /** Looks at what evidence points at. Reads of the present only; costs a look at each file. */
  look?: Look;
  /** Files beside the log that hold what is not in it: people's, and a Taskdoc of the old form. Reads only; costs a look at each. */
  unread?: () => string[];
  /** The process that holds the packet's lock. Reads of the present only; costs a look at the lock. */
  dispatcher?: LookForDispatcher;
  /** The faults of the Taskdoc on disk. Reads of the present only; costs a look at each file of the package. */
  violations?: () => TaskdocViolation[];
}

export interface Answer {
  result: JsonObject;
  warnings?: Warning[];
  suggestions?: Suggestion[];
}

/** Answer of a call about the calls that it made. `error`: some were refused, and the others stand. */
export interface EachAnswer extends Answer {
  error?: TaskfoldError;
}

/** Calls of other tools that a call only makes, each for itself. */
export interface Each<I> {
  /** Null: not this time. */
  calls: (input: I) => ToolCall[] | null;
  /** Whether the next call is made after this reply. */
  goesOn: (input: I, reply: CallReply) => boolean;
  /** Gets the replies of the calls that were made. */
  reply: (input: I, replies: CallReply[]) => EachAnswer;
}

export type ViewAnswer = Omit<Answer, "result"> & { result: JsonObject | null };

export interface ToolSpec<I extends TSchema, O extends TSchema> {
  name: string;
  /** At most 40 characters, for tool lists. */
  title: string;
  /** The effect of the tool, for the agent that has to choose. */
  doc: string;
  input: I;
  /** The shape of `result` when the call succeeds. */
  output: O;
  /** Inputs that validate; the first one stands in the docs. */
  examples: Infer<I>[];
  /**
   * read: changes nothing. write: appends to one entity. create: makes one. focus: moves the workspace's focus. txn: is made of
   * other calls.
   */
  effect: "read" | "write" | "create" | "focus" | "txn";
  target: "entity" | "workspace";
  /** Which kinds of entity it works on; both when left out. */
  kinds?: readonly Kind[];
  /** Ids of other entities in the input, which must exist. */
  refs?: (input: Infer<I>) => string[];
  /** Paths relative to the task folder, whose size and digest `decide` wants. `subject`: of the task, where there is one. */
  files?: (input: Infer<I>, subject?: Subject) => string[];
  /** Paths relative to the task folder, whose text `decide` wants. */
  texts?: (input: Infer<I>, subject?: Subject) => string[];
  /** Lines of files of the repository or the task folder whose digest `decide` wants. */
  anchors?: (input: Infer<I>) => Anchor[];
  /** Commits of which `decide` wants to know whether they are there. Starts git where there are any. */
  commits?: (input: Infer<I>) => string[];
  /** The parts of git, and the files, that it reads besides logs. Git is started, so it is there only for those who say so. */
  reads?: readonly ("git_base" | "git_commits" | "git_tree" | "folded_files")[];
  /** Where neither the input nor the focus names an entity, it is about the workspace. Reads only. */
  orWorkspace?: true;
  /** With `read_only: false` and a target of its own it moves the focus there (RESUME-2). */
  restoresFocus?: true;
  /** Takes away what is there for good; hosts ask before calling. */
  destructive?: boolean;
  /** Its target lies in the archive, and comes back from there. */
  fromArchive?: true;
  /** The changed entity goes to the archive, so that a repeated call looks there for its key. */
  toArchive?: true;
  /**
   * Throws the tool's own refusal of an input that its schema does not take, where it has one. The input may be any
   * object; when nothing is thrown, the schema's words are the answer.
   */
  explainInvalidInput?: (input: Readonly<Record<string, unknown>>) => void;
  /** Facts that a refused expectation tells besides revision and head, so that the caller can go on from there. */
  seen?: (input: Infer<I>, subject: Subject) => JsonObject;
  decide?: (input: Infer<I>, ctx: DecideContext) => Decision;
  /** Asks for every text that `decide` redacts, so that this is done before the lock is taken. Its answer counts for nothing. */
  masks?: (input: Infer<I>, ctx: () => DecideContext) => unknown;
  /**
   * Calls of other tools that this one is made of. Each is decided on the state after those before it, and they are
   * kept together or not at all (TXN rules). Null: an ordinary call, for `decide`. An entity that one makes has an id
   * from `newId`.
   */
  parts?: (input: Infer<I>, ctx: PartsContext) => PartCall[] | null;
  /** Inputs of its parts as their replies need them, when a repeated call is answered; left out: those replies need none. */
  partsAgain?: (input: Infer<I>) => ToolCall[];
  each?: Each<Infer<I>>;
  /**
   * Entities that the call may be decided on, the best first, where the input leaves it open. The first that is not
   * refused with NOTHING_READY or ALL_DONE gets the event. `none` says what was found where no one gets it.
   */
  route?: (ctx: RouteContext) => { ids: Iterable<string>; none: () => NoneReady };
  /** Calls that only ask what they would change: answered from the present state, without an event. */
  preview?: { when: (input: Infer<I>) => boolean; answer: (input: Infer<I>, ctx: DecideContext) => Answer };
  reply: (input: Infer<I>, ctx: ReplyContext) => Answer;
}

/** A tool as the registry and the engine use it. */
export interface Tool extends Omit<
  ToolSpec<TSchema, TSchema>,
  | "refs"
  | "files"
  | "texts"
  | "anchors"
  | "commits"
  | "seen"
  | "decide"
  | "masks"
  | "parts"
  | "partsAgain"
  | "each"
  | "preview"
  | "reply"
  | "examples"
> {
  examples: unknown[];
  refs?: (input: never) => string[];
  files?: (input: never, subject?: Subject) => string[];
  texts?: (input: never, subject?: Subject) => string[];
  anchors?: (input: never) => Anchor[];
  commits?: (input: never) => string[];
  seen?: (input: never, subject: Subject) => JsonObject;
  decide?: (input: never, ctx: DecideContext) => Decision;
  masks?: (input: never, ctx: () => DecideContext) => unknown;
  parts?: (input: never, ctx: PartsContext) => PartCall[] | null;
  partsAgain?: (input: never) => ToolCall[];
  each?: Each<never>;
  preview?: { when: (input: never) => boolean; answer: (input: never, ctx: DecideContext) => Answer };
  reply: (input: never, ctx: ReplyContext) => Answer;
}

export type DefinedTool<I extends TSchema, O extends TSchema> = Tool & { input: I; output: O };

export function defineTool<I extends TSchema, O extends TSchema>(spec: ToolSpec<I, O>): DefinedTool<I, O> {
  const output = spec.target === "entity" || spec.parts ? withTargetFrom(spec.output) : spec.output;
  return { ...spec, output } as unknown as DefinedTool<I, O>;
}

/** Whether the tool cuts its whole answer to `max_chars`. */
export function takesBudget({ input }: Pick<Tool, "input">): boolean {
  return "max_chars" in (input as unknown as Members).properties;
}

interface Members {
  anyOf?: TSchema[];
  properties: Record<string, TSchema>;
}

/** Any answer says when a focus decided what the call is about (TOOL-31). */
function withTargetFrom(output: TSchema): TSchema {
  const { anyOf, properties } = output as unknown as Members;
  if (anyOf) return { ...output, anyOf: anyOf.map(withTargetFrom) } as unknown as TSchema;
  return { ...output, properties: { ...properties, target_from: targetFrom } } as unknown as TSchema;
}
