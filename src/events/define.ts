/** The definition of an event type: its payload, what applying it changes, and what undo would do. */
import type { Event, ForeignLine } from "../log/types.ts";
import type { Entity } from "../state/entity.ts";
import type { Packet } from "../state/packet.ts";
import type { Infer, TSchema } from "../state/schema.ts";
import { shapeOf } from "./shape.ts";
import type { Writer } from "./writer.ts";

/** The members of an event besides its payload that an event type may read; the rest is the log's. */
export type Fact = Pick<Event, "hash" | "ts" | "by" | "agentInstance">;

/** Where the op of an event stands in replay order, and which ops before it its writer had seen. */
export interface OpPlace {
  index: number;
  saw: (index: number) => boolean;
}

type Apply<P> = (
  entity: Entity,
  payload: P,
  fact: Fact,
  writer: Writer,
  foreign: readonly ForeignLine[],
  at: OpPlace,
) => void;

export interface EventSpec<P extends TSchema> {
  type: string;
  /** One sentence: what happened when this stands in a log. */
  doc: string;
  payload: P;
  /** Whether an op of such events can be undone. */
  undoable: boolean;
  /** One sentence: what undoing it does, or why it cannot be undone. */
  undo: string;
  /**
   * It says something and changes nothing that is being worked on. So every caller may write it, also without the lease
   * (LEASE-4).
   */
  free?: true;
  /** Whether an attempt that is under way holds it back, because it changes what attempts are judged by: it has no effect then (PACKET-411). */
  isHeld?: (payload: Infer<P>, packet: Packet, at: OpPlace) => boolean;
  /** Only for types that can begin a log. */
  found?: (payload: Infer<P>, fact: Fact) => Entity;
  /**
   * Changes `entity` through `writer` and nothing else. Total: what no longer makes sense after a merge
   * has no effect; it never throws (LOG and STEP rules). `foreign`: the lines of other programs that the event places.
   */
  apply: Apply<Infer<P>>;
}

/** An event type as the registry and the fold use it. */
export interface EventType {
  type: string;
  /** As tools print it: `step_done` for `step.done`. */
  printed: string;
  doc: string;
  payload: TSchema;
  undoable: boolean;
  undo: string;
  free: true | undefined;
  isHeld: ((payload: never, packet: Packet, at: OpPlace) => boolean) | undefined;
  fits: (payload: unknown) => boolean;
  found: ((payload: never, fact: Fact) => Entity) | undefined;
  apply: Apply<never>;
}

/** An event that a rule asks for; the engine stamps and seals it. */
export interface Draft {
  type: string;
  payload: { [key: string]: unknown };
}

export interface DefinedEvent<P extends TSchema> extends EventType {
  payload: P;
  draft: (payload: Infer<P>) => Draft;
}

export function defineEvent<P extends TSchema>(spec: EventSpec<P>): DefinedEvent<P> {
  const { type, doc, payload, undoable, undo, free, isHeld, found, apply } = spec;
  // All types have the same keys in the same order: so the fold finds each in its place, without a lookup.
  return {
    type,
    printed: type.replaceAll(".", "_"),
    doc,
    payload,
    undoable,
    undo,
    free,
    isHeld,
    found,
    apply,
    fits: shapeOf(payload),
    draft: (given) => ({ type, payload: given as { [key: string]: unknown } }),
  };
}
