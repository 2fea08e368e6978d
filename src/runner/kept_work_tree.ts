/** A look at the work tree, kept on this machine, so that a second process can compare: the first may be gone by then. */
import { dirname } from "node:path";
import type { Disk } from "../disk.ts";
import { readCache, removeQuietly, writeAtomic } from "../files/atomic.ts";
import { ensureFolder } from "../files/folders.ts";
import type { Layout } from "../files/layout.ts";
import type { Baseline, Carried } from "./baseline.ts";
import type { Mark } from "./work_tree.ts";

const VERSION = 3;
const MOST_BYTES = 64 * 1024 * 1024;

export class KeptWorkTrees {
  readonly #disk: Disk;
  readonly #layout: Layout;

  constructor(disk: Disk, layout: Layout) {
    this.#disk = disk;
    this.#layout = layout;
  }

  /** `run`: names one attempt of one stage. */
  keep(task: string, run: string, { tree, commit, recorded, carried }: Baseline): void {
    const path = this.#path(task, run);
    ensureFolder(this.#disk, dirname(path));
    const kept: Kept = {
      complete: tree?.complete ?? true,
      marks: tree && [...tree.marks],
      commit,
      recorded: [...recorded],
      carried: [...carried],
    };
    writeAtomic(this.#disk, path, JSON.stringify({ v: VERSION, ...kept }));
  }

  /** Undefined where it was not kept on this machine, or is not what was kept. */
  read(task: string, run: string): Baseline | undefined {
    const bytes = readCache(this.#disk, this.#path(task, run), MOST_BYTES);
    const kept = bytes && parsed(bytes.toString("utf8"));
    if (!isKept(kept)) return undefined;
    const { marks, complete, commit, recorded, carried } = kept;
    const tree = marks && { marks: new Map(marks), complete };
    return { tree, commit, recorded: new Map(recorded), carried: new Map(carried) };
  }

  drop(task: string, run: string): void {
    removeQuietly(this.#disk, this.#path(task, run));
  }

  #path(task: string, run: string): string {
    return this.#layout.machineFile("packet", `${task}.${run}.json`);
  }
}

interface Kept {
  complete: boolean;
  marks: [string, Mark][] | null;
  commit: string | null;
  recorded: [string, string][];
  carried: [string, Carried][];
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (e) {
    // Half of a file that a crash left is as good as none.
    if (e instanceof SyntaxError) return undefined;
    throw e;
  }
}

function isKept(value: unknown): value is Kept {
  if (!isObject(value) || value["v"] !== VERSION || typeof value["complete"] !== "boolean") return false;
  const { marks, commit, recorded, carried } = value;
  if (marks !== null && !isEntries(marks, isMark)) return false;
  return isTextOrNull(commit) && isEntries(recorded, isText) && isEntries(carried, isCarried);
}

function isEntries(value: unknown, isValue: (value: unknown) => boolean): boolean {
  return (
    Array.isArray(value) &&
    value.every((entry) => Array.isArray(entry) && typeof entry[0] === "string" && isValue(entry[1]))
  );
}

function isCarried(value: unknown): boolean {
  if (!isObject(value) || !isTextOrNull(value["commit"]) || !isTextOrNull(value["recorded"])) return false;
  return [value["was"], value["left"]].every((mark) => mark === null || isMark(mark));
}

function isMark(mark: unknown): boolean {
  return Array.isArray(mark) && mark.length === 4 && mark.every((value) => typeof value === "number");
}

function isText(value: unknown): boolean {
  return typeof value === "string";
}

function isTextOrNull(value: unknown): boolean {
  return value === null || isText(value);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
