/** The files of a step, as a caller names them (PROOF-51). */
import { checkPath } from "./relative_path.ts";
import { cleanList } from "./text.ts";

/** Paths below the root of the workspace, `.` for the root itself. PATH_UNSAFE for one that leaves it. */
export function checkFiles(paths: readonly string[], field: string): string[] {
  const plain = cleanList(paths, field).map((path) =>
    /^(?:\.\/?)+$/.test(path) ? "." : checkPath(path.replace(/\/+$/, ""), "the workspace"),
  );
  return [...new Set(plain)];
}
