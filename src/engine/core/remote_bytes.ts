/**
 * Digests of bytes that events name and that the shared log has for this machine (SHARED-34), in `shared/remote` of the machine's folder.
 * They tell bytes that were never fetched from bytes that are lost, also without a server.
 */
import { dirname } from "node:path";
import type { Disk } from "../../disk.ts";
import { readRegular, removeQuietly, writeAll } from "../../files/atomic.ts";
import { ensureDurableFolder } from "../../files/folders.ts";
import type { Inspected } from "../../files/inspect.ts";
import { inspectFile } from "../../files/inspect.ts";
import type { Layout } from "../../files/layout.ts";

/** A file in the folder of a plan or task, by the digest that an event names. */
export interface NamedFile {
  /** From the folder, with `/`. */
  path: string;
  sha256: string;
}

const MAX_BYTES = 256 * 1024 * 1024;
/** For so long the shared log lacks what it lacked. Another machine may put it there. */
const LOST_MS = 30_000;
const DIGEST = /^[0-9a-f]{64}$/;

export class RemoteBytes {
  readonly #disk: Disk;
  readonly #layout: Layout;
  #known = new Set<string>();
  /** How much of which file was read. */
  #read: { ino: number; size: number } | null = null;
  /** The shared log was asked for them then, and lacked them. */
  readonly #lost = new Map<string, number>();
  readonly #now: () => number;

  constructor(disk: Disk, layout: Layout, now: () => number) {
    this.#disk = disk;
    this.#layout = layout;
    this.#now = now;
  }

  has(sha256: string): boolean {
    return this.digests.has(sha256);
  }

  get digests(): ReadonlySet<string> {
    const known = this.#noted;
    if (this.#lost.size === 0) return known;
    const now = this.#now();
    // A clock that was put back ends it, too.
    for (const [one, at] of this.#lost) if (Math.abs(now - at) > LOST_MS) this.#lost.delete(one);
    return new Set([...known].filter((one) => !this.#lost.has(one)));
  }

  get #noted(): ReadonlySet<string> {
    const stat = this.#disk.lstat(this.#path);
    if (stat?.kind !== "file") {
      this.#read = null;
      this.#known = new Set();
    } else if (stat.ino !== this.#read?.ino || stat.size !== this.#read.size) {
      // Times are left out on purpose: this engine alone writes the file, and only appends.
      const text = readRegular(this.#disk, this.#path, MAX_BYTES)?.toString("latin1") ?? "";
      this.#known = new Set(text.split("\n").filter((line) => DIGEST.test(line)));
      this.#read = { ino: stat.ino, size: text.length };
    }
    return this.#known;
  }

  /** The message that names them is about to be taken in. Call while holding the shared lock. */
  add(digests: readonly string[]): void {
    const known = this.#noted;
    const fresh = digests.filter((one) => !known.has(one));
    for (const one of digests) this.#lost.delete(one);
    if (fresh.length === 0) return;
    ensureDurableFolder(this.#disk, dirname(this.#path));
    const fd = this.#disk.open(this.#path, "a+");
    try {
      // The first line feed ends a line that a killed process left unfinished.
      writeAll(this.#disk, fd, Buffer.from(`\n${fresh.join("\n")}\n`, "latin1"));
    } finally {
      this.#disk.close(fd);
    }
  }

  sync(): void {
    if (!this.#disk.lstat(this.#path)) return;
    const fd = this.#disk.open(this.#path, "r+");
    try {
      this.#disk.fdatasyncSync(fd);
    } finally {
      this.#disk.close(fd);
    }
  }

  lost(sha256: string): void {
    this.#lost.set(sha256, this.#now());
  }

  /** This machine has no shared log any more. */
  leave(): void {
    removeQuietly(this.#disk, this.#path);
  }

  get #path(): string {
    return this.#layout.machineFile("shared", "remote");
  }
}

/** As `inspectFile`, for a file that an event names by its digest: the one way to look at such bytes. */
export function inspectNamed(
  { disk, remote }: { disk: Disk; remote: Pick<RemoteBytes, "has"> },
  folder: string,
  { path, sha256 }: NamedFile,
  most?: number,
): Inspected | { state: "remote" } {
  const found = inspectFile(disk, folder, path, most);
  return found.state === "missing" && remote.has(sha256) ? { state: "remote" } : found;
}
