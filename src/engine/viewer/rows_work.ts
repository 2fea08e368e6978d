/** Input and messages of the second thread of the first look. */
import type { EntityLocation } from "../entity/entity_on_disk.ts";
import type { ShortRow } from "./short_row.ts";

export interface RowsWork {
  root: string;
  workspace: string;
  places: readonly EntityLocation[];
  /** Shared: the first place that no thread took. */
  taken: Int32Array;
}

/** Of the places from `at` on; null for a log that the first thread is to read. */
export interface RowsRead {
  at: number;
  logs: (ShortRow | null)[];
}
