/** A file as the newest commit that had it shows it, also where it is in no branch any more. */
import { changesOf } from "./history.ts";
import { wholeBlobs } from "./objects.ts";
import type { Repository } from "./repository.ts";

export function lastVersion(repository: Repository, path: string): Buffer | undefined {
  const asked = { paths: [path], patterns: false };
  for (const { before, after } of changesOf(repository, ["--all", "--reflog"], asked, () => undefined)) {
    const object = after ?? before;
    const bytes = object === undefined ? undefined : wholeBlobs(repository, [object]).get(object);
    if (bytes) return bytes;
  }
  return undefined;
}
