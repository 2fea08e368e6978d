/** Every file that the engine folds out of one entity's log, by its path from the entity's folder. */
import type { Entity, Folded, Subject } from "../state/entity.ts";
import { decision, decisionPath, DECISIONS } from "./decision.ts";
import { JOINED_SUMMARY, joinedSummary, REPORTS } from "./joined_summary.ts";
import { hasSections, taskdocFiles, TASKDOC_PACKAGE } from "../state/taskdoc.ts";
import { packetFiles, packetFilesGone, PACKET_FOLDERS } from "./packet/index.ts";
import { readme } from "./readme.ts";
import { SKELETON_FOLDERS } from "./skeleton.ts";
import { taskYaml } from "./task_yaml.ts";
import { inCocoRange } from "../state/evidence.ts";

export { overview, readOverview } from "./overview.ts";
export { SKELETON, SKELETON_FOLDERS } from "./skeleton.ts";
export { HEAD_BYTES, readTaskHead, RENDERER } from "./task_head.ts";

/**
 * Path (with `/`) to text. A pure function of the log and the folder's name (PROJ-7, DIR-26). It has each file that may stand there:
 * `filesToMake` leaves out those that no writer makes.
 */
export function projectionsOf(subject: Folded): Map<string, string> {
  const { entity } = subject;
  const files = new Map([
    ["task.yaml", taskYaml(subject)],
    ["README.md", readme(subject)],
    ["shared/evidence/index.json", evidenceIndex(entity)],
    ...[...taskdocFiles(entity.taskdoc)].map(([path, text]): [string, string] => [`${TASKDOC_PACKAGE}/${path}`, text]),
  ]);
  for (const id of entity.decisions) {
    const card = entity.cards.get(id)!;
    files.set(decisionPath(card), decision(subject, card));
  }
  if (entity.packet) for (const [path, text] of packetFiles(entity.packet)) files.set(path, text);
  if (entity.report) files.set(JOINED_SUMMARY, joinedSummary(subject, entity.report));
  return files;
}

/**
 * Whether a writer makes the file where it is missing. The three empty files of a Taskdoc without a section stand in folders of earlier
 * releases alone, and stay there (TASKDOC-1).
 */
export function isMade({ entity }: Pick<Subject, "entity">, name: string): boolean {
  return hasSections(entity.taskdoc) || !name.startsWith(`${TASKDOC_PACKAGE}/`);
}

/** The files of a folder that was made now. */
export function filesToMake(subject: Folded): Map<string, string> {
  return new Map([...projectionsOf(subject)].filter(([name]) => isMade(subject, name)));
}

/** Files that folded from an earlier state and are no more: where one stands, it goes. */
export function projectionsGone({ entity: { packet } }: Subject): string[] {
  return packet ? packetFilesGone(packet) : [];
}

/** Every folder that the files of an entity stand in, parents first. */
export function foldersOf({ entity }: Subject): string[] {
  const categories = [...entity.taskdoc.values()].flatMap(({ category }) => category ?? []);
  return [
    ...SKELETON_FOLDERS,
    ...(hasSections(entity.taskdoc) ? [TASKDOC_PACKAGE] : []),
    ...new Set(categories.map((category) => `${TASKDOC_PACKAGE}/${category}`)),
    ...(entity.decisions.length > 0 ? [DECISIONS] : []),
    ...(entity.report ? [REPORTS] : []),
    ...(entity.packet ? PACKET_FOLDERS : []),
  ];
}

/** `shared/evidence/index.json`: every entry in the order of the log, `[]` before there is one (EVID-1). */
function evidenceIndex(entity: Entity): string {
  return `${JSON.stringify(entity.evidence.map(inCocoRange), null, 2)}\n`;
}
