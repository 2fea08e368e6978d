/** Tools that move the focus of one actor on this machine, and nothing in a log. */
import type { Subject } from "../state/entity.ts";
import type { Infer, TSchema } from "../state/schema.ts";
import type { Defined, Effect, Named, Spec, Target } from "./described.ts";
import { defined } from "./described.ts";
import type { Answer, AnyContext } from "./reply_context.ts";

/** After the focus was moved. */
interface FocusContext extends AnyContext {
  /** Id of the focused entity, or null. */
  focus: string | null;
  /** The same before the call. */
  focus_previous: string | null;
}

/** After the focus was set to an entity. */
interface EntityFocusContext extends FocusContext {
  subject: Subject;
}

interface FocusesOf<I> {
  entity: { reply: (input: I, ctx: EntityFocusContext) => Answer };
  workspace: { reply: (input: I, ctx: FocusContext) => Answer };
}

export type EntityFocusTool = Named & Effect<"focus", "entity"> & FocusesOf<never>["entity"];

export type WorkspaceFocusTool = Named & Effect<"focus", "workspace"> & FocusesOf<never>["workspace"];

interface FocusTools {
  entity: EntityFocusTool;
  workspace: WorkspaceFocusTool;
}

export type FocusTool = FocusTools[Target];

/** Defines a tool that moves the focus. */
export function focusTool<I extends TSchema, O extends TSchema, T extends Target>(
  spec: Spec<I, O> & { target: T } & FocusesOf<Infer<I>>[T],
): Defined<FocusTools[T], I, O> {
  return defined("focus", spec, spec.target === "entity");
}
