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
import { folderOf, logPath, readEntity, subjectOf } from "../entity/entity_on_disk.ts";
import { acquire } from "../core/lock.ts";
import { rendererOf } from "../core/task_yaml_marks.ts";
import { inReplayOrder } from "./replay_order.ts";
import { replaceLog, wholeLog } from "../commit/whole_log.ts";
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
  const { world, store, projector, binding } = engine;
  const lock = await acquire(world.locks(), id, { timeoutMs: world.lockTimeoutMs, now: world.now });
  try {
    const places = (["archive", "tasks"] as const).map((part): EntityLocation => ({ id, part }));
    if (places.some((place) => !mayBeOurs(world, place))) return false;
    const logs = places
      .map((place) => wholeLog(world.disk, logPath(world, place)))
      .filter((bytes) => bytes !== undefined);
    const roots = new Set(logs.map((bytes) => readEntity(bytes, () => false).entity?.root));
    const bytes = inReplayOrder(repairLog(logs).bytes);
    const { entity, report } = readEntity(bytes, () => false);
    if (roots.size !== 1 || !entity || !mayProject(report)) return false;
    const [into, from] = isAway(entity) ? places : places.toReversed();
    const target = logPath(world, into!);
    if (wholeLog(world.disk, target)?.equals(bytes) !== true) replaceLog(world, folderOf(world, into!), bytes);
    const handle = store.find(id);
    if (handle) projector.forget(handle);
    store.drop(id);
    const folded = new Set([
      LOG_FILE,
      ...projectionsOf(subjectOf(id, binding?.workspace ?? "", entity, report)).keys(),
    ]);
    moveFiles(world, folderOf(world, from!), folderOf(world, into!), "", folded);
    for (const place of places) world.bell.ring(folderOf(world, place));
    for (const folder of [world.layout.tasks, world.layout.archive]) world.disk.syncFolder(folder);
    return !world.disk.lstat(folderOf(world, from!));
  } catch (e) {
    // A log above a limit of reading is a finding of the look at the whole, and the others go on.
    if (!isTaskfoldError(e) || e.code !== "LOG_UNREADABLE") throw e;
    return false;
  } finally {
    lock.release();
  }
}

/** A real folder, its log (if it has one) a file, its task.yaml (if it has one) not another program's. */
function mayBeOurs(world: EngineContext, place: EntityLocation): boolean {
  const folder = folderOf(world, place);
  const log = world.disk.lstat(join(folder, LOG_FILE))?.kind;
  if (world.disk.lstat(folder)?.kind !== "folder" || (log !== undefined && log !== "file")) return false;
  const taskYaml = readRegular(world.disk, join(folder, TASK_FILE));
  return taskYaml === undefined || rendererOf(taskYaml.toString("utf8")) > 0;
}

/**
 * Moves files that the other folder does not have. Drops those that it has with the same bytes or folds anew, and
 * leaves the rest, for verify to show.
 */
function moveFiles(world: EngineContext, from: string, to: string, name: string, folded: ReadonlySet<string>): void {
  const { disk } = world;
  for (const child of disk.readdir(join(from, name)).toSorted()) {
    const path = name === "" ? child : `${name}/${child}`;
    const [source, target] = [join(from, path), join(to, path)];
    const kind = disk.lstat(source)?.kind;
    const there = disk.lstat(target)?.kind;
    if (kind === "folder" && there === "folder") moveFiles(world, from, to, path, folded);
    else if (!there) {
      ensureDurableFolder(disk, join(to, name));
      disk.rename(source, target);
    } else if (
      kind === "file" &&
      there === "file" &&
      (folded.has(path) || child.startsWith(TEMP_PREFIX) || isSpare(world, path, source, target))
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
