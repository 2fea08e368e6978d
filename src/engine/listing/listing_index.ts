/**
 * The file that spares a process reading every log for a list (VIEW-16): what a list says of each entity, by the stat
 * of its log. It is appended to in chunks, each with a digest, and a later row takes the place of an earlier one. A row
 * is numbers, which are read as they lie, and a text that is parsed once it is asked for. Of a hundred thousand ended
 * tasks nothing else is.
 */
import { dirname } from "node:path";
import { WHOLE_FILE_BYTES } from "../../disk.ts";
import type { Disk } from "../../disk.ts";
import { FOLD_VERSION } from "../../events/fold.ts";
import { readCache, writeAtomic } from "../../files/atomic.ts";
import type { FileSign } from "../../files/file_sign.ts";
import { ensureFolder } from "../../files/folders.ts";
import { checksum } from "../../projections/checksum.ts";
import { compareIds } from "../../state/compare_ids.ts";
import { KINDS, STATUSES } from "../../state/entity.ts";
import type { Ref } from "../../state/entity.ts";
import { plainRow } from "../../state/listed.ts";
import type { Listed } from "../../state/listed.ts";
import type { EntityLocation } from "../entity/entity_on_disk.ts";
import type { KeptRow } from "./rows_by_stat.ts";

/** Goes up with any change of what the file holds. */
const FORMAT = 8;
/** The file is written anew once it holds so many times the rows that count. */
const MAX_STALE = 2;

/** Rows of each part of `.coco`, by id. */
export class IndexRows {
  readonly tasks: Map<string, KeptRow<Listed>>;
  readonly archive: Map<string, KeptRow<Listed>>;

  constructor(tasks = new Map<string, KeptRow<Listed>>(), archive = new Map<string, KeptRow<Listed>>()) {
    this.tasks = tasks;
    this.archive = archive;
  }

  get size(): number {
    return this.tasks.size + this.archive.size;
  }

  clear(): void {
    this.tasks.clear();
    this.archive.clear();
  }
}

/** The head of a chunk, as one line of JSON before its bytes. */
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
  /** Of all these bytes: no more than the file's own disk damages them. */
  checksum: string;
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
const AT = Object.fromEntries(COLUMNS.map((name, i) => [name, i])) as Record<(typeof COLUMNS)[number], number>;

/** How many texts are parsed at once for a reader of one row after the other. */
const BLOCK = 256;

