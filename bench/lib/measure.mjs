// Rounds in which two sides take turns on the same machine in the same minute, so that what else the machine does
// falls on both. The bench compares the ratio inside a round, and only reports absolute times beside it.

/**
 * @typedef {(n: number) => unknown} Side does n operations; may return a promise
 * @typedef {{ ratio: Spread, a: number, b: number }} Paired microseconds per operation of either side, and a / b
 * @typedef {{ median: number, min: number, max: number }} Spread
 */

/**
 * @param {Side} a
 * @param {Side} b
 * @param {{ rounds: number, na: number, nb: number, warm?: number }} how operations of either side in a round
 * @returns {Promise<Paired>}
 */
export async function paired(a, b, { rounds, na, nb, warm = 1 }) {
  const ratios = [];
  const as = [];
  const bs = [];
  for (let round = -warm; round < rounds; round++) {
    // A B, then B A: a drift within a round favours neither.
    const first = round % 2 === 0;
    let ta = first ? await time(a, na) : 0;
    const tb = await time(b, nb);
    if (!first) ta = await time(a, na);
    if (round < 0) continue;
    as.push(ta);
    bs.push(tb);
    ratios.push(ta / tb);
  }
  return { ratio: spread(ratios), a: spread(as).median, b: spread(bs).median };
}

/** Microseconds per operation. @param {Side} side @param {number} n */
async function time(side, n) {
  const start = process.hrtime.bigint();
  await side(n);
  return Number(process.hrtime.bigint() - start) / 1000 / n;
}

/** @param {number[]} values @returns {Spread} */
export function spread(values) {
  const sorted = values.toSorted((x, y) => x - y);
  const middle = sorted.length >> 1;
  const median = sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  return { median, min: sorted[0], max: sorted.at(-1) };
}

/** The same ratio the other way round. @param {Spread} spread @returns {Spread} */
export function inverse({ median, min, max }) {
  return { median: 1 / median, min: 1 / max, max: 1 / min };
}
