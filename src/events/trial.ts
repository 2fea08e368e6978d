/** Drafts applied to an entity to see what they would make of it, and taken back again: nothing of it is ever written. */
import type { Entity } from "../state/entity.ts";
import type { Draft, OpPlace } from "./define.ts";
import { EVENTS } from "./index.ts";
import type { Change } from "./writer.ts";
import { unwind, Writer } from "./writer.ts";

/** A write that is tried here would come after everything. */
const NOW: OpPlace = { index: Infinity, saw: () => true };

const onTrial = new WeakSet<Entity>();

/** Whether the entity says at this moment what its log does not. */
export function isOnTrial(entity: Entity): boolean {
  return onTrial.has(entity);
}

export class Trial {
  readonly #entity: Entity;
  readonly #writer = new Writer();
  readonly #who: { ts: string; by: string };
  /** The changes so far, in order. */
  readonly record: readonly Change[];

  constructor(entity: Entity, who: { ts: string; by: string }) {
    this.#entity = entity;
    this.#who = who;
    this.record = this.#writer.begin();
    onTrial.add(entity);
  }

  apply(drafts: readonly Draft[]): void {
    for (const { type, payload } of drafts) {
      EVENTS[type]?.apply(this.#entity, payload as never, { hash: "", ...this.#who }, this.#writer, [], NOW);
    }
  }

  /** Puts the entity back as it was. */
  end(): void {
    this.#writer.end();
    unwind(this.record);
    onTrial.delete(this.#entity);
  }
}
