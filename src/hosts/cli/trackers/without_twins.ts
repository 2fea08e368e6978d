/** Of items with one id the first counts. */
import type { TrackerItem } from "./item.ts";
import type { LeftOut } from "./left_out.ts";

/** The first item of each id; the others are left out by name. */
export function withoutTwins(items: readonly TrackerItem[], leftOut: LeftOut[]): TrackerItem[] {
  const first = new Map<string, TrackerItem>();
  for (const item of items) {
    const { id, sameId = id } = item;
    if (first.has(sameId)) leftOut.push({ kind: "twin", name: `${item.id} ${item.title}` });
    else first.set(sameId, item);
  }
  return [...first.values()];
}
