/**
 * Focus: a convenience on one machine, never in a log (TOOL-3). Each actor has its own, and the workspace has the one that was set last
 * in it, for actors without one. The files may vanish at any moment; then nothing is focused.
 */
import { dirname, join } from "node:path";
import type { Warning } from "../../errors.ts";
import { remedy, toolName } from "../../remedy.ts";
import { readCache, removeQuietly, writeAtomic } from "../../files/atomic.ts";
import { ensureDurableFolder } from "../../files/folders.ts";
import { errnoOf, storageError } from "../../files/storage_error.ts";
import { sha256 } from "../../log/canonical.ts";
import type { Ref } from "../../state/entity.ts";
import { idFault } from "../../state/ids.ts";
import type { JsonObject } from "../../state/json.ts";
import { takesBudget } from "../../tools/described.ts";
import type { CheckedCall, Focus } from "../entity/job.ts";
import { FOLDER_CHARACTERS } from "../entity/folder_name.ts";
import type { EngineContext } from "../core/context.ts";

/** A workspace id, an actor and an id of a plan or task fit. */
const MAX_BYTES = 4096;

/** The entity of a focus. */
export interface Focused {
  /** Its id when the focus was set. */
  target: string;
  /** An earlier release wrote none. */
  root?: string;
}

interface FocusFile extends Focused {
  workspace: string;
  by: string;
}

/** Gives the id that the entity has now. */
type PresentId = (focused: Focused) => string;

/** The actor's own focus, else the one that was set last in the workspace. */
export function readFocus(context: EngineContext, workspace: string, by: string, present: PresentId): Focus | null {
  const own = readOwnFocus(context, workspace, by, present);
  if (own !== null) return { target: own, from: "focus", by };
  const last = read(context, workspace, lastFile(context, workspace));
  return last ? { target: present(last), from: "workspace_focus", by: last.by } : null;
}

export function readOwnFocus(context: EngineContext, workspace: string, by: string, present: PresentId): string | null {
  const focus = read(context, workspace, ownFile(context, workspace, by));
  return focus?.by === by ? present(focus) : null;
}

/** The answer with the focus that the call went by (TOOL-31). Tools that cut their answer to `max_chars` have it in there already. */
export function withFocus({ tool, focus }: CheckedCall, result: JsonObject): JsonObject {
  return focus === undefined || takesBudget(tool) ? result : { ...result, target_from: focus.from };
}

/** The warnings, and for a change that went by the focus of another actor that it did (TOOL-31). */
export function aboutFocus({ tool, focus }: CheckedCall, warnings: Warning[]): Warning[] {
  if (focus?.from !== "workspace_focus" || tool.effect === "read") return warnings;
  return warnings.some(({ code }) => code === "FOCUS_OF_OTHER") ? warnings : [...warnings, focusOfOther(focus)];
}

function focusOfOther({ target, by }: Focus): Warning {
  const message = `The call names no target, so it went by the focus that ${by} set: ${target}.`;
  return {
    code: "FOCUS_OF_OTHER",
    message,
    ...remedy`Name the target, or set a focus of your own: ${toolName("tasks_focus_set")}.`,
  };
}

/** Sets the actor's own focus and that of the workspace. Null clears both. */
export function writeFocus(context: EngineContext, workspace: string, by: string, focus: Ref | null): void {
  const paths = [ownFile(context, workspace, by), lastFile(context, workspace)];
  try {
    if (focus === null) {
      for (const path of paths) removeQuietly(context.disk, path);
      return;
    }
    ensureDurableFolder(context.disk, dirname(paths[0]!));
    const { id: target, root } = focus;
    const text = `${JSON.stringify({ workspace, by, target, root } satisfies FocusFile)}\n`;
    for (const path of paths) writeAtomic(context.disk, path, text);
  } catch (e) {
    throw storageError(e, "write the focus");
  }
}

/** Takes each focus of this machine along when the workspace gets another id. A focus that cannot be written is lost, and no more. */
export function renameFocus(context: EngineContext, from: string, to: string): void {
  const folder = context.layout.machineFolder("focus");
  const names = context.disk.lstat(folder)?.kind === "folder" ? context.disk.readdir(folder) : [];
  for (const name of names) {
    const path = join(folder, name);
    const focus = read(context, from, path);
    if (!focus) continue;
    const target = path === lastFile(context, from) ? lastFile(context, to) : ownFile(context, to, focus.by);
    try {
      writeAtomic(context.disk, target, `${JSON.stringify({ ...focus, workspace: to })}\n`);
    } catch (e) {
      if (errnoOf(e) === undefined) throw e;
    }
    removeQuietly(context.disk, path);
  }
}

/** Named by digest: an actor's name may hold characters that a file's name may not. */
function ownFile(context: EngineContext, workspace: string, by: string): string {
  return fileOf(context, `${workspace}\n${by}`);
}

function lastFile(context: EngineContext, workspace: string): string {
  return fileOf(context, workspace);
}

function fileOf(context: EngineContext, name: string): string {
  return context.layout.machineFile("focus", `${sha256(name).slice(0, 22)}.json`);
}

function read(context: EngineContext, workspace: string, path: string): FocusFile | undefined {
  const text = readCache(context.disk, path, MAX_BYTES)?.toString("utf8");
  const focus = text === undefined ? undefined : parse(text);
  return focus?.workspace === workspace ? focus : undefined;
}

/** A file that was cut or written by hand is no focus, and no reason to fail. */
function parse(text: string): FocusFile | undefined {
  try {
    const value = JSON.parse(text) as FocusFile;
    const isFocus = [value?.target, value?.by, value?.root ?? ""].every((text) => typeof text === "string");
    return isFocus && idFault(value.target, FOLDER_CHARACTERS) === null ? value : undefined;
  } catch (e) {
    if (e instanceof SyntaxError) return undefined;
    throw e;
  }
}
