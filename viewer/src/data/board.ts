/** All rows of the board. Pages come one after the other, and a change brings its rows, or all of them again. */
import type { BoardAnswer, BoardRow, ChangeEvent } from "../../../src/views/viewer/api.ts";
import { store } from "../store.ts";
import { names } from "./names.ts";
import { load, NO_CONNECTION, Refusal } from "./source.ts";

export interface Board {
  rows: readonly BoardRow[];
  /** Of how many; more than `rows` while pages are still to come. */
  total: number;
  complete: boolean;
  /** Folders that could not be read. */
  warnings: number;
  refusal: Refusal | undefined;
}

export const board = store<Board>({ rows: [], total: 0, complete: false, warnings: 0, refusal: undefined });

let started = false;
let timer: ReturnType<typeof setTimeout> | undefined;
const PAUSE = 120;
/** Readings so far: of two at once the newer one counts. */
let begun = 0;
let ended = 0;

/** Reads the board once, whichever page asks first, and again after a failure. */
export function openBoard(): void {
  if (started && !board.get().refusal) return;
  started = true;
  void readAll();
}

export function refreshBoard(): void {
  if (started) void readAll();
}

async function readAll(): Promise<void> {
  const mine = ++begun;
  try {
    const first = await readPage(0);
    const read = [first.rows];
    // The first page is shown at once only where nothing stands on the board yet: it must not shrink under a reader.
    if (board.get().rows.length === 0) publish(read, first, first.pages === 1);
    const rest = Array.from({ length: first.pages - 1 }, (_, index) => readPage(index + 1));
    for (const answer of await Promise.all(rest)) read.push(answer.rows);
    if (mine === begun) publish(read, first, true);
  } catch (error) {
    const refusal = error instanceof Refusal ? error : new Refusal(NO_CONNECTION, String(error));
    if (mine === begun) board.set({ ...board.get(), refusal });
  } finally {
    ended = Math.max(ended, mine);
  }
}

async function readPage(page: number): Promise<BoardAnswer> {
  return (await load(names.board(page).text)) as BoardAnswer;
}

function publish(read: readonly BoardRow[][], { total, warnings }: BoardAnswer, complete: boolean): void {
  board.set({ rows: read.flat(), total, complete, warnings: warnings.length, refusal: undefined });
}

export function takeChanges({ changes, others }: ChangeEvent): void {
  if (!started) return;
  const { rows, complete } = board.get();
  const fresh = new Map(others.map((row) => [row.id, row]));
  for (const { id, row } of changes) if (row) fresh.set(id, row);
  const known = new Set(rows.map(({ id }) => id));
  const moved = changes.some(({ id, what, row }) => what !== "changed" || !row || !known.has(id));
  // A row that comes or goes moves others over the borders of pages. A page that is on its way may hold the older row.
  if (moved || !complete || ended < begun) readSoon();
  if (!moved) board.set({ ...board.get(), rows: rows.map((row) => fresh.get(row.id) ?? row) });
}

function readSoon(): void {
  timer ??= setTimeout(() => {
    timer = undefined;
    void readAll();
  }, PAUSE);
}
