/** The folder that the pages and answers of an export go to: new, empty, or that of an earlier export. */
import { basename, dirname, join, resolve, sep } from "node:path";
import type { Disk } from "../../disk.ts";
import type { Disks, HeldDisk } from "../../disks.ts";
import { TaskfoldError } from "../../errors.ts";
import { readRegular, writeAtomic } from "../../files/atomic.ts";
import { ensureFolder } from "../../files/folders.ts";
import { errnoOf, storageError } from "../../files/storage_error.ts";

/** Says which files are of the export, so that the next one takes its own away and no other. */
const MARKER = "taskfold-view.json";
const VERSION = 1;
/** A name as exports write them: no segment begins with a dot. */
const NAME = /^(?:[A-Za-z0-9_-][A-Za-z0-9._-]*\/)*[A-Za-z0-9_-][A-Za-z0-9._-]*$/;
/** Stands near the begin of each document that an export writes. */
const SIGN = '<meta name="taskfold-source"';
const SIGN_WITHIN = 16 * 1024;

export interface ExportPlace {
  disks: Disks;
  /** The folder of the workspace's files. */
  coco: string;
  dir: string;
  /** Relative folders start here. */
  from: string;
  /** Whether exports write files of that name. */
  canBeOurs: (name: string) => boolean;
}

export class ExportFolder {
  readonly path: string;
  readonly #anywhere: Disk;
  readonly #held: HeldDisk;
  readonly #disk: Disk;
  readonly #before: readonly string[];
  readonly #written = new Set<string>();
  readonly #folders = new Set<string>();
  #bytes = 0;

  /** INVALID_INPUT where something else than an earlier export lies there, PATH_UNSAFE in `coco` or `.git`. Writes nothing yet. */
  constructor({ disks, coco, dir, from, canBeOurs }: ExportPlace) {
    this.path = resolve(from, dir);
    const real = realPath(disks.anywhere, this.path);
    if (isWithin(this.path, coco) || isWithin(real, realPath(disks.anywhere, coco))) throw keptFolder(".coco", dir);
    if (isOfGit(this.path) || isOfGit(real)) throw keptFolder(".git", dir);
    this.#anywhere = disks.anywhere;
    this.#held = disks.below(this.path);
    this.#disk = this.#held.disk;
    this.#before = filesBefore(disks.anywhere, this.#disk, this.path, dir).filter((name) => canBeOurs(name));
  }

  get written(): { files: number; bytes: number } {
    return { files: this.#written.size, bytes: this.#bytes };
  }

  write(name: string, content: string | Buffer): void {
    try {
      if (this.#folders.size === 0) this.#begin();
      this.#ensure(dirname(join(this.path, name)));
      writeAtomic(this.#disk, join(this.path, name), content);
    } catch (e) {
      throw notWritten(e, name);
    }
    this.#written.add(name);
    this.#bytes += Buffer.byteLength(content);
  }

  /** Takes away what the earlier export had and this one has not. */
  finish(): void {
    for (const name of this.#before) if (!this.#written.has(name)) this.#remove(join(this.path, name));
    this.#mark([...this.#written]);
    this.close();
  }

  close(): void {
    this.#held.release();
  }

  /** The mark comes first: what an export leaves that is cut short can be written over. */
  #begin(): void {
    ensureFolder(this.#anywhere, this.path);
    this.#folders.add(this.path);
    this.#mark(this.#before);
  }

  #mark(files: readonly string[]): void {
    writeAtomic(this.#disk, join(this.path, MARKER), `${JSON.stringify({ taskfold_view: VERSION, files })}\n`);
  }

  #ensure(folder: string): void {
    if (this.#folders.has(folder)) return;
    this.#ensure(dirname(folder));
    if (this.#disk.lstat(folder)?.kind !== "folder") this.#disk.mkdir(folder);
    this.#folders.add(folder);
  }

  /** A person may have a document of the same name. */
  #hasSign(path: string): boolean {
    const fd = this.#disk.open(path, "r");
    try {
      const begin = Buffer.alloc(SIGN_WITHIN);
      return begin.subarray(0, this.#disk.read(fd, begin, 0)).includes(SIGN);
    } finally {
      this.#disk.close(fd);
    }
  }

  #remove(path: string): void {
    try {
      if (!path.endsWith(".html") || this.#hasSign(path)) this.#disk.unlink(path);
    } catch (e) {
      // Gone already, or another thing by now.
      if (errnoOf(e) === undefined) throw e;
    }
  }
}

/** The folder is git's or ours: no file of an export counts there. */
function keptFolder(name: string, dir: string): TaskfoldError {
  return new TaskfoldError("PATH_UNSAFE", `Expected a folder outside of ${name}, found ${JSON.stringify(dir)}.`, {
    recovery: "Name another folder; nothing was written.",
  });
}

/** Some disks do not tell upper from lower case. */
function isOfGit(path: string): boolean {
  return path.toLowerCase().split(sep).includes(".git");
}

/** Files that were written until then stay, with their mark: the next export into the folder takes them away or writes over them. */
function notWritten(e: unknown, name: string): TaskfoldError {
  const { code, message, details = {} } = storageError(e, `write ${name}`);
  const first = code === "STORAGE_FULL" ? "Free some space" : "Name a folder with --export that this user may write to";
  const recovery = `${first}, then export again: the next export into the same folder writes over what this one left.`;
  return new TaskfoldError(code, message, { cause: e, recovery, details });
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder + sep);
}

/** Without links, as far as the path is there. */
function realPath(disk: Disk, path: string): string {
  const above = dirname(path);
  if (disk.stat(path) !== undefined || above === path) return disk.outside.realpath(path);
  return join(realPath(disk, above), basename(path));
}

/** Files of the earlier export; none where the folder is empty or not there. */
function filesBefore(anywhere: Disk, disk: Disk, path: string, dir: string): string[] {
  const kind = anywhere.stat(path)?.kind;
  if (kind === undefined) return [];
  if (kind !== "folder") throw notOurs(dir, `a ${kind}`);
  const names = anywhere.readdir(path);
  if (names.length === 0) return [];
  const marked = names.includes(MARKER) ? markedFiles(disk, join(path, MARKER)) : undefined;
  if (!marked) throw notOurs(dir, "one with other files in it");
  return marked;
}

/** Undefined where it is no mark of ours. It may be forged: names of other forms do not count. */
function markedFiles(disk: Disk, path: string): string[] | undefined {
  try {
    const text = readRegular(disk, path)?.toString("utf8") ?? "";
    const { taskfold_view, files } = JSON.parse(text) as { taskfold_view?: unknown; files?: unknown };
    if (taskfold_view !== VERSION || !Array.isArray(files)) return undefined;
    return files.filter((name) => typeof name === "string").filter((name) => NAME.test(name));
  } catch (e) {
    if (!(e instanceof SyntaxError) && errnoOf(e) === undefined) throw e;
    return undefined;
  }
}

function notOurs(dir: string, found: string): TaskfoldError {
  return new TaskfoldError(
    "INVALID_INPUT",
    `Expected a folder that is empty, not there yet, or an earlier export; found ${found} at ${JSON.stringify(dir)}.`,
    { recovery: "Name another folder; nothing was written." },
  );
}
