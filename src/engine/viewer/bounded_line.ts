import { shorten } from "../../state/code_points.ts";

/** Findings quote names and values of a folder, which may be as long as a file. */
const MOST = 1000;

export function boundedLine(text: string): string {
  return shorten(text, MOST);
}
