/** Bytes that leave a file the engine keeps are put aside first, synced, in this machine's registry. Nobody deletes them but people. */
import { basename, dirname } from "node:path";
import { writeAtomic } from "../files/atomic.ts";
import { ensureDurableFolder } from "../files/folders.ts";
import { errnoOf } from "../files/storage_error.ts";
import { sha256 } from "../log/canonical.ts";
import type { World } from "./world.ts";

/** Leaves room for the digits behind it: file systems take names of 255 bytes. */
const MOST_NAME = 200;

/** Keeps `bytes` as `registry/quarantine/<name>-<first 8 hex digits of their SHA-256>`; the same bytes are kept once. */
export function quarantine(world: World, name: string, bytes: Buffer): string {
  const path = pathOf(world, name, bytes);
  if (isQuarantined(world, name, bytes)) return path;
  ensureDurableFolder(world.disk, dirname(path));
  writeAtomic(world.disk, path, bytes, { sync: true });
  return path;
}

/**
 * Moves what stands at `path`, of whatever kind and unread, to `registry/quarantine/<name>-<8 hex digits>`, and tells the next
 * caller. For what lies in a folder of this machine and is none of ours.
 */
export function moveAside(world: World, path: string, name: string): void {
  const into = world.layout.sharedFile("quarantine", `${name.slice(0, MOST_NAME)}-${world.newId().slice(0, 8)}`);
  ensureDurableFolder(world.disk, dirname(into));
  try {
    world.disk.rename(path, into);
  } catch (e) {
    // Another process was first.
    if (errnoOf(e) === "ENOENT") return;
    throw e;
  }
  world.notices.push({
    code: "SET_ASIDE",
    message: `Found ${name} in .coco/registry, which this engine did not write or cannot use; it was moved to .coco/registry/quarantine/${basename(into)}.`,
    recovery: "Look at it there; nothing of it was read into a log.",
  });
}

/** Whether these bytes are kept already. */
export function isQuarantined(world: World, name: string, bytes: Buffer): boolean {
  return world.disk.lstat(pathOf(world, name, bytes))?.size === bytes.length;
}

/** Name in the quarantine of these bytes, whether they are there or not. */
export function quarantineName(name: string, bytes: Buffer): string {
  return `${name}-${Buffer.from(sha256(bytes), "base64url").toString("hex", 0, 4)}`;
}

function pathOf(world: World, name: string, bytes: Buffer): string {
  return world.layout.sharedFile("quarantine", quarantineName(name, bytes));
}
