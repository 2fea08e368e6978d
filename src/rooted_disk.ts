import { sep } from "node:path";
import type { Disk, FileStat, FolderEntry, OpenFlags } from "./disk.ts";
import {
  deniedAt,
  folderDescriptors,
  isDenied,
  nodeDisk,
  readWhole,
  UnsafePathError,
  WHOLE_FILE_BYTES,
} from "./disk.ts";

/** How many folders one open workspace holds. Each is a descriptor. */
const HELD = 64;
/**
 * How long the folder of a spare file is taken to be where it was found. To ask costs as much as to open the file. The
 * caller knows each of these files by its inode.
 */
export const ASK_AGAIN_MS = 5;

/** A segment that is empty, `.` or `..`, or a NUL anywhere. */
// oxlint-disable-next-line no-control-regex
const CLIMBS = sep === "/" ? /(?:^|\/)\.{0,2}(?:\/|$)|\0/ : /(?:^|[\\/])\.{0,2}(?:[\\/]|$)|\0/;

/** Asked once: whether the system shows this process its descriptors as links that can be walked. */
let works: boolean | undefined;

/**
 * The disk that everything below a root goes through. No link is followed on any segment of a path. Each folder is
 * opened through the one above it and held by a descriptor. A name in it is reached through that descriptor, so a link
 * that is put in place later leads nowhere. Before each use the system is asked where the folder is now: one that was
 * moved or replaced is opened anew. Without `/proc/self/fd` each segment is looked at before and after
 * (spec/decisions/0007).
 *
 * `stat` and `lstat` go by path: they open nothing, and what they tell is acted on through the other calls only.
 */
export class RootedDisk implements Disk {
  readonly #root: string;
  readonly #below: string;
  readonly #byDescriptor: boolean;
  /** Path of the root as the system tells it. */
  #realRoot = "";
  #rootStat: FileStat | undefined;
  readonly #now: () => number;
  /** Held folders that were found in place since the last pause. */
  readonly #asked = new Set<string>();
  /** When held folders were found in place, by the clock. */
  readonly #foundAt = new Map<string, number>();
  /** Held folders by path, the root among them, oldest use first. */
  readonly #held = new Map<string, number>();
  readonly outside = nodeDisk.outside;

  readonly close: Disk["close"] = (fd) => nodeDisk.close(fd);
  readonly write: Disk["write"] = (fd, bytes, position) => nodeDisk.write(fd, bytes, position);
  readonly read: Disk["read"] = (fd, into, position) => nodeDisk.read(fd, into, position);
  readonly truncate: Disk["truncate"] = (fd, size) => nodeDisk.truncate(fd, size);
  readonly fstat: Disk["fstat"] = (fd) => nodeDisk.fstat(fd);
  readonly fdatasyncSync: Disk["fdatasyncSync"] = (fd) => nodeDisk.fdatasyncSync(fd);
  readonly fdatasync: Disk["fdatasync"] = (fd) => nodeDisk.fdatasync(fd);
  readonly fsync: Disk["fsync"] = (fd) => nodeDisk.fsync(fd);
  readonly copyMode: Disk["copyMode"] = (from, to) => nodeDisk.copyMode(from, to);

  /**
   * `root`: absolute; the path to it may hold links, for the caller chose it. `byDescriptor` false is for tests, and so
   * is another clock (milliseconds).
   */
  constructor(
    root: string,
    { byDescriptor = (works ??= folderDescriptors.works()), now = () => performance.now() } = {},
  ) {
    this.#now = now;
    this.#root = root.length > 1 && root.endsWith(sep) ? root.slice(0, -1) : root;
    this.#below = this.#root.endsWith(sep) ? this.#root : this.#root + sep;
    this.#byDescriptor = byDescriptor;
  }

  open(path: string, flags: OpenFlags): number {
    return this.#denied(path, () => this.#opened(path, flags));
  }

  #opened(path: string, flags: OpenFlags): number {
    this.#check(path);
    // Where the system has no O_NOFOLLOW, the file itself is looked at as the folders are; a new one never follows.
    if (!this.#byDescriptor && flags !== "wx")
      return this.#checked(this.#above(path + sep), () => nodeDisk.open(path, flags));
    const found = flags === "r" ? this.#openFound(path) : undefined;
    if (found !== undefined) return found;
    const within = flags === "r+" ? ASK_AGAIN_MS : 0;
    return this.#in(path, (at) => this.#named(path, () => nodeDisk.open(at, flags)), within);
  }

  stat(path: string): FileStat | undefined {
    if (!this.#isAbove(path)) this.#check(path);
    return nodeDisk.stat(path);
  }

  lstat(path: string): FileStat | undefined {
    this.#check(path);
    return nodeDisk.lstat(path);
  }

  readFile(path: string, most = WHOLE_FILE_BYTES): Buffer {
    return this.#denied(path, () => {
      this.#check(path);
      if (!this.#byDescriptor) return this.#checked(this.#above(path + sep), () => readWhole(path, most));
      return this.#in(path, (at) => this.#named(path, () => readWhole(at, most, path)));
    });
  }

