/** Refusals of the disk interface itself. The rest is what the system says. */

/**
 * Thrown for a path of `Disk` that has a link on its way, or that leads to something that is no regular file. `at` is
 * told to callers.
 */
export class UnsafePathError extends Error {
  override readonly name = "UnsafePathError";
  readonly code = "ELOOP";
  /** Path of what is in the way, as the caller named it. */
  readonly at: string;
  readonly found: "link" | "special file" | "name outside of the root";

  constructor(at: string, found: UnsafePathError["found"]) {
    super(`ELOOP: a ${found} at '${at}'`);
    this.at = at;
    this.found = found;
  }
}

/** A file that is larger than its reader takes. */
export class FileTooLargeError extends Error {
  override readonly name = "FileTooLargeError";
  readonly code = "EOVERFLOW";
  readonly most: number;

  constructor(path: string, most: number) {
    super(`EOVERFLOW: more than ${most} bytes in '${path}'`);
    this.most = most;
  }
}

const DENIED = new Set(["EACCES", "EPERM", "EROFS"]);

/** An error of the system that says that this user may not; `at`: path of what refused, as the caller names it. */
export type DeniedError = Error & { code: string; at?: string };

export function isDenied(e: unknown): e is DeniedError {
  return e instanceof Error && "code" in e && DENIED.has(String(e.code));
}

/** The same error with the path; a call within a call names it first. */
export function deniedAt(e: DeniedError, at: string): DeniedError {
  e.at ??= at;
  return e;
}
