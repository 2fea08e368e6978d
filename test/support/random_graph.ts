import { randomFrom } from "./random.ts";

/**
 * Parents of each op of a random graph with one root, each op with one to three, mostly late ones, so that branches live a
 * while. In a third of the graphs a few lanes go on for ever beside each other and only now and then see one another.
 */
export function randomParents(seed: number, size: number): number[][] {
  const random = randomFrom(seed);
  const parents: number[][] = [[]];
  const spread = 1 + random.below(8);
  const lanes = seed % 3 === 0 ? Array.from({ length: 2 + random.below(4) }, () => 0) : null;
  while (parents.length < size) {
    const op = parents.length;
    if (lanes) {
      const own = random.below(lanes.length);
      const picks = [lanes[own]!, ...(random.chance(0.3) ? [lanes[random.below(lanes.length)]!] : [])];
      parents.push([...new Set(picks)]);
      lanes[own] = op;
    } else {
      const count = random.chance(0.6) ? 1 : 1 + random.below(3);
      parents.push([...new Set(Array.from({ length: count }, () => Math.max(0, op - 1 - random.below(spread))))]);
    }
  }
  return parents;
}
