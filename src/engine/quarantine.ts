/** Bytes that leave a file the engine keeps are put aside first, synced, in this machine's registry. Nobody deletes them but people. */
import { dirname } from "node:path";
import { writeAtomic } from "../files/atomic.ts";
import { ensureDurableFolder } from "../files/folders.ts";
import { sha256 } from "../log/canonical.ts";
import type { World } from "./world.ts";

/** Keeps `bytes` as `registry/quarantine/<name>-<first 8 hex digits of their SHA-256>`; the same bytes are kept once. */
export function quarantine(world: World, name: string, bytes: Buffer): string {
  const path = pathOf(world, name, bytes);
  if (isQuarantined(world, name, bytes)) return path;
  ensureDurableFolder(world.disk, dirname(path));
  writeAtomic(world.disk, path, bytes, { sync: true });
  return path;
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
  return world.layout.registryFile("quarantine", quarantineName(name, bytes));
}