/**
 * The members in the text of a row, with a comma behind it. The rest stands in its numbers and, with a space between
 * them, in its name: `part/id`, root, head.
 */
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
  rare?: Pick<Listed, "archived" | "archived_tasks" | "log_warnings" | "step_standing">,
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

  /** The rows of the file; none when this release did not write it. Rows behind a damaged chunk are passed over. */
  read(): IndexRows {
    const rows = new IndexRows();
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
  keep(fresh: IndexRows, all: IndexRows): void {
    const path = this.#path();
    ensureFolder(this.#disk, dirname(path));
    if (this.#held + fresh.size > MAX_STALE * all.size) {
      writeAtomic(this.#disk, path, chunkOf(all));
      this.#held = all.size;
      return;
    }
    const fd = this.#disk.open(path, "a+");
    try {
      // In one call: two processes may append at once. A row that a full disk cuts short is damaged and passed over.
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
  if (end > bytes.length || head.numbers !== 8 * WIDTH * head.rows || checksum(body) !== head.checksum)
    return undefined;
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

function addRows(rows: IndexRows, { head, body }: Chunk): void {
  const numbers = numbersIn(body.subarray(0, head.numbers));
  const names = body.toString("utf8", head.numbers, head.numbers + head.names).split("\n");
  const chunk = new ChunkRows(numbers, body.subarray(head.numbers + head.names), head.parents);
  for (let row = 0; row < head.rows; row++) {
    const listed = new ListedRow(names[row]!, chunk, row);
    rows[listed.part].set(listed.id, listed);
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
function chunkOf(rows: IndexRows): Buffer {
  const numbers = new Float64Array(rows.size * WIDTH);
  const parents: Ref[] = [];
  const places = new Map<string, number>();
  const texts: Buffer[] = [];
  let end = 0;
  let at = 0;
  const names: string[] = [];
  const inParts = (["tasks", "archive"] as const).flatMap((part) =>
    [...rows[part].values()].map((kept) => ({ part, kept })),
  );
  inParts.sort((a, b) => compareIds(a.kept.row.id, b.kept.row.id));
  for (const { part, kept } of inParts) {
    const { dev, ino, size, mtimeMs, ctimeMs } = kept.stat;
    const { id, root, kind, status, deleted, parent, began, events, head, ...rest } = plainRow(kept.row);
    names.push(`${part}/${id} ${root} ${head ?? ""}`);
    const text = Buffer.from(`${JSON.stringify(restText(rest))},`);
    texts.push(text);
    end += text.length;
    const ref = parent ? JSON.stringify([parent.id, parent.root]) : "";
    if (parent && !places.has(ref)) places.set(ref, parents.push(parent) - 1);
    numbers.set(
      [
        dev,
        ino,
        size,
        mtimeMs,
        ctimeMs,
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
    checksum: checksum(body),
  };
  return Buffer.concat([Buffer.from(headLine(head)), body]);
}

function restText(rest: Rest): RestText {
  const { title, revision, priority, tags, depends_on, steps, updated_at, free_from, chosen_by } = rest;
  const { archived, archived_tasks, log_warnings, step_standing } = rest;
  const { total, completed } = steps;
  const ends = [free_from ?? null, chosen_by ?? NO_KEYS] as const;
  const isRare = [archived, archived_tasks, log_warnings, step_standing].some((one) => one !== undefined);
  const text: RestText = [title, revision, priority, tags, depends_on, total, completed, updated_at, ...ends];
  if (isRare) text.push({ archived, archived_tasks, log_warnings, step_standing });
  return text;
}

function restIn(text: RestText): Rest {
  const [title, revision, priority, tags, depends_on, total, completed, updated_at, free_from, chosen_by, rare] = text;
  const steps = { total, completed };
  return { title, revision, priority, tags, depends_on, steps, updated_at, free_from, chosen_by, ...rare };
}

/** The shared parts of the rows of a chunk. */
class ChunkRows {
  readonly numbers: Float64Array;
  readonly parents: readonly Ref[];
  readonly #texts: Buffer;
  /** The texts that were parsed last, of the rows from the first of them on. */
  #parsed: { first: number; rests: readonly Rest[] } = { first: 0, rests: [] };

  constructor(numbers: Float64Array, texts: Buffer, parents: readonly Ref[]) {
    this.numbers = numbers;
    this.#texts = texts;
    this.parents = parents;
  }

  /** Parsed at each asking, and not kept for long. A reader of a row and the next one is given a block of them. */
  rest(row: number): Rest {
    const { first, rests } = this.#parsed;
    const known = rests[row - first];
    if (known) return known;
    const isNext = row === first + rests.length;
    const end = isNext ? Math.min(row + BLOCK, this.numbers.length / WIDTH) : row + 1;
    this.#parsed = { first: row, rests: this.#parse(row, end) };
    return this.#parsed.rests[0]!;
  }

  #parse(row: number, end: number): Rest[] {
    const from = row === 0 ? 0 : this.#endOf(row - 1);
    const texts = JSON.parse(`[${this.#texts.toString("utf8", from, this.#endOf(end - 1) - 1)}]`) as RestText[];
    return texts.map(restIn);
  }

  #endOf(row: number): number {
    return this.numbers[row * WIDTH + AT.end]!;
  }
}

/** A row of the index. The members that are asked of all rows are numbers. */
class ListedRow implements Listed, KeptRow<Listed>, FileSign {
  readonly id: string;
  /** `part/id`, root and head. */
  readonly #name: string;
  readonly #chunk: ChunkRows;
  readonly #row: number;

  constructor(name: string, chunk: ChunkRows, row: number) {
    this.id = name.slice(name.indexOf("/") + 1, name.indexOf(" "));
    this.#name = name;
    this.#chunk = chunk;
    this.#row = row;
  }

  get part(): EntityLocation["part"] {
    return this.#name.startsWith("tasks/") ? "tasks" : "archive";
  }
  get row(): Listed {
    return this;
  }
  get stat(): FileSign {
    return this;
  }
  get dev(): number {
    return this.#number("dev");
  }
  get ino(): number {
    return this.#number("ino");
  }
  get size(): number {
    return this.#number("size");
  }
  get mtimeMs(): number {
    return this.#number("mtimeMs");
  }
  get ctimeMs(): number {
    return this.#number("ctimeMs");
  }
  get root(): string {
    return this.#name.slice(this.#name.indexOf(" ") + 1, this.#name.lastIndexOf(" "));
  }
  get head(): string | undefined {
    return this.#name.slice(this.#name.lastIndexOf(" ") + 1) || undefined;
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
  get step_standing(): Listed["step_standing"] {
    return this.#rest.step_standing;
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
    return this.#chunk.rest(this.#row);
  }

  #number(column: keyof typeof AT): number {
    return this.#chunk.numbers[this.#row * WIDTH + AT[column]]!;
  }
}

function numberOr(value: number): number | undefined {
  return Number.isNaN(value) ? undefined : value;
}
