/** Looks whether a process holds a lock, through a disk that changes nothing: the viewer neither makes nor keeps a lock. */
import { createRequire } from "node:module";
import type { Disk } from "../../disk.ts";
import { readRegular } from "../../files/atomic.ts";
import { errnoOf } from "../../files/storage_error.ts";
import type { EngineContext } from "../core/context.ts";
import { LockFolder } from "./lock_folder.ts";
import { ALL, heldUpTo, holderOf, signerOf } from "./lock_range.ts";

type Native = typeof import("fs-native-extensions").default;

/** `unknown`: this machine does not tell, so neither answer would be true. */
export type SeenLock = { state: "held"; pid: number } | { state: "free" } | { state: "unknown" };

const FREE: SeenLock = { state: "free" };
const UNKNOWN: SeenLock = { state: "unknown" };
/** The kind of lock is a word. */
const KIND_BYTES = 64;

export function lookAtLock(
  { disk, layout, now, runtime }: Pick<EngineContext, "disk" | "layout" | "now" | "runtime">,
  name: string,
): SeenLock {
  try {
    const kind = readRegular(disk, layout.lockKind(), KIND_BYTES)?.toString("utf8").trim();
    if (kind === undefined) return FREE;
    if (kind === "os") return lookAtFile(disk, layout.lock(name));
    if (kind !== "lockfile") return UNKNOWN;
    const owner = new LockFolder({ disk, runtime }, `${layout.lock(name)}.d`).owner(now);
    return owner ? { state: "held", pid: owner.pid } : FREE;
  } catch (e) {
    if (errnoOf(e) === undefined) throw e;
    return UNKNOWN;
  }
}

/** A shared lock is granted where no process holds the lock. It goes at once, and needs no right to write. */
function lookAtFile(disk: Disk, path: string): SeenLock {
  if (disk.lstat(path)?.kind !== "file") return FREE;
  const native = loaded();
  if (!native) return UNKNOWN;
  const fd = disk.open(path, "r");
  try {
    const end = heldUpTo(native, fd, true);
    if (end === 0) return FREE;
    const holder = end < ALL ? holderOf(end) : signerOf(disk, fd);
    return holder ? { state: "held", pid: holder.pid } : UNKNOWN;
  } finally {
    disk.close(fd);
  }
}

let native: Native | null | undefined;

/** Null where the optional package is not there. */
function loaded(): Native | null {
  if (native !== undefined) return native;
  try {
    native = createRequire(import.meta.url)("fs-native-extensions") as Native;
  } catch {
    // The package has no build for this platform: then the kind of lock cannot be asked about here.
    native = null;
  }
  return native;
}
