/** Conflicts and moved paths the plain way, by their rules: every op is held against every earlier one, by sets of ancestors. */
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
  readonly #touches = new Map<string, (Touch & { index: number })[]>();
  readonly #ancestors: readonly ReadonlySet<number>[];

  constructor(ancestors: readonly ReadonlySet<number>[]) {
    this.#ancestors = ancestors;
  }

  take(index: number, writes: readonly Write[], touches: readonly Touch[]): void {
    for (const write of writes) {
      const writers = (this.#writers.get(write.field) ?? []).filter((one) => !this.#ancestors[index]!.has(one.index));
      writers.push({ ...write, index });
      this.#writers.set(write.field, writers);
      // EVENT-61: each once, with its first writer, and the value that is shown last.
      const values: Conflict["values"] = [];
      for (const { value, by, ts, op } of writers)
        if (!values.some((known) => known.value === value)) values.push({ value, by, ts, op });
      values.sort((a, b) => Number(a.value === write.value) - Number(b.value === write.value));
      if (values.length > 1) this.conflicts.set(write.field, { field: write.field, values });
      else this.conflicts.delete(write.field);
    }
    for (const touch of touches) {
      const all = [...(this.#touches.get(touch.list) ?? []), { ...touch, index }];
      this.#touches.set(touch.list, all);
      const ids = this.#movedIn(all);
      if (ids.length > 0) this.moved.set(touch.list, ids);
      else this.moved.delete(touch.list);
    }
  }

  /** EVENT-7, of the ops that work in one list. */
  #movedIn(workers: readonly (Touch & { index: number })[]): string[] {
    const knew = (op: { index: number }, other: { index: number }): boolean =>
      op === other || this.#ancestors[op.index]!.has(other.index);
    const additions = workers.filter(({ ids }) => ids.length > 0);
    if (workers.some((worker) => additions.every((one) => knew(worker, one)))) return [];
    const last = additions.filter((one) => !additions.some((other) => other !== one && knew(other, one)));
    const from = additions.findIndex((one) => !last.every((end) => knew(end, one)));
    return additions.slice(from).flatMap(({ ids }) => ids);
  }
}
