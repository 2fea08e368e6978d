/**
 * Heads that a log with branches had at earlier moments. No later op need name them: a branch may have gone on before another op joined it.
 * Files of such a moment are told by nothing else.
 */
import type { Op } from "./types.ts";

/** Of so many ops, the last in replay order, is known which ones came before which. */
const WINDOW = 2048;
/** Heads are looked for among so many ops, the latest by their writers' clocks, first few and several, then many and two. */
const ROUNDS = [
  { among: 48, heads: 4 },
  { among: WINDOW, heads: 2 },
];
/** Sets that one round looks at: some 50 ms. */
const MAX_SETS = 300_000;

/**
 * Heads of moments at which the log had so many ops, each once. `ops`: all of them, in replay order. Gives none for a log without
 * branches, and not every moment of one with thousands of ops beside each other.
 */
export function* headsAt(ops: readonly Op[], size: number): Generator<string[]> {
  if (size >= ops.length || size <= ops.length - WINDOW) return;
  const window = ops.slice(-WINDOW);
  const before = ancestorsOf(window);
  if (!before) return;
  const wanted = size - (ops.length - window.length);
  const latestFirst = window
    .map((op, i) => ({ i, ts: op.events[0]!.ts }))
    .sort((a, b) => (a.ts === b.ts ? b.i - a.i : a.ts < b.ts ? 1 : -1))
    .map(({ i }) => i);
  const seen = new Set<string>();
  const small = latestFirst.filter((i) => countOf(before[i]!, before[i]!) <= wanted);
  for (const { among, heads } of ROUNDS)
    for (const found of new Search(before, wanted, heads).run(small.slice(0, among))) {
      const key = found.toSorted((a, b) => a - b).join(" ");
      if (!seen.has(key)) yield found.map((i) => window[i]!.last);
      seen.add(key);
    }
}

/** Of each op itself and its ancestors, a bit each; undefined where every op has all before it as ancestors. */
function ancestorsOf(window: readonly Op[]): Uint32Array[] | undefined {
  const places = new Map(window.map(({ last }, i) => [last, i]));
  const words = Math.ceil(window.length / 32);
  const rows: Uint32Array[] = [];
  let isStraight = true;
  for (const [i, { events }] of window.entries()) {
    const row = new Uint32Array(words);
    const parents = events[0]!.prev.flatMap((hash) => places.get(hash) ?? []);
    for (const parent of parents) join(row, rows[parent]!);
    set(row, i);
    rows.push(row);
    if (i > 0 && !(parents.length === 1 && parents[0] === i - 1)) isStraight = false;
  }
  return isStraight ? undefined : rows;
}

/** Looks for ops of which none is an ancestor of another, and that have so many ancestors together, themselves included. */
class Search {
  readonly #rows: readonly Uint32Array[];
  readonly #wanted: number;
  readonly #most: number;
  #left = MAX_SETS;

  constructor(rows: readonly Uint32Array[], wanted: number, most: number) {
    this.#rows = rows;
    this.#wanted = wanted;
    this.#most = most;
  }

  *run(among: readonly number[]): Generator<number[]> {
    for (const [at, op] of among.entries()) {
      const row = this.#rows[op]!;
      const size = countOf(row, row);
      if (size === this.#wanted) yield [op];
      // One more head has at least itself besides.
      else if (size < this.#wanted) yield* this.#with([op], row, among, at + 1);
    }
  }

  *#with(heads: readonly number[], known: Uint32Array, among: readonly number[], from: number): Generator<number[]> {
    for (let at = from; at < among.length && this.#left > 0; at++) {
      const op = among[at]!;
      const row = this.#rows[op]!;
      if (has(known, op) || heads.some((head) => has(row, head))) continue;
      this.#left--;
      const size = countOf(known, row);
      if (size === this.#wanted) yield [...heads, op];
      else if (size < this.#wanted && heads.length + 1 < this.#most) {
        const both = known.slice();
        join(both, row);
        yield* this.#with([...heads, op], both, among, at + 1);
      }
    }
  }
}

function set(row: Uint32Array, i: number): void {
  row[i >>> 5]! |= 1 << (i & 31);
}

function has(row: Uint32Array, i: number): boolean {
  return ((row[i >>> 5]! >>> (i & 31)) & 1) === 1;
}

function join(into: Uint32Array, from: Uint32Array): void {
  for (let word = 0; word < into.length; word++) into[word]! |= from[word]!;
}

/** How many bits either of them has. */
function countOf(one: Uint32Array, other: Uint32Array): number {
  let bits = 0;
  for (let word = 0; word < one.length; word++) {
    // Adds neighbours: bits to pairs, pairs to fours, fours to bytes, and those to one number.
    let sum = one[word]! | other[word]!;
    sum -= (sum >>> 1) & 0x55555555;
    sum = (sum & 0x33333333) + ((sum >>> 2) & 0x33333333);
    bits += Math.imul((sum + (sum >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
  }
  return bits;
}
