/**
 * Compares files with the index, and stages them, without git looking at the work tree. Filters of the repository would
 * run for each file that git looks at. Bytes go to the index as they are, so a file for which that would be wrong is
 * left out.
 */
import { join } from "node:path";
import { nodeDisk } from "../../disk.ts";
import { TaskfoldError } from "../../errors.ts";
import { attributesOf } from "./attributes.ts";
import { words } from "./history.ts";
import { BATCH, MAX_OBJECT } from "./limits.ts";
import { names } from "./merged.ts";
import { blobName } from "./objects.ts";
import { privateFolder } from "./private_folder.ts";
import type { PrivateFolder } from "./private_folder.ts";
import { readPlain } from "./read_file.ts";
import { topFrom } from "./repository.ts";
import type { Repository } from "./repository.ts";

/** Files below a folder that differ from the index, are gone or are new; ignored ones are left out. Null: of the whole work tree. */
export function changed(repository: Repository, below: string | null): string[] {
  const folder = below ?? topFrom(repository);
  const found: string[] = [];
  for (const [path, { object, sparse }] of inIndex(repository, [folder])) {
    const now = readPlain(repository.root, path, MAX_OBJECT);
    const isSame = Buffer.isBuffer(now) ? isVersion(repository, now, object) : now === undefined && sparse;
    if (!isSame) found.push(path);
  }
  const others = names(repository.git(["ls-files", "-z", "--others", "--exclude-standard", "--", folder]));
  // Another repository in the folder is told as a folder; it is not staged.
  return [...found, ...others.filter((path) => !path.endsWith("/"))];
}

/** Files below `.coco` that a sparse checkout leaves out; git makes entries of a sparse index whole for that. */
export function leftOut(repository: Repository): string[] {
  return [...inIndex(repository, [".coco"])].flatMap(([path, { sparse }]) => (sparse ? [path] : []));
}

/** Stages files as they are; one that is gone is staged as gone. Gives those that are not staged. */
export function add(repository: Repository, paths: readonly string[]): string[] {
  return stageFiles(repository, paths, batchesOf(repository, paths));
}

/** Stages these bytes, whatever the work tree has. Gives the paths of those that are not staged. */
export function addBytes(repository: Repository, files: ReadonlyMap<string, Buffer>): string[] {
  return stageFiles(repository, [...files.keys()], [[...files].map(([path, bytes]) => ({ path, bytes }))]);
}

function stageFiles(repository: Repository, paths: readonly string[], batches: Iterable<Now[]>): string[] {
  if (paths.length === 0) return [];
  const { index } = repository;
  mustStayInside(repository, index);
  const plain = plainFiles(repository, paths);
  const known = inIndex(repository, paths);
  const left: string[] = [];
  const folder = privateFolder(repository, index);
  try {
    for (const name of nodeDisk.readdir(repository.folder))
      if (/^sharedindex\.[0-9a-f]+$/.test(name)) folder.copy(name, join(repository.folder, name));
    const entries: string[] = [];
    const gone = "0".repeat(repository.format === "sha256" ? 64 : 40);
    for (const batch of batches) {
      const staged = batch.filter(
        ({ path, bytes }) => bytes === undefined || (Buffer.isBuffer(bytes) && plain(path, bytes)),
      );
      const objects = written(
        folder,
        staged.map(({ bytes }) => bytes).filter((bytes) => Buffer.isBuffer(bytes)),
      );
      for (const { path, bytes } of batch) {
        if (bytes === undefined) entries.push(`0 ${gone}\t${repository.prefix}${path}`);
        else if (!Buffer.isBuffer(bytes) || !plain(path, bytes)) left.push(path);
        else entries.push(`${known.get(path)?.mode ?? "100644"} ${objects.shift()} 0\t${repository.prefix}${path}`);
      }
    }
    if (entries.length > 0)
      folder.git(["update-index", "-z", "--index-info"], { input: entries.map((entry) => `${entry}\0`).join("") });
    return left;
  } finally {
    folder.remove();
  }
}

