/**
 * The entries of git's index that are marked as not to be in the work tree. The form of the file is that of
 * gitformat-index(5), versions 2 to 4.
 */

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
const FOLDER_MODE = 0o040000;
/** In the flags of an entry: it has a second word of flags, and the length of its path. */
const EXTENDED = 0x4000;
const LENGTH = 0x0fff;
/** In the second word. */
const SKIP_WORKTREE = 0x4000;

/**
 * Those in the folder `below` (from the top, with `/` at its end), and folders above it that are left out whole. `hash`: bytes
 * of an object's name. Throws a RangeError where the bytes are no index.
 */
export function skippedEntries(index: Buffer, below: string, hash: number): SkippedEntries {
  const found: SkippedEntries = { files: [], folders: [], isSplit: false };
  const version = versionOf(index);
  const wanted = Buffer.from(below);
  const count = index.readUInt32BE(8);
  let at = HEADER_BYTES;
  // In version 4 a path is told by what differs from the one before.
  let path: Buffer = Buffer.alloc(0);
  for (let n = 0; n < count; n++) {
    const start = at;
    const flags = index.readUInt16BE(start + STAT_BYTES + hash);
    const isExtended = (flags & EXTENDED) !== 0;
    const skipped = isExtended && (index.readUInt16BE(start + STAT_BYTES + hash + 2) & SKIP_WORKTREE) !== 0;
    at += STAT_BYTES + hash + (isExtended ? 4 : 2);
    if (version === 4) {
      const [dropped, from] = varint(index, at);
      const end = endOf(index, from);
      path = Buffer.concat([path.subarray(0, path.length - dropped), index.subarray(from, end)]);
      at = end + 1;
    } else {
      const length = flags & LENGTH;
      const end = length < LENGTH ? at + length : endOf(index, at);
      path = index.subarray(at, end);
      // One to eight NUL bytes fill up to a multiple of eight.
      at = start + ((end - start + 8) & ~7);
    }
    if (!skipped) continue;
    const isFolder = index.readUInt32BE(start + MODE_AT) === FOLDER_MODE;
    if (startsWith(path, wanted)) found[isFolder ? "folders" : "files"].push(path.toString("utf8"));
    else if (isFolder && startsWith(wanted, path)) found.folders.push(path.toString("utf8"));
  }
  // Extensions follow, and a digest of all at the end.
  while (at + 8 <= index.length - hash) {
    if (index.toString("latin1", at, at + 4) === "link") found.isSplit = true;
    at += 8 + index.readUInt32BE(at + 4);
  }
  return found;
}

/**
 * Whether an entry may have that mark, by the header alone: in version 2 no entry has a second word of flags. The file that a split
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
