/**
 * The only place that takes bytes out of a log: it joins the sides that git left, and cuts out what is no line, stands
 * there twice, or belongs to another entity. New bytes are in place and synced before old ones go.
 */
import { join } from "node:path";
import { readIfThere, writeAtomic } from "../files/atomic.ts";
import { ensureDurableFolder } from "../files/folders.ts";
import { mendLog } from "../log/mend.ts";
import type { Mended } from "../log/mend.ts";
import { BLOB_FOLDER } from "./blobs.ts";
import type { Place } from "./entity_on_disk.ts";
import { folderOf, logPath, readEntity } from "./entity_on_disk.ts";
import { acquire } from "./lock.ts";
import { quarantine } from "./quarantine.ts";
import { rehomed } from "./rehome.ts";
import { blobsNamed } from "./verify_files.ts";
import type { World } from "./world.ts";

/** What became of one log. */
export interface MendedEntity {
  id: string;
  /** What no longer stands in the log, because it says nothing. */
  dropped: Mended["dropped"];
  /** Unreadable lines, now in the registry. */
  quarantined: number;
  /** Entities that moved to a folder of their own. */
  split: { id: string; root: string }[];
  /** True when the work tree had no log and a side of the merge had one. */
  restored: boolean;
}

/** Mends one log; null when nothing is to be done. `sides`: stages 1, 2, 3 of a stopped merge, those there are. */
export async function mendEntity(
  world: World,
  place: Place,
  sides: readonly Buffer[],
  dryRun: boolean,
): Promise<MendedEntity | null> {
  const first = plan(world, place, sides);
  if (!first || dryRun) return first?.told ?? null;
  const locks = [];
  const waiting = { timeoutMs: world.lockTimeoutMs, now: world.now };
  try {
    // An id comes before the ids split from it, for everybody: nobody waits for somebody who waits for him.
    for (const id of [place.id, ...first.told.split.map((s) => s.id).toSorted()])
      locks.push(await acquire(world.locks(), id, waiting));
    // Once more, now that nobody writes.
    const now = plan(world, place, sides);
    if (!now) return null;
    ensureDurableFolder(world.disk, folderOf(world, place));
    if (now.mended.quarantine.length > 0) quarantine(world, place.id, joinLines(now.mended.quarantine));
    for (const { id, bytes } of now.targets) writeSplit(world, place, id, bytes);
    replaceLog(world, place, now);
    return now.told;
  } finally {
    for (const lock of locks.toReversed()) lock.release();
  }
}

interface Plan {
  before: Buffer | undefined;
  mended: Mended;
  targets: { id: string; bytes: Buffer }[];
  told: MendedEntity;
}

function plan(world: World, place: Place, sides: readonly Buffer[]): Plan | null {
  const path = logPath(world, place);
  const kind = world.disk.lstat(path)?.kind;
  // A link is verify's to report; what it leads to is not ours.
  if (kind !== undefined && kind !== "file") return null;
  const before = kind === undefined ? undefined : readIfThere(world.disk, path);
  if (before === undefined && sides.length === 0) return null;
  // A log that another program keeps alone is that program's, copies and all.
  if (before !== undefined && sides.length === 0 && isForeign(before)) return null;
  const mended = mendLog(inOrder(sides, before));
  if (
    before !== undefined &&
    mended.split.length === 0 &&
    mended.quarantine.length === 0 &&
    mended.bytes.equals(before)
  )
    return null;
  const targets = mended.split.map((entity) => {
    const id = `${place.id}-${entity.suffix}`;
    const there = ["tasks", "archive"] as const;
    const home = there.map((part) => logPath(world, { id, part })).find((p) => world.disk.lstat(p)?.kind === "file");
    return {
      id,
      root: entity.root,
      bytes: rehomed(
        entity,
        { from: place.id, to: id },
        home === undefined ? undefined : readIfThere(world.disk, home),
      ),
    };
  });
  const told: MendedEntity = {
    id: place.id,
    dropped: mended.dropped,
    quarantined: mended.quarantine.length,
    split: targets.map(({ id, root }) => ({ id, root })),
    restored: before === undefined,
  };
  return { before, mended, targets, told };
}

function isForeign(bytes: Buffer): boolean {
  const { report } = readEntity(bytes, () => false);
  return report.roots.length + report.held + report.incomplete + report.markers === 0 && report.foreign.length > 0;
}

/** Our side first, so that a diff against the first parent shows additions only; then the work tree, theirs, the base. */
function inOrder(sides: readonly Buffer[], workTree: Buffer | undefined): Buffer[] {
  const [base, ours, theirs] = sides.length === 3 ? sides : [undefined, ...sides];
  return [ours, workTree, theirs, base].filter((version) => version !== undefined);
}

function writeSplit(world: World, from: Place, id: string, bytes: Buffer): void {
  const archived =
    world.disk.lstat(world.layout.archived(id))?.kind === "folder" && !world.disk.lstat(world.layout.folder(id));
  const target: Place = { id, part: archived ? "archive" : "tasks" };
  ensureDurableFolder(world.disk, folderOf(world, target));
  writeAtomic(world.disk, logPath(world, target), bytes, { sync: true });
  // Captured bytes lie where the entity was; the other entity may name them too, so they are copied.
  const { events } = readEntity(bytes, (type) => type === "evidence.captured");
  for (const name of blobsNamed(events)) {
    const blob = join(folderOf(world, from), BLOB_FOLDER, name);
    const copy = join(folderOf(world, target), BLOB_FOLDER, name);
    if (world.disk.lstat(blob)?.kind !== "file" || world.disk.lstat(copy)) continue;
    ensureDurableFolder(world.disk, join(folderOf(world, target), BLOB_FOLDER));
    writeAtomic(world.disk, copy, world.disk.readFile(blob), { sync: true });
  }
}

/**
 * Puts the mended log in place. A program that knows no lock of ours may have appended to the old file meanwhile: what
 * came behind the bytes that were read is appended to the new one.
 */
function replaceLog(world: World, place: Place, { before, mended }: Plan): void {
  const { disk } = world;
  const path = logPath(world, place);
  if (before === undefined) {
    writeAtomic(disk, path, mended.bytes, { sync: true });
    return;
  }
  const old = disk.open(path, "r");
  try {
    writeAtomic(disk, path, mended.bytes, { sync: true });
    const late = disk.fstat(old).size - before.length;
    if (late <= 0) return;
    const tail = Buffer.alloc(late);
    disk.read(old, tail, before.length);
    writeAtomic(disk, path, Buffer.concat([mended.bytes, tail]), { sync: true });
  } finally {
    disk.close(old);
  }
}

function joinLines(lines: readonly Buffer[]): Buffer {
  return Buffer.concat(lines.flatMap((line) => [line, Buffer.from("\n")]));
}
