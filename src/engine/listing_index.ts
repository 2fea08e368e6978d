/**
 * The file that spares a process reading every log for a list (VIEW-16): what a list says of each entity, by the stat of its log. It is
 * appended to in chunks, each with a digest, and a later row takes the place of an earlier one. A row is numbers, which are read as they
 * lie, and a text that is parsed once it is asked for: of a hundred thousand ended tasks nothing else is.
 */
import { dirname } from "node:path";
import { WHOLE_FILE_BYTES } from "../disk.ts";
import type { Disk, FileStat } from "../disk.ts";
import { FOLD_VERSION } from "../events/fold.ts";
import { readCache, writeAtomic } from "../files/atomic.ts";
import { ensureFolder } from "../files/folders.ts";
import { sha256 } from "../log/canonical.ts";
import { compareIds } from "../state/compare_ids.ts";
import { KINDS, STATUSES } from "../state/entity.ts";
import type { Ref } from "../state/entity.ts";
import type { Listed } from "../state/listed.ts";
import { plainRow } from "./plain_row.ts";

/** Goes up with any change of what the file holds. */
const FORMAT = 4;
/** The file is written anew once it holds so many times the rows that count. */
const MOST_STALE = 2;

/** dev, ino, size, mtimeMs, ctimeMs of a log. */
export type Sign = readonly [dev: number, ino: number, size: number, mtimeMs: number, ctimeMs: number];

export interface IndexRow {
  readonly sign: Sign;
  readonly listed: Listed;
  /** Whether the log is as it was. */
  isOf(stat: FileStat): boolean;
}

/** A row that no index has yet. */
export class FreshRow implements IndexRow {
  readonly listed: Listed;
  readonly #stat: FileStat;

  constructor(stat: FileStat, listed: Listed) {
    this.#stat = stat;
    this.listed = listed;
  }

  get sign(): Sign {
    const { dev, ino, size, mtimeMs, ctimeMs } = this.#stat;
    return [dev, ino, size, mtimeMs, ctimeMs];
  }

  isOf({ dev, ino, size, mtimeMs, ctimeMs }: FileStat): boolean {
    const was = this.#stat;
    if (ino !== was.ino || size !== was.size || dev !== was.dev) return false;
    return mtimeMs === was.mtimeMs && ctimeMs === was.ctimeMs;
  }
}

/** What stands before the bytes of a chunk, as one line of JSON. */
interface ChunkHead {
  format: number;
  fold: number;
  rows: number;
  /** Bytes of the numbers, of the names, and of the texts. */
  numbers: number;
  names: number;
  texts: number;
  /** Parents of these rows: a plan has many tasks. */
  parents: Ref[];
  sha256: string;
}

/** Numbers of a row, in this order. */
const COLUMNS = [
  "dev",
  "ino",
  "size",
  "mtimeMs",
  "ctimeMs",
  "kind",
  "status",
  "deleted",
  "parent",
  "began",
  "events",
  "chosen",
  "warned",
  "end",
] as const;
const WIDTH = COLUMNS.length;
const SIGN = ["dev", "ino", "size", "mtimeMs", "ctimeMs"] as const;
const AT = Object.fromEntries(COLUMNS.map((name, i) => [name, i])) as Record<(typeof COLUMNS)[number], number>;

/** What the text of a row holds. The rest stands in its numbers and, with a space between them, in its name: `part/id`, root, head. */
type Rest = Omit<Listed, "id" | "root" | "kind" | "status" | "deleted" | "parent" | "began" | "events" | "head">;
/** The same without names, which would be half of all texts. Few rows have any of those that come last. */
type RestText = [
  title: string,
  revision: number,
  priority: string,
  tags: readonly string[],
  depends_on: readonly Ref[],
  total: number,
  completed: number,
  updated_at: string,
  free_from: string | null,
  chosen_by: readonly string[],
  rare?: Pick<Listed, "archived" | "archived_tasks" | "log_warnings">,
];

const NO_KEYS: readonly string[] = [];

export class ListingIndex {
  readonly #disk: Disk;
  readonly #path: () => string;
  /** Rows that the file holds, those that do not count any more included; Infinity: it has to be written anew. */
  #held = Number.POSITIVE_INFINITY;

  constructor(disk: Disk, path: () => string) {
    this.#disk = disk;
    this.#path = path;
  }

