/** Looks at files that evidence names. They read nothing in a Taskdoc package, also for an entry of another program (GUARD-22). */
import type { Disk } from "../../disk.ts";
import type { Inspected, InspectedLines } from "../../files/inspect.ts";
import { inspectFile, inspectLines } from "../../files/inspect.ts";
import { isEncapsulatedPathLexical } from "../../state/tsk_name.ts";

const CLOSED = { state: "unsafe", why: "it lies in a Taskdoc package" } as const;

/** As `inspectFile`. */
export function evidenceFile(disk: Disk, folder: string, path: string, most?: number): Inspected {
  return isEncapsulatedPathLexical(path) ? CLOSED : inspectFile(disk, folder, path, most);
}

/** As `inspectLines`. */
export function evidenceLines(disk: Disk, folder: string, path: string, start?: number, end?: number): InspectedLines {
  return isEncapsulatedPathLexical(path) ? CLOSED : inspectLines(disk, folder, path, start, end);
}
