/**
 * Looks at a path that a caller named inside a folder, without following a link on any segment. The target of a link is
 * not part of the folder that is reviewed and merged.
 */
import { createHash } from "node:crypto";
import { join } from "node:path";
import type { Disk, FileStat } from "../disk.ts";
import { errnoOf } from "./storage_error.ts";

type NotThere = { state: "missing" } | { state: "unsafe"; why: string };
export type Inspected = { state: "present"; size: number; sha256: string; lines: number } | NotThere;
/** `end`: the last line that the digest has. `short`: the file ends before the last of the lines. */
export type InspectedLines =
  | { state: "present"; sha256: string; end: number }
  | { state: "short"; lines: number }
  | NotThere;

/** A digest of more takes longer than a caller waits: some 4 s a GiB. */
const LARGEST = 1024 * 1024 * 1024;
const CHUNK = 256 * 1024;
const LF = 0x0a;
/** No person reads a larger file by lines. */
const LARGEST_BY_LINES = 64 * 1024 * 1024;

/**
 * `path` is relative to `folder`, with `/` between segments; a leading `./` is allowed. With `most` the digest is that of
 * the first so many bytes, and the size is still that of the file.
 */
export function inspectFile(disk: Disk, folder: string, path: string, most = Infinity): Inspected {
  const found = locate(disk, folder, path);
  if (found.state !== "present") return found;
  if (found.size > LARGEST) return { state: "unsafe", why: `it is larger than ${LARGEST} bytes` };
  return { state: "present", ...digest(disk, found.at, most) };
}

/** The first `most` bytes of a file as text, or undefined where there is no such file inside the folder. */
export function inspectText(disk: Disk, folder: string, path: string, most: number): string | undefined {
  const found = locate(disk, folder, path);
  if (found.state !== "present") return undefined;
  const fd = disk.open(found.at, "r");
  try {
    const bytes = Buffer.alloc(Math.min(found.size, most));
    let at = 0;
    for (let n = -1; n !== 0 && at < bytes.length; at += n) n = disk.read(fd, bytes.subarray(at), at);
    return bytes.toString("utf8", 0, at);
  } finally {
    disk.close(fd);
  }
}

/**
 * Digest of lines `start` to `end`, counted from 1, whatever ends them: git may check out CRLF where another clone has LF. Without them of
 * all lines, `end` being 0 where there are none.
 */
export function inspectLines(disk: Disk, folder: string, path: string, start = 1, end = Infinity): InspectedLines {
  const found = locate(disk, folder, path);
  if (found.state !== "present") return found;
  if (found.size > LARGEST_BY_LINES) return { state: "unsafe", why: `it is larger than ${LARGEST_BY_LINES} bytes` };
  return digestOfLines(disk, found.at, start, end);
}

/** A line ends with LF, CR LF before the digest is LF; the text behind the last LF is a line unless it is empty. */
function digestOfLines(disk: Disk, path: string, start: number, end: number): InspectedLines {
  const fd = disk.open(path, "r");
  try {
    const lines = new LinesDigest(start, end);
    const chunk = Buffer.allocUnsafe(CHUNK);
    let at = 0;
    for (let n = disk.read(fd, chunk, 0); n > 0 && !lines.done; n = disk.read(fd, chunk, at)) {
      lines.take(chunk.subarray(0, n));
      at += n;
    }
    return lines.end();
  } finally {
    disk.close(fd);
  }
}

/** Digest of some lines of a file that comes in chunks; of the others it keeps a number. */
class LinesDigest {
  readonly #hash = createHash("sha256");
  readonly #start: number;
  readonly #end: number;
  /** Number of the line that the next byte belongs to, and whether a byte of it was there. */
  #line = 1;
  #begun = false;
  /** A CR that ends what was read: it is part of the line unless an LF follows. Of all lines also a line end, which the last line is without. */
  #held = "";

  constructor(start: number, end: number) {
    this.#start = start;
    this.#end = end;
  }

  /** Whether what follows makes no difference. */
  get done(): boolean {
    return this.#line > this.#end;
  }

