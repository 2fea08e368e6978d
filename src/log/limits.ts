/** Limits of the parts that a reader holds of one log; above one, that log is LOG_UNREADABLE (spec/limits.md). */
import { TaskfoldError } from "../errors.ts";

/**
 * Bytes of a log that are held at once: by a log with branches while it is ordered, and by whatever needs the whole text.
 * Hosts of git repositories take no larger file than 100 MiB; a straight log is streamed and may be longer.
 */
export const MAX_HELD = 128 * 1024 * 1024;
/** Entries of all the lists by which ops know the branches beside them: so many, and as many more for each op. */
export const MAX_KNOWN = 256 * 1024;
export const MAX_KNOWN_PER_OP = 64;
/** Links from ops that wait for lost lines to the ops that declare them lost: each has one to each. */
export const MAX_GAP_LINKS = 4 * 1024 * 1024;

/** Lines of other programs that wait for a place. */
export const MAX_FOREIGN = 100_000;

/** Returns the error to throw when a log is above a limit. */
export function aboveLimit(what: string, limit: number): TaskfoldError {
  return new TaskfoldError("LOG_UNREADABLE", `Expected a log with at most ${limit} ${what}, found more.`, {
    recovery: "Put an earlier version of events.jsonl back from git; spec/limits.md names every limit.",
  });
}

/** Refuses a log that a caller needs whole and that is longer than what is held of one. */
export function refuseAboveHeld(bytes: number): void {
  if (bytes > MAX_HELD) throw aboveLimit("bytes to be held at once", MAX_HELD);
}
