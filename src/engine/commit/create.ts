/**
 * Making an entity: under the workspace lock, because ids and the keys of creating calls count across all folders. The log
 * comes first, whole and synced with every name on the way to it; folders and projections follow. A crash in
 * between leaves either nothing that counts or an entity that the next write completes.
 */
import { dirname, join } from "node:path";
import { TaskfoldError } from "../../errors.ts";
import { removeQuietly, writeAll, writeAtomic } from "../../files/atomic.ts";
import { ensureFolder, ensureFolderInside, removeHollow, removeTree } from "../../files/folders.ts";
import { LOG_FILE } from "../../files/layout.ts";
import { errnoOf, storageError } from "../../files/storage_error.ts";
import type { Kind } from "../../state/entity.ts";
import { idFault } from "../../state/ids.ts";
import { kindOf } from "../../rules/create_entity.ts";
import type { IdStyle } from "../entity/binding.ts";
import { writeContents } from "../entity/contents.ts";
import type { CreateIndex } from "../listing/create_index.ts";
import { LoadedEntity } from "../entity/loaded_entity.ts";
import type { IdNumbers } from "../listing/id_numbers.ts";
import { newEntityId } from "../listing/ids.ts";
import type { Job, CallResult, WorkspaceLookup } from "../entity/job.ts";
import { setAsideOrphan } from "../entity/orphan_folder.ts";
import { checkSameInput, replayed, syncReplayed } from "./replayed.ts";
import { decideAndSeal } from "./decide.ts";
import type { StagedJob } from "./decide.ts";
import type { Store } from "../entity/store.ts";
import type { EngineContext } from "../core/context.ts";

export interface Created {
  handle: LoadedEntity;
  outcome: CallResult;
  /** False when an idempotency key named a creation of before. */
  fresh: boolean;
}

export interface Creating {
  world: EngineContext;
  store: Store;
  index: CreateIndex;
  numbers: IdNumbers;
  around: WorkspaceLookup;
  style: IdStyle;
  /** Told the id before bytes go out. */
  writing: (id: string) => void;
}

function taken(id: string): TaskfoldError {
  return new TaskfoldError("ID_TAKEN", `Expected the folder name ${id} to be free, found something of that name.`, {
    recovery: "Give another id.",
  });
}

/** Call while holding the workspace lock. */
export function create({ world, store, index, numbers, around, style, writing }: Creating, job: Job): Created {
  const used = job.key && creationOf(index, job.key.key);
  if (used) return again(world, around, used, job);
  refuseExpectations(job);
  const { kind, wanted } = askedFor(job);
  const id = freeId({ world, store, numbers, style }, kind, wanted);
  // Decided before the folder exists: a refusal leaves nothing behind.
  const { draft, staged } = drafted(world, around, id, job);
  try {
    writing(id);
    writeNew(world, draft, staged);
  } catch (e) {
    if (errnoOf(e) === "EEXIST") throw taken(id);
    throw storageError(e, `create ${id}`);
  }
  index.made(id, job.key?.key ?? null);
  numbers.made(id);
  const handle = store.add(id);
  handle.catchUp();
  return { handle, outcome: staged.outcome, fresh: true };
}

/** Refuses what `create` would refuse, and changes nothing: for a root that is to stay unbound then. Needs no lock. */
export function refuseCreation({ world, store, numbers, around, style }: Creating, job: Job): void {
  refuseExpectations(job);
  const { kind, wanted } = askedFor(job);
  numbers.look();
  drafted(world, around, newEntityId(world, store, numbers, kind, style, wanted), job);
}

function askedFor({ input }: Job): { kind: Kind; wanted: string | undefined } {
  return { kind: kindOf(input as Parameters<typeof kindOf>[0]), wanted: input["id"] as string | undefined };
}

function drafted(
  world: EngineContext,
  around: WorkspaceLookup,
  id: string,
  job: Job,
): { draft: LoadedEntity; staged: StagedJob } {
  const draft = new LoadedEntity(world, id, world.layout.folder(id));
  return { draft, staged: decideAndSeal(world, around, draft, { heads: [], seq: 0, ops: 0, offset: 0 }, job) };
}

/** The id that an entity gets, with what a creation that was cut off left of it out of the way. Call while holding the workspace lock. */
export function freeId(
  { world, store, numbers, style }: Pick<Creating, "world" | "store" | "numbers" | "style">,
  kind: Kind,
  wanted?: string,
): string {
  // What this process made itself is no remains.
  const inTheWay = numbers.look() ? (wanted ?? numbers.newest(kind).id) : wanted;
  if (inTheWay !== undefined && idFault(inTheWay) === null && setAsideOrphan(world, store, inTheWay)) {
    numbers.forget();
    numbers.look();
  }
  return newEntityId(world, store, numbers, kind, style, wanted);
}

