/** Looks at files that evidence names. They read nothing in a Taskdoc package, also for an entry of another program (GUARD-22). */
import { join, relative, sep } from "node:path";
import type { Disk } from "../../disk.ts";
import type { Inspected, InspectedLines } from "../../files/inspect.ts";
import { inspectFile, inspectLines } from "../../files/inspect.ts";
import { isEncapsulatedPathLexical } from "../../state/tsk_name.ts";
import type { Look } from "../../views/evidence_check.ts";
import type { EngineContext } from "./context.ts";
import { inspectNamed } from "./remote_bytes.ts";

const CLOSED = { state: "unsafe", why: "it lies in a Taskdoc package" } as const;

/** As `inspectFile`. */
export function evidenceFile(disk: Disk, folder: string, path: string, most?: number): Inspected {
  return isEncapsulatedPathLexical(path) ? CLOSED : inspectFile(disk, folder, path, most);
}

/** As `inspectLines`. */
export function evidenceLines(disk: Disk, folder: string, path: string, start?: number, end?: number): InspectedLines {
  return isEncapsulatedPathLexical(path) ? CLOSED : inspectLines(disk, folder, path, start, end);
}

const LEFT_OUT = {
  state: "unsafe",
  why: "a sparse checkout leaves it out; git sparse-checkout add brings it",
} as const;

interface FilesLook extends Pick<Look, "file"> {
  /** Without numbers all lines. */
  lines: (of: "root" | "task", path: string, start?: number, end?: number) => InspectedLines;
}

/** Looks at what evidence of the entity in this folder points at. A file that git leaves out is not missing. */
export function lookAtFiles(context: EngineContext, folder: string): FilesLook {
  const { disk, layout, sparse } = context;
  const unlessHidden = <T extends { state: string }>(where: string, path: string, found: T): T | typeof LEFT_OUT => {
    const isHidden =
      found.state === "missing" && sparse.hides(relative(layout.root, join(where, path)).split(sep).join("/"));
    return isHidden ? LEFT_OUT : found;
  };
  return {
    file: (path, most, sha256) =>
      unlessHidden(
        folder,
        path,
        sha256 === undefined
          ? evidenceFile(disk, folder, path, most)
          : inspectNamed(context, folder, { path, sha256 }, most),
      ),
    lines: (of, path, start, end) => {
      const where = of === "root" ? layout.root : folder;
      return unlessHidden(where, path, evidenceLines(disk, where, path, start, end));
    },
  };
}
