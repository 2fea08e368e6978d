/** Reads patches without context (`--unified=0 --no-prefix`), from `git log` or `git diff`. */

export interface PatchLine {
  path: string;
  commit: string;
  bytes: Buffer;
  added: boolean;
}

const HUNK = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/;
const [LF, PLUS, MINUS, AT, BACKSLASH] = [0x0a, 0x2b, 0x2d, 0x40, 0x5c];
const NOWHERE = "/dev/null";

/** `commit`: whose lines these are where the output names none. */
export function linesOfPatch(output: Buffer, commit = ""): PatchLine[] {
  const lines: PatchLine[] = [];
  let [at, path] = [commit, ""];
  // A hunk says how long it is: within it a line is content, whatever it looks like.
  let left = 0;
  for (let start = 0; start < output.length;) {
    const lf = output.indexOf(LF, start);
    const end = lf < 0 ? output.length : lf;
    const first = output[start];
    if (left > 0 && first !== BACKSLASH) {
      lines.push({ path, commit: at, bytes: output.subarray(start + 1, end), added: first === PLUS });
      left--;
    } else if (left === 0 && first === AT) {
      const [, taken = "1", added = "1"] = HUNK.exec(output.toString("latin1", start, end)) ?? [];
      left = Number(taken) + Number(added);
    } else if (left === 0 && (first === MINUS || first === PLUS)) {
      const name = nameIn(output.toString("utf8", start, end));
      if (name !== NOWHERE) path = name;
    } else if (left === 0 && output.toString("latin1", start, start + 7) === "commit ")
      at = output.toString("latin1", start + 7, end);
    start = end + 1;
  }
  return lines;
}

/** git ends a name that holds a blank with a tab. */
function nameIn(header: string): string {
  return header.slice(4).replace(/\t$/, "");
}
