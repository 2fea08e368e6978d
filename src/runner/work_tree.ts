/**
 * Which files of the workspace change while a stage runs: what the system says of each file before, compared with what it says
 * after. A file that was written again with the same bytes counts as changed.
 */
import { join } from "node:path";
import type { Disk, FileStat } from "../disk.ts";
import type { GitPort, GitTree, IgnoreRules } from "../engine/core/git_port.ts";
import { isTaskfoldError } from "../errors.ts";
import { recordedSign, sameRecorded } from "../files/file_sign.ts";
import type { RecordedSign } from "../files/file_sign.ts";
import { unlessRefused } from "../files/storage_error.ts";
import { folded } from "../rules/packet/scope.ts";
import { isEncapsulatedPathLexical } from "../state/tsk_name.ts";

/** Files that are looked at; files beyond are not compared, and the answer says so. */
export const MAX_ENTRIES = 200_000;
const MAX_DEPTH = 64;
/** Folders in which Taskdocs are looked for. */
const MAX_FOLDERS = 20_000;
/** Nothing that a stage is asked to change. */
const OWN: ReadonlySet<string> = new Set([".git", ".coco"]);
/** Folders of plans and tasks. */
const HOMES = [".coco/tasks", ".coco/archive"] as const;
const NOTHING: ReadonlySet<string> = new Set();
/** Seen where it is tracked, or where the scope denies it. */
const LEFT_OUT: ReadonlySet<string> = new Set([...OWN, "node_modules"]);

/** Whether no change of it counts, also of one that git has. */
export function isOwn(path: string): boolean {
  return holds(path, OWN);
}

function holds(path: string, names: ReadonlySet<string>): boolean {
  return path.split("/").some((name) => names.has(name));
}

/** Files of the work tree outside of the root, which is all that a disk of the root shows. */
export function diskFor({ disk, anywhere }: OnDisks, path: string): Disk {
  return path.startsWith("../") ? anywhere : disk;
}

export interface WorkTree {
  marks: ReadonlyMap<string, RecordedSign>;
  /** Whether every file was looked at. */
  complete: boolean;
  /** By path: what the index of git has. */
  index: ReadonlyMap<string, string>;
  /** By which git hid new files; null where the folder was walked. */
  rules: IgnoreRules | null;
  /** Entries of `scope.deny`: what they cover was looked at, as Taskdocs are, also where git hides it. */
  denied: readonly string[];
}

/** Stands for the files that were not looked at: they may hide what no scope allows (PACKET-306). */
const TOO_MANY = ".git/too-many-files";

export interface WorkTreeChange {
  /** Sorted; new, changed and removed files. */
  paths: string[];
  /** Paths that the index of git has otherwise. */
  staged: string[];
  complete: boolean;
}

/** `disk` shows what is below `root`, `anywhere` all. */
interface OnDisks {
  disk: Disk;
  anywhere: Disk;
  root: string;
}

export interface WorkTreeContext extends OnDisks {
  git: GitPort | undefined;
}

/** How to look: `rules` left out are those of now, and null walks the folder. */
export type How = Pick<WorkTree, "denied"> & { rules?: IgnoreRules | null };

/** Without git the folder is walked. */
export function readWorkTree(context: WorkTreeContext, { denied, rules }: How): WorkTree {
  const { git } = context;
  const marks = new Map<string, RecordedSign>();
  const walk = new Walk(context, (path, stat) => marks.set(path, recordedSign(stat)));
  const listed = git && rules !== null ? listedBy(git, rules) : undefined;
  const complete = [
    listed ? walk.listed(listed) : walk.into("", 0),
    ...denied.map((entry) => walk.covered(entry)),
    ...[...packagesOfTasks(context), ...packagesBelow(context)].map((path) => walk.entry(path, 0, NOTHING)),
  ];
  for (const [path, mark] of controlMarks(git, innerOf(listed))) marks.set(path, mark);
  return {
    marks,
    complete: complete.every(Boolean),
    index: listed?.index ?? new Map(),
    rules: listed?.rules ?? null,
    denied,
  };
}

export type DiffFit = "applies" | "applied" | "neither" | "no_git";

/** Without git there is no answer. CONTENT_TOO_LARGE where the diff, or a file that it changes, is more than is read. */
export function diffApplies(git: GitPort | undefined, diff: string): DiffFit {
  return git?.diffApplies(diff) ?? "no_git";
}

/** New files are judged by the rules of before, and what is no longer listed is looked at all the same. */
export function changedSince(before: WorkTree, context: WorkTreeContext): WorkTreeChange {
  const after = readWorkTree(context, before);
  const paths: string[] = [];
  for (const [path, mark] of after.marks) if (!sameRecorded(before.marks.get(path) ?? null, mark)) paths.push(path);
  for (const [path, mark] of before.marks)
    if (!after.marks.has(path) && !sameRecorded(markAt(context, path), mark)) paths.push(path);
  if (before.complete && !after.complete) paths.push(TOO_MANY);
  return { paths: paths.toSorted(), staged: stagedSince(before, after), complete: before.complete && after.complete };
}

/** Nothing can be said where one of both was not listed. */
function stagedSince(before: WorkTree, after: WorkTree): string[] {
  if (!before.rules || !after.rules) return [];
  const paths = [...new Set([...before.index.keys(), ...after.index.keys()])];
  return paths.filter((path) => before.index.get(path) !== after.index.get(path) && !isOwn(path));
}

