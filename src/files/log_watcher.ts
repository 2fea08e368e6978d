/**
 * Which logs may have changed. A look at every log's stat finds all of them, for every writer; while there are few,
 * watches on their folders say so sooner. The report of a watch is a hint and is not relied on. The next look finds a
 * change that no watch told of. The watch that was silent is made anew, as after git has put another folder in its
 * place.
 */
import { basename, join } from "node:path";
import type { Disk, FileStat } from "../disk.ts";
import { same } from "./file_sign.ts";
import { errnoOf } from "./storage_error.ts";
import { LOG_FILE } from "./layout.ts";
import { holdsFor } from "./look_again.ts";

/** Folders that hold entities, by the name that their keys begin with. */
export type Parts = Readonly<Record<string, string>>;

const HOME = "";
/** Above so many folders there are no watches: systems allow few thousand, and a look at all logs costs milliseconds. */
export const MAX_WATCHED = 2000;

export class LogWatcher {
  readonly #disk: Disk;
  /** The folder that holds the parts: one that is made later is seen there. */
  readonly #home: string;
  readonly #parts: Parts;
  readonly #names: (part: string) => string[];
  readonly #changed: () => void;
  /** Each log as it was when it was last looked at, by `part/name`. */
  readonly #stats = new Map<string, FileStat>();
  readonly #stale = new Set<string>();
  /**
   * The end function of each watch, by the key of its folder or, without a slash, by its part. The folder that holds
   * the parts has the key HOME.
   */
  readonly #watches = new Map<string, () => void>();
  /** The folder of each part when its watch began: git may put another in its place. */
  readonly #watched = new Map<string, FileStat>();
  /** The system has no more watches to give, or they are not wanted. */
  #exhausted: boolean;
  /** A watch told that something changed, but not what. */
  #mustLook = false;

  /** `home` holds the parts, `names` lists one, `changed` is told of every hint. `polling`: no hints, and looks as often as without. */
  constructor(
    disk: Disk,
    home: string,
    parts: Parts,
    names: (part: string) => string[],
    changed: () => void,
    polling = false,
  ) {
    this.#disk = disk;
    this.#home = home;
    this.#parts = parts;
    this.#names = names;
    this.#changed = changed;
    this.#exhausted = polling;
  }

  get hasStale(): boolean {
    return this.#stale.size > 0;
  }

  get mustLook(): boolean {
    return this.#mustLook;
  }

  /** False while nothing but a look finds out. */
  get isWatching(): boolean {
    return this.#watches.size > 0;
  }

  /** Milliseconds until the next look at all logs is due, after one that took `lookMs`. */
  intervalAfter(lookMs: number): number {
    return holdsFor(this.isWatching ? "hinted" : "unhinted", lookMs);
  }

  /** Begins a watch on each folder, and yields after each: the caller may pause there. The next look finds what changed before its watch. */
  *begin(): Generator<void> {
    yield* this.#watchAll(this.#keys());
  }

