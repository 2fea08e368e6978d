/** Ids of changes, for a mark on the page and a word to screen readers. Changes come in bursts, and none of their ids is left out. */
import { store } from "../store.ts";

/** Milliseconds that a mark stays: as long as an eye needs to find it. */
const MARKED = 4000;
/** Milliseconds until ids are said: once nothing else changed, and at most, where something always does. */
const ANNOUNCE_AFTER = { quiet: 800, most: 5000 };

/** Those of the last moments. */
export const markedIds = store<ReadonlySet<string>>(new Set());
/** Those since ids were said before. */
export const announcedIds = store<readonly string[]>([]);

const changedAt = new Map<string, number>();
const pending = new Set<string>();
/** When the first change came that is not said yet. */
let since = 0;
let timer: ReturnType<typeof setTimeout> | undefined;

export function noteChanged(ids: readonly string[]): void {
  const now = Date.now();
  for (const id of ids) changedAt.set(id, now);
  markedIds.set(new Set(changedAt.keys()));
  setTimeout(() => unmark(ids, now), MARKED);
  if (pending.size === 0) since = now;
  for (const id of ids) pending.add(id);
  clearTimeout(timer);
  timer = setTimeout(say, Math.min(ANNOUNCE_AFTER.quiet, since + ANNOUNCE_AFTER.most - now));
}

/** One that changed once more keeps its mark. */
function unmark(ids: readonly string[], at: number): void {
  for (const id of ids) if (changedAt.get(id) === at) changedAt.delete(id);
  if (changedAt.size < markedIds.get().size) markedIds.set(new Set(changedAt.keys()));
}

function say(): void {
  announcedIds.set([...pending]);
  pending.clear();
}