interface Entry {
  mode: string;
  object: string;
  /** Not checked out on purpose. */
  sparse: boolean;
}

/** Files of the index at these paths or below; of an open one its first side. */
export function inIndex(repository: Repository, paths: readonly string[]): Map<string, Entry> {
  const entries = new Map<string, Entry>();
  for (let at = 0; at < paths.length; at += 500) {
    for (const line of names(repository.git(["ls-files", "-t", "-s", "-z", "--", ...paths.slice(at, at + 500)]))) {
      const tab = line.indexOf("\t");
      const [tag, mode = "", object = ""] = line.slice(0, tab).split(" ");
      const path = line.slice(tab + 1);
      // A link or another repository is nothing of ours.
      if (mode.startsWith("100") && !entries.has(path)) entries.set(path, { mode, object, sparse: tag === "S" });
    }
  }
  return entries;
}

/** A file that was checked out with CR LF has the bytes of the index but for those. */
function isVersion(repository: Repository, bytes: Buffer, object: string): boolean {
  if (blobName(repository, bytes) === object) return true;
  return hasCrLf(bytes) && blobName(repository, withoutCr(bytes)) === object;
}

function hasCrLf(bytes: Buffer): boolean {
  return bytes.includes("\r\n");
}

function withoutCr(bytes: Buffer): Buffer {
  return Buffer.from(bytes.toString("latin1").replaceAll("\r\n", "\n"), "latin1");
}

const CONVERTING = ["filter", "ident", "working-tree-encoding"];
const PLAIN = new Set(["unspecified", "unset"]);

/** Tells whether git would take the bytes of a file as they are, too: no attribute asks for a filter, or for other line ends. */
function plainFiles(repository: Repository, paths: readonly string[]): (path: string, bytes: Buffer) => boolean {
  const converted = new Set<string>();
  const binary = new Set<string>();
  for (const [path, values] of attributesOf(repository, paths, ["text", ...CONVERTING])) {
    if (values.get("text") === "unset") binary.add(path);
    if (CONVERTING.some((name) => !PLAIN.has(values.get(name) ?? "unspecified"))) converted.add(path);
  }
  return (path, bytes) => !converted.has(path) && (binary.has(path) || !hasCrLf(bytes));
}

interface Now {
  path: string;
  /** A text says why it cannot be read; undefined where it is gone. */
  bytes: Buffer | string | undefined;
}

/** Files with their bytes, as many as are held in memory at a time. */
function* batchesOf({ root }: Repository, paths: readonly string[]): Generator<Now[]> {
  let [batch, size]: [Now[], number] = [[], 0];
  for (const path of paths) {
    const bytes = readPlain(root, path, MAX_OBJECT);
    batch.push({ path, bytes });
    size += bytes?.length ?? 0;
    if (size < BATCH && batch.length < 1000) continue;
    yield batch;
    [batch, size] = [[], 0];
  }
  if (batch.length > 0) yield batch;
}

/** Makes objects of these bytes and gives their names, in the same order. */
function written(folder: PrivateFolder, files: readonly Buffer[]): string[] {
  if (files.length === 0) return [];
  const paths = files.map((bytes, n) => folder.put(`file-${n}`, bytes));
  try {
    const input = paths.map((path) => `${path}\n`).join("");
    return words(folder.git(["hash-object", "-w", "--no-filters", "--stdin-paths"], { input }));
  } finally {
    for (const path of paths) folder.drop(path);
  }
}

/** git follows links in its own folder when it writes; one that was planted would lead out of it. */
function mustStayInside({ common }: Repository, index: string): void {
  const objects = join(common, "objects");
  const below =
    nodeDisk.lstat(objects)?.kind === "folder" ? nodeDisk.readdir(objects).map((n) => join(objects, n)) : [];
  const link = [index, objects, ...below].find((path) => nodeDisk.lstat(path)?.kind === "link");
  if (link === undefined) return;
  throw new TaskfoldError(
    "PATH_UNSAFE",
    "Expected the index and the objects of the repository in its own folder, found a link.",
    { recovery: "Stage the files with git add." },
  );
}
