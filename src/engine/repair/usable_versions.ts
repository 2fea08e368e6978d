/**
 * Versions of a log that a repair may join. If an attribute of the repository names a filter, git stores and merges the output of that
 * filter, such as pointers of Git LFS. Such a log stays as it is (RESOLVE-40).
 */
import { TaskfoldError } from "../../errors.ts";
import { LOG_FILE } from "../../files/layout.ts";
import { isBegun, lineCounts } from "../../log/line_counts.ts";
import type { LineCounts } from "../../log/line_counts.ts";
import { counted } from "../../state/counted.ts";
import type { GitVersion } from "../core/git_port.ts";
import type { EntityLocation } from "../entity/entity_on_disk.ts";
import { relativeFolder } from "../entity/entity_on_disk.ts";
import { mergeAgain, pointerError } from "../entity/no_entity.ts";
import { remedy, TASKFOLD } from "../../remedy.ts";

/** The versions of git that can be read. LOG_LFS_POINTER or LOG_UNREADABLE where the log or a side of a merge has none of its lines. @internal */
export function usableSides(place: EntityLocation, before: Buffer | undefined, sides: readonly GitVersion[]): Buffer[] {
  const { id } = place;
  const own = before && lineCounts(before);
  if (own && own.pointers > 0)
    throw pointerError({ id, folder: relativeFolder(place) }, { pointers: own.pointers, events: own.kept });
  // Where one side alone wrote, git took its file whole, and the filter gave its lines back.
  const mayBeTaken = own !== undefined && !isFiltered(own) && sides.filter(({ isBase }) => !isBase).length < 2;
  const usable: Buffer[] = [];
  for (const { bytes, isBase } of sides) {
    const counts = lineCounts(bytes);
    if (!isFiltered(counts)) usable.push(bytes);
    else if (!isBase && !mayBeTaken) throw sideError(place, counts);
  }
  return usable;
}

/** LOG_UNREADABLE where no line would be left of a log that has some. The rest of a creation that was cut off is none. @internal */
export function refuseEmptied(id: string, before: Buffer | undefined, after: Buffer): void {
  if (after.length > 0 || before === undefined || isBegun(before)) return;
  const { unreadable } = lineCounts(before);
  if (unreadable === 0) return;
  throw new TaskfoldError(
    "LOG_UNREADABLE",
    `Expected a line of the log of ${id} that can be read, found none in ${counted(unreadable, "line")}; they stay where they are.`,
    remedy`If a filter of git encrypts the log, unlock the filter, then git checkout -- its file. Else ${TASKFOLD} resolve ${id} --git brings back what commits have.`,
  );
}

/** Whether a filter of git may have written all of it, or a part. @internal */
export function isFiltered({ kept, unreadable, pointers }: LineCounts): boolean {
  return pointers > 0 || (kept === 0 && unreadable > 0);
}

function sideError(place: EntityLocation, { pointers, unreadable }: LineCounts): TaskfoldError {
  const found =
    pointers > 0
      ? "pointers of Git LFS in one of them"
      : `one with ${counted(unreadable, "line")}, of which none can be read`;
  return new TaskfoldError(
    pointers > 0 ? "LOG_LFS_POINTER" : "LOG_UNREADABLE",
    `Expected the log of ${place.id} on all sides of the merge, found ${found}: a filter of git wrote it.`,
    mergeAgain(`${relativeFolder(place)}/${LOG_FILE}`),
  );
}
