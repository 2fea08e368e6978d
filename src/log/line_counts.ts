import { readLine } from "./line.ts";
import { scan } from "./scan.ts";
import { bytesSource } from "./source.ts";

/** How many lines of a log say something, how many cannot be read, and how many are of pointers of Git LFS. */
export interface LineCounts {
  kept: number;
  unreadable: number;
  pointers: number;
}

/**
 * The lines that a filter of the repository wrote in the place of the events: pointers of Git LFS, or none that can be read.
 * Undefined for a log.
 */
export function filteredLines(log: Buffer): LineCounts | undefined {
  // Each event begins with a brace, so nearly every log is known without a look at its lines.
  if (log.length === 0 || (log[0] === OPEN_BRACE && !log.includes(LFS))) return undefined;
  const counts = lineCounts(log);
  return counts.pointers > 0 || (counts.kept === 0 && counts.unreadable > 0) ? counts : undefined;
}

const OPEN_BRACE = 0x7b;
const LFS = "https://git-lfs.github.com/";

/** Whether a creation was cut off in its first line. It has no end, and begins as an event does; a power cut may leave zeros alone. @internal */
export function isBegun(log: Buffer): boolean {
  return log.length > 0 && !log.includes(LF) && (log[0] === OPEN_BRACE || log.every((byte) => byte === 0));
}

const LF = 0x0a;

export function lineCounts(bytes: Buffer): LineCounts {
  const counts = { kept: 0, unreadable: 0, pointers: 0 };
  scan(bytesSource(bytes), { offset: 0, line: 1 }, (view) => {
    const { kind } = readLine(view);
    if (kind === "pointer") counts.pointers++;
    else if (kind === "bad") counts.unreadable++;
    else if (kind !== "blank" && kind !== "marker") counts.kept++;
    return true;
  });
  return counts;
}
