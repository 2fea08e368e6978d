/** Reads a file that any program may have put there: a regular file, no link, and only so many bytes. */
import { join } from "node:path";
import { nodeDisk } from "../../disk.ts";

/**
 * Bytes of a regular file of at most `most` bytes below `folder`, reached through folders alone. Undefined where there is none;
 * a text says why it is not read.
 */
export function readPlain(folder: string, path: string, most: number): Buffer | string | undefined {
  const names = path.split("/");
  for (let n = 1; n < names.length; n++) {
    const kind = nodeDisk.lstat(join(folder, ...names.slice(0, n)))?.kind;
    if (kind !== "folder") return kind === undefined ? undefined : `it stands behind a ${kind}`;
  }
  const file = join(folder, ...names);
  const kind = nodeDisk.lstat(file)?.kind;
  if (kind !== "file") return kind === undefined ? undefined : `it is a ${kind}`;
  return readOpened(file, most);
}

function readOpened(file: string, most: number): Buffer | string {
  const fd = nodeDisk.open(file, "r");
  try {
    const { kind, size } = nodeDisk.fstat(fd);
    if (kind !== "file") return `it is a ${kind}`;
    if (size > most) return `it has more than ${most} bytes`;
    const bytes = Buffer.allocUnsafe(size);
    let length = 0;
    while (length < size) {
      const came = nodeDisk.read(fd, bytes.subarray(length), length);
      if (came === 0) break;
      length += came;
    }
    return bytes.subarray(0, length);
  } finally {
    nodeDisk.close(fd);
  }
}
