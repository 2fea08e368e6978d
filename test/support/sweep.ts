/** How much of a sweep runs: in `npm test` a sample that the seed chooses, in `npm run test:all` all of it. */
import { inject } from "vitest";
import { isDrawnBy, randomFrom } from "./random.ts";

declare module "vitest" {
  export interface ProvidedContext {
    /** Whether sweeps run whole. */
    whole: boolean;
    /** Chooses the samples, and what properties draw. */
    seed: number;
    /** How many runs each property of a sweep makes, if the caller says so; else 0. */
    runs: number;
  }
}

/** A sample runs one in so many of the tests that are tagged "rotating". */
export const ROTATION = 80;
/** Options of a test that takes a sample of its cases. */
export const SWEEP = { tags: ["sweep"] };
/** Options of a test that a sample leaves to chance: it takes half a second or more. */
export const ROTATING = { tags: ["rotating"] };
/** Options of a test that is both: a sample leaves it to chance, and a whole run takes all of its cases. */
export const ROTATING_SWEEP = { tags: ["sweep", "rotating"] };
export const WHOLE = inject("whole");
export const SEED = inject("seed");

/** Returns the size of a sweep: `few` in a sample, `all` in a whole run. */
export function sized<T>(few: T, all: T): T {
  return WHOLE ? all : few;
}

/** Returns `few` of them in their order, chosen by the seed, or all of them in a whole run. */
export function sampleOf<T>(all: readonly T[], few: number): readonly T[] {
  if (WHOLE || all.length <= few) return all;
  const chosen = new Set(
    randomFrom(SEED)
      .shuffle(all.map((_, i) => i))
      .slice(0, few),
  );
  return all.filter((_, i) => chosen.has(i));
}

/** Numbers from 0 on without an end: each in a whole run, else every `stride`th, and the seed says with which they begin. */
export function* numbersOf(stride: number): Generator<number, never> {
  const step = sized(stride, 1);
  for (let n = SEED % step; ; n += step) yield n;
}

/** Returns how many runs a property makes, an eighth of `all` unless `few` says how many, and the seed of what it draws. */
export function runsOf(all: number, few = Math.ceil(all / 8)): { numRuns: number; seed: number } {
  return { numRuns: inject("runs") || sized(few, all), seed: SEED };
}

/** Whether the run makes a test of which a sample draws one in so many. */
export function isDrawn(title: string, oneIn = ROTATION): boolean {
  return WHOLE || isDrawnBy(SEED, title, oneIn);
}

/** Returns the command that repeats a test with the seed of this run. */
export function repeatCommand(file: string, title: string): string {
  const command = WHOLE ? "npm run test:all" : "npm test";
  // The pattern is a regular expression between quotes of a shell: a dot stands for what either would read.
  return `TASKFOLD_SEED=${SEED} ${command} -- ${file} -t '${title.replaceAll(/[^\w ,-]/g, ".")}'`;
}
