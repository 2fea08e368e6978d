/** How much is read of a repository that may be made to exhaust its reader (HISTORY-23). */

const MIB = 1024 * 1024;

/** Bytes that one call of git may say. */
export const MAX_OUTPUT = 32 * MIB;
/** Bytes of the list of a work tree with its index. */
export const MAX_LISTED = 128 * MIB;
/** Time that one call of git may take. */
export const MAX_SECONDS = 120;
/** Bytes of one version of a log in the history. Two of them, and git's output for them, stand in memory at once. */
export const MAX_VERSION = 16 * MIB;
/** Bytes of one side of a merge, or of one file that is staged. */
export const MAX_OBJECT = 32 * MIB;
/** Bytes of one diff that is tried. */
export const MAX_DIFF = 16 * MIB;
/** Bytes of all sides of one log in a merge. */
export const MAX_SIDES = 64 * MIB;
/** Commits that a merge may have as parents. */
export const MAX_PARENTS = 64;
/** Bytes of small objects that are read by one call of git. */
export const BATCH = 8 * MIB;
/** Bytes of all versions of logs that one question reads. */
export const MAX_READ = 8 * 1024 * MIB;
/** Bytes of all versions of a log that are read for one change that is missing. */
export const MAX_HELD_BY = 256 * MIB;
/** Commits whose logs one question compares. */
export const MAX_COMMITS = 200_000;
/** Bytes of lines that one question hands out. */
export const MAX_LINES_BYTES = 256 * MIB;
/** Lines in which two versions of a log may differ. */
export const MAX_LINES_DIFFERENT = 200_000;
