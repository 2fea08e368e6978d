/**
 * A disk that goes wrong when told to: a call fails with an errno, a write comes out short, or the process "dies" at
 * the n-th change. The files are real; only what this disk was told to spoil is spoiled.
 */
import { dirname, join, sep } from "node:path";
import type { Disk, FolderEntry, OpenFlags } from "../../src/disk.ts";
import { nodeDisk } from "../../src/disk.ts";
import { CHANGES, fits } from "./disk_calls.ts";
import type { Call, Kind, Which } from "./disk_calls.ts";

/** Thrown at the call a process dies at, and at every call after it. No errno: nobody may mistake it for a fault of the disk. */
export class Stop extends Error {
  override readonly name = "Stop";
}

interface Fault {
  which: Which;
  /** Calls to let pass before the first that is spoiled. */
  after: number;
  times: number;
  spoil: { errno: string } | { keep: number } | { meanwhile: () => void };
}

export class FaultyDisk implements Disk {
  readonly #inner: Disk;
  readonly #faults: Fault[] = [];
  readonly #open = new Map<number, string>();
  /** Bytes of each file that a sync has covered; a file not named here was there before. */
  readonly #synced = new Map<string, number>();
  /** Names made since their folder was last synced, oldest first; with the name it had before, if that was a lasting one. */
  readonly #fresh = new Map<string, string | undefined>();
  #stopAt = Infinity;
  #tear = 0;
  #changes = 0;
  #dead = false;
  readonly #gone: (() => void)[] = [];
  /** Every call so far. */
  readonly calls: Call[] = [];

  get outside() {
    return this.#inner.outside;
  }

  constructor(inner: Disk = nodeDisk) {
    this.#inner = inner;
  }

  /** The next `times` such calls fail with this errno, after letting `after` of them pass. */
  fail(which: Which, errno: string, { after = 0, times = 1 } = {}): void {
    this.#faults.push({ which, after, times, spoil: { errno } });
  }

  /** The next such write puts out only `keep` bytes and says so, as on a disk that has just become full. */
  cut(which: Omit<Which, "kind">, keep: number, { after = 0 } = {}): void {
    this.#faults.push({ which: { ...which, kind: "write" }, after, times: 1, spoil: { keep } });
  }

  /** Before the next such call another process does something. */
  meanwhile(which: Which, what: () => void, { after = 0 } = {}): void {
    this.#faults.push({ which, after, times: 1, spoil: { meanwhile: what } });
  }

  /** The process dies at the n-th change from now (from 0): a write leaves `tear` bytes, any other call nothing. */
  stop(n: number, tear = 0): void {
    this.#stopAt = this.#changes + n;
    this.#tear = tear;
  }

  /** Nothing more goes wrong. */
  mend(): void {
    this.#faults.length = 0;
    this.#stopAt = Infinity;
  }

  get dead(): boolean {
    return this.#dead;
  }

  /** Changes so far. */
  get changes(): number {
    return this.#changes;
  }

  /** What else a process takes with it when it dies, such as its connections. */
  whenGone(end: () => void): void {
    this.#gone.push(end);
  }

  /** How many calls of this kind there were, on paths that end with or match this. */
  count(which: Which): number {
    return this.calls.filter((call) => fits(which, call)).length;
  }

  /** What the kernel does when a process is gone: descriptors are closed, and their locks with them. */
  die(): void {
    this.#go();
    for (const fd of this.#open.keys()) this.#inner.close(fd);
    this.#open.clear();
  }

  /**
   * What a power cut does besides, at its worst: bytes that no sync covered are gone, and so are names that were made
   * and whose folder was not synced. A name that was replaced keeps its new file. A system may have written some of it on its
   * own: paths that are `spared` keep what they have.
   */
  losePower(spared: (path: string) => boolean = () => false): void {
    this.die();
    for (const [path, size] of this.#synced) {
      if (spared(path)) continue;
      const stat = this.#inner.lstat(path);
      if (stat?.kind !== "file" || stat.size <= size) continue;
      const fd = this.#inner.open(path, "r+");
      this.#inner.truncate(fd, size);
      this.#inner.close(fd);
    }
    for (const [path, from] of [...this.#fresh].toReversed()) {
      if (spared(path)) continue;
      if (from === undefined) this.#lose(path);
      else if (this.#inner.lstat(path)) this.#inner.rename(path, from);
    }
  }

  #lose(path: string): void {
    const stat = this.#inner.lstat(path);
    if (!stat) return;
    if (stat.kind !== "folder") return this.#inner.unlink(path);
    for (const name of this.#inner.readdir(path)) this.#lose(join(path, name));
    this.#inner.rmdir(path);
  }

  #go(): void {
    this.#dead = true;
    for (const end of this.#gone.splice(0)) end();
  }

  #call<T>(kind: Kind, path: string, run: () => T, torn?: (keep: number) => T): T {
    if (this.#dead) throw new Stop("this process is gone");
    this.calls.push({ kind, path });
    if (CHANGES.includes(kind) && this.#changes++ === this.#stopAt) {
      if (this.#tear > 0) torn?.(this.#tear);
      this.#go();
      throw new Stop(`stopped at ${kind} of ${path}`);
    }
    return this.#spoiled({ kind, path }, run, torn);
  }

  #spoiled<T>(call: Call, run: () => T, torn?: (keep: number) => T): T {
    const fault = this.#faults.find(({ which, times }) => times > 0 && fits(which, call));
    if (!fault || fault.after-- > 0) return run();
    fault.times--;
    const { kind, path } = call;
    if ("keep" in fault.spoil) return torn ? torn(fault.spoil.keep) : run();
    if ("meanwhile" in fault.spoil) {
      fault.spoil.meanwhile();
      return this.#spoiled(call, run, torn);
    }
    const { errno } = fault.spoil;
    throw Object.assign(new Error(`${errno}: ${kind} '${path}'`), { code: errno });
  }

  #named(fd: number): string {
    return this.#open.get(fd) ?? "";
  }

  #made(path: string, from?: string): void {
    if (!this.#fresh.has(path)) this.#fresh.set(path, from);
  }

  #cover(fd: number): void {
    this.#synced.set(this.#named(fd), this.#inner.fstat(fd).size);
  }

  open(path: string, flags: OpenFlags): number {
    return this.#call("open", path, () => {
      const before = this.#inner.lstat(path);
      const fd = this.#inner.open(path, flags);
      this.#open.set(fd, path);
      if (!before) this.#made(path);
      const reads = flags === "r";
      if (!reads && !before) this.#synced.set(path, 0);
      else if (!reads && !this.#synced.has(path)) this.#synced.set(path, before?.size ?? 0);
      return fd;
    });
  }

