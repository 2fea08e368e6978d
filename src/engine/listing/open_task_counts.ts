/** How the steps of open tasks stand, of all and of each plan, kept up as rows change: a refusal counts them and opens none (ENG-83). */
import { SortedList } from "../../state/sorted_list.ts";
import type { Listed } from "../../state/listed.ts";
import { byId } from "./candidates.ts";

type Named = Pick<Listed, "id">;

/** Open tasks of one plan, or all. */
class Sum {
  readonly ids: SortedList<Named, Listed>;
  count = 0;
  /** Steps of the plain ones. */
  open = 0;
  done = 0;
  /** Those without a step, of the plain ones. */
  without_steps = 0;
  /** Those that the time or another entity has a say in, and those that only their log tells. */
  readonly special = new Map<string, Listed>();

  constructor(rows: Iterable<Listed> = []) {
    const all = [...rows];
    this.ids = new SortedList(byId, all);
    for (const row of all) this.#count(row, 1);
  }

  add(row: Listed): void {
    this.ids.set(row);
    this.#count(row, 1);
  }

  remove(row: Listed): void {
    this.ids.delete(row);
    this.#count(row, -1);
  }

  #count(row: Listed, by: 1 | -1): void {
    this.count += by;
    if (isPlain(row)) {
      this.open += by * (row.steps.total - row.steps.completed);
      this.done += by * row.steps.completed;
      if (row.steps.total === 0) this.without_steps += by;
    } else if (by === 1) this.special.set(row.id, row);
    else this.special.delete(row.id);
  }
}

export type { Sum };

export class OpenTaskCounts {
  readonly #rows: Map<string, Listed>;
  readonly #all: Sum;
  readonly #ofPlan = new Map<string, Sum>();

  constructor(rows: readonly Listed[]) {
    this.#rows = new Map(rows.map((row) => [row.id, row]));
    this.#all = new Sum(rows);
    for (const row of rows) if (row.parent) this.#sumOf(row.parent.root).add(row);
  }

  set(row: Listed): void {
    this.delete(row.id);
    this.#rows.set(row.id, row);
    this.#all.add(row);
    if (row.parent) this.#sumOf(row.parent.root).add(row);
  }

  delete(id: string): void {
    const row = this.#rows.get(id);
    if (!row) return;
    this.#rows.delete(id);
    this.#all.remove(row);
    if (row.parent) this.#sumOf(row.parent.root).remove(row);
  }

  /** Of all, or of a plan's. */
  of(plan: string | undefined): Sum {
    return plan === undefined ? this.#all : this.#sumOf(plan);
  }

  #sumOf(plan: string): Sum {
    let sum = this.#ofPlan.get(plan);
    if (!sum) this.#ofPlan.set(plan, (sum = new Sum()));
    return sum;
  }
}

function isPlain({ step_standing, depends_on, chosen_by }: Listed): boolean {
  return step_standing === undefined && depends_on.length === 0 && chosen_by !== undefined;
}
