/** The difference between two texts, as one block: without the lines that both begin and end with. */
export interface ChangedLines {
  /** Number of the first line that differs, from 1. */
  at: number;
  removed: string[];
  added: string[];
}

export function changedLines(before: string, after: string): ChangedLines {
  return changedBetween(linesOf(before), linesOf(after));
}

function changedBetween(old: readonly string[], now: readonly string[]): ChangedLines {
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start++;
  let end = 0;
  while (end < old.length - start && end < now.length - start && old.at(-1 - end) === now.at(-1 - end)) end++;
  return { at: start + 1, removed: old.slice(start, old.length - end), added: now.slice(start, now.length - end) };
}

/** A line feed at the end is no line of its own. */
function linesOf(text: string): string[] {
  return text === "" ? [] : text.replace(/\n$/, "").split("\n");
}

const CONTEXT = 3;

/** The change of a file as `diff -u` writes it; undefined: the file is not there. */
export function unifiedDiff(path: string, before: string | undefined, after: string | undefined): string {
  const [old, now] = [wholeLines(before), wholeLines(after)];
  const { at, removed, added } = changedBetween(old, now);
  const start = Math.max(at - 1 - CONTEXT, 0);
  const end = at - 1 + removed.length;
  const head = old.slice(start, at - 1);
  const tail = old.slice(end, end + CONTEXT);
  const around = head.length + tail.length;
  const range = (lines: number): string => `${around + lines === 0 ? 0 : start + 1},${around + lines}`;
  return [
    `--- ${before === undefined ? "/dev/null" : `a/${path}`}`,
    `+++ ${after === undefined ? "/dev/null" : `b/${path}`}`,
    `@@ -${range(removed.length)} +${range(added.length)} @@`,
    ...head.map((line) => ` ${line}`),
    ...removed.map((line) => `-${line}`),
    ...added.map((line) => `+${line}`),
    ...tail.map((line) => ` ${line}`),
    "",
  ].join("\n");
}

/** A last line without a line feed differs from one with it. */
function wholeLines(text = ""): string[] {
  const lines = linesOf(text);
  return text === "" || text.endsWith("\n")
    ? lines
    : [...lines.slice(0, -1), `${lines.at(-1)}\n\\ No newline at end of file`];
}
