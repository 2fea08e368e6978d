/** A folder that another program made answers from its task.yaml, legacy states mapped on the way (DIR rules). */
import { createRequire } from "node:module";
import { join } from "node:path";
import type * as Yaml from "yaml";
import { readRegular } from "../files/atomic.ts";
import { TASK_FILE } from "../files/layout.ts";
import { readCocoTaskFile } from "../files/coco_task_file.ts";
import { entityOfCocoTask } from "../state/foreign_entity.ts";
import type { Subject } from "../state/entity.ts";
import type { Handle } from "./handle.ts";
import { rendererOf } from "./renderer_of.ts";
import type { World } from "./world.ts";

/** Undefined when there is no task.yaml either, or when it is ours: a projection never stands in for its log. */
export function foreignSubject(
  world: World,
  handle: Pick<Handle, "id" | "folder">,
  workspace: string,
): Subject | undefined {
  const text = readRegular(world.disk, join(handle.folder, TASK_FILE));
  if (text === undefined || rendererOf(text.toString("utf8")) > 0) return undefined;
  // Loaded here and not above: it costs half a start of node, and few workspaces hold such folders.
  const yaml = createRequire(import.meta.url)("yaml") as typeof Yaml;
  const entity = entityOfCocoTask(readCocoTaskFile(text.toString("utf8"), yaml));
  return { id: handle.id, workspace, entity, head: "" };
}
