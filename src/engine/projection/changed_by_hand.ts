/** Names the folded files of an entity that were changed by hand or by another program, without writing them anew. */
import { TASK_FILE } from "../../files/layout.ts";
import { projectionsOf, RENDERER } from "../../projections/index.ts";
import { EntityFiles } from "../entity/entity_files.ts";
import { relativeFolder } from "../entity/entity_on_disk.ts";
import type { LoadedEntity } from "../entity/loaded_entity.ts";
import { lostEndsOf } from "../entity/log_truncated.ts";
import { mayProject } from "../entity/writable.ts";
import type { EngineContext } from "../core/context.ts";
import { rendererOf } from "../core/task_yaml_marks.ts";
import type { Differing } from "./drift.ts";
import { driftOf } from "./drift.ts";

/** A missing or outdated file is not named: the next write replaces it, and no edit is lost. */
export function changedByHand({ disk }: EngineContext, loaded: LoadedEntity, workspace: string): string[] {
  if (!loaded.catchUp() || !loaded.entity || !mayProject(loaded.report)) return [];
  const where = new EntityFiles(disk, loaded.folder, relativeFolder({ id: loaded.id, part: "tasks" }));
  const found = where.regularFile(TASK_FILE);
  const taskYaml = Buffer.isBuffer(found) ? found.toString("utf8") : undefined;
  if (rendererOf(taskYaml) > RENDERER) return [];
  const inTheWay: string[] = [];
  const differing: Differing[] = [];
  for (const [name, text] of projectionsOf(loaded.subject(workspace))) {
    const file = where.regularFile(name);
    if (file === undefined) continue;
    if (!Buffer.isBuffer(file)) inTheWay.push(name);
    else if (!file.equals(Buffer.from(text))) differing.push({ name, found: file, text });
  }
  // Files of a log that lost its end differ without any edit.
  if (differing.length === 0 || lostEndsOf(disk, loaded).length > 0) return inTheWay;
  return [...inTheWay, ...driftOf(disk, loaded, workspace, differing, taskYaml).changed.map(({ name }) => name)];
}
