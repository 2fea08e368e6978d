/**
 * What a tool is: a name, a schema, and two pure functions. `decide` turns state and input into events or refuses,
 * `reply` turns the state afterwards into an answer. Time, ids and file facts come in as values; the
 * engine does everything that touches the world.
 */
import type { Suggestion, Warning } from "../errors.ts";
import type { Draft } from "../events/define.ts";
import type { PastOf } from "../rules/undo.ts";
import type { IdOf, Kind, Ref, Subject } from "../state/entity.ts";
import type { Infer, JsonObject, TSchema } from "../state/schema.ts";
import type { DeltaPage, DeltaQuery } from "../views/delta.ts";

/** What the engine found at a path that a caller named. */
export type FileFact =
  | { state: "present"; size: number; sha256: string }
  | { state: "missing" }
  | { state: "unsafe"; why: string };

/** Bytes that must be durable before the event that names them. */
export interface Blob {
  sha256: string;
  bytes: Uint8Array;
}

export interface DecideContext {
  /** The entity as it is now. For `create` tools: undefined. */
  subject: Subject;
  now: string;
  by: string;
  /** A fresh `STEP-` id that no step of this entity has. */
  newStepId: () => string;
  /** Entities that `refs` named, by the text that named them; ids that do not exist have been refused already. */
  refs: ReadonlyMap<string, Ref & { kind: Kind }>;
  /** What stands at the paths that `files` named. */
  files: ReadonlyMap<string, FileFact>;
  /** Live tasks whose parent is this plan. Reads every entity's head: ask only where it matters. */
  tasksOfPlan: () => Subject[];
  /** The entity's last ops, or all of them at the price of a replay. */
  past: PastOf;
}

export interface Decision {
  drafts: Draft[];
  blobs?: Blob[];
  warnings?: Warning[];
}

/** An event as tools print it: `step_done` for `step.done`, the payload's keys beside these four. */
export interface PrintedEvent extends JsonObject {
  event_id: string;
  type: string;
  ts: string;
  task: string;
}

export interface ReplyContext {
  workspace: string;
  /** The entity after the call. Absent for tools whose target is the workspace. */
  subject: Subject;
  /** Events of this call's op, in order; empty for reads. */
  events: PrintedEvent[];
  /** Set when the target came from focus. */
  target_from?: "focus";
  /** Id of the focused entity after the call, or null. */
  focus: string | null;
  /** Id of the focused entity before the call (focus tools). */
  focus_previous: string | null;
  /** What a plan or task that a payload names is called now. Costs a look at its log. */
  idOf: IdOf;
  /** Every live entity of the workspace, sorted by id in natural order. Costs a look at each log. */
  listing: () => Subject[];
  /** The entity's last ops, or all of them at the price of a replay. */
  past: PastOf;
  /** What happened since a cursor, of what the input names or of all. For tools whose target is the workspace. */
  delta?: (query: DeltaQuery) => DeltaPage;
  /** Who asks. Reads only. */
  by?: string;
  /** Files of people's that hold what no write has read into the log yet. Reads only; costs a look at each file. */
  unread?: () => string[];
}

export interface Answer {
  result: JsonObject;
  warnings?: Warning[];
  suggestions?: Suggestion[];
}

export interface ToolSpec<I extends TSchema> {
  name: string;
  /** At most 40 characters, for tool lists. */
  title: string;
  /** What it does, for the agent that has to choose. */
  doc: string;
  input: I;
  /** Inputs that validate; the first one stands in the docs. */
  examples: Infer<I>[];
  /** read: changes nothing. write: appends to one entity. create: makes one. focus: moves the workspace's focus. */
  effect: "read" | "write" | "create" | "focus";
  target: "entity" | "workspace";
  /** Which kinds of entity it works on; both when left out. */
  kinds?: readonly Kind[];
  /** Ids of other entities in the input, which must exist. */
  refs?: (input: Infer<I>) => string[];
  /** Paths in the input, relative to the task folder, whose size and digest `decide` wants. */
  files?: (input: Infer<I>) => string[];
  /** Takes away what is there for good; hosts ask before calling. */
  destructive?: boolean;
  decide?: (input: Infer<I>, ctx: DecideContext) => Decision;
  reply: (input: Infer<I>, ctx: ReplyContext) => Answer;
}

/** A tool as the registry and the engine use it. */
export interface Tool extends Omit<ToolSpec<TSchema>, "refs" | "files" | "decide" | "reply" | "examples"> {
  examples: unknown[];
  refs?: (input: never) => string[];
  files?: (input: never) => string[];
  decide?: (input: never, ctx: DecideContext) => Decision;
  reply: (input: never, ctx: ReplyContext) => Answer;
}

export type DefinedTool<I extends TSchema> = Tool & { input: I };

export function defineTool<I extends TSchema>(spec: ToolSpec<I>): DefinedTool<I> {
  return spec as unknown as DefinedTool<I>;
}