  readdir(path: string): string[] {
    return this.#denied(path, () => this.#at(path, (at) => nodeDisk.readdir(at)));
  }

  readFolders(path: string): string[] {
    return this.#denied(path, () => this.#at(path, (at) => nodeDisk.readFolders(at)));
  }

  entries(path: string): FolderEntry[] {
    return this.#denied(path, () => this.#at(path, (at) => nodeDisk.entries(at)));
  }

  syncFolder(path: string): void {
    // The folder that holds a new root is the caller's.
    if (!this.#isAbove(path)) return this.#denied(path, () => this.#at(path, (at) => nodeDisk.syncFolder(at)));
    nodeDisk.syncFolder(path);
  }

  mkdir(path: string): void {
    if (this.#isAbove(path)) nodeDisk.mkdir(path);
    else this.#denied(path, () => this.#in(path, (at) => nodeDisk.mkdir(at)));
  }

  readlink(path: string): string {
    return this.#in(path, (at) => nodeDisk.readlink(at));
  }

  rename(from: string, to: string): void {
    // It may be a folder that is held, or one above it.
    this.#forgetFound();
    this.#deniedIn(to, () => this.#in(from, (one) => this.#in(to, (other) => nodeDisk.rename(one, other))));
  }

  exchange(spare: string, other: string): void {
    const exchanged = (): void => this.#in(spare, (a) => this.#in(other, (b) => nodeDisk.exchange(a, b)), ASK_AGAIN_MS);
    this.#deniedIn(other, exchanged);
  }

  unlink(path: string): void {
    this.#deniedIn(path, () => this.#in(path, (at) => nodeDisk.unlink(at)));
  }

  rmdir(path: string): void {
    this.#forgetFound();
    this.#deniedIn(path, () => this.#in(path, (at) => nodeDisk.rmdir(at)));
  }

  /** A link in the place of the folder is refused; a watch only ever gives hints. */
  watch(path: string, changed: (name: string | null) => void, failed: () => void): () => void {
    this.#at(path, () => undefined);
    return nodeDisk.watch(path, changed, failed);
  }

  pollFiles: NonNullable<Disk["pollFiles"]> = (changed) => nodeDisk.pollFiles!(changed);

  identity(path: string): string | undefined {
    this.#check(path);
    return nodeDisk.identity(path);
  }

  newName(): string {
    return nodeDisk.newName();
  }

  /** Lets go of every folder. The next call opens them anew. */
  release(): void {
    for (const fd of this.#held.values()) nodeDisk.close(fd);
    this.#held.clear();
    this.#forgetFound();
  }

  /** Refuses what does not lie below the root, by name. Asked at every call, so without taking the path apart. */
  #check(path: string): void {
    if (path === this.#root) return;
    if (!path.startsWith(this.#below) || CLIMBS.test(path.slice(this.#below.length)))
      throw new UnsafePathError(path, "name outside of the root");
  }

  /**
   * Opens a file in a folder that is not held by its path. The system then says whether it is the file of that path and
   * not behind a link. Half the calls that its folder would cost. Undefined where it is not, or cannot be opened: the
   * other way tells.
   */
  #openFound(path: string): number | undefined {
    if (!this.#byDescriptor || this.#held.has(this.#parentOf(path))) return undefined;
    this.#folder(this.#root);
    const real = this.#realRoot + path.slice(this.#root.length);
    const fd = openedOrNot(real);
    if (fd === undefined || isAt(fd, real)) return fd;
    nodeDisk.close(fd);
    return undefined;
  }

  /** Names from the root down to the folder that holds `path`. */
  #above(path: string): string[] {
    return path.slice(this.#below.length).split(sep).slice(0, -1);
  }

  /** The root, or a folder that leads to it. */
  #isAbove(path: string): boolean {
    return path === this.#root || this.#below.startsWith(path.endsWith(sep) ? path : path + sep);
  }

  /**
   * Runs `work` with a path that leads to the name in its own folder and nowhere else. `within`: for so many milliseconds
   * the folder that was in place is taken to be.
   */
  #in<T>(path: string, work: (at: string) => T, within = 0): T {
    this.#check(path);
    if (path === this.#root) throw new UnsafePathError(path, "name outside of the root");
    if (!this.#byDescriptor) return this.#checked(this.#above(path), () => work(path));
    const folder = this.#folder(this.#parentOf(path), within);
    // The way through a descriptor is twice as long.
    if (within > 0) return work(path);
    return work(`${folderDescriptors.path}${folder}${path.slice(path.lastIndexOf(sep))}`);
  }

  /** An error names the path as the caller knows it. */
  #named<T>(path: string, work: () => T): T {
    try {
      return work();
    } catch (e) {
      throw e instanceof UnsafePathError ? new UnsafePathError(path, e.found) : e;
    }
  }

  /** If this user has no right, the error names the file or folder, or the folder of a name that is not there. */
  #denied<T>(path: string, work: () => T): T {
    try {
      return work();
    } catch (e) {
      if (isDenied(e)) throw deniedAt(e, this.#isSeen(path) ? path : this.#parentOf(path));
      throw e;
    }
  }

  /** The same for a call that changes the folder of the name. */
  #deniedIn<T>(path: string, work: () => T): T {
    try {
      return work();
    } catch (e) {
      throw isDenied(e) ? deniedAt(e, this.#parentOf(path)) : e;
    }
  }

  #isSeen(path: string): boolean {
    try {
      return nodeDisk.lstat(path) !== undefined;
    } catch {
      // Its folder may not even be looked into.
      return false;
    }
  }

  /** The same with a path that leads to a folder. */
  #at<T>(path: string, work: (at: string) => T): T {
    this.#check(path);
    if (!this.#byDescriptor) return this.#checked(this.#above(path + sep), () => work(path));
    return work(`${folderDescriptors.path}${this.#folder(path)}/`);
  }

  /** A descriptor of a folder below the root, or of the root: the one that is held, if it is where it was. */
  #folder(path: string, within = 0): number {
    const held = this.#held.get(path);
    if (held !== undefined && this.#isThere(path, held, within)) {
      // Used last: a second path of the same call must not let go of it.
      this.#held.delete(path);
      this.#held.set(path, held);
      return held;
    }
    if (this.#held.has(path)) this.#drop(path);
    const fd = path === this.#root ? this.#openRoot() : this.#openFolder(path);
    this.#held.set(path, fd);
    this.#found(path);
    if (this.#held.size > HELD) this.#drop(this.#held.keys().next().value!);
    return fd;
  }

  /**
   * Whether a held folder is where it was. Asked once for all that runs without a pause: nothing of this process comes
   * between, and another process may come between any two calls anyway.
   */
  #isThere(path: string, held: number, within: number): boolean {
    if (this.#asked.has(path)) return true;
    const now = this.#now();
    if (now - (this.#foundAt.get(path) ?? Number.NEGATIVE_INFINITY) < within) return true;
    // A root that is reached by a link may be another folder by now.
    if (this.#asked.size === 0 && !this.#isRoot()) return false;
    if (!isAt(held, this.#realRoot + path.slice(this.#root.length))) return false;
    this.#found(path, now);
    return true;
  }

  /** A folder that was opened through the one above it is in place as well. */
  #found(path: string, now = this.#now()): void {
    if (this.#asked.size === 0) queueMicrotask(this.#forgetAsked);
    this.#asked.add(path);
    this.#foundAt.set(path, now);
  }

  #isRoot(): boolean {
    if (this.#realRoot === this.#root) return true;
    const now = nodeDisk.stat(this.#root);
    const then = this.#rootStat;
    if (now && now.ino === then?.ino && now.dev === then.dev) return true;
    this.release();
    return false;
  }

  readonly #forgetAsked = (): void => this.#asked.clear();

  #forgetFound(): void {
    this.#asked.clear();
    this.#foundAt.clear();
  }

  #openFolder(path: string): number {
    const parent = this.#parentOf(path);
    const name = path.slice(path.lastIndexOf(sep) + 1);
    const at = `${folderDescriptors.path}${this.#folder(parent)}/${name}`;
    try {
      return folderDescriptors.open(at);
    } catch (e) {
      if (nodeDisk.lstat(at)?.kind === "link") throw new UnsafePathError(path, "link");
      throw e;
    }
  }

  #parentOf(path: string): string {
    const end = path.lastIndexOf(sep);
    return end < this.#root.length ? this.#root : path.slice(0, end);
  }

  #openRoot(): number {
    const fd = folderDescriptors.open(this.#root, { follow: true });
    this.#realRoot = folderDescriptors.pathOf(fd);
    this.#rootStat = nodeDisk.fstat(fd);
    return fd;
  }

  #drop(path: string): void {
    nodeDisk.close(this.#held.get(path)!);
    this.#held.delete(path);
    this.#asked.delete(path);
    this.#foundAt.delete(path);
  }

  #checked<T>(folders: readonly string[], work: () => T): T {
    this.#refuseLinks(folders);
    try {
      return work();
    } finally {
      this.#refuseLinks(folders);
    }
  }

  #refuseLinks(folders: readonly string[]): void {
    let at = this.#root;
    for (const name of folders) {
      at = at === this.#root ? this.#below + name : at + sep + name;
      if (nodeDisk.lstat(at)?.kind === "link") throw new UnsafePathError(at, "link");
    }
  }
}

function openedOrNot(path: string): number | undefined {
  try {
    return nodeDisk.open(path, "r");
  } catch {
    // The way through its folder is tried next, and throws what there is to throw.
    return undefined;
  }
}

/** Whether an open file or folder is at this path now. */
function isAt(fd: number, path: string): boolean {
  return folderDescriptors.pathOf(fd) === path;
}
