/** The file that `--out` names. */
import { dirname, resolve } from "node:path";
import { nodeDisk } from "../../disk.ts";
import { TaskfoldError } from "../../errors.ts";
import type { Session } from "./session.ts";

/** No file that is there is written over. */
export function newFile({ io }: Session, out: string): string {
  const path = resolve(io.cwd, out);
  if (nodeDisk.stat(dirname(path))?.kind !== "folder")
    throw new TaskfoldError(
      "INVALID_INPUT",
      `Expected --out in a folder that is there, found ${JSON.stringify(out)}.`,
      {
        recovery: "Make the folder, or name a file in another one.",
      },
    );
  if (nodeDisk.lstat(path) === undefined) return path;
  throw new TaskfoldError("INVALID_INPUT", `Expected --out to name a new file, found ${JSON.stringify(out)} there.`, {
    recovery: "Name another file, or move that one away.",
  });
}

export function writeNew(path: string, text: string): void {
  const fd = nodeDisk.open(path, "wx");
  try {
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length;) at += nodeDisk.write(fd, bytes.subarray(at));
  } finally {
    nodeDisk.close(fd);
  }
}
