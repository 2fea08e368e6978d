/** What `npm run mutants` judges: each folder that has enough mutants, and all of them together. */
import { describe, expect, it } from "vitest";
import { ENOUGH, LEAST_SCORE, scoresOf } from "./suites/mutants/score.mjs";

const FOLDERS = ["src/rules", "src/events", "src/log"];
const of = (count: number, fileName: string, status: string, statusReason?: string) =>
  Array.from({ length: count }, () => ({ fileName, status, ...(statusReason ? { statusReason } : {}) }));
/** Mutants of a folder, of which this share in percent is noticed. */
const noticed = (folder: string, tried: number, percent: number) => {
  const killed = Math.ceil((tried * percent) / 100);
  return [...of(killed, `${folder}/one.ts`, "Killed"), ...of(tried - killed, `${folder}/one.ts`, "Survived")];
};
const low = (mutants: ReturnType<typeof of>) =>
  scoresOf(mutants, FOLDERS)
    .filter(({ isLow }) => isLow)
    .map(({ name }) => name);

describe("the score of mutants", () => {
  it("is judged for each folder as well: a weak one fails beside strong ones", () => {
    const strong = [...noticed("src/rules", 9 * ENOUGH, 100), ...noticed("src/log", ENOUGH, LEAST_SCORE)];
    expect(low(strong)).toEqual([]);
    expect(low([...strong, ...noticed("src/events", ENOUGH, LEAST_SCORE - 1)])).toEqual(["src/events"]);
  });

  it("of a folder with few mutants counts in the total alone", () => {
    const few = noticed("src/events", ENOUGH - 1, 10);
    expect(low([...few, ...noticed("src/rules", 9 * ENOUGH, 100)])).toEqual([]);
    expect(low(few)).toEqual(["in all"]);
    expect(scoresOf(few, FOLDERS).map(({ name, isJudged }) => [name, isJudged])).toEqual([
      ["src/events", false],
      ["in all", true],
    ]);
  });

  it("counts a timeout as noticed, and unreached code as not; a run without a mutant fails", () => {
    const [all] = scoresOf(
      [
        ...of(3, "src/log/a.ts", "Timeout"),
        ...of(1, "src/log/a.ts", "NoCoverage"),
        ...of(2, "src/log/a.ts", "Ignored", 'Static mutant (and "ignoreStatic" was enabled)'),
        ...of(5, "src/log/a.ts", "Ignored", "It is not in the sample."),
      ],
      FOLDERS,
    );
    expect(all).toMatchObject({ name: "src/log", score: 75 });
    expect(all?.counts).toBe("0 killed, 3 timed out, 0 not noticed, 1 that no test reaches; 2 of constants left out");
    expect(low([])).toEqual(["in all"]);
  });
});
