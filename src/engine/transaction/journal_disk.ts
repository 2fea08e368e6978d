/**
 * The disk as it will be once every transaction in the journal is finished: what readers see in the moment between a journal
 * and its logs, or after a crash there until somebody writes (TXN rules). Costs a reading of the logs concerned, and is
 * asked for only while there is such a journal.
 */
import { basename, dirname, join } from "node:path";
import type { Disk, FileStat } from "../../disk.ts";
import { isTaskfoldError } from "../../errors.ts";
import { readIfThere } from "../../files/atomic.ts";
import { LOG_FILE } from "../../files/layout.ts";
import { errnoOf } from "../../files/storage_error.ts";
import { Entities } from "../entities/entities.ts";
import type { Listing } from "../listing/listing.ts";
import type { Journal, JournalPart } from "../commit/journal.ts";
import type { Readable } from "../entities/readable.ts";
import type { PartPlace } from "./roll_forward.ts";
import { placeOf } from "./roll_forward.ts";
import { Store } from "../entity/store.ts";
import type { EngineContext } from "../core/context.ts";

const LF = 0x0a;

/** The same to read from, with what the journal holds; itself while that holds nothing. */
export function withJournal<R extends Readable>(from: R, journal: Journal): R {
  const { world, logs } = overlay(from.world, journal);
  if (logs.size === 0) return from;
  const store = new Store(world);
  const entities = new Entities(world, store);
  // Never closed, so that no index keeps what is not in its logs yet.
  return { ...from, world, store, entities, listing: entities.listing };
}

/** Logs that have lines in the journal, by `part/name`, and what reads them with those. */
export interface Ahead {
  /** Which transactions these are. */
  names: string;
  keys: ReadonlySet<string>;
  disk: Disk;
  store: Store;
  listing: Listing;
}

export function aheadOf(world: EngineContext, journal: Journal): Ahead | null {
  const names = journal.pending().join(" ");
  if (names === "") return null;
  const { world: ahead, logs } = overlay(world, journal);
  if (logs.size === 0) return null;
  const keys = [...logs.keys()].map((path) => `${basename(dirname(dirname(path)))}/${basename(dirname(path))}`);
  const store = new Store(ahead);
  const { listing } = new Entities(ahead, store);
  return { names, keys: new Set(keys), disk: ahead.disk, store, listing };
}

/** The bytes of each log that has lines in the journal, those included. */
function overlay(from: EngineContext, journal: Journal): { world: EngineContext; logs: ReadonlyMap<string, Buffer> } {
  const logs = new Map<string, Buffer>();
  const pending = journal.pending();
  if (pending.length === 0) return { world: from, logs };
  const world: EngineContext = { ...from, disk: overlaid(from.disk, logs) };
  for (const name of pending) {
    const parts = partsOf(journal, name);
    for (const { folder, missing } of parts ? placesOf(world, parts) : []) {
      const path = join(folder, LOG_FILE);
      const before = readIfThere(world.disk, path) ?? Buffer.alloc(0);
      const closing = before.length > 0 && before.at(-1) !== LF ? [Buffer.from("\n")] : [];
      logs.set(path, Buffer.concat([before, ...closing, ...missing]));
    }
  }
  return { world, logs };
}

/** One that may not be read now counts for no reader: a write that needs it hears why, and verify names it. */
function partsOf(journal: Journal, name: string): JournalPart[] | null | undefined {
  try {
    return journal.read(name);
  } catch (e) {
    if (errnoOf(e) === undefined) throw e;
    return undefined;
  }
}

/** None when the transaction fits no log that is here: then it will be set aside. */
function placesOf(world: EngineContext, parts: readonly JournalPart[]): PartPlace[] {
  try {
    const places = parts.map((part) => placeOf(world, part));
    if (places.some(({ state }) => state === "gone")) return [];
    return places.filter(({ state }) => state === "ready");
  } catch (e) {
    // Who writes next hears of it.
    if (!isTaskfoldError(e) && errnoOf(e) === undefined) throw e;
    return [];
  }
}

function overlaid(disk: Disk, logs: ReadonlyMap<string, Buffer>): Disk {
  const open = new Map<number, Buffer>();
  let next = -1;
  const folders = (): string[] => [...logs.keys()].map(dirname);
  const statWith = (stat: FileStat | undefined, path: string): FileStat | undefined => {
    const bytes = logs.get(path);
    if (bytes === undefined) return stat ?? (folders().includes(path) ? virtual("folder", 0) : undefined);
    return { ...(stat ?? virtual("file", 0)), size: bytes.length };
  };
  const statOf = (bytes: Buffer): FileStat => virtual("file", bytes.length);
  const own: Partial<Disk> = {
    open: (path, flags) => {
      const bytes = flags === "r" ? logs.get(path) : undefined;
      if (bytes === undefined) return disk.open(path, flags);
      open.set(next, bytes);
      return next--;
    },
    close: (fd) => void (open.delete(fd) || disk.close(fd)),
    read: (fd, into, position) => {
      const bytes = open.get(fd);
      if (bytes === undefined) return disk.read(fd, into, position);
      return bytes.copy(into, 0, position, position + into.length);
    },
    fstat: (fd) => {
      const bytes = open.get(fd);
      return bytes === undefined ? disk.fstat(fd) : statOf(bytes);
    },
    stat: (path) => statWith(disk.stat(path), path),
    lstat: (path) => statWith(disk.lstat(path), path),
    readFile: (path, most) => logs.get(path) ?? disk.readFile(path, most),
    readdir: (path) => {
      const made = folders().filter((folder) => dirname(folder) === path);
      const inside = folders().includes(path) ? [LOG_FILE] : [];
      const there = disk.lstat(path) || (made.length === 0 && inside.length === 0) ? disk.readdir(path) : [];
      return [...new Set([...there, ...made.map((folder) => basename(folder)), ...inside])];
    },
    readFolders: (path) => {
      const made = folders().filter((folder) => dirname(folder) === path);
      const there = disk.lstat(path) || made.length === 0 ? disk.readFolders(path) : [];
      return [...new Set([...there, ...made.map((folder) => basename(folder))])];
    },
  };
  return new Proxy(disk, {
    get: (target, name: keyof Disk) => {
      const given: unknown = own[name] ?? target[name];
      return typeof given === "function" && !own[name] ? (given.bind(target) as unknown) : given;
    },
  });
}

function virtual(kind: FileStat["kind"], size: number): FileStat {
  return { dev: 0, ino: 0, size, links: 1, mtimeMs: 0, ctimeMs: 0, kind };
}