  /** The rows of the file by `part/id`; none when this release did not write it. What stands behind a damaged chunk is passed over. */
  read(): Map<string, IndexRow> {
    const rows = new Map<string, IndexRow>();
    const bytes = readCache(this.#disk, this.#path(), WHOLE_FILE_BYTES);
    if (!bytes) return rows;
    let held = 0;
    for (let at = 0; at < bytes.length;) {
      const chunk = chunkAt(bytes, at);
      if (!chunk) return rows;
      addRows(rows, chunk);
      held += chunk.head.rows;
      at = chunk.end;
    }
    this.#held = held;
    return rows;
  }

  /** Adds rows to the file, which then holds those of `all`; writes it anew where too much of it does not count any more. */
  keep(fresh: ReadonlyMap<string, IndexRow>, all: ReadonlyMap<string, IndexRow>): void {
    const path = this.#path();
    ensureFolder(this.#disk, dirname(path));
    if (this.#held + fresh.size > MOST_STALE * all.size) {
      writeAtomic(this.#disk, path, chunkOf(all));
      this.#held = all.size;
      return;
    }
    const fd = this.#disk.open(path, "a+");
    try {
      // In one call: two processes may append at once. What a full disk cuts short is damaged and passed over.
      this.#disk.write(fd, chunkOf(fresh));
    } finally {
      this.#disk.close(fd);
    }
    this.#held += fresh.size;
  }
}

interface Chunk {
  head: ChunkHead;
  body: Buffer;
  end: number;
}

/** Undefined for what is damaged, or of another release. */
function chunkAt(bytes: Buffer, at: number): Chunk | undefined {
  const lf = bytes.indexOf(0x0a, at);
  const head = lf < 0 ? undefined : headIn(bytes.toString("utf8", at, lf));
  if (!head || head.format !== FORMAT || head.fold !== FOLD_VERSION) return undefined;
  const end = lf + 1 + head.numbers + head.names + head.texts;
  const body = bytes.subarray(lf + 1, end);
  if (end > bytes.length || head.numbers !== 8 * WIDTH * head.rows || sha256(body) !== head.sha256) return undefined;
  return { head, body, end };
}

function headIn(line: string): ChunkHead | undefined {
  try {
    return JSON.parse(line) as ChunkHead;
  } catch (e) {
    if (e instanceof SyntaxError) return undefined;
    throw e;
  }
}

function addRows(rows: Map<string, IndexRow>, { head, body }: Chunk): void {
  const numbers = numbersIn(body.subarray(0, head.numbers));
  const names = body.toString("utf8", head.numbers, head.numbers + head.names).split("\n");
  const chunk = { numbers, parents: head.parents, texts: body.subarray(head.numbers + head.names) };
  for (let row = 0; row < head.rows; row++) {
    const [key, root, log] = names[row]!.split(" ") as [string, string, string];
    const id = key.slice(key.indexOf("/") + 1);
    rows.set(key, new ListedRow({ id, root, head: log || undefined }, chunk, row * WIDTH));
  }
}

/** Where they lie, if they are aligned there, as in the first chunk; copies of others. */
function numbersIn(bytes: Uint8Array): Float64Array {
  const { buffer, byteOffset, length } = isAligned(bytes) ? bytes : new Uint8Array(bytes);
  return new Float64Array(buffer, byteOffset, length / Float64Array.BYTES_PER_ELEMENT);
}

function isAligned({ byteOffset }: Uint8Array): boolean {
  return byteOffset % Float64Array.BYTES_PER_ELEMENT === 0;
}

/** So long that numbers behind it are aligned in a file that begins with it. */
function headLine(head: ChunkHead): string {
  const json = JSON.stringify(head);
  const length = Buffer.byteLength(json) + 1;
  const padding = -length & (Float64Array.BYTES_PER_ELEMENT - 1);
  return `${json}${" ".repeat(padding)}\n`;
}

/** All bytes of a chunk with these rows. */
function chunkOf(rows: ReadonlyMap<string, IndexRow>): Buffer {
  const numbers = new Float64Array(rows.size * WIDTH);
  const parents: Ref[] = [];
  const places = new Map<string, number>();
  const texts: Buffer[] = [];
  let end = 0;
  let at = 0;
  const names: string[] = [];
  for (const [key, { sign, listed }] of [...rows].sort(([, a], [, b]) => compareIds(a.listed.id, b.listed.id))) {
    const { id: _id, root, kind, status, deleted, parent, began, events, head, ...rest } = plainRow(listed);
    names.push(`${key} ${root} ${head ?? ""}`);
    const text = Buffer.from(JSON.stringify(restText(rest)));
    texts.push(text);
    end += text.length;
    const ref = parent ? JSON.stringify([parent.id, parent.root]) : "";
    if (parent && !places.has(ref)) places.set(ref, parents.push(parent) - 1);
    numbers.set(
      [
        ...sign,
        KINDS.indexOf(kind),
        STATUSES.indexOf(status),
        deleted ? 1 : 0,
        parent ? places.get(ref)! : -1,
        began ?? Number.NaN,
        events ?? Number.NaN,
        rest.chosen_by?.length ?? Number.NaN,
        rest.log_warnings?.length ?? 0,
        end,
      ],
      at,
    );
    at += WIDTH;
  }
  const named = Buffer.from(names.join("\n"));
  const body = Buffer.concat([new Uint8Array(numbers.buffer), named, ...texts]);
  const head: ChunkHead = {
    format: FORMAT,
    fold: FOLD_VERSION,
    rows: rows.size,
    numbers: numbers.byteLength,
    names: named.length,
    texts: end,
    parents,
    sha256: sha256(body),
  };
  return Buffer.concat([Buffer.from(headLine(head)), body]);
}

function restText(rest: Rest): RestText {
  const { title, revision, priority, tags, depends_on, steps, updated_at, free_from, chosen_by } = rest;
  const { archived, archived_tasks, log_warnings } = rest;
  const { total, completed } = steps;
  const ends = [free_from ?? null, chosen_by ?? NO_KEYS] as const;
  const isRare = archived !== undefined || archived_tasks !== undefined || log_warnings !== undefined;
  const told: RestText = [title, revision, priority, tags, depends_on, total, completed, updated_at, ...ends];
  if (isRare) told.push({ archived, archived_tasks, log_warnings });
  return told;
}

function restIn(text: string): Rest {
  const [title, revision, priority, tags, depends_on, total, completed, updated_at, free_from, chosen_by, rare] =
    JSON.parse(text) as RestText;
  const steps = { total, completed };
  return { title, revision, priority, tags, depends_on, steps, updated_at, free_from, chosen_by, ...rare };
}

/** What the rows of a chunk share. */
interface ChunkRows {
  numbers: Float64Array;
  texts: Buffer;
  parents: readonly Ref[];
}

/** A row of the index. The members that are asked of all rows are numbers; the others are parsed at each asking, and not kept. */
class ListedRow implements Listed, IndexRow {
  readonly id: string;
  readonly root: string;
  readonly head: string | undefined;
  readonly #chunk: ChunkRows;
  readonly #at: number;

  constructor({ id, root, head }: Pick<ListedRow, "id" | "root" | "head">, chunk: ChunkRows, at: number) {
    this.id = id;
    this.root = root;
    this.head = head;
    this.#chunk = chunk;
    this.#at = at;
  }

  get listed(): this {
    return this;
  }
  get sign(): Sign {
    const [dev, ino, size, mtimeMs, ctimeMs] = SIGN.map((column) => this.#number(column));
    return [dev!, ino!, size!, mtimeMs!, ctimeMs!];
  }
  isOf({ dev, ino, size, mtimeMs, ctimeMs }: FileStat): boolean {
    if (ino !== this.#number("ino") || size !== this.#number("size") || dev !== this.#number("dev")) return false;
    return mtimeMs === this.#number("mtimeMs") && ctimeMs === this.#number("ctimeMs");
  }
  get kind(): Listed["kind"] {
    return KINDS[this.#number("kind")]!;
  }
  get status(): Listed["status"] {
    return STATUSES[this.#number("status")]!;
  }
  get deleted(): boolean {
    return this.#number("deleted") === 1;
  }
  get parent(): Ref | null {
    return this.#chunk.parents[this.#number("parent")] ?? null;
  }
  get began(): number | undefined {
    return numberOr(this.#number("began"));
  }
  get events(): number | undefined {
    return numberOr(this.#number("events"));
  }
  get title(): string {
    return this.#rest.title;
  }
  get revision(): number {
    return this.#rest.revision;
  }
  get priority(): string {
    return this.#rest.priority;
  }
  get tags(): readonly string[] {
    return this.#rest.tags;
  }
  get depends_on(): readonly Ref[] {
    return this.#rest.depends_on;
  }
  get steps(): Listed["steps"] {
    return this.#rest.steps;
  }
  get updated_at(): string {
    return this.#rest.updated_at;
  }
  get archived(): true | undefined {
    return this.#rest.archived;
  }
  get archived_tasks(): Listed["archived_tasks"] {
    return this.#rest.archived_tasks;
  }
  get log_warnings(): Listed["log_warnings"] {
    return this.#number("warned") === 0 ? undefined : this.#rest.log_warnings;
  }
  get free_from(): string | null | undefined {
    return numberOr(this.#number("chosen")) === undefined ? undefined : this.#rest.free_from;
  }
  get chosen_by(): readonly string[] | undefined {
    const count = numberOr(this.#number("chosen"));
    if (count === undefined) return undefined;
    return count === 0 ? NO_KEYS : this.#rest.chosen_by;
  }

  get #rest(): Rest {
    return (lastParsed?.of === this ? lastParsed : (lastParsed = { of: this, rest: this.#parsed() })).rest;
  }

  #number(column: keyof typeof AT): number {
    return this.#chunk.numbers[this.#at + AT[column]]!;
  }

  #parsed(): Rest {
    const { numbers, texts } = this.#chunk;
    const from = this.#at === 0 ? 0 : numbers[this.#at - WIDTH + AT.end]!;
    return restIn(texts.toString("utf8", from, this.#number("end")));
  }
}

function numberOr(told: number): number | undefined {
  return Number.isNaN(told) ? undefined : told;
}

/** A reader of one member of a row mostly reads the next of the same. */
let lastParsed: { of: Listed; rest: Rest } | undefined;
