/**
 * The content of the work tree as one list: a mode and the name of a blob for each file, tracked or new. Git's index has them for what did
 * not change, so only changed files are read.
 */
import { join } from "node:path";
import type { GitListing } from "../../engine/core/git_port.ts";
import { nodeDisk } from "../../disk.ts";
import { errnoOf } from "../../files/storage_error.ts";
import { bytesOfName, textOfName } from "../../name_bytes.ts";
import { MAX_LISTED } from "./limits.ts";
import { blobName } from "./objects.ts";
import type { Repository } from "./repository.ts";
import { fromRoot, openRepository, topFrom } from "./repository.ts";
import type { GitInput } from "./run_git.ts";

/** One call of git. */
type Call = readonly [args: readonly string[], input?: GitInput];
/** Calls that may run at once, and their outputs in the same order. */
type Steps = Generator<Call[], GitListing, Buffer[]>;

export function listing(repository: Repository): GitListing {
  const steps = stepsOf(repository);
  for (let step = steps.next(); ;) {
    if (step.done) return step.value;
    step = steps.next(step.value.map(([args, input]) => repository.git(args, input)));
  }
}

/** The same while this process does other things. */
export async function listingBeside(repository: Repository): Promise<GitListing> {
  const steps = stepsOf(repository);
  for (let step = steps.next(); ;) {
    if (step.done) return step.value;
    step = steps.next(await Promise.all(step.value.map(([args, input]) => repository.beside(args, input))));
  }
}

/** Every file of a commit, as in a listing. */
export function listingOf(repository: Repository, commit: string): Map<string, string> {
  const said = repository.git(["ls-tree", "-r", "-z", "--full-tree", commit], { most: MAX_LISTED });
  const files = new Map<string, string>();
  for (const entry of entriesOf(said)) {
    // `mode kind id`
    const [mode, , id] = entry.slice(0, entry.indexOf("\t")).split(" ");
    files.set(entry.slice(entry.indexOf("\t") + 1), `${mode} ${id}`);
  }
  return withoutOwn(repository, files);
}

/** So many paths fit the arguments of a program. */
const MAX_PATHS = 100;

export function lastChange(repository: Repository, paths: readonly string[], since: string): string | undefined {
  const named = paths.slice(0, MAX_PATHS).map((path) => textFromRoot(repository, path));
  return repository.says([
    "log",
    "-1",
    "--format=%H",
    `${since}..HEAD`,
    "--",
    // An argument is UTF-8.
    ...named.filter((path) => path.isWellFormed()),
  ]);
}

function textFromRoot(repository: Repository, path: string): string {
  return fromRoot(repository, textOfName(Buffer.from(path, "latin1")));
}

const STATUS = [
  "status",
  "--porcelain=v2",
  "-z",
  "--branch",
  "--no-ahead-behind",
  "--no-renames",
  "--untracked-files=all",
  // Git would look into another repository by the configuration that this one has.
  "--ignore-submodules=dirty",
];

function* stepsOf(repository: Repository): Steps {
  // The list of the index reads no file, so no filter can run for it.
  const [filters, index] = yield [
    [["config", "-z", "--name-only", "--list"]],
    [["ls-files", "-z", "--stage", ...wholeTree(repository)], { most: MAX_LISTED }],
  ];
  const settings = withoutFilters(filters!);
  const [status] = yield [[STATUS, { settings, most: MAX_LISTED }]];
  const now = readStatus(status!);
  const hashed = [...now.read.keys()].filter((path) => !path.startsWith(ownFolder(repository)));
  const names = yield* namesOf(repository, hashed, now.read, settings);
  for (const [n, path] of hashed.entries()) now.files.set(path, names[n] ?? null);
  const files = new Map<string, string>();
  for (const entry of entriesOf(index!)) {
    // `mode id stage`
    const end = entry.indexOf("\t");
    if (entry.charCodeAt(end - 1) === STAGE_0) files.set(entry.slice(end + 1), entry.slice(0, end - 2));
  }
  for (const [path, file] of now.files) {
    if (file === null) files.delete(path);
    else files.set(path, file);
  }
  return {
    commit: now.commit,
    fromRoot: (path) => textFromRoot(repository, path),
    files: withoutOwn(repository, files),
    changed: withoutOwn(repository, now.files),
  };
}

const STAGE_0 = 0x30;

/** Git would start the programs that the configuration names as filters. Without them a file counts as it is. */
function withoutFilters(names: Buffer): string[] {
  const filters = new Set(
    entriesOf(names).flatMap((name) => /^(filter\..+)\.(?:clean|process|smudge|required)$/s.exec(name)?.[1] ?? []),
  );
  return [...filters].flatMap((name) => {
    const driver = Buffer.from(name, "latin1").toString("utf8");
    return [`${driver}.clean=`, `${driver}.process=`, `${driver}.required=false`];
  });
}

interface Status {
  commit: string | undefined;
  /** Files that are not as the commit has them: `mode id`, or null for those that are gone. */
  files: Map<string, string | null>;
  /** Modes of files whose content git has no name for yet; undefined for new ones. */
  read: Map<string, string | undefined>;
}

