/** The files of another tracker: the file that was named, or what lies in the folder. Links are not followed below it. */
import { basename, isAbsolute, join, relative, resolve } from "node:path";
import { FileTooLargeError, nodeDisk } from "../../../disk.ts";
import { TaskfoldError } from "../../../errors.ts";
import type { Session } from "../session.ts";
import type { SourceFile, Tracker } from "./item.ts";
import type { LeftOut } from "./left_out.ts";
import { attempt } from "./records.ts";

const MOST_BYTES = 64 * 1024 * 1024;
/** Of one page of Markdown. */
const MOST_PAGE_BYTES = 4 * 1024 * 1024;
const MOST_FILES = 50_000;
const MOST_FOLDERS = 4;
const CONFIG = /^config\.ya?ml$/;

interface Found {
  files: SourceFile[];
  /** Files of a folder that are too large. */
  leftOut: LeftOut[];
}

/** INVALID_INPUT for what is not there, no file, or too large; `-` is stdin. */
export async function trackerFiles({ io, root }: Session, named: string, tracker: Tracker): Promise<Found> {
  if (named === "-") return only({ path: "stdin", bytes: await io.stdin(MOST_BYTES) });
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
    const found = there === "folder" ? reading.folder(join(path, place), at, tracker) : { files: [], leftOut: [] };
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
    const most = shown.endsWith(".md") ? MOST_PAGE_BYTES : MOST_BYTES;
    try {
      const bytes = nodeDisk.outside.readFile(path, most);
      this.#bytes += bytes.length;
      if (this.#bytes <= MOST_BYTES) return { path: shown, bytes };
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

  folder(root: string, before: string, { ends, folders, named = [] }: Tracker): Found {
    const files: SourceFile[] = [];
    const leftOut: LeftOut[] = [];
    const look = (folder: string, shown: string, depth: number, isNamed: boolean): void => {
      for (const name of nodeDisk.readdir(folder).toSorted()) {
        const path = join(folder, name);
        const kind = nodeDisk.lstat(path)?.kind;
        const isDeeper = depth === 0 ? folders.includes(name) || named.includes(name) : depth < MOST_FOLDERS;
        if (kind === "folder" && isDeeper) look(path, `${shown}${name}/`, depth + 1, isNamed || named.includes(name));
        const isWanted = name.endsWith(ends) || (folders.length > 0 && CONFIG.test(name));
        if (kind !== "file" || !isWanted) continue;
        const file = `${shown}${name}`;
        if (isNamed) files.push({ path: file, bytes: Buffer.alloc(0) });
        else files.push(...attempt(file, leftOut, () => [this.file(path, file, root)]));
        if (files.length > MOST_FILES) throw tooMany();
      }
    };
    look(root, before, 0, false);
    return { files, leftOut };
  }
}

function tooMany(): TaskfoldError {
  return new TaskfoldError("INVALID_INPUT", `Expected at most ${MOST_FILES} files, found more.`, {
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
