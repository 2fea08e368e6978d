/**
 * The traces that every op leaves in the entity, whatever its events do: the number of ops, the last sentences, who
 * acted when. No caller decides them, and they are no field of an event. So they are not in the record of an op, and a
 * replay pays no record for them.
 */
import type { Event, Op } from "../log/types.ts";
import { shorten } from "../state/code_points.ts";
import type { Entity } from "../state/entity.ts";
import { LIMITS } from "../state/limits.ts";

/** Enters an op in place; `last` is its last event, `message` what it said. */
export function enter(entity: Entity, event: Event, message: string): void {
  const { recent, acted } = entity;
  const { by } = event;
  entity.revision++;
  // The last actor stands at the end of both: taking it out to put it there again is a sixth of a fold.
  if (recent[recent.length - 1]?.by !== by) acted.delete(by);
  acted.set(by, entity.revision);
  if (acted.size > LIMITS.recentActors) acted.delete(acted.keys().next().value!);
  if (recent.length >= LIMITS.recentOps) recent.shift();
  recent.push(entryOf(event, message));
}

/**
 * Ops whose entry waits. A replay asks for no log of activity until it is at its end, when only the last few sentences
 * count. To enter each op as it comes would be a third of the fold.
 */
export class DeferredActivity {
  #ops: Op[] = [];
  #next = 0;
  #by = "";

  /** Takes note of an op that has been applied. */
  take(entity: Entity, op: Op): void {
    const { by } = op.events[op.events.length - 1]!;
    if (by !== this.#by) {
      this.#act(entity);
      this.#by = by;
    }
    entity.revision++;
    this.#ops[this.#next] = op;
    this.#next = (this.#next + 1) % LIMITS.recentOps;
  }

  /** Enters what waits. */
  flush(entity: Entity): void {
    if (this.#ops.length === 0) return;
    this.#act(entity);
    const waiting = [...this.#ops.slice(this.#next), ...this.#ops.slice(0, this.#next)];
    for (const op of waiting) entity.recent.push(entryOf(op.events[op.events.length - 1]!, messageOf(op)));
    entity.recent.splice(0, entity.recent.length - LIMITS.recentOps);
    this.clear();
  }

  clear(): void {
    this.#ops = [];
    this.#next = 0;
    this.#by = "";
  }

  /** The actor whose ops came last, up to the present revision. */
  #act({ acted, revision }: Entity): void {
    if (this.#by === "") return;
    acted.delete(this.#by);
    acted.set(this.#by, revision);
    if (acted.size > LIMITS.recentActors) acted.delete(acted.keys().next().value!);
  }
}

function entryOf({ ts, by, op }: Event, message: string): Entity["recent"][number] {
  return { ts, by, tool: op.tool, message };
}

/** Returns the text of an op for people: its events' sentences, in order, as far as they fit a line. */
export function messageOf(op: Op): string {
  const first = op.events[0]!.payload["message"];
  if (op.events.length === 1) return typeof first === "string" ? first : "";
  const messages = op.events.map((e) => e.payload["message"]).filter((m) => typeof m === "string");
  // Events that are one thing, as a block and its gate are, say one sentence.
  return shorten([...new Set(messages)].join(" "), LIMITS.messageCodePoints);
}

/**
 * Returns a function that takes back the next `enter`, of an op by `by`. An actor that acts again and again is entered
 * in place, and costs no copy.
 */
export function keepActivity(entity: Entity, by: string): () => void {
  const { revision, recent, acted, updated_at } = entity;
  const dropped = recent.length >= LIMITS.recentOps ? recent[0] : undefined;
  const again = recent[recent.length - 1]?.by === by;
  if (!again) entity.acted = new Map(acted);
  const before = acted.get(by)!;
  return () => {
    recent.pop();
    if (dropped) recent.unshift(dropped);
    if (again) acted.set(by, before);
    Object.assign(entity, { revision, acted, updated_at });
  };
}
