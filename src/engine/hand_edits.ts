/** Files of an entity that a hand changed and that its log does not have: moving them away would hide them (ARCHIVE-7). */
import { join } from "node:path";
import { readRegular } from "../files/atomic.ts";
import { TASK_FILE } from "../files/layout.ts";
import { projectionsOf } from "../projections/index.ts";
import type { Differing } from "./drift.ts";
import { driftOf } from "./drift.ts";
import type { Handle } from "./handle.ts";
import { packageViolations } from "./taskdoc_package.ts";
import type { World } from "./world.ts";

/** Their names in the folder. What people write into their own files is no such thing: the next write reads it in. */
export function handEdits({ disk }: World, handle: Handle, workspace: string): string[] {
  const differing: Differing[] = [];
  for (const [name, text] of projectionsOf(handle.subject(workspace))) {
    const found = readRegular(disk, join(handle.folder, name));
    if (found && !found.equals(Buffer.from(text))) differing.push({ name, found, text });
  }
  const taskYaml = readRegular(disk, join(handle.folder, TASK_FILE))?.toString("utf8");
  const changed = driftOf(disk, handle, workspace, differing, taskYaml).changed.map(({ name }) => name);
  const stray = packageViolations(disk, handle.folder, handle.entity!.taskdoc).map(({ path }) => path);
  return [...new Set([...changed, ...stray])];
}
