/**
 * Transactions under way, in `registry/journal/<id>`: the lines of all their ops, in one file that is there whole or not at all.
 * If the file exists, the transaction is accepted. Its lines count as being in their logs, and the next writer puts them
 * there (TXN rules). A folder may lie here as well: one on its way to the quarantine, which the next writer ends (DUR-3).
 *
 * Locks may exclude no process (DUR-27). So a name decides whether a transaction is taken back or finished: its writer removes `<id>`, and
 * who finishes it first renames that to `<id>.begun`. Only one of the two succeeds.
 */
import { basename, join } from "node:path";
import { isSettled, same } from "../../files/file_sign.ts";
import type { FileStat } from "../../disk.ts";
import { readRegular, removeQuietly, TEMP_PREFIX, writeAtomic } from "../../files/atomic.ts";
import { ensureFolder, listFolder, syncWay } from "../../files/folders.ts";
import { errnoOf } from "../../files/storage_error.ts";
import { sha256 } from "../../log/canonical.ts";
import type { Event } from "../../log/types.ts";
import type { LineIn } from "../../log/lines_in.ts";
import { linesIn } from "../../log/lines_in.ts";
import { idFault } from "../../state/ids.ts";
import { moveAside } from "../core/quarantine.ts";
import { readAsideEntry } from "../entity/aside_entry.ts";
import { FOLDER_CHARACTERS } from "../entity/folder_name.ts";
import type { EngineContext } from "../core/context.ts";

/** The lines that a transaction adds to one entity. */
export interface JournalPart {
  /** Name of the folder. */
  id: string;
  /** Whether the transaction makes the entity: then its identity is the hash of the first op. */
  made: boolean;
  /** Heads that the first op builds on. */
  prev: string[];
  ops: { hash: string; bytes: Buffer }[];
  /** Identity of the entity, where the entry goes to other machines. */
  root?: string;
}

/**
 * The obstacle to a try to finish a transaction. `held`: another process had its locks for longer than this one waits. `refused`: by the system.
 * `waits`: for what a part builds on.
 */
type Obstacle = "held" | "refused" | "waits";

/** Of a transaction that lacks something: the logs that it is about, and how these and git were then. */
export interface JournalLook {
  paths: readonly string[];
  sign: string;
}

/** The lines of an entry, read. */
export interface ReadPart extends JournalPart {
  ops: { hash: string; bytes: Buffer; events: Event[] }[];
}

interface Header {
  v: 1;
  parts: (Omit<JournalPart, "ops"> & { ops: { hash: string; bytes: number }[] })[];
  /** Of everything after this line. */
  sha256: string;
}

/** Room for `MAX_PARTS` entities with ops of the largest size, some of them. */
const MAX_BYTES = 256 * 1024 * 1024;
const MAX_PARTS = 10_000;
/** A part takes some 200 bytes there. It is parsed before anything is proven. */
const MAX_HEADER = 2 * 1024 * 1024;
/** An entry of this name is a message of the shared log: its ops may be of several calls. No id of a transaction has a dot. */
const MESSAGE = "message.";
/** Ends the name of an entry that a process has begun to finish. */
const BEGUN = ".begun";
/** Bytes of a name. File systems take 255, and no entry of ours has a hundred. */
const LONGEST_ID = 200;
const HASH = /^[A-Za-z0-9_-]{43}$/;

export class Journal {
  readonly #context: EngineContext;
  readonly #folder: string;
  /** Transactions that this process is writing at this moment. */
  readonly #own = new Set<string>();
  /** The folder when it was last found empty, and when what it holds was last rolled forward or tried to be. */
  #empty: FileStat | null = null;
  #tried = "";
  /** The way to the journal is on disk. */
  #isDurable = false;
  /** Those that the last try left, and why. */
  readonly #left = new Map<string, Obstacle>();
  readonly #looks = new Map<string, JournalLook>();

  constructor(context: EngineContext) {
    this.#context = context;
    this.#folder = context.layout.sharedFolder("journal");
  }

