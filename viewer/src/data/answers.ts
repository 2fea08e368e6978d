/** Answers that the page holds. One that is read again stays on the page until the newer one is there: nothing flickers. */
import { useEffect, useState } from "preact/hooks";
import { isAbout, isAboutOthers, isFixed, isKept } from "./names.ts";
import type { Name } from "./names.ts";
import type { Refusal } from "./source.ts";
import { load, NO_ACCESS, NO_CONNECTION, refusalOf } from "./source.ts";

export interface Held<T> {
  value: T | undefined;
  refusal: Refusal | undefined;
}

interface Entry {
  held: Held<unknown>;
  watchers: Set<() => void>;
  /** Ends the reading that is under way. */
  reading: AbortController | undefined;
  /** It changed while it was being read. */
  stale: boolean;
  readAt: number;
  timer: ReturnType<typeof setTimeout> | undefined;
  /** When the timer goes off. */
  due: number;
}

const entries = new Map<string, Entry>();
/** Answers without a reader that are kept for a way back, at most. */
const MAX_KEPT = 120;
/** Milliseconds between two readings. The page of a change is read at once, and a page that may mention it less often. */
const PAUSE = { own: 60, others: 700 };
/** Milliseconds that a slider rests before the page asks for what it stands at. */
export const REST = 120;

function entryOf(name: string): Entry {
  const found = entries.get(name);
  if (found) return found;
  const made: Entry = {
    held: { value: undefined, refusal: undefined },
    watchers: new Set(),
    reading: undefined,
    stale: false,
    readAt: 0,
    timer: undefined,
    due: 0,
  };
  entries.set(name, made);
  dropOld();
  return made;
}

function dropOld(): void {
  if (entries.size <= MAX_KEPT) return;
  for (const [name, entry] of entries) {
    if (entry.watchers.size === 0 && !entry.reading) drop(name, entry);
    if (entries.size <= MAX_KEPT) return;
  }
}

/** Another entry may stand under this name by now. */
function drop(name: string, entry: Entry): void {
  clearTimeout(entry.timer);
  if (entries.get(name) === entry) entries.delete(name);
}

async function read(name: string, entry: Entry): Promise<void> {
  if (entry.reading) {
    entry.stale = true;
    return;
  }
  const reading = new AbortController();
  entry.reading = reading;
  entry.stale = false;
  entry.readAt = Date.now();
  const held = await load(name, reading.signal).then(
    (value): Held<unknown> => ({ value, refusal: undefined }),
    (error: unknown): Held<unknown> => {
      const refusal = refusalOf(error);
      // Earlier answers stay on the page while the server is away.
      const isAway = refusal.code === NO_CONNECTION || refusal.code === NO_ACCESS;
      return { value: isAway ? entry.held.value : undefined, refusal };
    },
  );
  // Given up: another reading may be under way by now.
  if (entry.reading !== reading) return;
  entry.held = held;
  entry.reading = undefined;
  for (const watcher of entry.watchers) watcher();
  if (entry.stale) readSoon(name, entry, PAUSE.own);
}

function readSoon(name: string, entry: Entry, pause: number): void {
  const due = Math.max(Date.now(), entry.readAt + pause);
  if (entry.timer !== undefined && entry.due <= due) return;
  clearTimeout(entry.timer);
  entry.due = due;
  entry.timer = setTimeout(() => {
    entry.timer = undefined;
    if (entry.watchers.size > 0) void read(name, entry);
    else drop(name, entry);
  }, due - Date.now());
}

/** Reads again what a change of these plans and tasks concerns; all that can change where `ids` is undefined. */
export function refresh(ids?: readonly string[]): void {
  for (const [name, entry] of entries) {
    if (isFixed(name)) continue;
    if (!ids || ids.some((id) => isAbout(name, id))) readSoon(name, entry, PAUSE.own);
    else if (isAboutOthers(name)) readSoon(name, entry, PAUSE.others);
  }
}

/** Reads these again while a part of the page shows them. The others are dropped, or stay where nothing says that they changed. */
export function refreshWhere(isWanted: (name: string) => boolean, others: "drop" | "stay" = "drop"): void {
  for (const [name, entry] of entries)
    if (isWanted(name) && (others === "drop" || entry.watchers.size > 0)) readSoon(name, entry, PAUSE.others);
}

export function askAgain(name: Name<unknown>): void {
  void read(name.text, entryOf(name.text));
}

/**
 * Keeps the answer up to date until the function that it returns is called. With `rest` it asks only after so many milliseconds, and
 * a reading that is left without a watcher is given up.
 */
export function watch(name: string, seen: () => void, rest = 0): () => void {
  const entry = entryOf(name);
  entry.watchers.add(seen);
  const ask = (): void => {
    if (entry.held.value === undefined || entry.held.refusal) void read(name, entry);
  };
  const timer = rest > 0 ? setTimeout(ask, rest) : undefined;
  if (timer === undefined) ask();
  return () => {
    clearTimeout(timer);
    entry.watchers.delete(seen);
    if (rest === 0 || entry.watchers.size > 0) return;
    entry.reading?.abort();
    entry.reading = undefined;
  };
}

/** The answer of this name, kept up to date while the part that asks is on the page. `null` asks for nothing. */
export function useAnswer<T>(name: Name<T> | null, rest = 0): Held<T> {
  const text = name?.text;
  const [, setSeen] = useState(0);
  useEffect(() => {
    if (text === undefined) return;
    const seen = (): void => setSeen((n) => n + 1);
    const leave = watch(text, seen, rest);
    seen();
    return leave;
  }, [text, rest]);
  if (text === undefined) return { value: undefined, refusal: undefined };
  return (entries.get(text)?.held as Held<T> | undefined) ?? { value: undefined, refusal: undefined };
}

/** The answer once; from what is held where a change of it would have been told. */
export async function answerOf<T>(name: Name<T>): Promise<T> {
  const held = entries.get(name.text)?.held.value;
  return (held !== undefined && isKept(name.text) ? held : await load(name.text)) as T;
}