  /** Looks at every log. Those that are not as they were when they were last looked at are stale. */
  look(): void {
    this.#mustLook = false;
    const keys = this.#keys();
    for (const _ of this.#watchAll(keys));
    const present = new Set(keys);
    /** Keys of the watches that should have told, and did not: each is made anew once, however many logs it left out. */
    const silent = new Set<string>();
    const found = (key: string, watch: string): void => {
      if (!this.#stale.has(key)) silent.add(watch);
      this.#stale.add(key);
    };
    for (const key of this.#stats.keys()) if (!present.has(key)) found(key, partOf(key));
    for (const key of keys) {
      const before = this.#stats.get(key);
      if (!same(this.#stat(key), before)) found(key, before ? key : partOf(key));
    }
    for (const key of silent) if (this.#watches.has(key)) this.#watchAnew(key);
  }

  /** Returns the keys of logs that may have changed since the last call; the caller reads them now. */
  take(): string[] {
    const keys = [...this.#stale];
    this.#stale.clear();
    for (const key of keys) {
      const stat = this.#stat(key);
      if (stat) this.#stats.set(key, stat);
      else this.#stats.delete(key);
    }
    return keys;
  }

  /** Gives back what was taken and not read to the end. */
  requeue(key: string): void {
    this.#stale.add(key);
  }

  /** Gives back what was taken and could not be read: the next look finds it changed. */
  forget(key: string): void {
    this.#stats.delete(key);
  }

  close(): void {
    for (const end of this.#watches.values()) end();
    this.#watches.clear();
    this.#stale.clear();
    this.#stats.clear();
    this.#mustLook = false;
  }

  #keys(): string[] {
    return Object.keys(this.#parts).flatMap((part) => this.#names(part).map((name) => `${part}/${name}`));
  }

  *#watchAll(keys: readonly string[]): Generator<void> {
    if (this.#exhausted || keys.length > MAX_WATCHED) return this.#unwatchAll();
    const above = [HOME, ...Object.keys(this.#parts)];
    const wanted = new Set([...above, ...keys]);
    for (const key of above) if (this.#isReplaced(key)) this.#unwatch(key);
    for (const key of this.#watches.keys()) if (!wanted.has(key)) this.#unwatch(key);
    for (const key of wanted) {
      if (this.#watches.has(key)) continue;
      this.#watch(key);
      yield;
    }
  }

  #watch(key: string): void {
    if (this.#exhausted) return;
    const changed = (name: string | null): void => this.#entryChanged(key, name);
    try {
      this.#watches.set(
        key,
        this.#disk.watch(this.#folder(key), changed, () => this.#unwatch(key)),
      );
    } catch (e) {
      // Not there (yet), or not to be read: the look tells. Anything else is a limit of the system.
      if (!["ENOENT", "ENOTDIR", "EACCES", "EPERM"].includes(errnoOf(e) ?? "")) {
        this.#exhausted = true;
        this.#unwatchAll();
      }
    }
  }

  #isReplaced(key: string): boolean {
    const now = this.#disk.lstat(this.#folder(key));
    const then = this.#watched.get(key);
    if (now) this.#watched.set(key, now);
    return then?.ino !== now?.ino || then?.dev !== now?.dev;
  }

  /** `name`: what changed in the folder of `key`; null when the system does not say. */
  #entryChanged(key: string, name: string | null): void {
    if (key.includes("/")) {
      if (name !== null && name !== LOG_FILE) return;
      this.#stale.add(key);
    } else if (key === HOME) {
      if (name !== null && name !== basename(this.#home) && !Object.hasOwn(this.#parts, name)) return;
      // A part came or went; or this folder itself, which the system tells by its own name.
      this.#unwatch(name !== null && Object.hasOwn(this.#parts, name) ? name : HOME);
      this.#mustLook = true;
    } else if (name === null || name === basename(this.#parts[key]!)) {
      this.#unwatch(key);
      this.#mustLook = true;
    } else {
      // It came, went or was replaced; its own watch is on the one before. Watched before it is looked at: what is written
      // after the look is told.
      if (this.#watches.size <= MAX_WATCHED) this.#watchAnew(`${key}/${name}`);
      this.#stale.add(`${key}/${name}`);
    }
    this.#changed();
  }

  #watchAnew(key: string): void {
    this.#unwatch(key);
    this.#watch(key);
  }

  #unwatch(key: string): void {
    this.#watches.get(key)?.();
    this.#watches.delete(key);
  }

  #unwatchAll(): void {
    for (const key of this.#watches.keys()) this.#unwatch(key);
  }

  #folder(key: string): string {
    if (key === HOME) return this.#home;
    const [part, name] = key.split("/") as [string, string?];
    const folder = this.#parts[part]!;
    return name === undefined ? folder : join(folder, name);
  }

  #stat(key: string): FileStat | undefined {
    return this.#disk.lstat(join(this.#folder(key), LOG_FILE));
  }
}

function partOf(key: string): string {
  return key.slice(0, key.indexOf("/"));
}
