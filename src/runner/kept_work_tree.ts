/** A look at the work tree, kept on this machine, so that a second process can compare: the first may be gone by then. */
import { dirname } from "node:path";
import type { Disk } from "../disk.ts";
import { readCache, removeQuietly, writeAtomic } from "../files/atomic.ts";
import { ensureFolder } from "../files/folders.ts";
import type { Layout } from "../files/layout.ts";
import type { Mark, WorkTree } from "./work_tree.ts";

const VERSION = 1;
const MOST_BYTES = 64 * 1024 * 1024;

export class KeptWorkTrees {
  readonly #disk: Disk;
  readonly #layout: Layout;

  constructor(disk: Disk, layout: Layout) {
    this.#disk = disk;
    this.#layout = layout;
  }

  /** `run`: names one attempt of one stage. */
  keep(task: string, run: string, { marks, complete }: WorkTree): void {
    const path = this.#path(task, run);
    ensureFolder(this.#disk, dirname(path));
    writeAtomic(this.#disk, path, JSON.stringify({ v: VERSION, complete, marks: [...marks] }));
  }

  /** Undefined where it was not kept on this machine, or is not what was kept. */
  read(task: string, run: string): WorkTree | undefined {
    const bytes = readCache(this.#disk, this.#path(task, run), MOST_BYTES);
    const kept = bytes && parsed(bytes.toString("utf8"));
    if (!isKept(kept)) return undefined;
    return { marks: new Map(kept.marks), complete: kept.complete };
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
  marks: [string, Mark][];
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
  if (typeof value !== "object" || value === null || !("v" in value) || value.v !== VERSION) return false;
  if (!("complete" in value) || typeof value.complete !== "boolean") return false;
  return "marks" in value && Array.isArray(value.marks) && value.marks.every(isEntry);
}

function isEntry(entry: unknown): entry is [string, Mark] {
  if (!Array.isArray(entry) || typeof entry[0] !== "string") return false;
  const mark: unknown = entry[1];
  return Array.isArray(mark) && mark.length === 4 && mark.every((value) => typeof value === "number");
}
