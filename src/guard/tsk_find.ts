/** The packages that an operation on a whole folder would take with it. */
import { join, resolve } from "node:path";
import type { PathReader } from "../disk.ts";
import { nodePathReader } from "../disk.ts";
import { TaskfoldError } from "../errors.ts";
import { errnoOf } from "../files/storage_error.ts";
import { isEncapsulatedPathLexical } from "../state/tsk_name.ts";
import { leadsIntoPackage } from "./tsk_path.ts";
import type { GuardOptions } from "./tsk_path.ts";

/**
 * The Taskdoc packages in a folder and all folders below it. To be asked before a folder is deleted, moved or copied as
 * a whole: unless the answer is empty, refuse with `encapsulationError`.
 *
 * @param folder follows a link that stands at this very path, and none below it.
 * @returns paths relative to `folder`, with `/`, sorted by code unit. `["."]` when the folder itself is encapsulated;
 * `[]` when it is a file or is not there. Costs one readdir per folder; the inside of a package is not read.
 * @throws TaskfoldError STORAGE_FAILED (rejects) when a folder on the way cannot be read, since its content is unknown.
 * Rule GUARD-13 (spec/guard.md).
 */
export function findPackagesUnder(folder: string, options: GuardOptions = {}): Promise<string[]> {
  return packagesUnder(nodePathReader, folder, options.cwd ?? ".");
}

/** `findPackagesUnder` on any disk. @internal */
export async function packagesUnder(disk: PathReader, folder: string, cwd: string): Promise<string[]> {
  if (await leadsIntoPackage(disk, folder, cwd)) return ["."];
  const top = resolve(cwd, folder);
  const found: string[] = [];
  const ahead = [""];
  for (let path = ahead.pop(); path !== undefined; path = ahead.pop()) {
    for (const { name, isFolder } of await entriesOf(disk, top, path)) {
      const inner = path === "" ? name : `${path}/${name}`;
      if (isEncapsulatedPathLexical(name)) found.push(inner);
      else if (isFolder) ahead.push(inner);
    }
  }
  return found.toSorted((a, b) => (a < b ? -1 : 1));
}

async function entriesOf(disk: PathReader, top: string, path: string): ReturnType<PathReader["readdir"]> {
  try {
    return await disk.readdir(join(top, path));
  } catch (e) {
    const errno = errnoOf(e);
    // A file, or gone meanwhile. A name that is not UTF-8 looks the same, but is there.
    if ((errno === "ENOENT" || errno === "ENOTDIR") && !path.includes("\uFFFD")) return [];
    throw new TaskfoldError(
      "STORAGE_FAILED",
      `Could not look for Taskdoc packages in ${JSON.stringify(path || ".")}: the system said ${errno ?? String(e)}.`,
      {
        cause: e,
        recovery: "Make that folder readable and its name UTF-8, or leave it where it is.",
        details: { path },
      },
    );
  }
}
