/**
 * One entity in two folders: it was deleted or put away while another branch went on writing, and git did not see the move. The
 * folder that the log dictates (the archive once it is away) takes the lines and files of the other.
 */
import { join } from "node:path";
import { isTaskfoldError } from "../../errors.ts";
import { readRegular, TEMP_PREFIX } from "../../files/atomic.ts";
import { ensureDurableFolder } from "../../files/folders.ts";
import { LOG_FILE, TASK_FILE } from "../../files/layout.ts";
import { repairLog } from "../../log/repair.ts";
import { isAway } from "../../state/archive.ts";
import { projectionsOf, SKELETON } from "../../projections/index.ts";
import type { EngineParts } from "../parts.ts";
import type { EntityLocation } from "../entity/entity_on_disk.ts";
import { folderOf, logPath, readEntity, subjectOf, wholeLog } from "../entity/entity_on_disk.ts";
import { acquireAll, filesLock } from "../core/lock.ts";
import { rendererOf } from "../core/task_yaml_marks.ts";
import { isFiltered } from "./usable_versions.ts";
import { lineCounts } from "../../log/line_counts.ts";
import { inReplayOrder } from "./replay_order.ts";
import { mayProject } from "../entity/writable.ts";
import type { EngineContext } from "../core/context.ts";

/** Joins `tasks/<id>` and `archive/<id>` where both belong to one entity. Returns the ids joined. @internal */
export async function joinFolders(engine: EngineParts, ids: ReadonlySet<string> | undefined): Promise<string[]> {
  const archived = new Set(engine.store.archivedIds());
  const joined: string[] = [];
  for (const id of engine.store.ids().toSorted()) {
    if (!archived.has(id) || (ids && !ids.has(id))) continue;
    if (await joinOne(engine, id)) joined.push(id);
  }
  return joined;
}

async function joinOne(engine: EngineParts, id: string): Promise<boolean> {
  const { context, store, projector, logs: writer, binding } = engine;
  const waiting = { timeoutMs: context.lockTimeoutMs, now: context.now };
  const lock = await acquireAll(context.locks(), [id, filesLock(id)], waiting);
  try {
    const places = (["archive", "tasks"] as const).map((part): EntityLocation => ({ id, part }));
    if (places.some((place) => !mayBeOurs(context, place))) return false;
    const logs = places
      .map((place) => wholeLog(context.disk, logPath(context, place)))
      .filter((bytes) => bytes !== undefined);
    // The joined log would leave out the output of a filter.
    if (logs.some((bytes) => isFiltered(lineCounts(bytes)))) return false;
    const roots = new Set(logs.map((bytes) => readEntity(bytes, () => false).entity?.root));
    const bytes = inReplayOrder(repairLog(logs).bytes);
    const { entity, report } = readEntity(bytes, () => false);
    if (roots.size !== 1 || !entity || !mayProject(report)) return false;
    const [into, from] = isAway(entity) ? places : places.toReversed();
    const target = logPath(context, into!);
    if (wholeLog(context.disk, target)?.equals(bytes) !== true) writer.replace(folderOf(context, into!), bytes);
    const loaded = store.find(id);
    if (loaded) projector.forget(loaded);
    store.drop(id);
    const folded = new Set([
      LOG_FILE,
      ...projectionsOf(subjectOf(id, binding?.workspace ?? "", entity, report)).keys(),
    ]);
    moveFiles(context, folderOf(context, from!), folderOf(context, into!), "", folded);
    for (const place of places) context.bell.ring(folderOf(context, place));
    for (const folder of [context.layout.tasks, context.layout.archive]) context.disk.syncFolder(folder);
    return !context.disk.lstat(folderOf(context, from!));
  } catch (e) {
    // A log above a limit of reading is a finding of the look at the whole, and the others go on.
    if (!isTaskfoldError(e) || e.code !== "LOG_UNREADABLE") throw e;
    return false;
  } finally {
    lock.release();
  }
}

/** A real folder, its log (if it has one) a file, its task.yaml (if it has one) not another program's. */
function mayBeOurs(context: EngineContext, place: EntityLocation): boolean {
  const folder = folderOf(context, place);
  const log = context.disk.lstat(join(folder, LOG_FILE))?.kind;
  if (context.disk.lstat(folder)?.kind !== "folder" || (log !== undefined && log !== "file")) return false;
  const taskYaml = readRegular(context.disk, join(folder, TASK_FILE));
  return taskYaml === undefined || rendererOf(taskYaml.toString("utf8")) > 0;
}

/**
 * Moves files that the other folder does not have. Drops those that it has with the same bytes or folds anew, and
 * leaves the rest, for verify to show.
 */
function moveFiles(context: EngineContext, from: string, to: string, name: string, folded: ReadonlySet<string>): void {
  const { disk } = context;
  for (const child of disk.readdir(join(from, name)).toSorted()) {
    const path = name === "" ? child : `${name}/${child}`;
    const [source, target] = [join(from, path), join(to, path)];
    const kind = disk.lstat(source)?.kind;
    const there = disk.lstat(target)?.kind;
    if (kind === "folder" && there === "folder") moveFiles(context, from, to, path, folded);
    else if (!there) {
      ensureDurableFolder(disk, join(to, name));
      disk.rename(source, target);
    } else if (
      kind === "file" &&
      there === "file" &&
      (folded.has(path) || child.startsWith(TEMP_PREFIX) || isSpare(context, path, source, target))
    ) {
      disk.unlink(source);
    }
  }
  if (disk.readdir(join(from, name)).length === 0) disk.rmdir(join(from, name));
}

/** Whether it has the same bytes, or the text that every new folder begins with: no person wrote in it. */
function isSpare({ disk }: EngineContext, path: string, source: string, target: string): boolean {
  const bytes = disk.readFile(source);
  return (
    bytes.equals(disk.readFile(target)) || (Object.hasOwn(SKELETON, path) && bytes.equals(Buffer.from(SKELETON[path]!)))
  );
}
