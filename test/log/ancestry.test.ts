import { describe, expect, it } from "vitest";
import { Ancestry, beforeAnyInLine } from "../../src/log/ancestry.ts";
import { MAX_KNOWN } from "../../src/log/limits.ts";
import { closures } from "../support/ancestry_oracle.ts";
import { randomParents } from "../support/random_graph.ts";
import { randomFrom } from "../support/random.ts";
import { sampleOf, SWEEP } from "../support/sweep.ts";

function ancestryOf(parents: readonly number[][]): Ancestry {
  const ancestry = new Ancestry();
  for (const list of parents) ancestry.add(list);
  return ancestry;
}

/** Entries of all lists: what the memory of an ancestry grows by. */
function entriesOf(ancestry: Ancestry, ops: number): number {
  const lists = new Map<number, number>();
  for (let op = 0; op < ops; op++)
    if (ancestry.countSeen(op) > 0) lists.set(ancestry.listOf(op), ancestry.countSeen(op));
  return [...lists.values()].reduce((sum, length) => sum + length, 0);
}

/** Seeds of random graphs. */
const GRAPHS = sampleOf(
  Array.from({ length: 400 }, (_, seed) => seed),
  60,
);

describe("ancestry", () => {
  it("[LOG-11] answers as brute force does, on random graphs", SWEEP, () => {
    for (const seed of GRAPHS) {
      const parents = randomParents(seed, 40);
      const truth = closures(parents);
      const ancestry = new Ancestry();
      for (const [i, list] of parents.entries()) {
        expect(ancestry.add(list), `seed ${seed}, op ${i} joined`).toBe(truth[i]!.size === i);
      }
      for (let b = 0; b < parents.length; b++) {
        for (let a = 0; a < parents.length; a++) {
          expect(ancestry.isAncestor(a, b), `seed ${seed}: ${a} before ${b}`).toBe(truth[b]!.has(a));
        }
      }
    }
  });

  it("[LOG-11] ancestors of any of some ops are those of one of them, on random graphs", SWEEP, () => {
    for (const seed of GRAPHS) {
      const parents = randomParents(seed, 40);
      const truth = closures(parents);
      const random = randomFrom(seed);
      const some = parents.map((_, op) => op).filter(() => random.chance(0.15));
      const before = ancestryOf(parents).beforeAny(some);
      for (let op = 0; op < parents.length; op++)
        expect(before(op), `seed ${seed}: ${op} before one of ${some.join(" ")}`).toBe(
          some.some((other) => truth[other]!.has(op)),
        );
    }
  });

  it("[LOG-11] in a straight log the ancestors of any of some ops are those before the last", () => {
    expect([0, 1, 2, 3].map(beforeAnyInLine([2, 1]))).toEqual([true, true, false, false]);
    expect(beforeAnyInLine([])(0)).toBe(false);
  });

  it("[LOG-23] an op that names every head is joined to all", () => {
    const ancestry = ancestryOf([[], [0], [0], [1], [2]]);
    ancestry.join();
    ancestry.join();
    for (let a = 0; a < 5; a++) expect(ancestry.isAncestor(a, 5)).toBe(true);
    expect(ancestry.isAncestor(5, 6)).toBe(true);
    expect(ancestry.isAncestor(3, 4)).toBe(false);
    expect(ancestry.isAncestor(6, 5)).toBe(false);
  });

  it("[LOG-11] an op that was never added is an error, not an answer", () => {
    const ancestry = ancestryOf([[]]);
    expect(() => ancestry.isAncestor(0, 1)).toThrow(RangeError);
    expect(() => ancestry.add([5])).toThrow(RangeError);
  });

  it("[LOG-61] what two branches know that merge crosswise for ever is a few entries per op", () => {
    const parents = [[], [0], [0]];
    while (parents.length < 40_001) parents.push([parents.length - 2, parents.length - 1]);
    // Each op of a pair names both ops of the pair before.
    for (let op = 3; op < parents.length; op++) parents[op] = op % 2 === 1 ? [op - 2, op - 1] : [op - 3, op - 2];
    const ancestry = ancestryOf(parents);
    expect(entriesOf(ancestry, parents.length)).toBeLessThanOrEqual(2 * parents.length);
    expect([ancestry.isAncestor(39_998, 40_000), ancestry.isAncestor(39_999, 40_000)]).toEqual([true, false]);
  });

  it("[LOG-61] two lanes that never meet, each with a branch merged again and again, know a few entries per op", () => {
    const parents: number[][] = [[], [0], [0]];
    let lanes = [1, 2];
    const random = randomFrom(7);
    while (parents.length < 30_000) {
      const next = lanes.map((tip) => {
        const at = parents.length;
        parents.push([tip], [tip], random.shuffle([at, at + 1]));
        return at + 2;
      });
      lanes = next;
      // Now and then one lane takes in the other, which goes on without it.
      const taker = random.below(6);
      if (taker > 1) continue;
      lanes[taker] = parents.push(random.shuffle([...next])) - 1;
    }
    expect(entriesOf(ancestryOf(parents), parents.length)).toBeLessThanOrEqual(4 * parents.length);
  });

  it("[LOG-61] more than the limit of entries is refused before it is in memory", () => {
    const width = 2000;
    const parents = [[], ...Array.from({ length: width }, () => [0])];
    const ancestry = ancestryOf(parents);
    ancestry.add(Array.from({ length: width - 1 }, (_, i) => i + 1));
    const merged = width + 1;
    // Each one more op upon the merge has a list as long as the merge's.
    const fork = (): void => {
      for (let n = 0; n < (2 * MAX_KNOWN) / width; n++) ancestry.add([merged]);
    };
    expect(fork).toThrow(expect.objectContaining({ code: "LOG_UNREADABLE" }));
  });
});
