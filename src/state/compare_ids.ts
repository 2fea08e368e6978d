/**
 * Natural order of ids: `TASK-2` before `TASK-10`. This is a total order that no locale changes. Runs of digits compare
 * as numbers of any length, everything else by code unit, and ids that differ only in leading zeros by their text.
 *
 * A list of thousands asks this a hundred thousand times, so ids are taken apart only where numbers are equal and their
 * digits are not.
 */
export function compareIds(a: string, b: string): number {
  if (differInLastDigit(a, b)) return a.charCodeAt(a.length - 1) - b.charCodeAt(b.length - 1);
  let at = 0;
  while (at < a.length && a.charCodeAt(at) === b.charCodeAt(at)) at++;
  if (at === a.length || at === b.length) return a.length - b.length;
  let run = at;
  while (run > 0 && isDigit(a, run - 1)) run--;
  const left = isDigit(a, run);
  const right = isDigit(b, run);
  if (left && right) return compareNumbers(a, b, run) || compareByRuns(a, b);
  // One goes on with digits: its run of other characters is the shorter one.
  if (left !== right && run > 0) return left ? -1 : 1;
  return a.charCodeAt(at) - b.charCodeAt(at);
}

/** Most neighbours in a list. The system compares their texts at once; a process that begins walks through them slowly. */
function differInLastDigit(a: string, b: string): boolean {
  const last = a.length - 1;
  return last === b.length - 1 && isDigit(a, last) && isDigit(b, last) && a.slice(0, last) === b.slice(0, last);
}

/** The numbers whose digits begin at `at` in both. */
function compareNumbers(a: string, b: string, at: number): number {
  const left = endOfZeros(a, at);
  const right = endOfZeros(b, at);
  let same = 0;
  while (isDigit(a, left + same) && a.charCodeAt(left + same) === b.charCodeAt(right + same)) same++;
  const digits = endOfDigits(a, left + same) - left - (endOfDigits(b, right + same) - right);
  if (digits !== 0) return digits;
  return isDigit(a, left + same) ? a.charCodeAt(left + same) - b.charCodeAt(right + same) : 0;
}

function endOfZeros(text: string, from: number): number {
  let at = from;
  while (text.charCodeAt(at) === ZERO && isDigit(text, at + 1)) at++;
  return at;
}

function endOfDigits(text: string, from: number): number {
  let at = from;
  while (isDigit(text, at)) at++;
  return at;
}

function compareByRuns(a: string, b: string): number {
  const left = a.match(RUNS) ?? [];
  const right = b.match(RUNS) ?? [];
  for (let i = 0; i < left.length && i < right.length; i++) {
    const [x, y] = [left[i]!, right[i]!];
    const order = isDigit(x, 0) && isDigit(y, 0) ? compareNumbers(x, y, 0) : compareText(x, y);
    if (order !== 0) return order;
  }
  return left.length - right.length || compareText(a, b);
}

const ZERO = 48;
const RUNS = /\d+|\D+/g;

function isDigit(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= ZERO && code <= ZERO + 9;
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
