/**
 * Which files of the workspace change while a stage runs: what the system says of each file before, compared with what it says
 * after. A file that was written again with the same bytes counts as changed.
 */
import { join } from "node:path";
import type { Disk, FileStat, FolderEntry } from "../disk.ts";
import type { GitPort, GitTree, IgnoreRules } from "../engine/core/git_port.ts";
import { isTaskfoldError } from "../errors.ts";
import { TEMP_PREFIX } from "../files/atomic.ts";
import { recordedSign, sameRecorded } from "../files/file_sign.ts";
import type { RecordedSign } from "../files/file_sign.ts";
import { errnoOf } from "../files/storage_error.ts";
import { folded, isOwn, OWN } from "../rules/packet/scope.ts";
import { isEncapsulatedPathLexical } from "../state/tsk_name.ts";
import { logEnds } from "../engine/packet/log_ends.ts";
import type { LogEnd } from "../engine/packet/log_ends.ts";

/** Files that are looked at; files beyond are not compared, and the answer says so. */
export const MAX_ENTRIES = 200_000;
const MAX_DEPTH = 64;
/** Folders in which Taskdocs are looked for. */
const MAX_FOLDERS = 20_000;
/** The longest path that each call of the system takes. */
const MAX_PATH_BYTES = 4000;
/** Git tells what changed in it, and lists none of it. */
const GIT = ".git";
/** Seen where it is tracked, or where the scope denies it. */
const MODULES = "node_modules";
const LEFT_OUT: ReadonlySet<string> = new Set([GIT, MODULES]);
const ONLY_GIT: ReadonlySet<string> = new Set([GIT]);
const ONLY_MODULES: ReadonlySet<string> = new Set([MODULES]);
/** Of this machine, ignored by git, and believed by what stands in it alone. */
const OF_MACHINE: ReadonlySet<string> = new Set([`${OWN}/registry`, `${OWN}/locks`]);

function isBelow(path: string, name: string): boolean {
  return path.split("/").includes(name);
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
  /**
   * Pipes, folders that are kept from this user, and repositories: git lists none of them. By path, with the path by which git is asked
   * whether it ignores them.
   */
  unlisted: ReadonlyMap<string, string>;
  /** By path: how far the logs of the workspace went. */
  logs: ReadonlyMap<string, LogEnd>;
}

/** Stands for the files that were not looked at: they may hide what no scope allows (PACKET-382). */
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
  const take = (path: string, mark: RecordedSign): void => void marks.set(path, mark);
  const walk = new Walk(context, take);
  const listed = git && rules !== null ? listedBy(git, rules) : undefined;
  const beside = besideList(context, listed);
  const complete = [
    listed ? walk.listed(listed) : walk.into("", 0, git ? LEFT_OUT : ONLY_MODULES),
    ...denied.map((entry) => walk.covered(entry)),
    ...beside.packages.map((path) => walk.entry(path, 0, ONLY_GIT)),
    new Walk(context, take).entry(OWN, 0, OF_MACHINE),
  ];
  const unlisted = new Map<string, string>();
  for (const { path, mark, asked } of beside.entries) {
    if (marks.has(path)) continue;
    marks.set(path, mark);
    unlisted.set(path, asked);
  }
  const modules = new Set(innerOf(listed));
  const repositories = beside.repositories.filter((path) => !modules.has(path));
  for (const [path, mark] of controlMarks(git, [...modules, ...repositories])) {
    marks.set(path, mark);
    const folder = repositories.find((one) => path.startsWith(`${one}/${GIT}`));
    if (folder !== undefined) unlisted.set(path, `${folder}/`);
  }
  return {
    marks,
    complete: complete.every(Boolean),
    index: listed?.index ?? new Map(),
    rules: listed?.rules ?? null,
    denied,
    unlisted,
    logs: logEnds(context.disk, context.root),
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
  for (const [path, mark] of after.marks)
    if (isUnknown(mark) || !sameRecorded(before.marks.get(path) ?? null, mark)) paths.push(path);
  for (const [path, mark] of before.marks)
    if (!after.marks.has(path) && !sameRecorded(markAt(context, path), mark)) paths.push(path);
  if (before.complete && !after.complete) paths.push(TOO_MANY);
  const hidden = ignoredOf(paths, before, after, context);
  return {
    paths: paths.filter((path) => !hidden.has(path)).toSorted(),
    staged: stagedSince(before, after),
    complete: before.complete && after.complete,
  };
}

