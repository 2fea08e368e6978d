/**
 * One entity in two folders: somebody deleted it while somebody else went on writing, and git did not see the move. The
 * folder that the log dictates (the archive once it was deleted) takes the lines and files of the other.
 */
import { join } from "node:path";
import { TEMP_PREFIX, writeAtomic } from "../files/atomic.ts";
import { ensureDurableFolder } from "../files/folders.ts";
import { LOG_FILE } from "../files/layout.ts";
import { mendLog } from "../log/mend.ts";
import { projectionsOf, SKELETON } from "../projections/index.ts";
import type { Engine } from "./engine.ts";
import { logPath, readEntity, subjectOf } from "./entity_on_disk.ts";
import { acquire } from "./lock.ts";
import type { World } from "./world.ts";

/** Joins `tasks/<id>` and `archive/<id>` where both hold the same entity. Returns the ids joined. */
export async function joinFolders(engine: Engine, ids: ReadonlySet<string> | undefined): Promise<string[]> {
  const archived = new Set(engine.store.archivedIds());
  const joined: string[] = [];
  for (const id of engine.store.ids().toSorted()) {
    if (!archived.has(id) || (ids && !ids.has(id))) continue;
    if (await joinOne(engine, id)) joined.push(id);
  }
  return joined;
}

async function joinOne({ world, store, projector, binding }: Engine, id: string): Promise<boolean> {
  const { disk, layout } = world;
  const paths = (["tasks", "archive"] as const).map((part) => logPath(world, { id, part }));
  if (paths.some((path) => disk.lstat(path)?.kind !== "file")) return false;
  const lock = await acquire(world.locks(), id, { timeoutMs: world.lockTimeoutMs, now: world.now });
  try {
    const logs = paths.map((path) => disk.readFile(path));
    const [live, gone] = logs.map((bytes) => readEntity(bytes, () => false).entity?.root);
    if (live === undefined || live !== gone) return false;
    const { bytes } = mendLog(logs.toReversed());
    const { entity, report } = readEntity(bytes, () => false);
    if (!entity?.deleted) return false;
    writeAtomic(disk, paths[1]!, bytes, { sync: true });
    const handle = store.find(id);
    if (handle) projector.forget(handle);
    store.drop(id);
    const folded = new Set([
      LOG_FILE,
      ...projectionsOf(subjectOf(id, binding?.workspace ?? "", entity, report)).keys(),
    ]);
    moveFiles(world, layout.folder(id), layout.archived(id), "", folded);
    disk.syncFolder(layout.tasks);
    return true;
  } finally {
    lock.release();
  }
}

/** Moves what the other folder does not have; drops what it has with the same bytes or folds anew; leaves the rest, for verify to show. */
function moveFiles(world: World, from: string, to: string, name: string, folded: ReadonlySet<string>): void {
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

/** The same bytes, or the text that every new folder begins with: nobody wrote in it. */
function isSpare({ disk }: World, path: string, source: string, target: string): boolean {
  const bytes = disk.readFile(source);
  return (
    bytes.equals(disk.readFile(target)) || (Object.hasOwn(SKELETON, path) && bytes.equals(Buffer.from(SKELETON[path]!)))
  );
}
