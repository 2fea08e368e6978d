/** Turns what the operating system says into a coded error. The path is told relative to the workspace. */
import type { DeniedError } from "../disk.ts";
import { FileTooLargeError, isDenied, UnsafePathError } from "../disk.ts";
import { TaskfoldError } from "../errors.ts";
import type { ErrorCode } from "../errors.ts";
import { remedy, TASKFOLD } from "../remedy.ts";

const CODES: Record<string, ErrorCode> = {
  ENOSPC: "STORAGE_FULL",
  EDQUOT: "STORAGE_FULL",
  EFBIG: "STORAGE_FULL",
};

const RECOVERY: Partial<Record<ErrorCode, string>> = {
  STORAGE_FULL: "Free some space, then call again; nothing was written.",
};

export function errnoOf(e: unknown): string | undefined {
  return e instanceof Error && "code" in e && typeof e.code === "string" ? e.code : undefined;
}

/** For what is as good as absent where the system refuses a look at it. Other errors pass through. */
export function unlessRefused<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch (e) {
    if (errnoOf(e) === undefined) throw e;
    return undefined;
  }
}

/** Does that, and turns an errno of the system into a code of ours. `doing` as in `storageError`. */
export async function withStorageErrors<T>(doing: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (e) {
    throw errnoOf(e) === undefined ? e : storageError(e, doing);
  }
}

/** `doing` completes the sentence "Could not ...". Errors that are coded already pass through. */
export function storageError(e: unknown, doing: string): TaskfoldError {
  if (e instanceof TaskfoldError) return e;
  if (e instanceof UnsafePathError) return unsafePath(e, doing);
  if (e instanceof FileTooLargeError)
    return new TaskfoldError("CONTENT_TOO_LARGE", `Could not ${doing}: a file is larger than ${e.most} bytes.`, {
      cause: e,
      ...remedy`Find the file with ${TASKFOLD} verify; put the right one in its place.`,
    });
  if (isDenied(e)) return denied(e, doing);
  const errno = errnoOf(e);
  const code = CODES[errno ?? ""] ?? "STORAGE_FAILED";
  const recovery = RECOVERY[code];
  return new TaskfoldError(code, `Could not ${doing}: the system said ${errno ?? String(e)}.`, {
    cause: e,
    ...(recovery ? { recovery } : {}),
    ...(errno ? { details: { errno } } : {}),
  });
}

/** The path is told from `.coco` on: what lies above it is private. A folder such as `.coconut` is not that one. */
function fromCoco(path: string): string {
  const at = path.replaceAll("\\", "/");
  return /(?<=\/)\.coco(?:\/.*)?$/s.exec(at)?.[0] ?? at.slice(at.lastIndexOf("/") + 1);
}

const GIVE_THE_RIGHT = "Give this user the right to change it, then call again.";
/** Below `.coco` every file is Taskfold's own, so a person may take all of them back at once. */
const OWN_IT =
  process.platform === "win32"
    ? GIVE_THE_RIGHT
    : 'If it belongs to another user, as after a command that ran as root: sudo chown -R "$(id -u):$(id -g)" .coco. Else: chmod -R u+rwX .coco';

function denied(e: DeniedError, doing: string): TaskfoldError {
  const path = e.at === undefined ? undefined : fromCoco(e.at);
  const where = path === undefined ? "" : ` for ${path}`;
  return new TaskfoldError("READ_ONLY", `Could not ${doing}: the system said ${e.code}${where}.`, {
    cause: e,
    recovery:
      e.code === "EROFS"
        ? "Make the file system writable, then call again."
        : path === undefined || path === ".coco" || path.startsWith(".coco/")
          ? OWN_IT
          : GIVE_THE_RIGHT,
    details: { errno: e.code, ...(path === undefined ? {} : { path }) },
  });
}

function unsafePath(e: UnsafePathError, doing: string): TaskfoldError {
  const path = fromCoco(e.at);
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

/** Whether the system keeps this user from a file or folder. The others can be worked on all the same. */
export function isKeptFrom(e: unknown): boolean {
  return errnoOf(e) === "EACCES" || errnoOf(e) === "EPERM";
}
