/** A look at the work tree, kept on this machine, so that a second process can compare: the first may be gone by then. */
import { dirname } from "node:path";
import type { Disk } from "../disk.ts";
import { readCache, removeQuietly, writeAtomic } from "../files/atomic.ts";
import type { RecordedSign } from "../files/file_sign.ts";
import { ensureFolder } from "../files/folders.ts";
import type { Layout } from "../files/layout.ts";
import { isObject } from "../state/json.ts";
import type { Baseline, Carried, FailedRules } from "./baseline.ts";
import type { LogEnd } from "../engine/packet/log_ends.ts";
import type { WorkTree } from "./work_tree.ts";

const VERSION = 6;
const MAX_BYTES = 64 * 1024 * 1024;

export class KeptWorkTrees {
  readonly #disk: Disk;
  readonly #layout: Layout;

  constructor(disk: Disk, layout: Layout) {
    this.#disk = disk;
    this.#layout = layout;
  }

  /** `run`: names one attempt of one stage. */
  keep(task: string, run: string, { tree, commit, carried, failed, own }: Baseline): void {
    const path = this.#path(task, run);
    ensureFolder(this.#disk, dirname(path));
    const kept: Kept = {
      tree: tree && {
        ...tree,
        denied: [...tree.denied],
        marks: [...tree.marks],
        index: [...tree.index],
        unlisted: [...tree.unlisted],
        logs: [...tree.logs],
      },
      commit,
      carried: [...carried],
      failed,
      own: [...own],
    };
    writeAtomic(this.#disk, path, JSON.stringify({ v: VERSION, ...kept }));
  }

  /** Undefined where it was not kept on this machine, or is not what was kept. */
  read(task: string, run: string): Baseline | undefined {
    const bytes = readCache(this.#disk, this.#path(task, run), MAX_BYTES);
    const kept = bytes && parsed(bytes.toString("utf8"));
    if (!isKept(kept)) return undefined;
    const { tree, commit, carried, failed, own } = kept;
    return {
      tree: tree && {
        ...tree,
        marks: new Map(tree.marks),
        index: new Map(tree.index),
        unlisted: new Map(tree.unlisted),
        logs: new Map(tree.logs),
      },
      commit,
      carried: new Map(carried),
      failed,
      own: new Map(own),
    };
  }

  drop(task: string, run: string): void {
    removeQuietly(this.#disk, this.#path(task, run));
  }

  #path(task: string, run: string): string {
    return this.#layout.machineFile("packet", `${task}.${run}.json`);
  }
}

interface Kept {
  tree: KeptTree | null;
  commit: string | null;
  carried: [string, Carried][];
  failed: FailedRules | null;
  own: [string, string][];
}

interface KeptTree extends Omit<WorkTree, "marks" | "index" | "unlisted" | "logs"> {
  marks: [string, RecordedSign][];
  index: [string, string][];
  unlisted: [string, string][];
  logs: [string, LogEnd][];
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
  if (!isObject(value) || value["v"] !== VERSION) return false;
  const { tree, commit, carried, failed, own } = value;
  if (!isEntries(own, isText)) return false;
  return (tree === null || isTree(tree)) && isTextOrNull(commit) && isEntries(carried, isCarried) && isFailed(failed);
}

function isTree(tree: unknown): boolean {
  if (!isObject(tree) || typeof tree["complete"] !== "boolean") return false;
  const { marks, index, rules, denied, unlisted, logs } = tree;
  if (!isEntries(marks, isMark) || !isEntries(index, isText) || !isRulesOrNull(rules)) return false;
  if (!isEntries(unlisted, isText) || !isEntries(logs, isLogEnd)) return false;
  return Array.isArray(denied) && denied.every(isText);
}

function isLogEnd(end: unknown): boolean {
  return isObject(end) && typeof end["size"] === "number" && isText(end["sha256"]);
}

function isFailed(failed: unknown): boolean {
  return failed === null || (isObject(failed) && isRulesOrNull(failed["before"]) && isRulesOrNull(failed["left"]));
}

function isRulesOrNull(rules: unknown): boolean {
  return rules === null || (isObject(rules) && isText(rules["patterns"]) && typeof rules["ignoreCase"] === "boolean");
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
