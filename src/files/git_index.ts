/** The entries of git's index. The form of the file is that of gitformat-index(5), versions 2 to 4. */
import type { IndexedSign } from "./file_sign.ts";

/** One entry. The reader uses one object for all of them. */
export interface IndexEntry {
  /** The file, and where in it the entry begins. */
  index: Buffer;
  start: number;
  mode: number;
  flags: number;
  /** The second word of flags; 0 where the entry has none. */
  more: number;
  /** The bytes that have the path, and its place there. */
  bytes: Buffer;
  from: number;
  to: number;
}

export interface SkippedEntries {
  /** Files, as paths from the top of the work tree. */
  files: string[];
  /** Folders of which a sparse index has one entry, and no names below; each ends in `/`. */
  folders: string[];
  /** Whether the index leaves entries to a second file, which is not read here. */
  isSplit: boolean;
}

/** A sign of four letters, the version, and how many entries follow. */
export const HEADER_BYTES = 12;
/** Times, device, inode, mode, owner and size, before the name of the object. */
const STAT_BYTES = 40;
const MODE_AT = 24;
/** The mode of a folder of which a sparse index has one entry. */
export const FOLDER = 0o040000;
/** Flags of an entry. The first says that it has a second word of them. */
const EXTENDED = 0x4000;
export const ASSUME_UNCHANGED = 0x8000;
/** Which side of a merge it is. */
export const SIDE = 0x3000;
const LENGTH = 0x0fff;
/** In the second word. */
export const SKIP_WORKTREE = 0x4000;

/**
 * Gives each entry in turn, in the order of the bytes of their paths. `hash`: bytes of an object's name. Returns whether the index leaves entries
 * to a second file, which is not read here. Throws a RangeError where the bytes are no index.
 */
export function eachEntry(index: Buffer, hash: number, take: (entry: Readonly<IndexEntry>) => void): boolean {
  const version = versionOf(index);
  const count = index.readUInt32BE(8);
  const entry: IndexEntry = { index, start: 0, mode: 0, flags: 0, more: 0, bytes: index, from: 0, to: 0 };
  let at = HEADER_BYTES;
  // In version 4 a path is told by what differs from the one before.
  let path: Buffer = Buffer.alloc(0);
  for (let n = 0; n < count; n++) {
    const start = at;
    const flags = index.readUInt16BE(start + STAT_BYTES + hash);
    const isExtended = (flags & EXTENDED) !== 0;
    entry.start = start;
    entry.mode = index.readUInt32BE(start + MODE_AT);
    entry.flags = flags;
    entry.more = isExtended ? index.readUInt16BE(start + STAT_BYTES + hash + 2) : 0;
    at += STAT_BYTES + hash + (isExtended ? 4 : 2);
    if (version === 4) {
      const [dropped, from] = varint(index, at);
      const end = endOf(index, from);
      path = Buffer.concat([path.subarray(0, path.length - dropped), index.subarray(from, end)]);
      at = end + 1;
      entry.bytes = path;
      entry.from = 0;
      entry.to = path.length;
    } else {
      const length = flags & LENGTH;
      entry.from = at;
      entry.to = length < LENGTH ? at + length : endOf(index, at);
      // One to eight NUL bytes fill up to a multiple of eight.
      at = start + ((entry.to - start + 8) & ~7);
    }
    // Git names no file by nothing, and the digest of all stands behind the last entry.
    if (entry.to <= entry.from || at > index.length - hash) throw new RangeError("an entry without its end");
    take(entry);
  }
  // Extensions follow, and a digest of all at the end.
  let isSplit = false;
  while (at + 8 <= index.length - hash) {
    if (index.toString("latin1", at, at + 4) === "link") isSplit = true;
    at += 8 + index.readUInt32BE(at + 4);
  }
  return isSplit;
}

/** The name of the object of an entry, in hexadecimal digits. */
export function objectOf({ index, start }: IndexEntry, hash: number): string {
  return index.toString("hex", start + STAT_BYTES, start + STAT_BYTES + hash);
}

/** Times, size and inode that the file of an entry had at git's last look. */
export function signIn({ index, start }: IndexEntry): IndexedSign {
  const word = (at: number): number => index.readUInt32BE(start + at);
  return { ctime: [word(0), word(4)], mtime: [word(8), word(12)], ino: word(20), size: word(36) };
}

/**
 * Entries that are marked as not to be in the work tree. They lie in the folder `below`, or are folders above it that are left out whole. `below`:
 * from the top, with `/` at its end. `hash`: bytes of an object's name. Throws a RangeError where the bytes are no index.
 */
export function skippedEntries(index: Buffer, below: string, hash: number): SkippedEntries {
  const found: SkippedEntries = { files: [], folders: [], isSplit: false };
  const wanted = Buffer.from(below);
  found.isSplit = eachEntry(index, hash, ({ mode, more, bytes, from, to }) => {
    if ((more & SKIP_WORKTREE) === 0) return;
    const isFolder = mode === FOLDER;
    const path = bytes.subarray(from, to);
    if (startsWith(path, wanted)) found[isFolder ? "folders" : "files"].push(path.toString("utf8"));
    else if (isFolder && startsWith(wanted, path)) found.folders.push(path.toString("utf8"));
  });
  return found;
}

/**
 * Whether an entry may be marked as not to be in the work tree, by the header alone. In version 2 no entry has a second word of flags. The file that a split
 * index leaves entries to has a version of its own. Throws a RangeError where the bytes are no index.
 */
export function maySkip(header: Buffer): boolean {
  return versionOf(header) > 2;
}

function versionOf(index: Buffer): number {
  const version = index.readUInt32BE(4);
  if (index.toString("latin1", 0, 4) !== "DIRC" || version < 2 || version > 4 || index.length < HEADER_BYTES)
    throw new RangeError(`an index of version ${version}`);
  return version;
}

function startsWith(path: Buffer, part: Buffer): boolean {
  return path.length >= part.length && path.compare(part, 0, part.length, 0, part.length) === 0;
}

function endOf(index: Buffer, from: number): number {
  const end = index.indexOf(0, from);
  if (end === -1) throw new RangeError("a path without an end");
  return end;
}

/** A number as packs of git have it, and where the next byte is. */
function varint(index: Buffer, from: number): [value: number, next: number] {
  let at = from;
  let byte = index.readUInt8(at++);
  let value = byte & 0x7f;
  while (byte & 0x80) {
    byte = index.readUInt8(at++);
    value = (value + 1) * 128 + (byte & 0x7f);
  }
  return [value, at];
}
