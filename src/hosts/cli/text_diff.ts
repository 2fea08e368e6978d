/** What is different between two texts, as one block: the lines that both begin and end with are left out. */
export interface ChangedLines {
  /** Number of the first line that differs, from 1. */
  at: number;
  removed: string[];
  added: string[];
}

export function changedLines(before: string, after: string): ChangedLines {
  const [old, now] = [linesOf(before), linesOf(after)];
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