function again(world: EngineContext, around: WorkspaceLookup, handle: LoadedEntity, job: Job): Created {
  checkSameInput(job, handle.keys.get(job.key!.key)!);
  syncReplayed(world, handle, [job]);
  return { handle, outcome: replayed(around, handle, job), fresh: false };
}

/** What is not there yet is at revision 0 and has no head (TOOL-5). */
export function refuseExpectations({ input }: Pick<Job, "input">): void {
  const { expected_revision: revision = 0, expected_head: head = "" } = input as {
    expected_revision?: number;
    expected_head?: string;
  };
  if (revision === 0 && head === "") return;
  const expected = revision === 0 ? `head ${head}` : `revision ${revision}`;
  throw new TaskfoldError(
    "REVISION_MISMATCH",
    `Expected ${expected}, found nothing yet: that is revision 0 without a head.`,
    {
      recovery: "Leave out expected_revision and expected_head, or change what is there with tasks_edit.",
      details: { revision: 0, head: "" },
    },
  );
}

/** The entity that a call with this key created, deleted ones too; its key stands in its first op. */
function creationOf(index: CreateIndex, key: string): LoadedEntity | undefined {
  return index.find(key).find((handle) => handle.catchUp() && handle.keys.has(key));
}

/** Files that the log names are there when it is: then the folder is made whole, and gets its name at last. */
function writeNew(
  world: EngineContext,
  handle: LoadedEntity,
  { bytes, contents }: Pick<StagedJob, "bytes" | "contents">,
): void {
  if (contents.length === 0) {
    writeLog(world, handle, bytes);
    return;
  }
  const { disk, layout, durability } = world;
  const making = layout.machineFile("packet", `making.${handle.id}`);
  removeTree(disk, making);
  ensureFolder(disk, making);
  writeContents(world, new LoadedEntity(world, handle.id, making), contents);
  writeAtomic(disk, join(making, LOG_FILE), bytes, { sync: durability !== "os" });
  const changed = ensureFolderInside(disk, layout.root, ".coco/tasks");
  removeHollow(disk, handle.folder);
  if (disk.lstat(handle.folder)) throw taken(handle.id);
  disk.rename(making, handle.folder);
  if (durability !== "os") for (const folder of [layout.tasks, ...changed.toReversed()]) disk.syncFolder(folder);
}

/** Writes the first ops to a new log, durable with all its names, or leaves nothing. */
export function writeLog(world: EngineContext, handle: LoadedEntity, bytes: Buffer): void {
  const { disk, layout, durability } = world;
  const changed = ensureFolderInside(disk, layout.root, ".coco/tasks");
  const path = handle.log.path;
  removeHollow(disk, handle.folder);
  disk.mkdir(handle.folder);
  let made: number | undefined;
  try {
    const fd = disk.open(path, "wx");
    made = disk.fstat(fd).ino;
    try {
      writeAll(disk, fd, bytes);
      if (durability !== "os") disk.fsync(fd);
      if (!bytes.equals(readBack(world, path, Buffer.allocUnsafe(bytes.length)))) {
        throw new TaskfoldError(
          "UNKNOWN_OUTCOME",
          "Expected the new log to hold what was just written; another one stands in its place.",
          {
            recovery: "Call again with the same idempotency_key.",
          },
        );
      }
    } finally {
      disk.close(fd);
    }
    if (durability !== "os")
      for (const folder of [handle.folder, layout.tasks, ...changed.toReversed()]) disk.syncFolder(folder);
    world.bell.ring(handle.folder);
  } catch (e) {
    // By that name somebody else's may stand there by now, where two hold the lock.
    if (made !== undefined && disk.lstat(path)?.ino === made) removeQuietly(disk, path);
    removeFolderQuietly(world, dirname(path));
    throw e;
  }
}

function readBack(world: EngineContext, path: string, into: Buffer): Buffer {
  const fd = world.disk.open(path, "r");
  try {
    const n = world.disk.read(fd, into, 0);
    return into.subarray(0, n);
  } finally {
    world.disk.close(fd);
  }
}

/** A folder that cannot be removed is an empty one: the next creation of that id takes another number. */
function removeFolderQuietly(world: EngineContext, folder: string): void {
  try {
    world.disk.rmdir(folder);
  } catch (e) {
    if (errnoOf(e) === undefined) throw e;
  }
}
