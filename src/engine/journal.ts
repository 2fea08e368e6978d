/**
 * Transactions under way, in `registry/journal/<id>`: the lines of all their ops, in one file that is there whole or not at all.
 * From the moment it is there the transaction is accepted: its lines count as being in their logs, and whoever writes next
 * puts them there (TXN rules).
 */
import { dirname } from "node:path";
import type { FileStat } from "../disk.ts";
import { readIfThere, removeQuietly, TEMP_PREFIX, writeAtomic } from "../files/atomic.ts";
import { ensureDurableFolder, listFolder } from "../files/folders.ts";
import { sha256 } from "../log/canonical.ts";
import { quarantine } from "./quarantine.ts";
import type { World } from "./world.ts";

/** What a transaction adds to one entity. */
export interface JournalPart {
  /** Name of the folder. */
  id: string;
  /** Whether the transaction makes the entity: then its identity is the hash of the first op. */
  made: boolean;
  /** Heads that the first op builds on. */
  prev: string[];
  ops: { hash: string; bytes: Buffer }[];
}

interface Header {
  v: 1;
  parts: { id: string; made: boolean; prev: string[]; ops: { hash: string; bytes: number }[] }[];
  /** Of everything after this line. */
  sha256: string;
}

/** Longer than a tick of any file system's clock but the oldest ones': a change after it shows in the folder's times. */
const TICK_MS = 100;

export class Journal {
  readonly #world: World;
  readonly #folder: string;
  /** Transactions that this process is writing at this moment. */
  readonly #own = new Set<string>();
  /** The folder when it was last found empty, and when what it holds was last rolled forward or tried to be. */
  #empty: FileStat | null = null;
  #tried = "";

  constructor(world: World) {
    this.#world = world;
    this.#folder = dirname(world.layout.registryFile("journal", "x"));
  }

  /** Ids of transactions that somebody began and has not finished yet, as far as is known. One look where there are none. */
  pending(): string[] {
    const stat = this.#world.disk.lstat(this.#folder);
    if (stat === undefined) return [];
    if (stat.ino === this.#empty?.ino && stat.mtimeMs === this.#empty.mtimeMs) return [];
    const names = listFolder(this.#world.disk, this.#folder).filter((name) => !name.startsWith(TEMP_PREFIX));
    // Not by the workspace's clock: the file system has its own.
    if (names.length === 0 && Date.now() - stat.mtimeMs > TICK_MS) this.#empty = stat;
    return names.filter((name) => !this.#own.has(name));
  }

  /** As `pending`, but what could not be finished is given again only when something has changed in the folder. */
  due(): string[] {
    const names = this.pending();
    if (names.length === 0) return names;
    const sign = names.join(" ");
    if (sign === this.#tried) return [];
    this.#tried = sign;
    return names;
  }

  /** Accepted when it returns. Call while holding the locks of all its entities. */
  write(id: string, parts: readonly JournalPart[]): void {
    const { disk } = this.#world;
    const body = Buffer.concat(parts.flatMap((part) => part.ops.map((op) => op.bytes)));
    const sizes = parts.map((part) => ({
      ...part,
      ops: part.ops.map(({ hash, bytes }) => ({ hash, bytes: bytes.length })),
    }));
    const header: Header = { v: 1, parts: sizes, sha256: sha256(body) };
    const sync = this.#world.durability !== "os";
    this.#own.add(id);
    try {
      ensureDurableFolder(disk, this.#folder);
      writeAtomic(disk, this.#path(id), Buffer.concat([Buffer.from(`${JSON.stringify(header)}\n`), body]), { sync });
    } catch (e) {
      this.#own.delete(id);
      throw e;
    }
  }

  /** Null: it is not there any more. Undefined: nobody can read it. */
  read(id: string): JournalPart[] | null | undefined {
    const bytes = readIfThere(this.#world.disk, this.#path(id));
    return bytes === undefined ? null : parse(bytes);
  }

  /** Every line is in its log and durable there. A name that comes back after a crash does no harm: its lines are known. */
  done(id: string): void {
    removeQuietly(this.#world.disk, this.#path(id));
    this.#own.delete(id);
  }

  /** Takes back what no log has yet; throws when that is not certain. */
  takeBack(id: string): void {
    if (this.#world.disk.lstat(this.#path(id))) {
      this.#world.disk.unlink(this.#path(id));
      this.#world.disk.syncFolder(this.#folder);
    }
    this.#own.delete(id);
  }

  /** This process will not finish it: the next writer does. */
  leave(id: string): void {
    this.#own.delete(id);
  }

  /** Out of the way, kept: its lines fit no log that is here. */
  setAside(id: string): void {
    const bytes = readIfThere(this.#world.disk, this.#path(id));
    if (bytes === undefined) return;
    quarantine(this.#world, `txn-${id}`, bytes);
    this.done(id);
  }

  #path(id: string): string {
    return this.#world.layout.registryFile("journal", id);
  }
}

function parse(bytes: Buffer): JournalPart[] | undefined {
  const end = bytes.indexOf("\n");
  const header = end < 0 ? undefined : headerOf(bytes.toString("utf8", 0, end));
  if (!header) return undefined;
  let at = end + 1;
  if (sha256(bytes.subarray(at)) !== header.sha256) return undefined;
  return header.parts.map((part) => ({
    ...part,
    ops: part.ops.map(({ hash, bytes: length }) => ({ hash, bytes: bytes.subarray(at, (at += length)) })),
  }));
}

/** What follows is proven by its digest; a first line that is JSON with that digest in it is one of ours. */
function headerOf(text: string): Header | undefined {
  try {
    const value = JSON.parse(text) as Header | null;
    return value?.v === 1 && Array.isArray(value.parts) ? value : undefined;
  } catch (e) {
    if (e instanceof SyntaxError) return undefined;
    throw e;
  }
}
