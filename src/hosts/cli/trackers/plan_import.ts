/** Which plans and tasks an import makes, in which order and with which ids. */
import { createHash } from "node:crypto";
import { counted } from "../../../state/counted.ts";
import { TaskfoldError } from "../../../errors.ts";
import type { ReadItems, Tracker, TrackerItem } from "./item.ts";
import type { LeftOut } from "./left_out.ts";
import { withoutCircles } from "./without_circles.ts";
import { withoutTwins } from "./without_twins.ts";

const MAX_ITEMS = 50_000;

export interface ImportPlan {
  items: ToImport[];
  leftOut: LeftOut[];
  /** Fields of no item that stand nowhere here. */
  skipped: readonly string[];
  /** A sentence for each fact that was changed. */
  remarks: string[];
}

export interface ToImport {
  item: TrackerItem;
  /** The same for the same item, for ever. */
  key: string;
  id: string;
  /** Taken where the id is another's. */
  otherId: string;
  /** Items before this one. */
  dependsOn: TrackerItem[];
  plan: TrackerItem | undefined;
  more: [name: string, value: string][];
}

/** Plans first, then each task behind those that it depends on. With `underOnePlan` plans of the tracker are words in their tasks. */
export function planImport(source: string, tracker: Tracker, read: ReadItems, underOnePlan: boolean): ImportPlan {
  if (read.items.length > MAX_ITEMS)
    throw new TaskfoldError("INVALID_INPUT", `Expected at most ${MAX_ITEMS} items, found ${read.items.length}.`, {
      recovery: "Nothing was changed. Export a part at a time.",
    });
  const remarks: string[] = [];
  const leftOut = [...read.leftOut];
  const unique = withoutTwins(read.items, leftOut);
  const items = underOnePlan
    ? unique.map((item) => (item.kind === "plan" ? { ...item, kind: "task" as const } : item))
    : unique;
  const byId = new Map(items.map((item, at) => [item.id, at]));
  const unknown = new Map<number, string[]>();
  const precise = new Map<number, string[]>();
  const links = items.map((item, at) => {
    const known = new Set<number>();
    const named: string[] = [];
    for (const id of new Set(item.dependsOn)) {
      const home = read.homes?.get(id);
      const to = byId.get(home ?? id);
      // Plans are made before tasks, and a task that waits for its own plan never begins.
      const fits =
        to !== undefined && to !== at && id !== item.plan && (item.kind === "task" || items[to]!.kind === "plan");
      if (fits) known.add(to);
      // The task that one below it became a step of is not all that was said.
      if (fits && home !== undefined && home !== id) precise.set(at, [...(precise.get(at) ?? []), id]);
      if (!fits) named.push(id);
    }
    if (named.length > 0) unknown.set(at, named);
    return [...known];
  });
  const { order, dropped } = withoutCircles(links);
  const gone = new Map<number, Set<number>>();
  for (const [from, to] of dropped) gone.set(from, (gone.get(from) ?? new Set()).add(to));
  if (dropped.length > 0) remarks.push(circleSentence(dropped, items));
  if (unknown.size > 0)
    remarks.push(
      `${counted(unknown.size, "item")} with a dependency that cannot be kept: it stands in the description`,
    );
  const ids = new Ids(tracker.prefix);
  const placed = order.map((at): ToImport => {
    const item = items[at]!;
    const parent = item.plan === undefined ? undefined : items[byId.get(item.plan) ?? -1];
    // Of two items with one id the first counts, and that one may be a task.
    const plan = parent?.kind === "plan" ? parent : undefined;
    const cut = gone.get(at) ?? new Set();
    const left = [...(unknown.get(at) ?? []), ...Array.from(cut, (to) => items[to]!.id), ...(precise.get(at) ?? [])];
    return {
      item,
      key: keyOf(source, item.sameId ?? item.id),
      ...ids.of(item),
      dependsOn: links[at]!.filter((to) => !cut.has(to)).map((to) => items[to]!),
      plan,
      more: [
        ...(left.length === 0 ? [] : ([["Depends on", left.join(", ")]] as [string, string][])),
        ...(parent && !plan ? ([["Belongs to", parent.title]] as [string, string][]) : []),
      ],
    };
  });
  const plans = placed.filter(({ item }) => item.kind === "plan");
  const tasks = placed.filter(({ item }) => item.kind === "task");
  return { items: [...plans, ...tasks], leftOut, skipped: read.skipped ?? [], remarks };
}

function circleSentence(dropped: readonly [number, number][], items: readonly TrackerItem[]): string {
  const [from, to] = dropped[0]!;
  const more = dropped.length === 1 ? "" : `, and ${dropped.length - 1} more`;
  return `dependencies in a circle left out: ${items[from]!.id} on ${items[to]!.id}${more}`;
}

function hash(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** Ids of any length and any characters fit into a key. */
function keyOf(source: string, id: string): string {
  return `import:${source}:${hash(id.toWellFormed())}`;
}

/** Ids here, each given once, as near to the tracker's own as the names of folders let them be. */
class Ids {
  readonly #prefix: string;
  readonly #given = new Set<string>();
  #count = 0;

  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  of({ id }: TrackerItem): { id: string; otherId: string } {
    const name = this.#nameOf(id);
    const otherId = `${name.slice(0, 48).replace(/-+$/, "")}-${hash(id.toWellFormed()).slice(0, 8)}`;
    const isFree = name.length <= 48 && !this.#given.has(name.toLowerCase());
    const chosen = isFree ? name : otherId;
    this.#given.add(chosen.toLowerCase());
    return { id: chosen, otherId };
  }

  #nameOf(id: string): string {
    const word = id
      .slice(0, 200)
      // A number of GitHub stands behind its repository.
      .replace(/^.*#/, "")
      .replace(/^(?:task|plan)-/i, "")
      .replace(/[^A-Za-z0-9]+/g, "-")
      .replace(/^-+|-+$/g, "")
      .toLowerCase();
    const isUuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(word);
    // A checklist has no ids, and is its order.
    if (this.#prefix === "md") return `md-${++this.#count}`;
    const asciiWord = word === "" || /[^ -~]/.test(id) ? hash(id.toWellFormed()).slice(0, 8) : word;
    const short = isUuid ? word.slice(0, 8) : asciiWord;
    return short.startsWith(`${this.#prefix}-`) ? short : `${this.#prefix}-${short}`;
  }
}
