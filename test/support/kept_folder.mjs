// @ts-check
// A folder that is made once in a process. Each test writes a copy of its own, without the processes that made the first.
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";

export class KeptFolder {
  /** Paths below the folder in the order in which they can be written. @type {{ path: string, mode: number, bytes?: Buffer, link?: string }[]} */
  #entries = [];

  /** @param {string} folder @param {(name: string) => boolean} [isKept] */
  constructor(folder, isKept = () => true) {
    for (const path of readdirSync(folder, { recursive: true, encoding: "utf8" }).toSorted()) {
      if (!isKept(path)) continue;
      const from = join(folder, path);
      const stat = lstatSync(from);
      const mode = stat.mode & 0o777;
      if (stat.isSymbolicLink()) this.#entries.push({ path, mode, link: readlinkSync(from) });
      else this.#entries.push(stat.isDirectory() ? { path, mode } : { path, mode, bytes: readFileSync(from) });
    }
  }

  /** @param {string} folder */
  writeTo(folder) {
    mkdirSync(folder, { recursive: true });
    for (const { path, mode, bytes, link } of this.#entries) {
      const to = join(folder, path);
      if (link !== undefined) symlinkSync(link, to);
      else if (bytes === undefined) mkdirSync(to, { mode });
      else {
        writeFileSync(to, bytes, { mode });
        // The mask of the process takes rights from a new file.
        if ((lstatSync(to).mode & 0o777) !== mode) chmodSync(to, mode);
      }
    }
  }
}