/** Undefined where the list is longer than git may say. */
function listedBy(git: GitPort, rules: IgnoreRules | undefined): GitTree | undefined {
  try {
    return git.workTree([...LEFT_OUT], rules);
  } catch (e) {
    if (isTaskfoldError(e) && e.code === "CONTENT_TOO_LARGE") return undefined;
    throw e;
  }
}

type Take = (path: string, stat: FileStat) => void;

class Walk {
  readonly #on: OnDisks;
  readonly #take: Take;
  #left = MAX_ENTRIES;

  constructor(on: OnDisks, take: Take) {
    this.#on = on;
    this.#take = take;
  }

  /** Each of what git lists. False where there were more than are looked at. */
  listed({ paths, index }: GitTree): boolean {
    let complete = true;
    for (const path of paths) {
      if (holds(path, index.has(path) ? OWN : LEFT_OUT)) continue;
      // Another repository is one entry of the list; its files are in the work tree all the same.
      const name = path.endsWith("/") ? path.slice(0, -1) : path;
      complete = this.entry(name, 0) && complete;
    }
    return complete;
  }

  /** Paths that an entry of `scope.deny` covers, in whatever case it is written (PACKET-294). */
  covered(entry: string): boolean {
    let found = [""];
    for (const name of entry.split("/").filter((part) => part !== "" && part !== "."))
      found = found.flatMap((folder) =>
        namesAt(this.#on, folder)
          .filter((one) => !OWN.has(one) && folded(one) === folded(name))
          .map((one) => (folder === "" ? one : `${folder}/${one}`)),
      );
    return found.map((path) => (path === "" ? this.into("", 0, OWN) : this.entry(path, 0, OWN))).every(Boolean);
  }

  /** A file, or all that a folder holds. A link is an entry by itself and is not followed. */
  entry(path: string, depth: number, leftOut = LEFT_OUT): boolean {
    if (this.#left-- <= 0 || depth > MAX_DEPTH) return false;
    const stat = statAt(this.#on, path);
    if (stat?.kind === "folder") return this.into(path, depth + 1, leftOut);
    if (stat) this.#take(path, stat);
    return true;
  }

  into(path: string, depth: number, leftOut = LEFT_OUT): boolean {
    let complete = true;
    for (const name of namesAt(this.#on, path)) {
      if (leftOut.has(name)) continue;
      complete = this.entry(path === "" ? name : `${path}/${name}`, depth, leftOut) && complete;
    }
    return complete;
  }
}

/** The Taskdocs of all plans and tasks, live and archived (PACKET-382). */
function packagesOfTasks(on: OnDisks): string[] {
  const folders = HOMES.flatMap((home) => namesAt(on, home).map((name) => `${home}/${name}`));
  return folders.flatMap((folder) =>
    namesAt(on, folder)
      .filter(isEncapsulatedPathLexical)
      .map((name) => `${folder}/${name}`),
  );
}

/** Other Taskdocs, also where git ignores them (PACKET-302): what is near the root first, so that deep folders of tools hide none of it. */
function packagesBelow(on: OnDisks): string[] {
  const folders = [""];
  const found: string[] = [];
  for (let at = 0; at < Math.min(folders.length, MAX_FOLDERS); at++) {
    const folder = folders[at]!;
    for (const name of foldersAt(on, folder).toSorted()) {
      if (LEFT_OUT.has(name)) continue;
      (isEncapsulatedPathLexical(name) ? found : folders).push(folder === "" ? name : `${folder}/${name}`);
    }
  }
  return found;
}

/** Of what stands for files outside of the repository, too. */
export function markNow(context: WorkTreeContext, path: string): RecordedSign | null {
  if (!path.startsWith(".git/core.")) return markAt(context, path);
  return new Map(controlMarks(context.git, [])).get(path) ?? null;
}

/** Null where there is no file, or a folder by now. */
function markAt(on: OnDisks, path: string): RecordedSign | null {
  const stat = statAt(on, path);
  return stat && stat.kind !== "folder" ? recordedSign(stat) : null;
}

function statAt(on: OnDisks, path: string): FileStat | undefined {
  return unlessRefused(() => diskFor(on, path).lstat(join(on.root, path)));
}

function namesAt(on: OnDisks, path: string): string[] {
  return unlessRefused(() => diskFor(on, path).readdir(join(on.root, path))) ?? [];
}

function foldersAt(on: OnDisks, path: string): string[] {
  return unlessRefused(() => diskFor(on, path).readFolders(join(on.root, path))) ?? [];
}

// Changes of a stage to git itself, seen as changes of files below `.git` (PACKET-285).
const DIGITS = 12;

/** By content: tools write the configuration anew without a change. */
function controlMarks(git: GitPort | undefined, inner: readonly string[]): [string, RecordedSign][] {
  return (git?.controlFiles(inner) ?? []).map(({ path, sha256 }) => {
    const part = (n: number): number => Number.parseInt(sha256.slice(n * DIGITS, (n + 1) * DIGITS), 16);
    return [path, [part(0), part(1), part(2), part(3)]];
  });
}

/** Submodules, as git lists them. */
function innerOf(listed: GitTree | undefined): string[] {
  return [...(listed?.index ?? [])].flatMap(([path, entry]) => (entry.startsWith("160000 ") ? [path] : []));
}
