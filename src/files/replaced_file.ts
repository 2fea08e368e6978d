/** A file that is about to leave its name, as far as it can be kept: nothing of a pipe, a socket or a device. */
import type { Disk } from "../disk.ts";

export interface ReplacedFile {
  kind: "file" | "link" | "special file";
  /** Of a file; of a link, where it leads. */
  bytes: Buffer;
}

export function replacedFileAt(disk: Disk, path: string, kind: ReplacedFile["kind"]): ReplacedFile {
  if (kind === "link") return { kind, bytes: Buffer.from(disk.readlink(path)) };
  return { kind, bytes: kind === "file" ? disk.readFile(path) : Buffer.alloc(0) };
}
