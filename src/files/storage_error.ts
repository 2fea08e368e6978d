/** Turns what the operating system says into a coded error. The path is told relative to the workspace. */
import { FileTooLargeError, UnsafePathError } from "../disk.ts";
import { TaskfoldError } from "../errors.ts";
import type { ErrorCode } from "../errors.ts";

const CODES: Record<string, ErrorCode> = {
  EROFS: "READ_ONLY",
  EACCES: "READ_ONLY",
  EPERM: "READ_ONLY",
  ENOSPC: "STORAGE_FULL",
  EDQUOT: "STORAGE_FULL",
  EFBIG: "STORAGE_FULL",
};

const RECOVERY: Partial<Record<ErrorCode, string>> = {
  READ_ONLY: "Make the folder writable for this user, then call again.",
  STORAGE_FULL: "Free some space, then call again; nothing was written.",
};

export function errnoOf(e: unknown): string | undefined {
  return e instanceof Error && "code" in e && typeof e.code === "string" ? e.code : undefined;
}

/** `doing` completes the sentence "Could not ...". Errors that are coded already pass through. */
export function storageError(e: unknown, doing: string): TaskfoldError {
  if (e instanceof TaskfoldError) return e;
  if (e instanceof UnsafePathError) return unsafePath(e, doing);
  if (e instanceof FileTooLargeError)
    return new TaskfoldError("CONTENT_TOO_LARGE", `Could not ${doing}: a file is larger than ${e.most} bytes.`, {
      cause: e,
      recovery: "Find the file with taskfold verify; put the right one in its place.",
    });
  const errno = errnoOf(e);
  const code = CODES[errno ?? ""] ?? "STORAGE_FAILED";
  const recovery = RECOVERY[code];
  return new TaskfoldError(code, `Could not ${doing}: the system said ${errno ?? String(e)}.`, {
    cause: e,
    ...(recovery ? { recovery } : {}),
    ...(errno ? { details: { errno } } : {}),
  });
}

/** The path is told from `.coco` on: what lies above it is private. */
function unsafePath(e: UnsafePathError, doing: string): TaskfoldError {
  const at = e.at.replaceAll("\\", "/");
  const path = at.includes("/.coco") ? at.slice(at.indexOf("/.coco") + 1) : at.slice(at.lastIndexOf("/") + 1);
  return new TaskfoldError(
    "PATH_UNSAFE",
    `Could not ${doing}: expected a plain file or folder at ${path}, found a ${e.found}.`,
    {
      cause: e,
      recovery: "Remove it, or put back what belongs there; nothing was read or written through it.",
      details: { path },
    },
  );
}