const NOTHING: ReadonlySet<string> = new Set();

/** Of what git does not list, that which its rules ignore. Git is asked only where such a path changed. */
function ignoredOf(
  paths: readonly string[],
  before: WorkTree,
  after: WorkTree,
  { git }: WorkTreeContext,
): ReadonlySet<string> {
  const askedAs = (path: string): string | undefined => before.unlisted.get(path) ?? after.unlisted.get(path);
  const unlisted = paths.filter((path) => askedAs(path) !== undefined);
  if (unlisted.length === 0 || !git || !before.rules) return NOTHING;
  const hidden = git.ignored([...new Set(unlisted.map((path) => askedAs(path)!))], before.rules);
  return new Set(unlisted.filter((path) => hidden.has(askedAs(path)!)));
}

/** Nothing can be said where one of both was not listed. */
function stagedSince(before: WorkTree, after: WorkTree): string[] {
  if (!before.rules || !after.rules) return [];
  const paths = [...new Set([...before.index.keys(), ...after.index.keys()])];
  return paths.filter((path) => before.index.get(path) !== after.index.get(path));
}

/** Undefined where the list is longer than git may say. */
function listedBy(git: GitPort, rules: IgnoreRules | undefined): GitTree | undefined {
  try {
    return git.workTree([...LEFT_OUT, `/${OWN}`], rules);
  } catch (e) {
    if (isTaskfoldError(e) && e.code === "CONTENT_TOO_LARGE") return undefined;
    throw e;
  }
}

