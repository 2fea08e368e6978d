/** The folder that the pages and answers of an export go to: new, empty, or that of an earlier export. */
import { basename, dirname, join, resolve, sep } from "node:path";
import { nodeDisk } from "../../disk.ts";
import { TaskfoldError } from "../../errors.ts";
import { readRegular, writeAtomic } from "../../files/atomic.ts";
import { ensureFolder } from "../../files/folders.ts";
import { errnoOf, storageError } from "../../files/storage_error.ts";
import { RootedDisk } from "../../rooted_disk.ts";

/** Says which files are of the export, so that the next one takes its own away and no other. */
const MARKER = "taskfold-view.json";
const VERSION = 1;
/** A name as exports write them: no segment begins with a dot. */
const NAME = /^(?:[A-Za-z0-9_-][A-Za-z0-9._-]*\/)*[A-Za-z0-9_-][A-Za-z0-9._-]*$/;

export class ExportFolder {
  readonly path: string;
  readonly #disk: RootedDisk;
  readonly #before: readonly string[];
  readonly #written = new Set<string>();
  readonly #folders = new Set<string>();
  #bytes = 0;

  /** INVALID_INPUT where something else than an earlier export lies there, PATH_UNSAFE inside of `coco`. Writes nothing yet. */
  constructor(coco: string, dir: string, from: string) {
    this.path = resolve(from, dir);
    if (isWithin(this.path, coco) || isWithin(realPath(this.path), realPath(coco)))
      throw new TaskfoldError("PATH_UNSAFE", `Expected a folder outside of .coco, found ${JSON.stringify(dir)}.`, {
        recovery: "Name another folder; nothing was written.",
      });
    this.#disk = new RootedDisk(this.path);
    this.#before = filesBefore(this.#disk, this.path, dir);
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
      throw storageError(e, `write ${name}`);
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
    this.#disk.release();
  }

  /** The mark comes first: what an export leaves that is cut short can be written over. */
  #begin(): void {
    ensureFolder(nodeDisk, this.path);
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

  #remove(path: string): void {
    try {
      this.#disk.unlink(path);
    } catch (e) {
      // Gone already, or another thing by now.
      if (errnoOf(e) === undefined) throw e;
    }
  }
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder + sep);
}

/** Without links, as far as the path is there. */
function realPath(path: string): string {
  const above = dirname(path);
  if (nodeDisk.stat(path) !== undefined || above === path) return nodeDisk.outside.realpath(path);
  return join(realPath(above), basename(path));
}

/** Files of the earlier export; none where the folder is empty or not there. */
function filesBefore(disk: RootedDisk, path: string, dir: string): string[] {
  const kind = nodeDisk.stat(path)?.kind;
  if (kind === undefined) return [];
  if (kind !== "folder") throw notOurs(dir, `a ${kind}`);
  const names = nodeDisk.readdir(path);
  if (names.length === 0) return [];
  const marked = names.includes(MARKER) ? markedFiles(disk, join(path, MARKER)) : undefined;
  if (!marked) throw notOurs(dir, "one with other files in it");
  return marked;
}

/** Undefined where it is no mark of ours. It may be forged: only names in the form of exports count. */
function markedFiles(disk: RootedDisk, path: string): string[] | undefined {
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
