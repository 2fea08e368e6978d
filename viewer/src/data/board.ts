/** All rows of the board. Pages come one after the other, and a change brings its row, or its page again. */
import type { BoardRow, ChangeEvent } from "../../../src/views/viewer/api.ts";
import { store } from "../store.ts";
import { names } from "./names.ts";
import { load, NO_CONNECTION, Refusal } from "./source.ts";
import type { BoardAnswer } from "../../../src/views/viewer/api.ts";

export interface Board {
  rows: readonly BoardRow[];
  /** Of how many; more than `rows` while pages are still to come. */
  total: number;
  complete: boolean;
  refusal: Refusal | undefined;
}

export const board = store<Board>({ rows: [], total: 0, complete: false, refusal: undefined });

/** Rows of each page, in the order of the server. */
let pages: BoardRow[][] = [];
let started = false;
const due = new Set<number>();
let timer: ReturnType<typeof setTimeout> | undefined;
const PAUSE = 120;

/** Reads the board once, whichever page asks first. */
export function openBoard(): void {
  if (started) return;
  started = true;
  void readAll();
}

export function refreshBoard(): void {
  if (started) void readAll();
}

async function readAll(): Promise<void> {
  try {
    const first = await readPage(0);
    const read: BoardRow[][] = [[...first.rows]];
    // The first page is shown at once only where nothing stands on the board yet: it must not shrink under a reader.
    if (board.get().rows.length === 0) publish(read, first.total, first.pages === 1);
    const rest = Array.from({ length: first.pages - 1 }, (_, index) => readPage(index + 1));
    for (const answer of await Promise.all(rest)) read.push([...answer.rows]);
    publish(read, first.total, true);
  } catch (error) {
    const refusal = error instanceof Refusal ? error : new Refusal(NO_CONNECTION, String(error));
    board.set({ ...board.get(), refusal });
    started = false;
  }
}

async function readPage(page: number): Promise<BoardAnswer> {
  return (await load(names.board(page).text)) as BoardAnswer;
}

function publish(read: BoardRow[][], total: number, complete: boolean): void {
  pages = read;
  board.set({ rows: pages.flat(), total, complete, refusal: undefined });
}

export function takeChanges(changes: ChangeEvent["changes"]): void {
  if (!started) return;
  const known = new Map(pages.flatMap((rows, page) => rows.map((row, index) => [row.id, { page, index }] as const)));
  for (const { id } of changes) {
    const place = known.get(id);
    // What came or went moves rows over the borders of pages: all of them are read again.
    due.add(place ? place.page : -1);
  }
  for (const { what } of changes) if (what !== "changed") due.add(-1);
  timer ??= setTimeout(() => void readDue(), PAUSE);
}

async function readDue(): Promise<void> {
  const wanted = [...due];
  due.clear();
  if (wanted.includes(-1)) await readAll();
  else {
    const answers = await Promise.all(wanted.map(readPage)).catch(() => undefined);
    if (!answers) await readAll();
    else {
      for (const answer of answers) pages[answer.page] = [...answer.rows];
      const { total } = board.get();
      publish(pages, total, true);
    }
  }
  timer = due.size > 0 ? setTimeout(() => void readDue(), PAUSE) : undefined;
}