  /** Ids of transactions that a process began and has not finished yet, as far as is known. One look where there are none. */
  pending(): string[] {
    const stat = this.#context.disk.lstat(this.#folder);
    // A link or a file there is no journal: verify names it, and the next transaction is refused.
    if (stat?.kind !== "folder") return [];
    if (same(stat, this.#empty)) return [];
    const names = listFolder(this.#context.disk, this.#folder).filter((name) => !name.startsWith(TEMP_PREFIX));
    if (names.length === 0 && isSettled(this.#context, stat)) this.#empty = stat;
    return [...new Set(names.map(idIn))].filter((id) => !this.#own.has(id));
  }

  /**
   * As `pending`, but what has been tried is given again only if it was left over, once for each call. `isTried`: this call had its try.
   */
  due(isTried: boolean): string[] {
    const names = this.pending();
    for (const id of this.#left.keys()) if (!names.includes(id)) this.#left.delete(id);
    for (const id of this.#looks.keys()) if (!names.includes(id)) this.#looks.delete(id);
    if (names.length === 0) return names;
    const sign = names.join(" ");
    const isNews = sign !== this.#tried;
    this.#tried = sign;
    return names.filter((name) => (this.#left.has(name) ? !isTried : isNews));
  }

  /** A try could not finish it. The next call tries once more. */
  leftOver(id: string, why: Obstacle): void {
    this.#left.set(id, why);
  }

  /** Notes that a part of it builds on something that is not there. */
  lacks(id: string, look: JournalLook): void {
    this.#looks.set(id, look);
  }

  /** The last look that found something lacking; undefined where none did. */
  lookOf(id: string): JournalLook | undefined {
    return this.#looks.get(id);
  }

  /** Whether the last try left it because it waits for what a part builds on. */
  isWaiting(id: string): boolean {
    return this.#left.get(id) === "waits";
  }

  /** Those that the last try left. */
  left(): Iterable<string> {
    return this.#left.keys();
  }

  /** Whether the next try waits for no lock. */
  waitsForNoLock(id: string): boolean {
    const why = this.#left.get(id);
    return why === "held" || why === "waits";
  }

  /** Accepted when it returns. Call while holding the locks of all its entities. */
  write(id: string, parts: readonly JournalPart[]): void {
    const { disk, layout } = this.#context;
    const sync = this.#context.durability !== "os";
    this.#own.add(id);
    try {
      const made = ensureFolder(disk, this.#folder);
      // Another program, such as `git clean`, may have taken the folder away since it was synced.
      if (sync && (made.length > 0 || !this.#isDurable)) syncWay(disk, layout.coco, this.#folder);
      this.#isDurable = true;
      writeAtomic(disk, this.#path(id), entryOf(parts), { sync });
    } catch (e) {
      this.#own.delete(id);
      throw e;
    }
  }

  /** Null: it is not there any more. Undefined: it is no transaction of ours. */
  read(id: string): ReadPart[] | null | undefined {
    if (!isTooLong(id)) {
      for (const path of this.#paths(id)) {
        const bytes = readRegular(this.#context.disk, path, MAX_BYTES);
        if (bytes) return partsIn(bytes, isMessageEntry(id) ? undefined : id);
      }
    }
    return this.#stands(id) ? undefined : null;
  }

  /** Whether a call of that idempotency key made it. */
  hasKey(id: string, key: string): boolean {
    return (this.read(id) ?? []).some(({ ops }) => ops.some(({ events }) => events[0]?.op.key === key));
  }

  /** The id of the folder that this entry is; undefined where it is none, or not there any more. */
  aside(name: string): string | undefined {
    const id = readAsideEntry(name)?.id;
    return id !== undefined && this.#context.disk.lstat(this.#path(name))?.kind === "folder" ? id : undefined;
  }

  /** From here on its writer cannot take it back. False: the writer has, or another process has finished it. */
  begin(id: string): boolean {
    try {
      this.#context.disk.rename(this.#path(id), this.#begunPath(id));
      // Its writer may have been killed before it synced the name, and a part without an entry is half a transaction (DUR-113).
      if (this.#context.durability !== "os")
        syncWay(this.#context.disk, this.#context.layout.coco, this.#begunPath(id));
      return true;
    } catch (e) {
      if (errnoOf(e) !== "ENOENT") throw e;
      return this.#context.disk.lstat(this.#begunPath(id)) !== undefined;
    }
  }

  /** Every line is in its log and durable there. A name that comes back after a crash does no harm: its lines are known. */
  done(id: string): void {
    for (const path of this.#paths(id)) removeQuietly(this.#context.disk, path);
    this.#own.delete(id);
  }

  /** Takes back what no log has yet; throws when that is not certain, also if another process has begun to finish it. */
  takeBack(id: string): void {
    // One that was written stands there, unless another process found it.
    if (this.#own.has(id) || this.#stands(id)) {
      this.#context.disk.unlink(this.#path(id));
      this.#context.disk.syncFolder(this.#folder);
    }
    this.#own.delete(id);
  }

  /** This process will not finish it: the next writer does. */
  leave(id: string): void {
    this.#own.delete(id);
  }

  /** Out of the way, kept: its lines fit no log that is here, or it is none of ours. */
  quarantine(id: string): void {
    moveAside(this.#context, join(this.#folder, this.fileOf(id)), `txn-${id}`);
    this.#own.delete(id);
  }

  /** Name of its file in the journal. */
  fileOf(id: string): string {
    return basename(this.#paths(id).findLast((path) => this.#context.disk.lstat(path)) ?? id);
  }

  #stands(id: string): boolean {
    return this.#paths(id).some((path) => this.#context.disk.lstat(path));
  }

  /** In this order: a process may rename it meanwhile. */
  #paths(id: string): string[] {
    return isTooLong(id) ? [this.#path(id)] : [this.#path(id), this.#begunPath(id)];
  }

  #path(id: string): string {
    // A name that was listed is one name, whatever characters it has.
    return join(this.#folder, id);
  }

  #begunPath(id: string): string {
    return this.#path(id + BEGUN);
  }
}

/** Such a name is none of ours. */
function isTooLong(id: string): boolean {
  return Buffer.byteLength(id) > LONGEST_ID;
}

/** A name that another program chose may be anything: what is left of it has to be a name still. */
function idIn(name: string): string {
  return /^\w/.test(name) && name.endsWith(BEGUN) ? name.slice(0, -BEGUN.length) : name;
}

/** The name of an entry that holds these parts of a message of the shared log. */
export function messageEntry([first]: readonly JournalPart[]): string {
  return `${MESSAGE}${first!.ops[0]!.hash}`;
}

/** Whether an entry holds a message of the shared log. */
export function isMessageEntry(id: string): boolean {
  return id.startsWith(MESSAGE);
}

/** The bytes of an entry: a line that says which parts follow, then their lines. */
export function entryOf(parts: readonly JournalPart[]): Buffer {
  const body = Buffer.concat(parts.flatMap((part) => part.ops.map((op) => op.bytes)));
  const sizes = parts.map((part) => ({
    ...part,
    ops: part.ops.map(({ hash, bytes }) => ({ hash, bytes: bytes.length })),
  }));
  const header: Header = { v: 1, parts: sizes, sha256: sha256(body) };
  return Buffer.concat([Buffer.from(`${JSON.stringify(header)}\n`), body]);
}

/**
 * The parts, if these bytes are an entry (of the transaction `id`, where that is given). The digest in it proves nothing of its author. So
 * each line has to be an event whose hash holds. Each op has to be whole and of this transaction, and each id has to name a folder.
 */
export function partsIn(bytes: Buffer, id?: string): ReadPart[] | undefined {
  const end = bytes.indexOf("\n");
  const header = end < 0 || end > MAX_HEADER ? undefined : headerOf(bytes.toString("utf8", 0, end));
  const body = bytes.subarray(end + 1);
  if (!header || sha256(body) !== header.sha256) return undefined;
  const lines = new EventLines(body);
  const parts = header.parts.map((part) => ({
    id: part.id,
    made: part.made,
    prev: part.prev,
    ...(part.root === undefined ? {} : { root: part.root }),
    ops: part.ops.map(({ hash, bytes: length }) => ({ hash, ...lines.take(length) })),
  }));
  const isWhole = lines.isEnd && areDistinct(parts) && parts.every((part) => isPartOf(part, id));
  return isWhole ? parts : undefined;
}

/** The events of a body, in one reading of all its lines. */
class EventLines {
  readonly #body: Buffer;
  readonly #lines: LineIn[];
  #offset = 0;
  #line = 0;

  constructor(body: Buffer) {
    this.#body = body;
    // Reading a line uses its bytes up.
    this.#lines = linesIn(Buffer.from(body));
  }

  get isEnd(): boolean {
    return this.#offset === this.#body.length && this.#line === this.#lines.length;
  }

  /** The next so many bytes; without events where they are no whole lines of ours. */
  take(length: number): { bytes: Buffer; events: Event[] } {
    const from = this.#offset;
    const events: Event[] = [];
    this.#offset += length;
    let at = from;
    for (let line = this.#lines[this.#line]; line?.event && at < this.#offset; line = this.#lines[++this.#line]) {
      events.push(line.event);
      at += line.bytes.length + 1;
    }
    return { bytes: this.#body.subarray(from, this.#offset), events: at === this.#offset ? events : [] };
  }
}

/** Each entity and each op once: a log is read for each part. */
function areDistinct(parts: readonly JournalPart[]): boolean {
  const hashes = parts.flatMap(({ ops }) => ops.map(({ hash }) => hash));
  return new Set(parts.map(({ id }) => id)).size === parts.length && new Set(hashes).size === hashes.length;
}

function isPartOf({ ops, made }: ReadPart, id: string | undefined): boolean {
  const isWhole = ops.every(({ hash, events }, i) => {
    const [first] = events;
    if (!first || first.hash !== hash) return false;
    if (i === 0 && made && first.prev.length > 0) return false;
    return events.every(({ op }, n) => op.n === n + 1 && op.of === events.length && op.id === first.op.id);
  });
  return (
    isWhole &&
    (id === undefined ||
      areOf(
        id,
        ops.map(({ events }) => events[0]!.op.txn?.id),
      ))
  );
}

/** The engine's own ops come first in a part and have no stamp: they read in what people wrote. */
function areOf(id: string, stamps: readonly (string | undefined)[]): boolean {
  const at = stamps.indexOf(id);
  return at >= 0 && stamps.every((stamp, i) => stamp === (i < at ? undefined : id));
}

/** The first line of an entry; undefined where it is none. */
function headerOf(text: string): Header | undefined {
  let value: Partial<Header> | null;
  try {
    value = JSON.parse(text) as Partial<Header> | null;
  } catch (e) {
    if (e instanceof SyntaxError) return undefined;
    throw e;
  }
  if (value?.v !== 1 || !Array.isArray(value.parts) || value.parts.length > MAX_PARTS) return undefined;
  return value.parts.every(isHeaderPart) ? (value as Header) : undefined;
}

function isHeaderPart(part: unknown): part is Header["parts"][number] {
  const { id, made, prev, ops, root } = (part ?? {}) as Partial<Header["parts"][number]>;
  if (typeof id !== "string" || idFault(id, FOLDER_CHARACTERS) !== null || typeof made !== "boolean") return false;
  if (root !== undefined && !isHash(root)) return false;
  if (!Array.isArray(prev) || !prev.every(isHash) || !Array.isArray(ops) || ops.length === 0) return false;
  return ops.every((op) => isHash(op?.hash) && Number.isSafeInteger(op.bytes) && op.bytes > 0);
}

function isHash(text: unknown): boolean {
  return typeof text === "string" && HASH.test(text);
}
