/** A long text of people on a terminal: its begin, and the command that shows the rest (CLI-115). */
import { wrapTo } from "./width.ts";

/** More of a text hides the rest of the page. */
const FOLDED = 10;
/** The column of the longest label, and the narrowest one beside it. */
const LABEL = 12;
const NARROWEST = 20;

/** Where no person looks, the text stays whole. */
export function folded(
  text: string,
  { id, program, wide }: { id: string; program: string; wide: number | undefined },
): string {
  if (wide === undefined) return text;
  const lines = text
    .trimEnd()
    .split("\n")
    .flatMap((line) => wrapTo(line, Math.max(wide - LABEL, NARROWEST)));
  const left = lines.length - FOLDED;
  return left <= 1
    ? text
    : [...lines.slice(0, FOLDED), `(${left} lines more: ${program} show ${id} --full)`].join("\n");
}
