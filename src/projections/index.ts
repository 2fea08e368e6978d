/** Every file that the engine folds out of one entity's log, by its path from the entity's folder. */
import type { Subject } from "../state/entity.ts";
import { evidenceIndex } from "./evidence_index.ts";
import { readme } from "./readme.ts";
import { taskYaml } from "./task_yaml.ts";

export { SKELETON, SKELETON_FOLDERS } from "./skeleton.ts";
export { RENDERER } from "./task_yaml.ts";

/** Path (with `/`) to text. A pure function of the log and the folder's name (PROJ-7, DIR-27). */
export function projectionsOf(subject: Subject): Map<string, string> {
  return new Map([
    ["task.yaml", taskYaml(subject)],
    ["README.md", readme(subject)],
    ["shared/evidence/index.json", evidenceIndex(subject.entity)],
  ]);
}
