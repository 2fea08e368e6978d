/**
 * The output of a merge driver of git: the joined log of two sides, and each file folded from it. Pure functions of the
 * bytes that both sides have (GIT rules); a file that a person edited is given back, to be kept.
 */
import { mayProject } from "../entity/writable.ts";
import { repairLog } from "../../log/repair.ts";
import { isMade, projectionsOf, RENDERER } from "../../projections/index.ts";
import { driftIn } from "../projection/drift.ts";
import { readEntity, subjectOf } from "../entity/entity_on_disk.ts";
import { isForeign, joinLines } from "./repair_log.ts";
import { isFiltered } from "./usable_versions.ts";
import { lineCounts } from "../../log/line_counts.ts";
import { rendererOf } from "../core/task_yaml_marks.ts";
import { inReplayOrder } from "./replay_order.ts";

/** The log and one folded file of a commit, or of the index. */
export interface MergeSide {
  log: Buffer;
  taskYaml: Buffer | undefined;
  file: Buffer;
}

/** Which file it is: the entity's id, the path in its folder, and the workspace that it names. */
export interface FoldedFile {
  id: string;
  name: string;
  workspace: string;
}

/** Whether git hands over what a filter made of one of these logs: nothing of it can be joined (GIT-9). */
export function isFilteredSide(sides: readonly Buffer[]): boolean {
  return sides.some((side) => isFiltered(lineCounts(side)));
}

/**
 * Every line of these logs, each once, in replay order (GIT-4). Lines that cannot be read and those of a second entity stand at the end:
 * `resolve` alone takes them out. Null where a log has no line of ours, or is a filter's.
 */
export function joinedLog(sides: readonly Buffer[]): Buffer | null {
  if (sides.some((side) => isForeign(side)) || isFilteredSide(sides)) return null;
  const { bytes, split, quarantine } = repairLog(sides);
  return Buffer.concat([inReplayOrder(bytes), ...split.map(({ lines }) => lines), joinLines(quarantine)]);
}

/**
 * The file as the joined log folds to it, and what of the sides no log ever folded to. Null where the joined log is not
 * to be folded yet. Then lines are missing, two entities are in it, a newer release writes it, or the file does not
 * follow from it.
 */
export function foldedFile(at: FoldedFile, sides: readonly MergeSide[]): { text: string; edited: Buffer[] } | null {
  if (sides.some(({ taskYaml }) => rendererOf(taskYaml?.toString("utf8")) > RENDERER)) return null;
  const log = joinedLog(sides.map((side) => side.log));
  const text = log === null ? undefined : foldedTexts(at, log)?.get(at.name);
  if (text === undefined) return null;
  const edited = sides.flatMap((side) => (isEdited(at, side) ? [side.file] : []));
  return { text, edited };
}

/**
 * Every file that a log folds to, by its path in the entity's folder; null where it is not to be folded. `isThere`: of a file that no
 * writer makes, whether an older build made it.
 */
export function foldedTexts(
  { id, workspace }: Pick<FoldedFile, "id" | "workspace">,
  log: Buffer,
  isThere: (name: string) => boolean = () => true,
): Map<string, string> | null {
  const { entity, report } = readEntity(log, () => false);
  if (!entity || !mayProject(report) || report.roots.length > 1) return null;
  const subject = subjectOf(id, workspace, entity, report);
  return new Map([...projectionsOf(subject)].filter(([name]) => isMade(subject, name) || isThere(name)));
}

/** Whether no moment of the log folded to what the file says. */
export function isEdited({ id, name, workspace }: FoldedFile, { log, taskYaml, file }: MergeSide): boolean {
  const text = foldedTexts({ id, workspace }, log)?.get(name) ?? "";
  if (file.equals(Buffer.from(text))) return false;
  const differing = [{ name, found: file, text }];
  return driftIn(() => log, { id, workspace }, differing, taskYaml?.toString("utf8")).changed.length > 0;
}
