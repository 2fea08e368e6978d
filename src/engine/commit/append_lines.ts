/** The append of whole lines behind the last whole line, whatever a crash or another program left at the end of the log. */
import { basename } from "node:path";
import type { LoadedEntity } from "../entity/loaded_entity.ts";
import { keptName, quarantine } from "../core/quarantine.ts";
import type { EngineContext } from "../core/context.ts";
import { LOG_FILE } from "../../files/layout.ts";
import { counted } from "../../state/counted.ts";

export interface Appended {
  offset: number;
  /** As they went out: `closing` of them end what stood there without LF. */
  bytes: Buffer;
  closing: 0 | 1;
}

/** No write of ours is longer. A longer tail is ended, and `resolve` takes it out. */
const MOST_TORN = 16 * 1024 * 1024;

const LF = Buffer.from("\n");

/** Call while holding the entity's lock, caught up. Null: the file is not the one that was read, and the caller looks again. */
export function appendLines(world: EngineContext, handle: LoadedEntity, lines: readonly Buffer[]): Appended | null {
  if (!setTornAside(world, handle)) return null;
  const closing = handle.log.unended ? 1 : 0;
  const all = closing ? [LF, ...lines] : lines;
  const bytes = all.length === 1 ? all[0]! : Buffer.concat(all);
  const offset = handle.log.append(bytes);
  if (offset === null) return null;
  world.bell.ring(handle.folder);
  return { offset, bytes, closing };
}

/**
 * Moves a torn tail to the quarantine (DUR-50): one line that is no JSON hides the whole log from a strict reader. Lock files may
 * have two holders, and to cut a log under another writer would take its line.
 */
function setTornAside(world: EngineContext, handle: LoadedEntity): boolean {
  const { torn } = handle.report;
  if (!torn || torn.length > MOST_TORN || world.locks().kind !== "os") return true;
  let kept = "";
  const isCut = handle.cutTorn((bytes) => {
    kept = basename(quarantine(world, keptName(handle.id, LOG_FILE), bytes));
  });
  if (!isCut) return false;
  world.bell.ring(handle.folder);
  world.notices.push({
    code: "SET_ASIDE",
    message: `The last ${counted(torn.length, "byte")} in the log of ${handle.id} were no whole line; they were moved to .coco/registry/quarantine/${kept}.`,
    recovery: "A write was cut off there. If it was yours, look at the present state and call again.",
  });
  return true;
}
