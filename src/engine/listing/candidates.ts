/**
 * Open tasks in the order in which `tasks_claim_next` tries them. A task that the rule turned down is put aside until
 * its obstacle may be over. So a claim costs by what changed since the last one. A caller that takes one out asks the
 * rule again.
 */
import { namesOf } from "../../log/repair.ts";
import type { HeldUp } from "../../rules/ready.ts";
import { compareIds } from "../../state/compare_ids.ts";
import type { Ref } from "../../state/entity.ts";
import type { Listed } from "../../state/listed.ts";
import { SortedList } from "../../state/sorted_list.ts";
import { byEnd } from "./claim_end.ts";
import type { ClaimEnd } from "./claim_end.ts";
import { IdGroups } from "../../state/id_groups.ts";

type Named = Pick<Listed, "id">;
type Ids = SortedList<Named, Listed>;

/** The obstacle of a task that was put aside; nothing: a change of its own. */
interface Aside {
  end?: ClaimEnd;
  folders?: readonly string[];
}

export class Candidates {
  readonly #rows = new Map<string, Listed>();
  readonly #all: Ids;
  readonly #ofPlan = new Map<string, Ids>();
  readonly #aside = new Map<string, Aside>();
  readonly #ends = new SortedList<ClaimEnd, ClaimEnd>(byEnd);
  /** Ids of those that wait for what lies, or may come to lie, in a folder of this name. */
  readonly #waiting = new IdGroups();
  /** Those of them that wait for what no row tells. */
  readonly #unlisted = new Set<string>();

  constructor(rows: readonly Listed[] = []) {
    for (const row of rows) this.#rows.set(row.id, row);
    this.#all = new SortedList(byId, rows);
    const plans = new Map<string, Listed[]>();
    for (const row of rows) {
      const plan = row.parent?.root;
      if (plan !== undefined && plans.get(plan)?.push(row) === undefined) plans.set(plan, [row]);
    }
    for (const [plan, tasks] of plans) this.#ofPlan.set(plan, new SortedList(byId, tasks));
  }

  set(row: Listed): void {
    this.delete(row.id);
    this.#rows.set(row.id, row);
    this.#offer(row);
  }

  delete(id: string): void {
    const row = this.#rows.get(id);
    if (!row) return;
    this.#forget(id);
    this.#withdraw(row);
    this.#rows.delete(id);
  }

  /** The first one of all, or of a plan's, behind this id; those that waited until `now` are among them. */
  next(now: string, { plan, after }: { plan?: string | undefined; after?: Named | undefined }): Listed | undefined {
    for (let end = this.#ends.after(); end && end.at <= now; end = this.#ends.after()) this.#bringBack(end.id);
    const ids = plan === undefined ? this.#all : this.#ofPlan.get(plan);
    return ids?.after(after);
  }

  /** `isListed`: a row tells whether it is DONE. Where none does, only a look at its folder tells. */
  defer(id: string, { until, waits_for }: HeldUp, isListed: (ref: Ref) => boolean): void {
    const row = this.#rows.get(id);
    if (!row) return;
    this.#withdraw(row);
    if (waits_for) {
      const folders = namesOf(waits_for);
      for (const folder of folders) this.#waiting.add(folder, id);
      if (!isListed(waits_for)) this.#unlisted.add(id);
      this.#aside.set(id, { folders });
    } else if (until) {
      const end = { at: until, id };
      this.#ends.set(end);
      this.#aside.set(id, { end });
    } else this.#aside.set(id, {});
  }

  /** A folder of this name may hold another entity than before. */
  changed(folder: string): void {
    for (const id of this.#waiting.of(folder)) this.#bringBack(id);
  }

  /** Everything may be, and rows say of themselves what is. */
  changedAll(): void {
    for (const id of this.#unlisted) this.#bringBack(id);
  }

  #bringBack(id: string): void {
    this.#forget(id);
    this.#offer(this.#rows.get(id)!);
  }

  /** Forgets the obstacle that it waits for. */
  #forget(id: string): void {
    const { end, folders = [] } = this.#aside.get(id) ?? {};
    this.#aside.delete(id);
    this.#unlisted.delete(id);
    if (end) this.#ends.delete(end);
    for (const folder of folders) this.#waiting.delete(folder, id);
  }

  #offer(row: Listed): void {
    this.#all.set(row);
    const plan = row.parent?.root;
    if (plan === undefined) return;
    const ids = this.#ofPlan.get(plan);
    if (ids) ids.set(row);
    else this.#ofPlan.set(plan, new SortedList(byId, [row]));
  }

  #withdraw(row: Listed): void {
    this.#all.delete(row);
    if (row.parent) this.#ofPlan.get(row.parent.root)?.delete(row);
  }
}

export function byId(a: Named, b: Named): number {
  return compareIds(a.id, b.id);
}
