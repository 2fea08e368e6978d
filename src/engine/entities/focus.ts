/**
 * Focus: a convenience of one actor on one machine, kept per (workspace, by) and never in a log (TOOL rules). The file
 * may vanish at any moment; then nothing is focused.
 */
import { dirname } from "node:path";
import { readCache, removeQuietly, writeAtomic } from "../../files/atomic.ts";
import { ensureDurableFolder } from "../../files/folders.ts";
import { storageError } from "../../files/storage_error.ts";
import { sha256 } from "../../log/canonical.ts";
import { idFault } from "../../state/ids.ts";
import { FOLDER_CHARACTERS } from "../entity/store.ts";
import type { EngineContext } from "../core/context.ts";

/** A workspace id, an actor and an id of a plan or task fit. */
const MOST_BYTES = 4096;

interface FocusFile {
  workspace: string;
  by: string;
  target: string;
}

export function readFocus(context: EngineContext, workspace: string, by: string): string | null {
  const path = file(context, workspace, by);
  const text = readCache(context.disk, path, MOST_BYTES)?.toString("utf8");
  const focus = text === undefined ? undefined : parse(text);
  return focus && focus.workspace === workspace && focus.by === by ? focus.target : null;
}

export function writeFocus(context: EngineContext, workspace: string, by: string, target: string | null): void {
  const path = file(context, workspace, by);
  try {
    if (target === null) {
      removeQuietly(context.disk, path);
      return;
    }
    ensureDurableFolder(context.disk, dirname(path));
    writeAtomic(context.disk, path, `${JSON.stringify({ workspace, by, target } satisfies FocusFile)}\n`);
  } catch (e) {
    throw storageError(e, "write the focus");
  }
}

/** Named by digest: an actor's name may hold characters that a file's name may not. */
function file(context: EngineContext, workspace: string, by: string): string {
  return context.layout.machineFile("focus", `${sha256(`${workspace}\n${by}`).slice(0, 22)}.json`);
}

/** A file that was cut or written by hand is no focus, and no reason to fail. */
function parse(text: string): FocusFile | undefined {
  try {
    const value = JSON.parse(text) as FocusFile;
    return typeof value?.target === "string" && idFault(value.target, FOLDER_CHARACTERS) === null ? value : undefined;
  } catch (e) {
    if (e instanceof SyntaxError) return undefined;
    throw e;
  }
}
