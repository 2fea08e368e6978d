import { createHash } from "node:crypto";

/** Random numbers that are the same for the same seed: a failing test names its seed and nothing else is needed. */
export interface Random {
  /** A whole number from 0 to `limit - 1`. */
  below(limit: number): number;
  chance(probability: number): boolean;
  shuffle<T>(items: readonly T[]): T[];
}

export function randomFrom(seed: number): Random {
  let state = (seed ^ 0x9e3779b9) >>> 0;
  const next = (): number => {
    // mulberry32
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  return {
    below,
    chance: (probability) => next() < probability,
    shuffle: (items) => {
      const list = [...items];
      for (let i = list.length - 1; i > 0; i--) {
        const j = below(i + 1);
        [list[i], list[j]] = [list[j]!, list[i]!];
      }
      return list;
    },
  };
}

/** Whether the sample of a seed has the test or file, where it takes one in so many. */
export function isDrawnBy(seed: number, title: string, oneIn: number): boolean {
  return createHash("sha256").update(`${seed} ${title}`).digest().readUInt16BE() % oneIn === 0;
}
