/** The answer of a tool, and the values that the reply to a change may read. */
import type { Suggestion, Warning } from "../errors.ts";
import type { PastOf } from "../events/past.ts";
import type { PrintedEvent } from "../events/printed_event.ts";
import type { IdOf, Ref, Subject } from "../state/entity.ts";
import type { JsonObject } from "../state/schema.ts";

export interface Answer {
  result: JsonObject;
  warnings?: Warning[];
  suggestions?: Suggestion[];
}

/** The values of every reply. */
export interface AnyContext {
  workspace: string;
  /** The caller. */
  by: string;
  /** The present id of a plan or task that a payload names. Costs a look at its log. */
  idOf: IdOf;
  /** The plan or task that a reference names, deleted ones included; undefined where nothing here has its root. Costs a look at its log. */
  find: (ref: Ref) => Subject | undefined;
}

/** Whose focus named the target, where the input named none. */
export interface Aimed {
  /** The caller's own focus, or the one that was set last in the workspace. */
  target_from?: "focus" | "workspace_focus";
}

/** After a change of one entity. */
export interface ReplyContext extends AnyContext, Aimed {
  /** The entity after the call. */
  subject: Subject;
  /** Events of this call's op, in order. */
  events: PrintedEvent[];
  /** The entity's last ops as of this call, or all of them at the price of a replay. */
  past: PastOf;
}
