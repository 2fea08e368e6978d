import type { HistoryAnswer, HistoryItem } from "../../../src/views/viewer/api.ts";

export interface HistorySearch {
  /** Those that pass, the newest first. */
  found: readonly HistoryItem[];
  /** Changes that were looked at so far, and all that there are. */
  looked: number;
  total: number;
}

interface SearchOptions {
  pages: number;
  read: (page: number) => Promise<HistoryAnswer>;
  passes: (op: HistoryItem) => boolean;
  /** Hears of each page. */
  tell: (search: HistorySearch) => void;
  signal: AbortSignal;
}

/** Looks through all pages of a history, one after the other, the newest changes first. */
export async function searchHistory({ pages, read, passes, tell, signal }: SearchOptions): Promise<void> {
  let found: readonly HistoryItem[] = [];
  let looked = 0;
  for (let page = pages - 1; page >= 0; page--) {
    const { ops, total } = await read(page);
    // A document that holds every page answers at once: the browser draws and hears keys in between.
    await new Promise((done) => setTimeout(done));
    if (signal.aborted) return;
    found = [...found, ...ops.filter(passes).toReversed()];
    looked += ops.length;
    tell({ found, looked, total });
  }
}
