/** Tools that change one plan or task. */
import type { Anchor } from "../rules/evidence_item.ts";
import type { NoneReady, StepCounts } from "../rules/ready.ts";
import type { Ref, Subject } from "../state/entity.ts";
import type { Infer, JsonObject, TSchema } from "../state/schema.ts";
import type { EntityBatchContext, Several } from "./calls.ts";
import type { DecideContext, Decides } from "./decide_context.ts";
import type { Defined, Effect, Named, Spec } from "./described.ts";
import { defined } from "./described.ts";
import type { Answer } from "./reply_context.ts";

/** Questions of a decision about files and git. */
export interface FactsAsked {
  /** Paths relative to the task folder, whose size and digest are wanted. */
  files?: string[];
  /** Paths relative to the task folder, whose text is wanted. */
  texts?: string[];
  /** Lines of files of the repository or the task folder whose digest is wanted. */
  anchors?: Anchor[];
  /** Folders of reported runs, whose path from the root is wanted. */
  folders?: string[];
  /** Commits of which is asked whether they are there. Starts git where there are any. */
  commits?: string[];
}

/** The facts by which a tool chooses the entity that its call is decided on. */
interface RouteContext {
  /** The entity that the input or the focus names; undefined when neither names one. */
  scope: Subject | undefined;
  /** Ids of those that a step can be taken up in, of all or of the plan with this root. */
  ready: (plan?: string) => Iterable<string>;
  /** Live tasks that have not ended, of all or of that plan: how many, the first of them, and how their steps stand. */
  open: (plan?: string) => { count: number; first: readonly Subject[]; details: StepCounts };
  find: (ref: Ref) => Subject | undefined;
  now: string;
}

/** Entities that a call may be decided on, the best first. `none` says what was found where no one gets the event. */
interface Routed {
  ids: Iterable<string>;
  none: () => NoneReady;
}

interface Changes<I> extends Decides<I, DecideContext> {
  /** The questions of `decide` about files and git. */
  facts?: (input: I, subject: Subject) => FactsAsked;
  /** Facts that a refused expectation tells besides revision and head, so that the caller can go on from there. */
  seen?: (input: I, subject: Subject) => JsonObject;
  /** Asks for every text that `decide` redacts, so that this is done before the lock is taken. Its answer counts for nothing. */
  masks?: (input: I, ctx: () => DecideContext) => unknown;
  /** Takes away what is there for good; hosts ask before calling. */
  destructive?: true;
  /** `from`: its target lies in the archive, and comes back. `to`: the entity goes there, and a repeated call looks there for its key. */
  archive?: "from" | "to";
  /** Calls that only ask what they would change: answered from the present state, without an event. */
  preview?: { when: (input: I) => boolean; answer: (input: I, ctx: DecideContext) => Answer };
  /** Where the input leaves open which entity it is: the first that is not refused with NOTHING_READY or ALL_DONE gets the event. */
  route?: (ctx: RouteContext) => Routed;
}

/** A call that changes others too: its reply is the tool's own, if left out. */
type SeveralOf<I> = Omit<Several<I, EntityBatchContext>, "reply"> &
  Partial<Pick<Several<I, EntityBatchContext>, "reply">>;

export type ChangeTool = Named &
  Effect<"write", "entity"> &
  Changes<never> & { several?: Several<never, EntityBatchContext> };

/** Defines a tool that changes one plan or task, and with `several` others too. */
export function changeTool<I extends TSchema, O extends TSchema>(
  spec: Spec<I, O> & Changes<Infer<I>> & { several?: SeveralOf<Infer<I>> },
): Defined<ChangeTool, I, O> {
  const several = spec.several && { reply: spec.reply, ...spec.several };
  return defined("write", { ...spec, target: "entity", ...(several ? { several } : {}) }, true);
}
