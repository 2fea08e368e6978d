/**
 * The package of a Taskdoc as it stands on disk, beside what the log folds to. Nothing in it is read into an answer:
 * this only tells what does not belong there (TASKDOC-26). Names that begin with a dot are an application's own, and
 * temporary files; they are left alone.
 */
import { basename, dirname, join } from "node:path";
import type { Disk } from "../../disk.ts";
import { taskdocChanged } from "../../events/taskdoc.changed.ts";
import { readIfThere, readRegular } from "../../files/atomic.ts";
import { removeHollow } from "../../files/folders.ts";
import { errnoOf } from "../../files/storage_error.ts";
import type { Op } from "../../log/types.ts";
import type { Taskdoc, TaskdocTarget } from "../../state/taskdoc.ts";
import {
  hasSections,
  sectionKey,
  sectionText,
  taskdocFiles,
  TASKDOC_PACKAGE,
  TOP_LEVEL_SECTIONS,
} from "../../state/taskdoc.ts";
import type { TaskdocViolation } from "../../views/taskdoc.ts";

/** More entries than any Taskdoc has: another program unpacked files there. */
const MAX_ENTRIES = 2_048;

/** Everything in the package that is not as the log has it, sorted by path. `folder`: the entity's. */
export function packageViolations(disk: Disk, folder: string, taskdoc: Taskdoc): TaskdocViolation[] {
  const look = new Look(disk, folder, taskdocFiles(taskdoc));
  look.folder(TASKDOC_PACKAGE);
  if (hasSections(taskdoc)) look.missing();
  return look.found.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Returns entries that belong to no section, past the texts of those that do. */
export function strayViolations(disk: Disk, folder: string, taskdoc: Taskdoc): TaskdocViolation[] {
  const look = new Look(disk, folder, taskdocFiles(taskdoc), { names: true });
  look.folder(TASKDOC_PACKAGE);
  return look.found.filter(({ kind }) => STRAY.has(kind)).toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

const STRAY: ReadonlySet<string> = new Set(["stray", "scan_limit", "unreadable"]);

class Look {
  readonly found: TaskdocViolation[] = [];
  readonly #disk: Disk;
  readonly #folder: string;
  /** By path from the entity's folder. */
  readonly #files: ReadonlyMap<string, string>;
  readonly #folders: ReadonlySet<string>;
  readonly #seen = new Set<string>();
  #entries = 0;
  readonly #isOfNames: boolean;

  /** `names`: only these are looked at, no text. */
  constructor(disk: Disk, folder: string, files: ReadonlyMap<string, string>, { names = false } = {}) {
    this.#isOfNames = names;
    this.#disk = disk;
    this.#folder = folder;
    this.#files = new Map([...files].map(([path, text]) => [`${TASKDOC_PACKAGE}/${path}`, text]));
    this.#folders = new Set([...this.#files.keys()].map((path) => path.slice(0, path.lastIndexOf("/"))));
  }

  /** One that belongs there, when it is there. */
  folder(path: string): void {
    const kind = this.#disk.lstat(join(this.#folder, path))?.kind;
    if (kind === undefined) return;
    if (kind !== "folder")
      return this.#say(kind === "link" ? "link" : "not_a_folder", path, `Expected a folder, found a ${kind}.`);
    const names = this.#names(path);
    for (const name of names) {
      if (++this.#entries > MAX_ENTRIES) {
        this.#say("scan_limit", path, `More than ${MAX_ENTRIES} entries; the rest was not looked at.`);
        return;
      }
      const child = `${path}/${name}`;
      const known = this.#files.has(child) || this.#folders.has(child) ? child : this.#sameAs(child, names);
      if (known === undefined) this.#stray(child);
      else if (this.#files.has(known)) this.#file(known);
      else this.folder(known);
    }
  }

  /**
   * Returns the section that is known in other letters, where the disk takes both names for one. It is found by a name
   * that no listing has. Inodes would not tell, some file systems give one file two. `names`: all in that folder.
   */
  #sameAs(path: string, names: readonly string[]): string | undefined {
    const lower = path.toLowerCase();
    const known = [...this.#files.keys(), ...this.#folders].find((other) => other.toLowerCase() === lower);
    if (known === undefined || names.includes(basename(known))) return undefined;
    return this.#disk.lstat(join(this.#folder, known)) ? known : undefined;
  }

  /** Tells of an entry that belongs to no section, a folder by its content. */
  #stray(path: string): void {
    const names = this.#disk.lstat(join(this.#folder, path))?.kind === "folder" ? this.#names(path) : [];
    const paths = names.length === 0 ? [path] : names.slice(0, MAX_ENTRIES).map((name) => `${path}/${name}`);
    for (const one of paths)
      this.#say("stray", one, "No section of the log; it is never injected and no tool reads it.");
  }

  missing(): void {
    if (this.found.some(({ kind }) => kind === "scan_limit")) return;
    const reported = this.found.map(({ path }) => `${path}/`);
    for (const path of this.#files.keys())
      if (!this.#seen.has(path) && !reported.some((above) => path.startsWith(above)))
        this.#say("missing", path, "Expected the file of a section, found none; the next change brings it back.");
  }

  #file(path: string): void {
    this.#seen.add(path);
    if (this.#isOfNames) return;
    const full = join(this.#folder, path);
    const kind = this.#disk.lstat(full)?.kind;
    if (kind !== undefined && kind !== "file")
      return this.#say(kind === "link" ? "link" : "not_a_file", path, `Expected a regular file, found a ${kind}.`);
    const bytes = this.#reading(path, () => readIfThere(this.#disk, full));
    if (bytes && !bytes.equals(Buffer.from(this.#files.get(path)!)))
      this.#say("differs", path, "Changed outside of the engine; the text in the log is in effect.");
  }

  #names(path: string): string[] {
    const names = this.#reading(path, () => this.#disk.readdir(join(this.#folder, path))) ?? [];
    return names.filter((name) => !name.startsWith(".")).toSorted();
  }

  #reading<T>(path: string, read: () => T): T | undefined {
    try {
      return read();
    } catch (e) {
      const errno = errnoOf(e);
      if (errno === undefined) throw e;
      this.#say("unreadable", path, `The system said ${errno}.`);
      return undefined;
    }
  }

  #say(kind: TaskdocViolation["kind"], path: string, message: string): void {
    this.found.push({ kind, path, message });
  }
}

/**
 * Takes away the files that a merge left and that are no section's. They are of a spelling that lost (TASKDOC-3), or of
 * an entity that was split off. It takes only files whose text a log has. `ops` are those of this entity and of the
 * split ones, asked for only where there is such a file. Returns their paths from the entity's folder.
 */
export function removeStrays(disk: Disk, folder: string, taskdoc: Taskdoc, ops: () => readonly Op[]): string[] {
  const left = leftSections(disk, folder, taskdoc, ops);
  for (const path of left) {
    disk.unlink(join(folder, path));
    removeHollow(disk, dirname(join(folder, path)));
  }
  return left;
}

/** Files that are no section's by now, and have a text that one had: no person wrote them. Paths from the entity's folder. */
export function leftSections(disk: Disk, folder: string, taskdoc: Taskdoc, ops: () => readonly Op[]): string[] {
  const strays = strayViolations(disk, folder, taskdoc).filter(({ kind }) => kind === "stray");
  if (strays.length === 0) return [];
  const all = ops();
  return strays.flatMap(({ path }) => {
    const found = readRegular(disk, join(folder, path));
    return found && wasSectionText(all, { name: path, found }) ? [path] : [];
  });
}

/** Whether a file of the package has the bytes that its section had at some moment of the log: git or another process brought it. */
export function wasSectionText(ops: readonly Op[], { name, found }: { name: string; found: Buffer }): boolean {
  if (!name.startsWith(`${TASKDOC_PACKAGE}/`)) return false;
  const path = name.slice(TASKDOC_PACKAGE.length + 1);
  if (found.length === 0 && TOP_LEVEL_SECTIONS.some((selector) => path === `${selector}.md`)) return true;
  const key = path.toLowerCase();
  return ops.some(({ events }) =>
    events.some(({ type, payload }) => {
      if (type !== taskdocChanged.type || !taskdocChanged.fits(payload)) return false;
      const { content, ...target } = payload as unknown as TaskdocTarget & { content: string };
      return (
        sectionKey(target) === key &&
        (found.equals(Buffer.from(content)) || found.equals(Buffer.from(sectionText(content))))
      );
    }),
  );
}
