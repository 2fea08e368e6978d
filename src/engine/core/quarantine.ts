/** Bytes that leave a file the engine keeps are put aside first, synced, in this machine's registry. Only people delete them. */
import { basename, dirname, join } from "node:path";
import { readRegular, syncFile, writeAtomic } from "../../files/atomic.ts";
import { ensureFolder, ensureSyncedFolder, listFolder, syncWay } from "../../files/folders.ts";
import { errnoOf } from "../../files/storage_error.ts";
import { sha256 } from "../../log/canonical.ts";
import type { EngineContext } from "./context.ts";

/** Leaves room for the digits behind it: file systems take names of 255 bytes. */
const MAX_NAME = 200;
/** A text file that another program wrote and adoption reads back, and how many versions of it. */
const MAX_KEPT = { bytes: 1024 * 1024, files: 64 };

/** All that keeping takes. */
type Keeper = Pick<EngineContext, "disk" | "layout">;

/** A name in letters that every file system has, one byte each: the one that was found may be anything. */
export function plainName(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9._-]/g, "_").slice(0, MAX_NAME);
}

/**
 * Keeps `bytes` as `registry/quarantine/<name>-<first 8 hex digits of their SHA-256>`; the same bytes are kept once. They are synced in
 * any case, with the names above them: a process that was killed may have kept them and synced nothing (DUR-113).
 */
export function quarantine(context: Keeper, name: string, bytes: Buffer): string {
  const { disk, layout } = context;
  const path = pathOf(context, name, bytes);
  if (isQuarantined(context, name, bytes)) syncFile(disk, path);
  else {
    ensureFolder(disk, dirname(path));
    writeAtomic(disk, path, bytes, { sync: true });
  }
  syncWay(disk, layout.coco, dirname(path));
  return path;
}

/**
 * Moves what stands at `path`, of whatever kind and unread, to `registry/quarantine/<name>-<8 hex digits>`, and tells the next
 * caller. For what lies in a folder of this machine and is none of ours.
 */
export function moveAside(context: EngineContext, path: string, name: string): void {
  const into = context.layout.sharedFile("quarantine", `${plainName(name)}-${context.newId().slice(0, 8)}`);
  ensureSyncedFolder(context.disk, context.layout.coco, dirname(into));
  try {
    context.disk.rename(path, into);
  } catch (e) {
    // Another process was first.
    if (errnoOf(e) === "ENOENT") return;
    throw e;
  }
  context.notices.push({
    code: "SET_ASIDE",
    message: `Found ${name} in .coco/registry, which this engine did not write or cannot use; it was moved to .coco/registry/quarantine/${basename(into)}.`,
    recovery: "Look at it there; nothing of it was read into a log.",
  });
}

/** The name of a file of an entity's folder in the quarantine, before its digest. */
export function keptName(id: string, file: string): string {
  return `${id}-${file.replaceAll("/", "_")}`;
}

/** Texts that are kept under that name and are what their names say, in the order of these. Follows no link. */
export function keptTexts({ disk, layout }: EngineContext, name: string): string[] {
  const folder = layout.sharedFolder("quarantine");
  return listFolder(disk, folder)
    .filter((found) => found.startsWith(`${name}-`) && /^[0-9a-f]{8}$/.test(found.slice(name.length + 1)))
    .toSorted()
    .slice(0, MAX_KEPT.files)
    .flatMap((found) => {
      const bytes = readRegular(disk, join(folder, found), MAX_KEPT.bytes);
      return bytes && quarantineName(name, bytes) === found ? [bytes.toString("utf8")] : [];
    });
}

/** Whether these bytes are kept already. */
export function isQuarantined(context: Keeper, name: string, bytes: Buffer): boolean {
  return readRegular(context.disk, pathOf(context, name, bytes), bytes.length)?.equals(bytes) === true;
}

/** Name in the quarantine of these bytes, whether they are there or not. */
export function quarantineName(name: string, bytes: Buffer): string {
  return `${name}-${Buffer.from(sha256(bytes), "base64url").toString("hex", 0, 4)}`;
}

function pathOf(context: Keeper, name: string, bytes: Buffer): string {
  return context.layout.sharedFile("quarantine", quarantineName(name, bytes));
}
