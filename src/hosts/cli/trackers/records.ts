/** The records of a tracker's files, one at a time: one that cannot be read stops none of the others. */
import { isTaskfoldError } from "../../../errors.ts";
import { Fields } from "./fields.ts";
import type { TrackerItem } from "./item.ts";
import type { LeftOut } from "./left_out.ts";

export interface TrackerRecord {
  value: unknown;
  /** Where it stands, for people. */
  where: string;
}

/** The items of those records that can be read; the others are left out by name. */
export function itemsOf(
  records: readonly TrackerRecord[],
  leftOut: LeftOut[],
  read: (of: Fields, where: string) => TrackerItem[],
): TrackerItem[] {
  return records.flatMap(({ value, where }) => attempt(where, leftOut, () => read(new Fields(value), where)));
}

/** The items that `read` gives. If it refuses with INVALID_INPUT there are none, and the record is left out by name. */
export function attempt<T>(where: string, leftOut: LeftOut[], read: () => T[]): T[] {
  try {
    return read();
  } catch (e) {
    if (!isTaskfoldError(e) || e.code !== "INVALID_INPUT") throw e;
    leftOut.push({ kind: "unread", name: where, message: e.message });
    return [];
  }
}
