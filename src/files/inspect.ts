/**
 * Looks at a path that a caller named inside a task folder, without following a link on any segment: what a link
 * points to is not part of the folder that is reviewed and merged.
 */
import { createHash } from "node:crypto";
import { join } from "node:path";
import type { Disk } from "../disk.ts";

export type Inspected =
  | { state: "present"; size: number; sha256: string }
  | { state: "missing" }
  | { state: "unsafe"; why: string };

const CHUNK = 256 * 1024;

/** `path` is relative to `folder`, with `/` between segments; a leading `./` is allowed. */
export function inspectFile(disk: Disk, folder: string, path: string): Inspected {
  const fault = pathFault(path);
  if (fault) return { state: "unsafe", why: fault };
  const segments = path.split("/").filter((s) => s !== "." && s !== "");
  let at = folder;
  for (const [i, segment] of segments.entries()) {
    at = join(at, segment);
    const stat = disk.lstat(at);
    if (!stat) return { state: "missing" };
    if (stat.kind === "link") return { state: "unsafe", why: `${segments.slice(0, i + 1).join("/")} is a link` };
    const last = i === segments.length - 1;
    if (last && stat.kind !== "file") return { state: "unsafe", why: "it is not a regular file" };
    if (!last && stat.kind !== "folder") return { state: "missing" };
  }
  return { state: "present", ...digest(disk, at) };
}

/** Why a path cannot name something inside the folder, or null. */
export function pathFault(path: string): string | null {
  if (path === "" || path === "." || path === "./") return "it is empty";
  if (path.includes("\0")) return "it holds a NUL";
  if (path.includes("\\")) return "it holds a backslash; write /";
  if (path.startsWith("/") || /^[A-Za-z]:/.test(path)) return "it is absolute";
  if (path.split("/").includes("..")) return "it climbs with ..";
  return null;
}

function digest(disk: Disk, path: string): { size: number; sha256: string } {
  const fd = disk.open(path, "r");
  try {
    const hash = createHash("sha256");
    const chunk = Buffer.allocUnsafe(CHUNK);
    let size = 0;
    for (let n = disk.read(fd, chunk, 0); n > 0; n = disk.read(fd, chunk, size)) {
      hash.update(chunk.subarray(0, n));
      size += n;
    }
    return { size, sha256: hash.digest("hex") };
  } finally {
    disk.close(fd);
  }
}
