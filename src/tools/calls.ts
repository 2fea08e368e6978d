/** Calls that a call is made of: their inputs, the facts that say which they are, and what came of them. */
import type { ErrorCode, Suggestion, Warning, WarningCode } from "../errors.ts";
import type { PrintedEvent } from "../events/printed_event.ts";
import type { Retention } from "../rules/retention.ts";
import type { Kind, Subject } from "../state/entity.ts";
import type { Listed } from "../state/listed.ts";
import type { JsonObject } from "../state/schema.ts";
import type { ReadTool } from "./read_tool.ts";
import type { Answer, AnyContext, ReplyContext } from "./reply_context.ts";

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

/** The facts that a transaction may look at to say which calls it is made of. */
export interface PartsContext {
  workspace: string;
  /** The entity that the input names, else the focus. If neither names one, the call is refused like every other. */
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

/** `result`: null where what it is about was deleted since. */
export type ViewAnswer = Omit<Answer, "result"> & { result: JsonObject | null };

/** After a transaction. */
export interface BatchContext extends AnyContext {
  now: string;
  /** Events of its ops, in order. */
  events: PrintedEvent[];
  /** Id of the focused entity, or null. */
  focus: string | null;
  /** The facts that a sweep of the archive looks at, as things stand now. */
  retention: () => Retention;
  /** The calls that it was made of, in order, each with what its tool said of it. */
  parts: PartDone[];
  /** Warnings that stand in the reply beside those of the tool's answer. */
  noticed: readonly Warning[];
  /** A reading tool's answer about what is there now; its result is null where that was deleted since. */
  view: (tool: ReadTool, args: Record<string, unknown>) => ViewAnswer;
}

/** After a transaction whose target is an entity. */
export interface EntityBatchContext extends BatchContext, ReplyContext {}

/**
 * Calls of other tools that a call is made of. Each is decided on the state after those before it, and they are kept together or not
 * at all (TXN rules).
 */
export interface MadeOf<I, C, P> {
  /** An entity that one of the calls makes has an id from `newId`. */
  parts: (input: I, ctx: PartsContext) => P;
  /** Inputs of its parts as their replies need them, when a repeated call is answered; left out: those replies need none. */
  partsAgain?: (input: I) => ToolCall[];
  reply: (input: I, ctx: C) => Answer;
}

/** A tool of which some calls are made of several; `parts` gives null for the others, which are decided. */
export type Several<I, C> = MadeOf<I, C, PartCall[] | null>;
