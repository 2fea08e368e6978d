/**
 * Finishes transactions that a process began and did not finish: the next writer puts their lines into their logs. It takes
 * the locks that the transaction held. So if its process is still at work, this one waits, and then nothing is left to do.
 * Doing it twice does no harm: a line that is there counts as written.
 */
import { dirname } from "node:path";
import { isTaskfoldError, TaskfoldError } from "../../errors.ts";
import { errnoOf } from "../../files/storage_error.ts";
import { appendDurably } from "../commit/append_durably.ts";
import type { LogWriter } from "../commit/log_writer.ts";
import { LoadedEntity } from "../entity/loaded_entity.ts";
import type { Journal, JournalPart } from "../commit/journal.ts";
import { isMessageEntry } from "../commit/journal.ts";
import { acquireAll, WORKSPACE_LOCK } from "../core/lock.ts";
import { endSettingAside, setAsideOrphan } from "../entity/orphan_folder.ts";
import type { Store } from "../entity/store.ts";
import type { DirtyMarks } from "../projection/dirty.ts";
import type { EngineContext } from "../core/context.ts";
import { refuseUnreadable } from "../entity/writable.ts";
import { awaited, lacksStill, lookAt } from "./awaited.ts";
import { placeOf } from "./part_place.ts";
import type { PartPlace } from "./part_place.ts";

const LF = 0x0a;
/** How often the parts of one transaction are looked at; a process that is alone needs two looks. */
const ATTEMPTS = 5;

export interface Rolling {
  context: EngineContext;
  store: Store;
  journal: Journal;
  dirty: DirtyMarks;
  logs: LogWriter;
}

/**
 * Rolls these transactions forward; gives the ids of the entities they are about. One that cannot be finished now is left. `waits`: for
 * the locks of each, also if another process has had them for long.
 */
export async function rollForward(
  from: Rolling,
  names: readonly string[],
  { waits }: { waits: boolean },
): Promise<string[]> {
  const changed: string[] = [];
  for (const name of names) {
    try {
      changed.push(...(await rollOne(from, name, waits || !from.journal.waitsForNoLock(name))));
    } catch (e) {
      // No call fails for it: verify names it, and the next writer tries again.
      if (!isTaskfoldError(e) && errnoOf(e) === undefined) throw e;
      // The process that holds its locks finishes it. If each call of this one waited for them, none would go on.
      from.journal.leftOver(name, isTaskfoldError(e) && e.code === "LOCK_TIMEOUT" ? "held" : "refused");
    }
  }
  return changed;
}

async function rollOne(from: Rolling, name: string, waits: boolean): Promise<string[]> {
  const { context, journal } = from;
  if (!waits && journal.isWaiting(name) && lacksStill(context, journal, name)) return [];
  const aside = journal.aside(name);
  const first = aside === undefined ? journal.read(name) : [{ id: aside, made: true }];
  if (!first) {
    if (first === undefined) journal.quarantine(name);
    return [];
  }
  const lock = await acquireAll(waits ? context : { ...context, lockTimeoutMs: 0 }, lockNames(first));
  try {
    if (aside !== undefined) return endAside(from, name, aside);
    const parts = journal.read(name);
    return parts ? finish(from, name, parts) : [];
  } finally {
    lock.release();
  }
}

/** The folder counts, or it goes to quarantine. The process that began this may have ended it. */
function endAside({ context, store, journal, dirty }: Rolling, name: string, id: string): string[] {
  if (journal.aside(name) === undefined || !endSettingAside(context, store, name)) return [];
  dirty.mark(id);
  return [id];
}

/** Sets transactions aside that wait for a log, of that id or any. The caller says that no branch has those lines any more. Gives how many. */
export async function setWaitingAside({ context, journal }: Rolling, id: string | undefined): Promise<number> {
  let count = 0;
  const isIt = (name: string): boolean => {
    const parts = isMessageEntry(name) ? undefined : journal.read(name);
    if (!parts) return false;
    const places = parts.map((part) => placeOf(context, part));
    return awaited(context, parts, places).some((place) => [undefined, place.id].includes(id));
  };
  for (const name of journal.pending().filter(isIt)) {
    const lock = await acquireAll(context, lockNames(journal.read(name) ?? []));
    try {
      if (!isIt(name)) continue;
      journal.quarantine(name);
      count++;
    } finally {
      lock.release();
    }
  }
  return count;
}

/** Names of the locks that a transaction takes, in order. */
export function lockNames(parts: readonly { id: string; made: boolean }[]): string[] {
  const ids = parts.map(({ id }) => id).toSorted();
  // Once each: nothing keeps an entity from having the name of that lock.
  return [...new Set(parts.some(({ made }) => made) ? [WORKSPACE_LOCK, ...ids] : ids)];
}

/**
 * Puts those lines of a transaction that go into logs whose locks the caller holds, while another process has the other locks for long.
 * Without them, what the caller writes would be a branch. The next writer finishes the transaction.
 */
