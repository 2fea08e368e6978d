/** The look that finds a Taskdoc of the old form, one Markdown file, which the log does not hold. Every read takes it. */
import { createHash } from "node:crypto";
import { join } from "node:path";
import type { Disk } from "../../disk.ts";
import { errnoOf } from "../../files/storage_error.ts";
import { utf8Text } from "../../files/utf8_text.ts";
import { readMarkdownTaskdoc } from "../../rules/markdown_taskdoc.ts";
import { LIMITS } from "../../state/limits.ts";
import type { Taskdoc } from "../../state/taskdoc.ts";
import { SINGLE_FILE_TASKDOC } from "../../state/taskdoc.ts";
import type { TaskdocViolation } from "../../views/taskdoc.ts";

/** More than three sections hold, with what only sets them apart. @internal */
export const MAX_BYTES = 4 * LIMITS.textBytes;

/**
 * Tells agents that a Taskdoc of the old form lies beside the package; none when it was taken in or says nothing.
 * @internal
 */
export function unmigratedTaskdoc(disk: Disk, folder: string, taskdoc: Taskdoc): TaskdocViolation[] {
  const path = join(folder, SINGLE_FILE_TASKDOC);
  try {
    const stat = disk.lstat(path);
    if (stat?.kind !== "file" || stat.size === 0) return [];
    if (stat.size <= MAX_BYTES) {
      const bytes = disk.readFile(path, MAX_BYTES);
      if (takenFrom(taskdoc, digestOf(bytes))) return [];
      const text = utf8Text(bytes);
      if (text !== undefined && readMarkdownTaskdoc(text).sections.length === 0) return [];
    }
  } catch (e) {
    // One that may not be read was not taken in from here.
    if (errnoOf(e) === undefined) throw e;
  }
  const message =
    "A Taskdoc of one Markdown file lies beside the package: no agent gets its text. Take it in with taskfold taskdoc import, " +
    "or take it away.";
  return [{ kind: "unmigrated", path: SINGLE_FILE_TASKDOC, message }];
}

/** Whether a text that a section has or had came from these bytes. @internal */
export function takenFrom(taskdoc: Taskdoc, sha256: string): boolean {
  return [...taskdoc.values()].some(({ sources }) => sources.includes(sha256));
}

/** @internal */
export function digestOf(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}