  close(fd: number): void {
    // The kernel has closed it.
    if (this.#dead) return;
    this.#call("close", this.#named(fd), () => {
      this.#inner.close(fd);
      this.#open.delete(fd);
    });
  }

  write(fd: number, bytes: Uint8Array, position?: number): number {
    const put = (part: Uint8Array): number => this.#inner.write(fd, part, position);
    return this.#call(
      "write",
      this.#named(fd),
      () => put(bytes),
      (keep) => put(bytes.subarray(0, keep)),
    );
  }

  read(fd: number, into: Uint8Array, position: number): number {
    return this.#call("read", this.#named(fd), () => this.#inner.read(fd, into, position));
  }

  truncate(fd: number, size: number): void {
    this.#call("truncate", this.#named(fd), () => this.#inner.truncate(fd, size));
  }

  fstat(fd: number) {
    return this.#call("fstat", this.#named(fd), () => this.#inner.fstat(fd));
  }

  stat(path: string) {
    return this.#call("stat", path, () => this.#inner.stat(path));
  }

  lstat(path: string) {
    return this.#call("lstat", path, () => this.#inner.lstat(path));
  }

  fdatasyncSync(fd: number): void {
    this.#call("fdatasyncSync", this.#named(fd), () => {
      this.#inner.fdatasyncSync(fd);
      this.#cover(fd);
    });
  }

  async fdatasync(fd: number): Promise<void> {
    // What the file holds when the call is made is what it promises; later bytes may be the next caller's.
    const size = this.#call("fdatasync", this.#named(fd), () => this.#inner.fstat(fd).size);
    const path = this.#named(fd);
    await this.#inner.fdatasync(fd);
    this.#synced.set(path, Math.max(size, this.#synced.get(path) ?? 0));
  }

  fsync(fd: number): void {
    this.#call("fsync", this.#named(fd), () => {
      this.#inner.fsync(fd);
      this.#cover(fd);
    });
  }

  syncFolder(path: string): void {
    this.#call("syncFolder", path, () => {
      this.#inner.syncFolder(path);
      for (const name of this.#fresh.keys()) if (dirname(name) === path) this.#fresh.delete(name);
    });
  }

  readFile(path: string, most?: number): Buffer {
    return this.#call("readFile", path, () => this.#inner.readFile(path, most));
  }

  readdir(path: string): string[] {
    return this.#call("readdir", path, () => this.#inner.readdir(path));
  }

  readFolders(path: string): string[] {
    return this.#call("readFolders", path, () => this.#inner.readFolders(path));
  }

  entries(path: string): FolderEntry[] {
    return this.#call("entries", path, () => this.#inner.entries(path));
  }

  readlink(path: string): string {
    return this.#call("readlink", path, () => this.#inner.readlink(path));
  }

  mkdir(path: string): void {
    this.#call("mkdir", path, () => {
      this.#inner.mkdir(path);
      this.#made(path);
    });
  }

  rename(from: string, to: string): void {
    this.#call("rename", to, () => {
      const before = this.#inner.lstat(to);
      this.#inner.rename(from, to);
      const lasting = this.#fresh.has(from) ? this.#fresh.get(from) : from;
      this.#fresh.delete(from);
      if (!before) this.#made(to, lasting);
      for (const [path, size] of new Map(this.#synced)) {
        if (path !== from && !path.startsWith(from + sep)) continue;
        this.#synced.delete(path);
        this.#synced.set(to + path.slice(from.length), size);
      }
    });
  }

  exchange(one: string, other: string): void {
    this.#call("exchange", other, () => {
      this.#inner.exchange(one, other);
      // Both names were there before and are afterwards: what may be lost is in the files, and moves with them.
      const sizes = [one, other].map((path) => this.#synced.get(path));
      for (const [path, size] of [
        [one, sizes[1]],
        [other, sizes[0]],
      ] as const) {
        this.#synced.delete(path);
        if (size !== undefined) this.#synced.set(path, size);
      }
    });
  }

  unlink(path: string): void {
    this.#call("unlink", path, () => {
      this.#inner.unlink(path);
      this.#fresh.delete(path);
      this.#synced.delete(path);
    });
  }

  rmdir(path: string): void {
    this.#call("rmdir", path, () => {
      this.#inner.rmdir(path);
      this.#fresh.delete(path);
    });
  }

  copyMode(from: number, to: number): void {
    this.#call("copyMode", this.#named(to), () => this.#inner.copyMode(from, to));
  }

  newName(): string {
    return this.#inner.newName();
  }

  identity(path: string): string | undefined {
    return this.#call("identity", path, () => this.#inner.identity(path));
  }

  watch(path: string, changed: (name: string | null) => void, failed: () => void): () => void {
    return this.#call("watch", path, () => this.#inner.watch(path, changed, failed));
  }
}
