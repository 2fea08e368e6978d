/** The output of an acceptance command in one line, and the place of the rest. */
import { shorten } from "./code_points.ts";

/** So that the name of the file behind it is never cut. */
const LINE = 110;

/** Of the latest attempt of a verifying stage, from the task's folder on. */
export function artifactFile(stage: string): string {
  return `outputs/${stage}.artifact.md`;
}

/** Where a command says why it failed, mostly. */
export function lastLineOf(excerpt: string): string {
  const line = excerpt
    .split(/\r\n|\n|\r/)
    .map((one) => one.trim())
    .findLast((one) => one !== "");
  return line === undefined ? "none" : shorten(line, LINE);
}
