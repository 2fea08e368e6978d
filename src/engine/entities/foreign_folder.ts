/** A folder that another program made answers from its task.yaml, legacy states mapped on the way (DIR rules). */
import { createRequire } from "node:module";
import { join } from "node:path";
import type * as Yaml from "yaml";
import { TaskfoldError } from "../../errors.ts";
import { readRegular } from "../../files/atomic.ts";
import { TASK_FILE } from "../../files/layout.ts";
import { readCocoTaskFile } from "../../files/coco_task_file.ts";
import { YAML_LIMITS } from "../../files/parse_yaml.ts";
import { entityOfCocoTask } from "../../state/foreign_entity.ts";
import type { Subject } from "../../state/entity.ts";
import type { LoadedEntity } from "../entity/loaded_entity.ts";
import { rendererOf } from "../core/task_yaml_marks.ts";
import type { EngineContext } from "../core/context.ts";

/** Undefined when there is no task.yaml either, or when it is ours: a projection never stands in for its log. */
export function foreignSubject(
  context: Pick<EngineContext, "disk">,
  loaded: Pick<LoadedEntity, "id" | "folder">,
  workspace: string,
): Subject | undefined {
  const path = join(loaded.folder, TASK_FILE);
  if ((context.disk.lstat(path)?.size ?? 0) > YAML_LIMITS.bytes) throw tooLarge(loaded.id);
  const text = readRegular(context.disk, path);
  if (text === undefined || rendererOf(text.toString("utf8")) > 0) return undefined;
  // Loaded here and not above: it costs half a start of node, and few workspaces hold such folders.
  const yaml = createRequire(import.meta.url)("yaml") as typeof Yaml;
  const entity = entityOfCocoTask(readCocoTaskFile(text.toString("utf8"), yaml));
  return { id: loaded.id, workspace, entity, head: "" };
}

/** Before a byte of it is read. A file of ours that grew so large is no answer either. */
function tooLarge(id: string): TaskfoldError {
  return new TaskfoldError(
    "LOG_UNREADABLE",
    `Expected task.yaml of ${id} to hold at most ${YAML_LIMITS.bytes} bytes, found more.`,
    {
      recovery: "Correct task.yaml by hand, or remove the folder from .coco/tasks.",
    },
  );
}
