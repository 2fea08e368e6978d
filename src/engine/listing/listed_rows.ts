/** The rows of a list in memory, as the last look left them. */
import { sep } from "node:path";
import type { Warning } from "../../errors.ts";
import { hasEnded } from "../../state/ended.ts";
import { plainRow } from "../../state/listed.ts";
import type { Listed } from "../../state/listed.ts";
import { SortedList } from "../../state/sorted_list.ts";
import { byId, Candidates } from "./candidates.ts";
import { ClaimKeys } from "./claim_keys.ts";
import type { Changed } from "./change_feed.ts";
import { OpenTaskCounts } from "./open_task_counts.ts";
import type { EntityLocation } from "../entity/entity_on_disk.ts";

/** Which entities git left in more than one folder. Counted once they are asked for, and kept up to date from then on. */
export class Roots {
  readonly #duplicateRoots = new Set<string>();
  readonly #parts: () => readonly Rows[];
  #counts: Map<string, number> | null = null;

  constructor(parts: () => readonly Rows[]) {
    this.#parts = parts;
  }

  get duplicateRoots(): ReadonlySet<string> {
    if (!this.#counts) {
      this.#counts = new Map();
      for (const { sorted } of this.#parts()) for (const { root } of sorted.all) this.add(root);
    }
    return this.#duplicateRoots;
  }

  add(root: string): void {
    if (!this.#counts) return;
    const count = (this.#counts.get(root) ?? 0) + 1;
    this.#counts.set(root, count);
    if (count === 2) this.#duplicateRoots.add(root);
  }

  remove(root: string): void {
    if (!this.#counts) return;
    const count = (this.#counts.get(root) ?? 0) - 1;
    if (count > 0) this.#counts.set(root, count);
    else this.#counts.delete(root);
    if (count < 2) this.#duplicateRoots.delete(root);
  }

  /** Most rows are others than before. */
  forget(): void {
    this.#counts = null;
    this.#duplicateRoots.clear();
  }
}

type SortedIds = SortedList<Pick<Listed, "id">, Listed>;

/** The entities of one part of `.coco`. Parts that not every answer asks for are made once they are asked for. */
export class Rows {
  readonly part: EntityLocation["part"];
  /** Up to the name of a folder: `join` would cost a tenth of the look that it is for. */
  readonly folder: string;
  readonly #roots: Roots;
  #sorted: SortedIds = new SortedList(byId);
  #byId: Map<string, Listed> | null = null;
  #open: Candidates | null = null;
  #openCounts: OpenTaskCounts | null = null;
  #claimKeys: ClaimKeys | null = null;
  /** Of what cannot be read, by id. */
  readonly warnings = new Map<string, Warning>();
  /** Its folders, in natural order, as long as nothing points at one. */
  names: readonly string[] | null = null;
  /** The rows that have to be looked at before the next answer. */
  stale: "all" | Set<string> = "all";
  /** When all of it was looked at last, in milliseconds since 1970, and how long that took. */
  looked: { at: number; ms: number } | null = null;
  /** Rows as of a decision that may not come into the log: the next answer looks at them again. */
  readonly undecided = new Set<string>();

  constructor(part: EntityLocation["part"], folder: string, roots: Roots) {
    this.#roots = roots;
    this.part = part;
    this.folder = folder + sep;
  }

  /** In natural order of their ids. */
  get sorted(): SortedIds {
    return this.#sorted;
  }

  get byId(): ReadonlyMap<string, Listed> {
    return this.#rowsById();
  }

  /** Tasks that have not ended. */
  get open(): Candidates {
    return (this.#open ??= new Candidates(this.#sorted.all.filter(isOpenTask).map(plainRow)));
  }

  get openCounts(): OpenTaskCounts {
    return (this.#openCounts ??= new OpenTaskCounts(this.#sorted.all.filter(isOpenTask).map(plainRow)));
  }

  get claimKeys(): ClaimKeys {
    return (this.#claimKeys ??= new ClaimKeys(this.#sorted.all));
  }

  /** An entity without a row here may be another, too: open tasks that wait for it are asked about again. */
  tellWaiting(changed: Changed): void {
    if (changed === "all") this.#open?.changedAll();
    else for (const key of changed) this.#open?.changed(key.slice(key.indexOf("/") + 1));
  }

  /** The rows of a look at everything. Most of them mostly are those that were there. */
  take(rows: readonly Listed[]): void {
    if (this.#sorted.all.length === 0) return this.#takeAnew(rows);
    const before = this.byId;
    const other = rows.filter((row) => before.get(row.id) !== row);
    const added = other.filter(({ id }) => !before.has(id)).length;
    const gone = rows.length - added === before.size ? [] : idsBut(rows, before);
    if (other.length + gone.length > before.size / 8) return this.#takeAnew(rows);
    for (const id of gone) this.#drop(id);
    for (const row of other) this.set(row);
  }

  set(row: Listed): void {
    const byId = this.#rowsById();
    const before = byId.get(row.id);
    if (before) this.#roots.remove(before.root);
    this.#roots.add(row.root);
    byId.set(row.id, row);
    this.#sorted.set(row);
    this.#claimKeys?.set(row, before);
    const open = isOpenTask(row) ? plainRow(row) : undefined;
    for (const kept of [this.#open, this.#openCounts]) {
      if (open) kept?.set(open);
      else kept?.delete(row.id);
    }
    this.#open?.changed(row.id);
  }

  delete(id: string): void {
    this.#drop(id);
    this.warnings.delete(id);
  }

  #takeAnew(rows: readonly Listed[]): void {
    this.#roots.forget();
    this.#sorted = new SortedList(byId, rows);
    this.#byId = null;
    this.#open = null;
    this.#openCounts = null;
    this.#claimKeys = null;
  }

  #drop(id: string): void {
    const byId = this.#rowsById();
    const before = byId.get(id);
    if (before) this.#roots.remove(before.root);
    byId.delete(id);
    this.#sorted.delete({ id });
    if (before) this.#claimKeys?.delete(before);
    this.#open?.delete(id);
    this.#openCounts?.delete(id);
    this.#open?.changed(id);
  }

  #rowsById(): Map<string, Listed> {
    return (this.#byId ??= new Map(this.#sorted.all.map((row) => [row.id, row])));
  }
}

/** Ids of those before that are not among these rows. A set of all ids is worth its memory only where one is gone. */
function idsBut(rows: readonly Listed[], before: ReadonlyMap<string, Listed>): string[] {
  const ids = new Set(rows.map(({ id }) => id));
  return [...before.keys()].filter((id) => !ids.has(id));
}

function isOpenTask(row: Listed): boolean {
  return row.kind === "task" && !row.deleted && !hasEnded(row);
}
