/** Tools that make one plan or task. */
import type { Infer, TSchema } from "../state/schema.ts";
import type { BatchContext, Several } from "./calls.ts";
import type { CreateContext, Decides } from "./decide_context.ts";
import type { Defined, Effect, Named, Spec } from "./described.ts";
import { defined } from "./described.ts";

interface Creates<I> extends Decides<I, CreateContext> {
  several?: Several<I, BatchContext>;
}

export type CreateTool = Named & Effect<"create", "workspace"> & Creates<never>;

/** Defines a tool that makes one plan or task, and with `several` others too. */
export function createTool<I extends TSchema, O extends TSchema>(
  spec: Spec<I, O> & Creates<Infer<I>>,
): Defined<CreateTool, I, O> {
  return defined("create", { ...spec, target: "workspace" }, spec.several !== undefined);
}
