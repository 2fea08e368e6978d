/**
 * Natural order of ids: `TASK-2` before `TASK-10`. A total order that no locale changes: runs of digits compare as
 * numbers of any length, everything else by code unit, and ids that differ only in leading zeros by their text.
 */
export function compareIds(a: string, b: string): number {
  const left = a.match(RUNS) ?? [];
  const right = b.match(RUNS) ?? [];
  for (let i = 0; i < left.length && i < right.length; i++) {
    const order = compareRuns(left[i]!, right[i]!);
    if (order !== 0) return order;
  }
  return left.length - right.length || compareText(a, b);
}

const RUNS = /\d+|\D+/g;

function compareRuns(a: string, b: string): number {
  if (!isDigits(a) || !isDigits(b)) return compareText(a, b);
  const x = a.replace(/^0+(?=\d)/, "");
  const y = b.replace(/^0+(?=\d)/, "");
  return x.length - y.length || compareText(x, y);
}

function isDigits(run: string): boolean {
  return run.charCodeAt(0) >= 48 && run.charCodeAt(0) <= 57;
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
