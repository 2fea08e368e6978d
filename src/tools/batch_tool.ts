/** Tools that are made of other calls: all or none, or each for itself. */
import type { TaskfoldError } from "../errors.ts";
import type { Infer, JsonObject, TSchema } from "../state/schema.ts";
import type { BatchContext, EntityBatchContext, MadeOf, PartCall, ToolCall } from "./calls.ts";
import type { DecideContext, Decides } from "./decide_context.ts";
import type { Defined, Effect, Named, Spec, Target } from "./described.ts";
import { defined } from "./described.ts";
import type { Answer } from "./reply_context.ts";

/** The whole answer of a call, as its caller would have got it. */
export interface CallReply extends JsonObject {
  success: boolean;
  result: JsonObject | null;
  warnings: { code: string }[];
  suggestions: JsonObject[];
  error: { code: string; message: string } | null;
}

/** Answer of a call about the calls that it made. `error`: some were refused, and the others stand. */
interface EachAnswer extends Answer {
  error?: TaskfoldError;
}

/** Calls of other tools that a call only makes, each for itself. */
interface Each<I> {
  /** Null: not this time. */
  calls: (input: I) => ToolCall[] | null;
  /** Whether the next call is made after this reply. */
  goesOn: (input: I, reply: CallReply) => boolean;
  /** Gets the replies of the calls that were made. */
  reply: (input: I, replies: CallReply[]) => EachAnswer;
}

interface Batches<I, C> extends MadeOf<I, C, PartCall[]> {
  each?: Each<I>;
  archive?: "to";
  /** How a call of this tool that is a part of its own calls is decided. */
  part?: Decides<I, DecideContext>;
}

interface BatchesOf<I> {
  entity: Batches<I, EntityBatchContext>;
  workspace: Batches<I, BatchContext>;
}

export type EntityBatchTool = Named & Effect<"txn", "entity"> & BatchesOf<never>["entity"];

export type WorkspaceBatchTool = Named & Effect<"txn", "workspace"> & BatchesOf<never>["workspace"];

interface BatchTools {
  entity: EntityBatchTool;
  workspace: WorkspaceBatchTool;
}

export type BatchTool = BatchTools[Target];

/** Defines a tool that is made of other calls, all or none; with `each`, of calls that stand by themselves. */
export function batchTool<I extends TSchema, O extends TSchema, T extends Target>(
  spec: Spec<I, O> & { target: T } & BatchesOf<Infer<I>>[T],
): Defined<BatchTools[T], I, O> {
  return defined("txn", spec, true);
}
