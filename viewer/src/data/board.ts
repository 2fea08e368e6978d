/** All rows of the board, from its pages. A change brings its rows, and all of them again where one came or went. */
import { compareIds } from "../../../src/state/compare_ids.ts";
import type { BoardAnswer, BoardRow, ChangeEvent } from "../../../src/views/viewer/api.ts";
import { store } from "../store.ts";
import { names } from "./names.ts";
import type { Refusal } from "./source.ts";
import { load, refusalOf } from "./source.ts";

export interface Board {
  rows: readonly BoardRow[];
  /** Of how many; more than `rows` while pages are still to come, or where one was refused. */
  total: number;
  complete: boolean;
  /** Folders that could not be read. */
  warnings: number;
  refusal: Refusal | undefined;
}

export const board = store<Board>({ rows: [], total: 0, complete: false, warnings: 0, refusal: undefined });

/** A row as an event told it last; null where it is gone. */
type RowNews = ReadonlyMap<string, BoardRow | null>;

/** Milliseconds from a change until all rows are read again. */
const PAUSE = 700;
let started = false;
let timer: ReturnType<typeof setTimeout> | undefined;
let isReading = false;
/** Something was asked for while a reading was under way, which may have passed it. */
let isStale = false;
/** Since the reading that is under way began: its pages may be older. */
let landed = new Map<string, BoardRow | null>();

/** Reads the board once, whichever page asks first, and again after a failure. */
export function openBoard(): void {
  if (started && !board.get().refusal) return;
  started = true;
  void readAll();
}

export function refreshBoard(): void {
  if (started) void readAll();
}

/** One reading at a time: changes that never stop would overtake each one before it ends. */
async function readAll(): Promise<void> {
  isStale = isReading;
  if (isReading) return;
  isReading = true;
  landed = new Map();
  try {
    await readPages();
  } catch (error) {
    board.set({ ...board.get(), refusal: refusalOf(error) });
  }
  isReading = false;
  if (isStale) readSoon();
}

async function readPages(): Promise<void> {
  const first = await readPage(0);
  // The first page is shown at once only where nothing stands on the board yet: it must not shrink under a reader.
  if (first.pages > 1 && board.get().rows.length === 0) publish([first], undefined);
  const rest = Array.from({ length: first.pages - 1 }, (_, index) => readPage(index + 1));
  const ended = await Promise.allSettled(rest);
  const pages = ended.flatMap((one) => (one.status === "fulfilled" ? one.value : []));
  const refusals = ended.flatMap((one) => (one.status === "rejected" ? refusalOf(one.reason) : []));
  // Since the first page was read, tasks went: there are fewer pages by now.
  isStale ||= refusals.some(({ code }) => code === "UNKNOWN_ID");
  publish(
    [first, ...pages],
    refusals.find(({ code }) => code !== "UNKNOWN_ID"),
  );
}

async function readPage(page: number): Promise<BoardAnswer> {
  return (await load(names.board(page).text)) as BoardAnswer;
}

function publish(pages: readonly [BoardAnswer, ...BoardAnswer[]], refusal: Refusal | undefined): void {
  const [{ stamp, total, warnings_total }] = pages;
  const isWhole = pages.length === pages[0].pages && pages.every((page) => page.stamp === stamp);
  // A row of a refused page stays as it was. So does one that moved to a page which was read before.
  const before = isWhole ? [] : board.get().rows;
  const read = new Map(pages.flatMap(({ rows }) => rows).map((row) => [row.id, row]));
  const rows = withNews(withNews(before, read), landed);
  board.set({
    rows,
    total: Math.max(total, rows.length),
    complete: rows.length >= total,
    warnings: warnings_total,
    refusal,
  });
}

export function takeChanges({ changes, others }: ChangeEvent): void {
  if (!started) return;
  const news = new Map<string, BoardRow | null>(others.map((row) => [row.id, row]));
  // An event of very many changes has no rows: those that are held stay until the board is read again.
  for (const { id, what, row } of changes) if (row || what === "gone") news.set(id, row);
  if (isReading) for (const [id, row] of news) landed.set(id, row);
  const held = board.get();
  const known = new Set(held.rows.map(({ id }) => id));
  // A row that comes or goes moves others over the borders of pages.
  if (changes.some(({ id, what, row }) => what !== "changed" || !row || !known.has(id))) readSoon();
  const rows = withNews(held.rows, news);
  board.set({ ...held, rows, total: held.complete ? rows.length : Math.max(held.total, rows.length) });
}

/** A row that is there keeps its place, and a new one comes to its own. */
function withNews(rows: readonly BoardRow[], news: RowNews): BoardRow[] {
  const byId = new Map(rows.map((row) => [row.id, row]));
  const known = byId.size;
  for (const [id, row] of news) if (row) byId.set(id, row);
  const isLonger = byId.size > known;
  for (const [id, row] of news) if (!row) byId.delete(id);
  const all = [...byId.values()];
  return isLonger ? all.sort(inOrder) : all;
}

/** As the answers of the board have them. */
function inOrder(a: BoardRow, b: BoardRow): number {
  return Number(a.archived ?? false) - Number(b.archived ?? false) || compareIds(a.id, b.id);
}

function readSoon(): void {
  timer ??= setTimeout(() => {
    timer = undefined;
    void readAll();
  }, PAUSE);
}
