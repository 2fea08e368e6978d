/** Folders that no list of git has a file of, since git could not look into them: files may be there, and change (PROOF-51). */
import { nodeDisk } from "../../disk.ts";
import { errnoOf } from "../../files/storage_error.ts";
import { bytesOfName } from "../../name_bytes.ts";
import { fullPath } from "./content_names.ts";
import type { Repository } from "./repository.ts";

/** No caller waits for more. If there are more, the whole tree counts as closed. */
const MAX_FOLDERS = 100_000;

/** `leftOut`: folders that do not count, and those that have a listing of their own. Each character of a path is one byte. */
export function closedFolders(repository: Repository, leftOut: (path: string) => boolean): string[] {
  const closed: string[] = [];
  const folders = [""];
  for (const folder of folders) {
    if (folders.length > MAX_FOLDERS) return ["."];
    const below = foldersIn(repository, folder);
    if (below === undefined) closed.push(folder);
    for (const path of below ?? []) if (!leftOut(path)) folders.push(path);
  }
  return closed;
}

/** Undefined where the system lets no one look; none where the folder has gone meanwhile. */
function foldersIn(repository: Repository, folder: string): string[] | undefined {
  try {
    const entries = nodeDisk.entries(fullPath(repository, folder));
    const names = entries
      .filter(({ kind, name }) => kind === "folder" && name !== ".git")
      .map(({ name }) => bytesOfName(name).toString("latin1"));
    return names.map((name) => (folder === "" ? name : `${folder}/${name}`));
  } catch (e) {
    const errno = errnoOf(e);
    if (errno === undefined) throw e;
    return errno === "ENOENT" || errno === "ENOTDIR" ? [] : undefined;
  }
}
