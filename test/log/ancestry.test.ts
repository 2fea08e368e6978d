import { describe, expect, it } from "vitest";
import { Ancestry } from "../../src/log/ancestry.ts";
import { randomFrom } from "../support/random.ts";

/** All ancestors of each op, the long way. */
function closures(parents: readonly number[][]): Set<number>[] {
  const all: Set<number>[] = [];
  for (const list of parents) all.push(new Set(list.flatMap((p) => [p, ...all[p]!])));
  return all;
}

/** Ops with one root, each with one to three parents, mostly late ones, so that branches live a while. */
function randomParents(seed: number, size: number): number[][] {
  const random = randomFrom(seed);
  const parents: number[][] = [[]];
  const spread = 1 + random.below(8);
  while (parents.length < size) {
    const count = random.chance(0.6) ? 1 : 1 + random.below(3);
    const picks = Array.from({ length: count }, () => Math.max(0, parents.length - 1 - random.below(spread)));
    parents.push([...new Set(picks)]);
  }
  return parents;
}

describe("ancestry", () => {
  it("[LOG-11] answers as brute force does, on 300 random graphs", () => {
    for (let seed = 0; seed < 300; seed++) {
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

  it("[LOG-23] an op that names every head is joined to all", () => {
    const ancestry = new Ancestry();
    for (const list of [[], [0], [0], [1], [2]]) ancestry.add(list);
    ancestry.join();
    ancestry.join();
    for (let a = 0; a < 5; a++) expect(ancestry.isAncestor(a, 5)).toBe(true);
    expect(ancestry.isAncestor(5, 6)).toBe(true);
    expect(ancestry.isAncestor(3, 4)).toBe(false);
    expect(ancestry.isAncestor(6, 5)).toBe(false);
  });

  it("[LOG-11] an op that was never added is an error, not an answer", () => {
    const ancestry = new Ancestry();
    ancestry.add([]);
    expect(() => ancestry.isAncestor(0, 1)).toThrow(RangeError);
    expect(() => ancestry.add([5])).toThrow(RangeError);
  });
});
