/** The rows of a list in memory, as the last look left them. */
import { sep } from "node:path";
import type { Warning } from "../errors.ts";
import { hasEnded } from "../state/first_ready.ts";
import type { Listed } from "../state/listed.ts";
import { SortedList } from "../state/sorted_list.ts";
import { byId, Candidates } from "./candidates.ts";
import type { Place } from "./entity_on_disk.ts";
import { plainRow } from "./listing_index.ts";

/** Which entities git left in more than one folder. */
export class Roots {
  readonly twins = new Set<string>();
  readonly #counts = new Map<string, number>();

  add(root: string): void {
    const count = (this.#counts.get(root) ?? 0) + 1;
    this.#counts.set(root, count);
    if (count === 2) this.twins.add(root);
  }

  remove(root: string): void {
    const count = (this.#counts.get(root) ?? 0) - 1;
    if (count > 0) this.#counts.set(root, count);
    else this.#counts.delete(root);
    if (count < 2) this.twins.delete(root);
  }
}

/** The entities of one part of `.coco`. */
export class Rows {
  readonly part: Place["part"];
  /** Up to the name of a folder: `join` would cost a tenth of the look that it is for. */
  readonly folder: string;
  byId: Map<string, Listed> = new Map();
  readonly roots: Roots;
  /** In natural order of their ids. */
  sorted = new SortedList<Pick<Listed, "id">, Listed>(byId);
  /** Tasks that have not ended. */
  open = new Candidates();
  /** Of what cannot be read, by id. */
  readonly warnings = new Map<string, Warning>();
  /** Its folders, in natural order, as long as nothing points at one. */
  names: readonly string[] | null = null;
  /** What has to be looked at before the next answer. */
  stale: "all" | Set<string> = "all";
  /** When all of it was looked at last, in milliseconds since 1970, and how long that took. */
  looked: { at: number; ms: number } | null = null;
  /** Rows as of a decision that may not come into the log: the next answer looks at them again. */
  readonly undecided = new Set<string>();

  constructor(part: Place["part"], folder: string, roots: Roots) {
    this.roots = roots;
    this.part = part;
    this.folder = folder + sep;
  }

  /** The rows of a look at everything. Most of them mostly are those that were there. */
  take(rows: readonly Listed[]): void {
    const ids = new Set(rows.map(({ id }) => id));
    const other = rows.filter((row) => this.byId.get(row.id) !== row);
    const gone = [...this.byId.keys()].filter((id) => !ids.has(id));
    if (other.length + gone.length > this.byId.size / 8) {
      for (const { root } of this.byId.values()) this.roots.remove(root);
      for (const { root } of rows) this.roots.add(root);
      this.byId = new Map(rows.map((row) => [row.id, row]));
      this.sorted = new SortedList(byId, rows);
      this.open = new Candidates(rows.filter(isOpenTask).map(plainRow));
      return;
    }
    for (const id of gone) this.#drop(id);
    for (const row of other) this.set(row);
  }

  set(row: Listed): void {
    const before = this.byId.get(row.id);
    if (before) this.roots.remove(before.root);
    this.roots.add(row.root);
    this.byId.set(row.id, row);
    this.sorted.set(row);
    if (isOpenTask(row)) this.open.set(plainRow(row));
    else this.open.delete(row.id);
    this.open.changed(row.id);
  }

  delete(id: string): void {
    this.#drop(id);
    this.warnings.delete(id);
  }

  #drop(id: string): void {
    const before = this.byId.get(id);
    if (before) this.roots.remove(before.root);
    this.byId.delete(id);
    this.sorted.delete({ id });
    this.open.delete(id);
    this.open.changed(id);
  }
}

function isOpenTask(row: Listed): boolean {
  return row.kind === "task" && !row.deleted && !hasEnded(row);
}
