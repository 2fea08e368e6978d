/** Conflicts the plain way: every writer is held against every earlier one, by sets of ancestors. */
import type { Conflict } from "../../src/state/entity.ts";
import type { Json } from "../../src/state/schema.ts";

export interface Write {
  field: string;
  value: Json;
  by: string;
  ts: string;
  op: string;
}

export interface Touch {
  list: string;
  /** What the op put into it; none where it only worked on something in it. */
  ids: string[];
}

export class ConflictsOracle {
  readonly conflicts = new Map<string, Conflict>();
  readonly moved = new Map<string, string[]>();
  readonly #writers = new Map<string, (Write & { index: number })[]>();
  readonly #adders = new Map<string, (Touch & { index: number })[]>();
  readonly #ancestors: readonly ReadonlySet<number>[];

  constructor(ancestors: readonly ReadonlySet<number>[]) {
    this.#ancestors = ancestors;
  }

  take(index: number, writes: readonly Write[], touches: readonly Touch[]): void {
    const unseen = <T extends { index: number }>(list: readonly T[] = []): T[] =>
      list.filter((one) => !this.#ancestors[index]!.has(one.index));
    for (const write of writes) {
      const writers = [...unseen(this.#writers.get(write.field)), { ...write, index }];
      this.#writers.set(write.field, writers);
      const values: Conflict["values"] = [];
      for (const { value, by, ts, op } of writers)
        if (!values.some((known) => JSON.stringify(known.value) === JSON.stringify(value)))
          values.push({ value, by, ts, op });
      if (values.length > 1) this.conflicts.set(write.field, { field: write.field, values });
      else this.conflicts.delete(write.field);
    }
    for (const touch of touches) {
      const adders = unseen(this.#adders.get(touch.list));
      if (touch.ids.length > 0) adders.push({ ...touch, index });
      this.#adders.set(touch.list, adders);
      const ids = adders.flatMap((adder) => adder.ids);
      if (adders.length > 1) this.moved.set(touch.list, ids);
      else this.moved.delete(touch.list);
    }
  }
}
