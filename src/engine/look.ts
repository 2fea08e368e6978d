/** What evidence points at, as it is now: files of the task folder and of the repository, commits. Follows no link. */
import { inspectFile, inspectLines } from "../files/inspect.ts";
import type { Tool } from "../tools/define.ts";
import type { Look } from "../views/evidence_check.ts";
import type { Handle } from "./handle.ts";
import type { World } from "./world.ts";

export function lookAt({ disk, layout, git }: World, { folder }: Handle, { reads }: Tool): Look {
  return {
    file: (path, most) => inspectFile(disk, folder, path, most),
    lines: (where, path, start, end) => inspectLines(disk, where === "root" ? layout.root : folder, path, start, end),
    commit: (id) => (reads?.includes("git_commits") ? (git?.()?.hasCommit(id) ?? null) : null),
  };
}