export function putOwnParts(from: Rolling, name: string, held: readonly string[]): void {
  const { context, journal, dirty } = from;
  if (isMessageEntry(name) || lacksStill(context, journal, name)) return;
  const parts = journal.read(name) ?? [];
  const isOwn = ({ id, made }: JournalPart): boolean => !made && held.includes(id);
  const own = parts.filter(isOwn).map((part) => placeOf(context, part));
  // A merge may have given an entity another name, whose lock the caller does not hold.
  if (own.every(({ state }) => state === "there") || own.some(({ id }) => !held.includes(id))) return;
  // The others are read only here: they may be many.
  const others = parts.filter((part) => !isOwn(part)).map((part) => placeOf(context, part));
  if ([...own, ...others].some(({ state }) => state === "gone") || !journal.begin(name)) return;
  for (const place of own) {
    dirty.mark(place.id);
    putPart(from, place);
    context.notifications.notify(place.folder);
  }
}

/** Two processes may do this at once (DUR-27). So each looks at the logs again after it has put what they lack. */
function finish(from: Rolling, name: string, parts: readonly JournalPart[]): string[] {
  const { context, journal, dirty } = from;
  for (let attempt = 1; ; attempt++) {
    // Before the logs are read: a change that comes meanwhile shows at the next look.
    const look = lookAt(context, parts);
    const places = parts.map((part) => placeOf(context, part));
    if (places.some(({ state }) => state === "gone")) {
      journal.lacks(name, look);
      // The shared log has a message still, and sends it again.
      if (!isMessageEntry(name) && awaited(context, parts, places).length > 0) journal.leftOver(name, "waits");
      else journal.quarantine(name);
      return [];
    }
    // The next take-in of the message decides which of the two keeps the name. Readers count the entry until then.
    if (isMessageEntry(name) && places.some(({ id, fresh }, i) => fresh && id !== parts[i]!.id)) return [];
    if (attempt === 1 && !journal.begin(name)) return [];
    // Also those that have their lines: their writer may not have come to the files.
    const ids = places.map(({ id }) => id);
    for (const id of ids) dirty.mark(id);
    const arePut = putParts(from, places, attempt === ATTEMPTS);
    if (!arePut || places.some(({ state }) => state !== "there")) {
      if (attempt < ATTEMPTS) continue;
      throw unfinished();
    }
    // The writer of their lines may not have come to notify, and readers stop counting the journal.
    for (const { folder } of places) context.notifications.notify(folder);
    journal.done(name);
    return ids;
  }
}

/** False: another process took a name first, and the part goes elsewhere or is there by now. */
function putParts(from: Rolling, places: readonly PartPlace[], isLast: boolean): boolean {
  try {
    for (const place of places) putPart(from, place);
    return true;
  } catch (e) {
    if (isLast || !isPassing(e)) throw e;
    return false;
  }
}

/** Another process that writes the same logs causes these; the next look finds them in order. */
function isPassing(e: unknown): boolean {
  return isTaskfoldError(e) ? e.code === "UNKNOWN_OUTCOME" || e.code === "LOCK_TIMEOUT" : errnoOf(e) === "EEXIST";
}

function unfinished(): TaskfoldError {
  return new TaskfoldError(
    "UNKNOWN_OUTCOME",
    "Expected the logs to keep the lines of a transaction; they change over and over.",
    {
      recovery: "Call again when the other programs are done: the next write finishes it.",
    },
  );
}

/** Puts what a log lacks into it; durable when it returns. Call while holding its lock. */
export function putPart({ context, store, logs }: Rolling, { id, folder, fresh, ops, missing }: PartPlace): void {
  if (fresh) {
    setAsideOrphan(context, store, id);
    logs.replace({ made: new LoadedEntity(context, id, folder), bytes: Buffer.concat(missing) });
    return;
  }
  const loaded = new LoadedEntity(context, id, folder);
  try {
    logs.syncs.repair(loaded);
    // The folder went since its place was looked for. Lines that were kept for it now would be of no known entity.
    if (!loaded.catchUp()) throw unfinished();
    if (missing.length > 0) {
      refuseUnreadable(loaded);
      const begun = begunIn(context.disk.readFile(loaded.log.path), Buffer.concat(missing));
      appendDurably({ context, logs }, loaded, missing, { begun });
    } else if (context.durability !== "os") {
      // Its writer may have ended before it synced the log, and before it synced the names of a new one (TXN-4).
      logs.syncs.now(loaded, () => Buffer.concat(ops), [loaded.folder, dirname(loaded.folder)]);
    }
  } finally {
    loaded.log.close();
  }
}

/**
 * Gives how many of these bytes the log ends with, from a line's start on. A write of them was cut off there, and goes on. Nothing is cut,
 * because another process may have written behind it.
 */
function begunIn(log: Buffer, bytes: Buffer): number {
  const isLineStart = (at: number): boolean => at === 0 || log[at - 1] === LF;
  let length = Math.min(log.length, bytes.length);
  for (; length > 0; length--) {
    const at = log.length - length;
    if (isLineStart(at) && log.subarray(at).equals(bytes.subarray(0, length))) break;
  }
  return length;
}
