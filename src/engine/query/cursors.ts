/**
 * Cursors of the workspace: short tokens, each the name of a saved head list in `registry/cursors`. The name is a digest of
 * the list, so the same heads have the same token and a damaged file is noticed. The files may vanish at any moment;
 * then the cursor has expired (DELTA rules).
 */
import { dirname, join } from "node:path";
import { TaskfoldError } from "../../errors.ts";
import { readCache, removeQuietly, writeAtomic } from "../../files/atomic.ts";
import { ensureDurableFolder, listFolder } from "../../files/folders.ts";
import { storageError } from "../../files/storage_error.ts";
import { sha256 } from "../../log/canonical.ts";
import type { SeenLog } from "../entity/ops_since.ts";
import type { EngineContext } from "../core/context.ts";

/** The seen part of each entity's log, by its root. */
export type SeenLogs = ReadonlyMap<string, SeenLog>;

const TOKEN = /^[A-Za-z0-9_-]{22}$/;
const MOST = 1000;
/** A large workspace keeps fewer, but never less than `LEAST`. */
const MAX_BYTES = 64 * 1024 * 1024;
const LEAST = 50;

/** A list and the token that names it. */
export interface Cursor {
  token: string;
  text: string;
}

export function cursorOf(seen: SeenLogs): Cursor {
  const rows = [...seen]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([root, { heads, at, part }]) => [root, heads, at ?? null, ...(part ? [part] : [])]);
  const text = JSON.stringify([1, rows]);
  return { token: sha256(text).slice(0, 22), text };
}

const NOTHING: Cursor = cursorOf(new Map());

export function isToken(text: string): boolean {
  return TOKEN.test(text);
}

export class Cursors {
  readonly #context: EngineContext;

  constructor(context: EngineContext) {
    this.#context = context;
  }

  /** CURSOR_EXPIRED when the list is not there any more. */
  read(token: string): SeenLogs {
    if (token === NOTHING.token) return new Map();
    const { disk, cursors } = this.#context;
    const text = cursors?.get(token) ?? readCache(disk, this.#path(token), MAX_BYTES)?.toString("utf8");
    const rows = text !== undefined && sha256(text).slice(0, 22) === token ? rowsOf(text) : undefined;
    if (!rows) throw expired(token);
    return new Map(
      rows.map(([root, heads, at, part]) => [
        root,
        { heads, ...(at === null ? {} : { at }), ...(part === undefined ? {} : { part }) },
      ]),
    );
  }

  /** Keeps a list, if it is not there, so that its token can be given out. An empty one needs no file. */
  keep({ token, text }: Cursor): void {
    const { disk, cursors } = this.#context;
    if (cursors) return keepInMemory(cursors, { token, text });
    const path = this.#path(token);
    if (token === NOTHING.token || disk.lstat(path)) return;
    try {
      ensureDurableFolder(disk, dirname(path));
      this.#makeRoom(dirname(path), Math.min(MOST, Math.max(LEAST, Math.floor(MAX_BYTES / text.length))));
      writeAtomic(disk, path, text);
    } catch (e) {
      throw storageError(e, "keep the cursor");
    }
  }

  /** Removes the oldest, a tenth more than is needed: looking at their times is what costs. */
  #makeRoom(folder: string, most: number): void {
    const { disk } = this.#context;
    const names = listFolder(disk, folder);
    if (names.length < most) return;
    const aged = names
      .map((name) => ({ path: join(folder, name), time: disk.lstat(join(folder, name))?.mtimeMs ?? 0 }))
      .toSorted((a, b) => a.time - b.time);
    for (const { path } of aged.slice(0, names.length - Math.floor(most * 0.9))) removeQuietly(disk, path);
  }

  #path(token: string): string {
    return this.#context.layout.machineFile("cursors", `${token}.json`);
  }
}

type CursorRow = [root: string, heads: string[], at: number | null, part?: Record<string, number>];

/** Undefined for what `cursorOf` does not write: the digest in the name proves the bytes and not their author. */
function rowsOf(text: string): CursorRow[] | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (e) {
    if (e instanceof SyntaxError) return undefined;
    throw e;
  }
  if (!Array.isArray(value) || value[0] !== 1 || !Array.isArray(value[1])) return undefined;
  return (value[1] as unknown[]).every(isRow) ? (value[1] as CursorRow[]) : undefined;
}

function isRow(row: unknown): row is CursorRow {
  if (!Array.isArray(row)) return false;
  const [root, heads, at, part] = row as unknown[];
  const isCount = (n: unknown): boolean => Number.isSafeInteger(n) && (n as number) >= 0;
  return (
    typeof root === "string" &&
    Array.isArray(heads) &&
    heads.every((head) => typeof head === "string") &&
    (at === null || isCount(at)) &&
    (part === undefined || (typeof part === "object" && part !== null && Object.values(part).every(isCount)))
  );
}

/** The oldest ones give way. */
function keepInMemory(cursors: Map<string, string>, { token, text }: Cursor): void {
  cursors.delete(token);
  cursors.set(token, text);
  for (const oldest of cursors.keys()) if (cursors.size > LEAST) cursors.delete(oldest);
}

function expired(token: string): TaskfoldError {
  return new TaskfoldError(
    "CURSOR_EXPIRED",
    `Expected a cursor that this machine still keeps; the list behind ${token} is not there any more.`,
    { recovery: "Read from the start, without since." },
  );
}
