/** Where the part of a transaction belongs, and what of it is there. Readers ask it too, and load no code that writes. */
import { join } from "node:path";
import { TaskfoldError } from "../../errors.ts";
import { LOG_FILE } from "../../files/layout.ts";
import { FileLog } from "../../log/file_log.ts";
import { namesOf } from "../../log/repair.ts";
import type { JournalPart } from "../commit/journal.ts";
import type { EngineContext } from "../core/context.ts";
import { effectiveHashes } from "../entity/effective_hashes.ts";

/** How a part lies to what is on disk. */
export interface PartPlace {
  /** Folder of the entity, and its name now. */
  folder: string;
  id: string;
  /** `there`: all its ops are in the log. `ready`: they can go in. `gone`: what they build on is not there. */
  state: "there" | "ready" | "gone";
  ops: Buffer[];
  /** Ops that the log lacks. */
  missing: Buffer[];
  /** Whether there is a log to append to. */
  fresh: boolean;
}

/**
 * Parts whose base is gone, while a log has another part: what is left waits for it, because half a transaction is none (TXN-15). None where no
 * log has a part, for then the whole goes.
 */
export function awaited(places: readonly PartPlace[]): PartPlace[] {
  const isBegun = ({ state, ops, missing }: PartPlace): boolean =>
    state === "there" || (missing.length > 0 && missing.length < ops.length);
  const gone = places.filter(({ state }) => state === "gone");
  // Of a log that is gone whole, as after a person deleted its folder, nothing says that it comes back.
  return places.some(isBegun) && gone.every(({ missing }) => missing.length > 0) ? gone : [];
}

/** Where a part belongs, and what of it is there. Reads the log whole: asked only where a transaction was cut off. */
export function placeOf(context: EngineContext, part: JournalPart): PartPlace {
  const [first] = part.ops;
  const ops = part.ops.map(({ bytes }) => bytes);
  const root = part.root ?? (part.made ? first!.hash : undefined);
  const names = root === undefined ? [part.id] : namesOf({ id: part.id, root });
  const { layout } = context;
  const places = names.flatMap((id) => [
    { id, folder: layout.folder(id) },
    { id, folder: layout.archived(id) },
  ]);
  const found = places.map((place) => ({ ...place, events: eventsIn(context, place.folder) }));
  const home = found.find(({ events }) => events && (root === undefined || events.has(root)));
  if (home) {
    const { id, folder, events } = home;
    const missing = part.ops.filter(({ hash }) => !events!.has(hash)).map(({ bytes }) => bytes);
    const gone = missing.length > 0 && part.prev.some((hash) => !events!.has(hash));
    return { id, folder, ops, missing, fresh: false, state: gone ? "gone" : missing.length > 0 ? "ready" : "there" };
  }
  if (root === undefined || !part.made) return { ...places[0]!, ops, missing: [], fresh: false, state: "gone" };
  // Another entity may have come to that name since: then as resolve would name it.
  const taken = (id: string): boolean => found.some((place) => place.id === id && (place.events?.size ?? 0) > 0);
  const id = names.find((one) => !taken(one));
  if (id === undefined)
    throw new TaskfoldError("ID_TAKEN", `Expected the folder name ${part.id} to be free for what a transaction made.`);
  return { id, folder: layout.folder(id), ops, missing: ops, fresh: true, state: "ready" };
}

/** Hashes of the events in effect; null where there is no log. */
function eventsIn({ disk, pendingLines }: EngineContext, folder: string): Set<string> | null {
  const path = join(folder, LOG_FILE);
  const extra = pendingLines?.get(folder);
  if (!extra && disk.lstat(path)?.kind !== "file") return null;
  return effectiveHashes(new FileLog(disk, path, { extra }));
}
