/** The entries of Taskdoc packages in a listing or a search: that they are there, by name. */
import { segmentsOf } from "../state/tsk_name.ts";

/** The entry that is shown in place of a package: nothing in it says how much the package holds or when it changed. */
export interface EncapsulatedEntry {
  name: string;
  encapsulated: true;
}

/**
 * Patterns that keep general search tools out of Taskdoc packages, in the common dialect of gitignore, ripgrep (`--glob '!...'`)
 * and glob libraries. A search matches names as they stand on the disk, so letter case is all that has to be covered.
 * For `grep -r`: `--exclude-dir='*.[tT][sS][kK]'`. A search must not follow links. Rule GUARD-14 (spec/guard.md).
 */
export const TSK_EXCLUDE_GLOBS: readonly string[] = Object.freeze(["**/*.[tT][sS][kK]", "**/*.[tT][sS][kK]/**"]);

export function filterListing(entries: readonly string[]): string[];
export function filterListing<T extends { name: string }>(entries: readonly T[]): (T | EncapsulatedEntry)[];
/**
 * A folder's listing, flat or recursive, without the inside of Taskdoc packages: of a package the name stays and nothing else.
 * The folder itself has to have been let through by `isEncapsulatedPath`.
 *
 * @param entries names, or objects with a `name`; paths where the listing is recursive (`a/b.tsk/goals.md`).
 * @returns the entries in their order. Those inside a package are gone; an object for a package itself becomes
 * `{ name, encapsulated: true }`. Rules GUARD-14 (spec/guard.md).
 */
export function filterListing<T extends string | { name: string }>(entries: readonly T[]): (T | EncapsulatedEntry)[] {
  return entries.flatMap((entry): (T | EncapsulatedEntry)[] => {
    const name = typeof entry === "string" ? entry : entry.name;
    const segments = segmentsOf(name);
    const first = segments.findIndex(({ isPackage }) => isPackage);
    if (first === -1) return [entry];
    if (first < segments.length - 1) return [];
    return [typeof entry === "string" ? entry : { name, encapsulated: true }];
  });
}