type Take = (path: string, mark: RecordedSign) => void;

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
      if (isOwn(path) || (isBelow(path, MODULES) && !index.has(path))) continue;
      // Another repository is one entry of the list; its files are in the work tree all the same.
      const name = path.endsWith("/") ? path.slice(0, -1) : path;
      complete = this.entry(name, 0) && complete;
    }
    return complete;
  }

  /** Paths that an entry of `scope.deny` covers, in whatever case it is written (PACKET-57). */
  covered(entry: string): boolean {
    let found = [""];
    for (const name of entry.split("/").filter((part) => part !== "" && part !== "."))
      found = found.flatMap((folder) =>
        known(entriesAt(this.#on, folder))
          .filter((one) => one.name !== GIT && folded(one.name) === folded(name))
          .map((one) => below(folder, one.name)),
      );
    const walked = found.map((path) => (path === "" ? this.into("", 0, ONLY_GIT) : this.entry(path, 0, ONLY_GIT)));
    return walked.every(Boolean);
  }

  /** A file, or all that a folder holds. A link is an entry by itself and is not followed. `leftOut`: names, or paths. */
  entry(path: string, depth: number, leftOut = LEFT_OUT): boolean {
    if (this.#left-- <= 0 || depth > MAX_DEPTH) return false;
    const stat = statAt(this.#on, path);
    if (stat === "refused") this.#take(path, markOfRefused(this.#on, path));
    else if (stat?.kind === "folder") return this.into(path, depth + 1, leftOut);
    else if (stat) this.#take(path, recordedSign(stat));
    return true;
  }

  into(path: string, depth: number, leftOut = LEFT_OUT): boolean {
    const entries = entriesAt(this.#on, path);
    if (entries === "refused") this.#take(path, markOfRefused(this.#on, path));
    if (entries === "refused") return true;
    let complete = true;
    for (const { name } of entries) {
      const at = below(path, name);
      if (leftOut.has(name) || leftOut.has(at) || at === OWN || at === GIT || isTemporary(at)) continue;
      complete = this.entry(at, depth, leftOut) && complete;
    }
    return complete;
  }
}

function known(entries: FolderEntry[] | "refused"): FolderEntry[] {
  return entries === "refused" ? [] : entries;
}

function below(folder: string, name: string): string {
  return folder === "" ? name : `${folder}/${name}`;
}

/** The engine writes a file under such a name, then gives it its own. Git ignores it. */
function isTemporary(path: string): boolean {
  return isOwn(path) && path.slice(path.lastIndexOf("/") + 1).startsWith(TEMP_PREFIX);
}

interface Beside {
  /** Taskdocs, also where git ignores them (PACKET-300). */
  packages: string[];
  /** Folders with a `.git` of their own. */
  repositories: string[];
  /** Pipes and the like, and folders that are kept from this user. */
  entries: { path: string; mark: RecordedSign; asked: string }[];
}

/**
 * Finds what git does not list. Folders with something that it lists come first, then those near the root, so that deep folders of tools
 * hide none of it.
 */
function besideList(on: WorkTreeContext, listed: GitTree | undefined): Beside {
  const found: Beside = { packages: [], repositories: [], entries: [] };
  const folders = new Set(["", ...(listed?.paths ?? []).flatMap((path) => folderOf(path))]);
  let left = folders.size + MAX_FOLDERS;
  for (const folder of folders) {
    if (left-- <= 0) break;
    const entries = entriesAt(on, folder);
    if (entries === "refused")
      found.entries.push({ path: folder, mark: markOfRefused(on, folder), asked: `${folder}/` });
    for (const { name, kind } of known(entries).toSorted(byName)) {
      const path = below(folder, name);
      if (path === GIT || isOwn(path) || name === MODULES) continue;
      if (name === GIT) found.repositories.push(folder);
      else if (kind === "special file") found.entries.push({ path, mark: markAt(on, path) ?? UNKNOWN, asked: path });
      else if (kind === "folder" && isEncapsulatedPathLexical(name)) found.packages.push(path);
      else if (kind === "folder") folders.add(path);
    }
  }
  return found;
}

/** None for what lies beside the root, and for what is looked at otherwise. */
function folderOf(path: string): string[] {
  const end = path.lastIndexOf("/", path.length - 2);
  return end <= 0 || path.startsWith("../") || isOwn(path) || isBelow(path, MODULES) ? [] : [path.slice(0, end)];
}

function byName(a: FolderEntry, b: FolderEntry): number {
  return a.name < b.name ? -1 : 1;
}

/** Of what stands for files outside of the repository, too. */
export function markNow(context: WorkTreeContext, path: string): RecordedSign | null {
  if (!isBelow(path, GIT)) return markAt(context, path);
  const inner = path.startsWith(`${GIT}/`) ? [] : [path.slice(0, path.indexOf(`/${GIT}`))];
  return new Map(controlMarks(context.git, inner)).get(path) ?? markAt(context, path);
}

/** Null where there is no file, or a folder by now. */
function markAt(on: OnDisks, path: string): RecordedSign | null {
  const stat = statAt(on, path);
  if (stat === "refused") return markOfRefused(on, path);
  if (stat?.kind !== "folder") return stat ? recordedSign(stat) : null;
  return entriesAt(on, path) === "refused" ? markOfRefused(on, path) : null;
}

/** Stands for what may have changed, whatever is seen of it. */
const UNKNOWN: RecordedSign = [-1, 0, 0, 0];

function isUnknown([size]: RecordedSign): boolean {
  return size < 0;
}

/**
 * To change a file in a folder that is kept from him, a user first changes the mode of that folder. If he may enter the folder without
 * reading it, nothing is known.
 */
function markOfRefused(on: OnDisks, path: string): RecordedSign {
  for (let at = path; ; at = at.slice(0, Math.max(at.lastIndexOf("/"), 0))) {
    const stat = statAt(on, at);
    if (stat !== "refused" && stat !== undefined)
      return on.disk.outside.isExecutable(join(on.root, at)) ? UNKNOWN : recordedSign(stat);
    if (at === "") return UNKNOWN;
  }
}

/** Undefined where there is nothing of that name. */
function statAt(on: OnDisks, path: string): FileStat | "refused" | undefined {
  return unlessRefused(path, undefined, () => diskFor(on, path).lstat(join(on.root, path)));
}

/** None where there is no such folder. */
function entriesAt(on: OnDisks, path: string): FolderEntry[] | "refused" {
  return unlessRefused(path, [], () => diskFor(on, path).entries(join(on.root, path)));
}

/** By these the system says that there is no such file, or no such folder but a link. */
const ABSENT: ReadonlySet<string> = new Set(["ENOENT", "ENOTDIR", "ELOOP"]);

function unlessRefused<T, N>(path: string, none: N, look: () => T): T | N | "refused" {
  if (Buffer.byteLength(path) > MAX_PATH_BYTES) return "refused";
  try {
    return look();
  } catch (e) {
    const errno = errnoOf(e);
    if (errno === undefined) throw e;
    return ABSENT.has(errno) ? none : "refused";
  }
}

// Changes of a stage to git itself, seen as changes of files below `.git` (PACKET-382).
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
