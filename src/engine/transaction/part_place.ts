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

/** The folders where a part may belong, live and archived, under each name that its entity may have. */
export function placesFor(
  { layout }: Pick<EngineContext, "layout">,
  part: JournalPart,
): { id: string; folder: string }[] {
  const root = rootOf(part);
  const names = root === undefined ? [part.id] : namesOf({ id: part.id, root });
  return names.flatMap((id) => [
    { id, folder: layout.folder(id) },
    { id, folder: layout.archived(id) },
  ]);
}

function rootOf({ root, made, ops }: JournalPart): string | undefined {
  return root ?? (made ? ops[0]!.hash : undefined);
}

/** Where a part belongs, and what of it is there. Reads the log whole: asked only where a transaction was cut off. */
export function placeOf(context: EngineContext, part: JournalPart): PartPlace {
  const ops = part.ops.map(({ bytes }) => bytes);
  const root = rootOf(part);
  const places = placesFor(context, part);
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
  const id = places.map((place) => place.id).find((one) => !taken(one));
  if (id === undefined)
    throw new TaskfoldError("ID_TAKEN", `Expected the folder name ${part.id} to be free for what a transaction made.`);
  return { id, folder: context.layout.folder(id), ops, missing: ops, fresh: true, state: "ready" };
}

/** Hashes of the events in effect; null where there is no log. */
function eventsIn({ disk, pendingLines }: EngineContext, folder: string): Set<string> | null {
  const path = join(folder, LOG_FILE);
  const extra = pendingLines?.get(folder);
  if (!extra && disk.lstat(path)?.kind !== "file") return null;
  return effectiveHashes(new FileLog(disk, path, { extra }));
}