  take(bytes: Buffer): void {
    const from = this.#skip(bytes, 0, this.#start);
    const to = this.#skip(bytes, from, this.#end + 1);
    if (to > from) this.#add(bytes.toString("latin1", from, this.done ? to - 1 : to));
    this.#begun = bytes[bytes.length - 1] !== LF;
  }

  end(): InspectedLines {
    const last = this.#begun ? this.#line : this.#line - 1;
    if (!this.done && last < this.#end && this.#end !== Infinity) return { state: "short", lines: last };
    if (this.#held === "\r" && !this.done) this.#hash.update("\r");
    return { state: "present", sha256: this.#hash.digest("hex"), end: Math.min(last, this.#end) };
  }

  /** Where this line begins, or the bytes end. By hand: a file of 64 MiB may have as many lines. */
  #skip(bytes: Buffer, at: number, line: number): number {
    let i = at;
    while (this.#line < line && i < bytes.length) if (bytes[i++] === LF) this.#line++;
    return i;
  }

  /** Latin-1 keeps every byte as it is, whatever the file is written in. */
  #add(text: string): void {
    const whole = this.#held + text;
    this.#held = whole.slice(whole.length - this.#heldOf(whole));
    const rest = whole.slice(0, whole.length - this.#held.length);
    this.#hash.update(rest.replaceAll("\r\n", "\n"), "latin1");
  }

  #heldOf(text: string): number {
    if (text.endsWith("\r")) return 1;
    if (this.#end !== Infinity || !text.endsWith("\n")) return 0;
    return text.endsWith("\r\n") ? 2 : 1;
  }
}

function locate(disk: Disk, folder: string, path: string): { state: "present"; at: string; size: number } | NotThere {
  const fault = pathFault(path);
  if (fault) return { state: "unsafe", why: fault };
  const segments = path.split("/").filter((s) => s !== "." && s !== "");
  let at = folder;
  for (const [i, segment] of segments.entries()) {
    at = join(at, segment);
    const stat = lstatOf(disk, at);
    if (!stat) return { state: "missing" };
    if (stat.kind === "link") return { state: "unsafe", why: `${segments.slice(0, i + 1).join("/")} is a link` };
    const last = i === segments.length - 1;
    if (last && stat.kind !== "file") return { state: "unsafe", why: "it is not a regular file" };
    if (last) return { state: "present", at, size: stat.size };
    if (stat.kind !== "folder") return { state: "missing" };
  }
  return { state: "missing" };
}

/** A name that is longer than the file system has names is not there. */
function lstatOf(disk: Disk, path: string): FileStat | undefined {
  try {
    return disk.lstat(path);
  } catch (e) {
    if (errnoOf(e) === "ENAMETOOLONG") return undefined;
    throw e;
  }
}

/** Why a path cannot name something inside the folder, or null. */
export function pathFault(path: string): string | null {
  if (path === "" || path === "." || path === "./") return "it is empty";
  if (path.includes("\0")) return "it holds a NUL";
  if (path.includes("\\")) return "it holds a backslash; write /";
  if (path.startsWith("/") || /^[A-Za-z]:/.test(path)) return "it is absolute";
  if (path.split("/").includes("..")) return "it climbs with ..";
  return null;
}

/** `lines`: what follows the last LF is one unless it is empty. */
function digest(disk: Disk, path: string, most: number): { size: number; sha256: string; lines: number } {
  const fd = disk.open(path, "r");
  try {
    const hash = createHash("sha256");
    const chunk = Buffer.allocUnsafe(CHUNK);
    let [size, lines, last] = [0, 0, LF];
    for (let n = disk.read(fd, chunk, 0); n > 0; n = disk.read(fd, chunk, size)) {
      if (size < most) hash.update(chunk.subarray(0, Math.min(n, most - size)));
      for (let at = chunk.indexOf(LF); at !== -1 && at < n; at = chunk.indexOf(LF, at + 1)) lines++;
      last = chunk[n - 1]!;
      size += n;
    }
    return { size, sha256: hash.digest("hex"), lines: last === LF ? lines : lines + 1 };
  } finally {
    disk.close(fd);
  }
}
