/** A file as the newest commit that had it shows it, also where it is in no branch any more. */
import { changesOf } from "./history.ts";
import { objectMissing } from "./object_missing.ts";
import { wholeBlobs } from "./objects.ts";
import type { Repository } from "./repository.ts";

/** OBJECT_MISSING where commits name versions of it and this clone has none of them. */
export function lastVersion(repository: Repository, path: string): Buffer | undefined {
  let lacking: string | undefined;
  const asked = { paths: [path], patterns: false };
  for (const { before, after } of changesOf(repository, ["--all", "--reflog"], asked, () => undefined)) {
    const object = after ?? before;
    const bytes = object === undefined ? undefined : wholeBlobs(repository, [object]).get(object);
    if (bytes) return bytes;
    lacking ??= object;
  }
  if (lacking !== undefined) throw objectMissing(repository, `the object ${lacking} of ${path}`);
  return undefined;
}
