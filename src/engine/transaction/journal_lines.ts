/**
 * Logs as they will be once every transaction in the journal is finished (TXN rules). Readers see them so between the journal and its
 * logs, and after a crash there until the next write. The lines are extra bytes behind those of the log. That costs a reading of the
 * logs concerned, and is asked for only while there is such a journal.
 */
import { basename, dirname } from "node:path";
import { isTaskfoldError } from "../../errors.ts";
import { errnoOf, unlessRefused } from "../../files/storage_error.ts";
import type { Journal, JournalPart } from "../commit/journal.ts";
import type { EngineContext } from "../core/context.ts";
import { Entities } from "../entities/entities.ts";
import type { ReadModel } from "../entities/read_model.ts";
import { Store } from "../entity/store.ts";
import type { Listing } from "../listing/listing.ts";
import { lacksStill, lookAt } from "./awaited.ts";
import type { PartPlace } from "./part_place.ts";
import { placeOf } from "./part_place.ts";

/** The same to read from, with what the journal holds; itself while that holds nothing. */
export function withJournal<R extends ReadModel>(from: R, journal: Journal): R {
  const context = contextWith(from.context, journal);
  if (!context) return from;
  const store = new Store(context);
  const entities = new Entities(context, store);
  // Never closed, so that no index keeps what is not in its logs yet.
  return { ...from, context, store, entities, listing: entities.listing };
}

/** Logs that have lines in the journal, and what reads them with those. */
export interface PendingLogs {
  /** Which transactions these are. */
  names: string;
  /** By `part/name`. */
  keys: ReadonlySet<string>;
  context: EngineContext;
  store: Store;
  listing: Listing;
}

export function pendingLogs(from: EngineContext, journal: Journal): PendingLogs | null {
  const names = journal.pending().join(" ");
  const context = contextWith(from, journal);
  if (!context) return null;
  const keys = [...context.pendingLines.keys()].map((folder) => `${basename(dirname(folder))}/${basename(folder)}`);
  const store = new Store(context);
  const { listing } = new Entities(context, store);
  return { names, keys: new Set(keys), context, store, listing };
}

type ContextWithPending = EngineContext & Required<Pick<EngineContext, "pendingLines">>;

/** Null while no log lacks anything of the journal. */
function contextWith(from: EngineContext, journal: Journal): ContextWithPending | null {
  const pending = journal.pending();
  if (pending.length === 0) return null;
  const pendingLines = new Map<string, Buffer>();
  const context = { ...from, pendingLines };
  for (const name of pending) {
    if (lacksStill(from, journal, name)) continue;
    const parts = partsOf(journal, name);
    // A transaction may build on the one before it: its place is looked for behind the lines of that one.
    for (const { folder, missing } of parts ? placesOf(context, journal, name, parts) : [])
      pendingLines.set(folder, Buffer.concat([pendingLines.get(folder) ?? Buffer.alloc(0), ...missing]));
  }
  return pendingLines.size === 0 ? null : context;
}

/** One that may not be read now counts for no reader: a write that needs it hears why, and verify names it. */
function partsOf(journal: Journal, name: string): JournalPart[] | null | undefined {
  return unlessRefused(() => journal.read(name));
}

/** None when the transaction fits no log that is here: then it will be set aside. */
function placesOf(context: EngineContext, journal: Journal, name: string, parts: readonly JournalPart[]): PartPlace[] {
  try {
    const look = lookAt(context, parts);
    const places = parts.map((part) => placeOf(context, part));
    if (places.some(({ state }) => state === "gone")) {
      journal.lacks(name, look);
      return [];
    }
    return places.filter(({ state }) => state === "ready");
  } catch (e) {
    // The next writer hears of it.
    if (!isTaskfoldError(e) && errnoOf(e) === undefined) throw e;
    return [];
  }
}
