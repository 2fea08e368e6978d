/** The files of another tracker: the file that was named, or what lies in the folder. Links are not followed below it. */
import { basename, isAbsolute, join, relative, resolve } from "node:path";
import { FileTooLargeError, nodeDisk } from "../../../disk.ts";
import { TaskfoldError } from "../../../errors.ts";
import type { Session } from "../session.ts";
import type { SourceFile, Tracker } from "./item.ts";
import type { LeftOut } from "./left_out.ts";
import { attempt } from "./records.ts";

const MAX_BYTES = 64 * 1024 * 1024;
/** Of one page of Markdown. */
const MAX_PAGE_BYTES = 4 * 1024 * 1024;
const MAX_FILES = 50_000;
const MAX_FOLDERS = 4;
const CONFIG = /^config\.ya?ml$/;

interface Found {
  files: SourceFile[];
  /** Files of a folder that are too large. */
  leftOut: LeftOut[];
}

/** INVALID_INPUT for what is not there, no file, or too large; `-` is stdin. */
export async function trackerFiles({ io, root }: Session, named: string, tracker: Tracker): Promise<Found> {
  if (named === "-") return only({ path: "stdin", bytes: await io.stdin(MAX_BYTES) });
  const path = resolve(io.cwd, named);
  const kind = nodeDisk.stat(path)?.kind;
  const reading = new Reading();
  // Packages of one repository have files of one name each.
  const inside = relative(root, path).replaceAll("\\", "/");
  const isInside = inside !== "" && !inside.startsWith("../") && !isAbsolute(inside);
  if (kind === "file") return only(reading.file(path, isInside ? inside : basename(path), named));
  if (kind !== "folder") throw refused(named, tracker, kind === undefined ? "nothing of that name" : `a ${kind}`);
  for (const place of tracker.places) {
    const there = nodeDisk.lstat(join(path, place))?.kind;
    if (there === "file") return only(reading.file(join(path, place), place, named));
    const at = isInside && place === "." ? `${inside}/` : "";
    // The folder of a repository has more than what is the tracker's.
    const isOwn = place !== "." || tracker.places.includes(basename(path));
    const found =
      there === "folder" ? reading.folder(join(path, place), at, { tracker, isOwn }) : { files: [], leftOut: [] };
    if (found.files.length + found.leftOut.length > 0) return found;
  }
  throw refused(named, tracker, "a folder with none of its files");
}

function only(file: SourceFile): Found {
  return { files: [file], leftOut: [] };
}

class Reading {
  #bytes = 0;

  file(path: string, shown: string, named: string): SourceFile {
    const most = shown.endsWith(".md") ? MAX_PAGE_BYTES : MAX_BYTES;
    try {
      const bytes = nodeDisk.outside.readFile(path, most);
      this.#bytes += bytes.length;
      if (this.#bytes <= MAX_BYTES) return { path: shown, bytes };
    } catch (e) {
      if (!(e instanceof FileTooLargeError)) throw e;
    }
    throw new TaskfoldError(
      "INVALID_INPUT",
      `Expected at most ${most} bytes in ${JSON.stringify(named)}, found more.`,
      {
        recovery: "Nothing was changed. Export a part at a time: a repeated import takes in only what is new.",
      },
    );
  }

  /** `isOwn`: whether all in it is of the tracker, so that what is not read is named. */
  folder(root: string, before: string, { tracker, isOwn }: { tracker: Tracker; isOwn: boolean }): Found {
    const { ends, folders, named = [] } = tracker;
    const files: SourceFile[] = [];
    const leftOut: LeftOut[] = [];
    const look = (folder: string, shown: string, depth: number, isNamed: boolean): void => {
      for (const name of nodeDisk.readdir(folder).toSorted()) {
        const path = join(folder, name);
        const kind = nodeDisk.lstat(path)?.kind;
        const isDeeper = depth === 0 ? folders.includes(name) || named.includes(name) : depth < MAX_FOLDERS;
        const isWanted = isNamed || name.endsWith(ends) || (folders.length > 0 && CONFIG.test(name));
        const file = `${shown}${name}`;
        const isOfTracker = folders.length > 0 && (depth > 0 || isOwn);
        if (kind === "folder" && isDeeper) look(path, `${file}/`, depth + 1, isNamed || named.includes(name));
        else if (isOfTracker && (kind !== "file" || !isWanted) && saysSomething(name, path))
          leftOut.push({ kind: "file", name: kind === "folder" ? `${file}/` : file });
        if (kind !== "file" || !isWanted) continue;
        if (!isOwn && depth === 0 && folders.length > 0 && !CONFIG.test(name)) continue;
        if (isNamed) files.push({ path: file, bytes: Buffer.alloc(0) });
        else files.push(...attempt(file, leftOut, () => [this.file(path, file, root)]));
        if (files.length > MAX_FILES) throw tooMany();
      }
    };
    look(root, before, 0, false);
    return { files, leftOut };
  }
}

/** Whether it is no mark of git or of the system, and not empty. */
function saysSomething(name: string, path: string): boolean {
  const stat = nodeDisk.lstat(path);
  return !name.startsWith(".") && (stat?.kind === "folder" ? nodeDisk.readdir(path).length > 0 : stat?.size !== 0);
}

function tooMany(): TaskfoldError {
  return new TaskfoldError("INVALID_INPUT", `Expected at most ${MAX_FILES} files, found more.`, {
    recovery: "Nothing was changed. Name the folder of the tracker alone.",
  });
}

/** For files without a single item: a wrong path is no import. */
export function noItems(named: string, tracker: Tracker): TaskfoldError {
  return refused(named, tracker, "none of its items");
}

function refused(named: string, { name, places }: Tracker, found: string): TaskfoldError {
  const inside = places.filter((place) => place !== ".");
  return new TaskfoldError(
    "INVALID_INPUT",
    `Expected a file or folder of ${name}, found ${found} at ${JSON.stringify(named)}.`,
    {
      recovery: `Nothing was changed. Name the file${inside.length === 0 ? "" : `, or the folder that holds ${inside.join(", ")}`}.`,
    },
  );
}