const GONE = "000000";

function readStatus(said: Buffer): Status {
  const found: Status = { commit: undefined, files: new Map(), read: new Map() };
  for (const entry of entriesOf(said)) {
    const kind = entry[0];
    if (kind === "#") {
      const oid = /^# branch\.oid ([0-9a-f]+)$/.exec(entry)?.[1];
      if (oid !== undefined) found.commit = oid;
    } else if (kind === "?") found.read.set(entry.slice(2), undefined);
    else if (kind === "1") readChanged(entry, found);
    else if (kind === "u") {
      // u <xy> <sub> <m1> <m2> <m3> <mW> <h1> <h2> <h3> <path>
      const [path, words] = fieldsOf(entry, 10);
      if (words[6] === GONE) found.files.set(path, null);
      else found.read.set(path, words[6]);
    }
  }
  return found;
}

/** `1 <XY> <sub> <mH> <mI> <mW> <hH> <hI> <path>`; without a change in the work tree the index has the name. */
function readChanged(entry: string, { files, read }: Status): void {
  const [path, words] = fieldsOf(entry, 8);
  const [, xy = "", , , , mode = "", , id] = words;
  if (mode === GONE) files.set(path, null);
  else if (xy[1] === ".") files.set(path, `${mode} ${id}`);
  else read.set(path, mode);
}

/** So many words, each with a blank behind it, and the path. */
function fieldsOf(entry: string, count: number): [path: string, words: string[]] {
  let at = 0;
  const words: string[] = [];
  for (let n = 0; n < count; n++) {
    const end = entry.indexOf(" ", at);
    words.push(entry.slice(at, end));
    at = end + 1;
  }
  return [entry.slice(at), words];
}

/** `mode id` of each path; null for what cannot be read or is gone by now. */
function* namesOf(
  repository: Repository,
  paths: readonly string[],
  modes: ReadonlyMap<string, string | undefined>,
  settings: readonly string[],
): Generator<Call[], (string | null)[], Buffer[]> {
  const found = paths.map((path) => lookAt(repository, path, modes.get(path)));
  const files = paths.filter((_, n) => found[n]?.id === undefined && found[n] !== null);
  if (files.length === 0) return found.map((one) => one && `${one.mode} ${one.id}`);
  const input = Buffer.from(files.map((path) => `${quoted(path)}\n`).join(""), "latin1");
  const [said] = yield [[["-C", repository.top, "hash-object", "--stdin-paths"], { input, settings }]];
  const names = said!.toString("latin1").split("\n");
  let next = 0;
  return found.map((one) => one && `${one.mode} ${one.id ?? names[next++]}`);
}

/** The mode and, unless git has to read the file, the name of what stands at a path. */
function lookAt(repository: Repository, path: string, mode: string | undefined): { mode: string; id?: string } | null {
  const name = textOfName(Buffer.from(path, "latin1"));
  const full = join(repository.top, name);
  const stat = nodeDisk.lstat(full);
  if (stat === undefined) return null;
  if (stat.kind === "link") {
    const target = nodeDisk.readlink(full);
    return { mode: "120000", id: blobName(repository, bytesOfName(target)) };
  }
  if (stat.kind === "folder")
    return { mode: "160000", id: openRepository(full)?.says(["rev-parse", "HEAD"]) ?? NO_COMMIT };
  if (stat.kind !== "file" || !isReadable(full)) return { mode: "100644", id: NO_COMMIT };
  return { mode: mode ?? (nodeDisk.outside.isExecutable(full) ? "100755" : "100644") };
}

/** A repository without a commit, or what has no content that this user may read. */
const NO_COMMIT = "0".repeat(40);

/** One file that git may not read would keep it from naming the others. */
function isReadable(path: string): boolean {
  try {
    nodeDisk.close(nodeDisk.open(path, "r"));
    return true;
  } catch (e) {
    if (errnoOf(e) === undefined) throw e;
    return false;
  }
}

/** A line of its own, as git unquotes it. */
function quoted(path: string): string {
  if (!/^"|[\n\r]/.test(path)) return path;
  const escaped = path.replaceAll("\\", "\\\\").replaceAll('"', '\\"');
  return `"${escaped.replaceAll("\n", "\\n").replaceAll("\r", "\\r")}"`;
}

/** Texts of which each character is one byte: names need not be UTF-8. */
function entriesOf(said: Buffer): string[] {
  const entries = said.toString("latin1").split("\0");
  entries.pop();
  return entries;
}

function latin1(text: string): string {
  return bytesOfName(text).toString("latin1");
}

/** From a root below the top the index is asked for all of it. */
function wholeTree(repository: Repository): string[] {
  return repository.prefix === "" ? [] : ["--full-name", "--", topFrom(repository)];
}

/** The beginning of paths of the workspace's own folder. */
function ownFolder({ prefix }: Repository): string {
  return `${latin1(prefix)}.coco/`;
}

function withoutOwn<T>(repository: Repository, files: Map<string, T>): Map<string, T> {
  const own = ownFolder(repository);
  for (const path of files.keys()) if (path.startsWith(own)) files.delete(path);
  return files;
}
