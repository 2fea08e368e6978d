/** Names that may have been meant by one that is none (ERR-20, ERR-21). */

/** The known names nearest to `name`, the nearest first; none where nothing is near. */
export function nearest(name: string, known: readonly string[], most = 3): string[] {
  const wanted = name.toLowerCase().slice(0, LONGEST);
  const reach = Math.max(2, Math.floor(wanted.length / 3));
  return known
    .map((one) => ({ one, steps: distance(wanted, one.toLowerCase().slice(0, LONGEST)) }))
    .filter(({ one, steps }) => steps <= reach || (wanted.length >= 4 && one.toLowerCase().includes(wanted)))
    .toSorted((a, b) => a.steps - b.steps)
    .slice(0, most)
    .map(({ one }) => one);
}

/** A name is at most so long; the rest of a longer one is not compared. */
const LONGEST = 80;

/** Those that are the same but for case, zeros or a kind that was left out; else the nearest. */
export function nearIds(id: string, known: readonly string[]): string[] {
  const same = sameIds(id, known);
  return same.length > 0 ? same.slice(0, 3) : nearest(id, known);
}

/** `TASK-1`, `task-001` and `1` for `TASK-001`. */
export function sameIds(id: string, known: readonly string[]): string[] {
  const wanted = partsOf(id);
  // Most of very many names go without being taken apart.
  const has = wanted.number === null ? "" : String(wanted.number);
  return known.filter((one) => {
    if (!one.includes(has)) return false;
    const { word, number } = partsOf(one);
    if (number === null || wanted.number === null) return one.toLowerCase() === id.toLowerCase();
    return number === wanted.number && (wanted.word === "" || word.startsWith(wanted.word));
  });
}

/** `TASK-001-k3f9` is the word `task` and the number 1. */
function partsOf(id: string): { word: string; number: number | null } {
  const [, word = "", digits] = /^([a-z]*)[-_ #]*0*(\d{1,9})(?:-[0-9a-z]{1,8})?$/i.exec(id.trim()) ?? [];
  return { word: word.toLowerCase(), number: digits === undefined ? null : Number(digits) };
}

/** How many letters have to be put in, taken out, exchanged or swapped with the next. */
function distance(a: string, b: string): number {
  let two: number[] = [];
  let one = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      row[j] = Math.min(row[j - 1]! + 1, one[j]! + 1, one[j - 1]! + (same ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) row[j] = Math.min(row[j]!, two[j - 2]! + 1);
    }
    two = one;
    one = row;
  }
  return one[b.length]!;
}
