/** Files of the workspace that git holds open, because a merge, a rebase, a cherry-pick or a stash stopped. */
import type { Finding } from "../../../engine/core/finding.ts";
import { note, wholeFile } from "../../../engine/core/finding.ts";
import { isTaskfoldError } from "../../../errors.ts";
import { openGit } from "../../git/git_port.ts";

/** Of one plan or task, or of all. A git that does not answer is a note: the logs were looked at all the same. */
export function unmergedIn(root: string, id?: string): Finding[] {
  const folders = id === undefined ? [".coco/"] : [`.coco/tasks/${id}/`, `.coco/archive/${id}/`];
  try {
    const open = openGit(root)?.unmerged() ?? [];
    return open
      .filter((path) => folders.some((folder) => path.startsWith(folder)))
      .map((path) => wholeFile("FILE_UNMERGED", path, "Git waits until this file is staged."));
  } catch (e) {
    if (!isTaskfoldError(e)) throw e;
    return [note(wholeFile(e.code, ".git", e, e))];
  }
}
