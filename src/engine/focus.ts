/**
 * Focus: a convenience of one actor on one machine, kept per (workspace, by) and never in a log (TOOL rules). The file
 * may vanish at any moment; then nothing is focused.
 */
import { dirname } from "node:path";
import { readIfThere, removeQuietly, writeAtomic } from "../files/atomic.ts";
import { ensureDurableFolder, refuseLinks } from "../files/folders.ts";
import { storageError } from "../files/storage_error.ts";
import { sha256 } from "../log/canonical.ts";
import type { World } from "./world.ts";

interface FocusFile {
  workspace: string;
  by: string;
  target: string;
}

export function readFocus(world: World, workspace: string, by: string): string | null {
  const path = file(world, workspace, by);
  let text: string | undefined;
  try {
    // Usually there is none, and a look costs a fifth of a failed attempt to open it.
    if (!world.disk.lstat(path)) return null;
    text = readIfThere(world.disk, path)?.toString("utf8");
  } catch (e) {
    throw storageError(e, "read the focus");
  }
  if (text === undefined) return null;
  const focus = parse(text);
  return focus && focus.workspace === workspace && focus.by === by ? focus.target : null;
}

export function writeFocus(world: World, workspace: string, by: string, target: string | null): void {
  const path = file(world, workspace, by);
  try {
    refuseLinks(world.disk, world.layout.wayToRegistry("focus"));
    if (target === null) {
      removeQuietly(world.disk, path);
      return;
    }
    ensureDurableFolder(world.disk, dirname(path));
    writeAtomic(world.disk, path, `${JSON.stringify({ workspace, by, target } satisfies FocusFile)}\n`);
  } catch (e) {
    throw storageError(e, "write the focus");
  }
}

/** Named by digest: an actor's name may hold characters that a file's name may not. */
function file(world: World, workspace: string, by: string): string {
  return world.layout.registryFile("focus", `${sha256(`${workspace}\n${by}`).slice(0, 22)}.json`);
}

/** A file that was cut or written by hand is no focus, and no reason to fail. */
function parse(text: string): FocusFile | undefined {
  try {
    const value = JSON.parse(text) as FocusFile;
    return typeof value?.target === "string" ? value : undefined;
  } catch (e) {
    if (e instanceof SyntaxError) return undefined;
    throw e;
  }
}
