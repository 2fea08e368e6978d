import { readLine } from "./line.ts";
import { scan } from "./scan.ts";
import { bytesSource } from "./source.ts";

/** How many lines of a log say something, how many cannot be read, and how many are of pointers of Git LFS. */
export interface LineCounts {
  kept: number;
  unreadable: number;
  pointers: number;
}

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
