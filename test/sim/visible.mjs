// @ts-check
/** The part of a disk that processes see: names, bytes and times. Whether these last is for the disk to say. */

/** @typedef {import("../../dist/disk.js").FileStat} FileStat */
/**
 * A file or folder as processes see it. `links`: how many names stand for it: one or none, for nothing here makes a second.
 * @typedef {{ ino: number, kind: "file" | "folder", birth: number, data: Buffer, names: Map<string, number>, links: number, mtimeMs: number, ctimeMs: number }} Seen
 */

/** The error of a system call. @param {string} code @param {string} doing */
export function errno(code, doing) {
  const { stackTraceLimit } = Error;
  // Most of them say that a name is not there, and no one reads the place.
  Error.stackTraceLimit = 0;
  const error = new Error(`${code}: ${doing}`);
  Error.stackTraceLimit = stackTraceLimit;
  return Object.assign(error, { code });
}

/** @template {Seen} T */
export class Visible {
  /** @type {Map<number, T>} */
  inodes = new Map();
  /** Folders that were looked up since the name of a folder was taken away last. @type {Map<string, T>} */
  #folders = new Map();
  /** Is told what is looked at, and before it changes. @type {import("./asked.mjs").Asked | undefined} */
  asked;

  /** @param {string} path @returns {T | undefined} */
  find(path) {
    const at = path.lastIndexOf("/");
    const folder = this.#folderAt(path.slice(0, Math.max(at, 0)));
    const name = path.slice(at + 1);
    if (!folder || name === "") return folder;
    this.asked?.name(folder, name);
    const ino = folder.names.get(name);
    return ino === undefined ? undefined : this.inode(ino);
  }

  /** @param {string} path @returns {T | undefined} */
  #folderAt(path) {
    if (path === "") return this.inode(1);
    const known = this.#folders.get(path);
    if (known) return known;
    const found = this.find(path);
    if (!found) return undefined;
    if (found.kind !== "folder") throw errno("ENOTDIR", path);
    this.#folders.set(path, found);
    return found;
  }

  /** The name of a folder is another's now, or no one's. */
  forgetFolders() {
    this.#folders.clear();
  }

  /** @param {number} ino @returns {T} */
  inode(ino) {
    const inode = this.inodes.get(ino);
    if (!inode) throw new Error(`no inode ${ino}`);
    return inode;
  }

  /** @param {string} path */
  there(path) {
    const inode = this.find(path);
    if (!inode) throw errno("ENOENT", path);
    return inode;
  }

  /** @param {Seen} inode @returns {FileStat} */
  stat(inode) {
    const { ino, kind, data, links, mtimeMs, ctimeMs } = inode;
    const stat = { dev: 1, ino, size: data.length, links: kind === "file" ? links : 2, mtimeMs, ctimeMs, kind };
    return this.asked?.stat(inode, stat) ?? stat;
  }

  /** @param {string} path */
  identity(path) {
    const inode = this.find(path);
    if (inode) this.asked?.number(inode);
    return inode && `1 ${inode.ino} ${inode.birth}`;
  }

  /** @param {number} ino @param {number} size @param {number} position */
  read(ino, size, position) {
    const inode = this.inode(ino);
    this.asked?.bytes(inode);
    return inode.data.subarray(position, position + size);
  }

  /** @param {string} path */
  readFile(path) {
    const inode = this.there(path);
    if (inode.kind === "folder") throw errno("EISDIR", path);
    this.asked?.bytes(inode);
    return inode.data;
  }

  /** @param {string} path @param {boolean} [onlyFolders] */
  readdir(path, onlyFolders = false) {
    const inode = this.there(path);
    if (inode.kind !== "folder") throw errno("ENOTDIR", path);
    this.asked?.names(inode);
    return [...inode.names]
      .filter(([, ino]) => !onlyFolders || this.inode(ino).kind === "folder")
      .map(([name]) => name);
  }

  /** @param {string} path */
  entries(path) {
    return this.readdir(path).map((name) => ({ name, kind: this.there(`${path}/${name}`).kind }));
  }
}
