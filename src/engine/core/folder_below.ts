/** The folder of a run, as every record of it names the folder. */
import { isAbsolute, relative, resolve } from "node:path";
import type { Disks } from "../../disks.ts";

/**
 * The path of a folder from the root, `.` for the root itself; undefined for one outside of it. One folder has one name, however a caller writes
 * it. A link may lead out of the root, and the root may have been named by one.
 */
export function folderBelow({ anywhere }: Pick<Disks, "anywhere">, root: string, cwd: string): string | undefined {
  const real = (path: string): string => (anywhere.stat(path) ? anywhere.outside.realpath(path) : path);
  const from = relative(real(resolve(root)), real(resolve(root, cwd))).replaceAll("\\", "/");
  if (from === ".." || from.startsWith("../") || isAbsolute(from)) return undefined;
  return from === "" ? "." : from;
}
