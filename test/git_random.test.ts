// @module-tag long
/** Random histories of real git against a model of keys (test/suites/git/random.mjs); `npm run test:git -- --random N` is the long one. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ROOT } from "./support/source.ts";
import { ROTATING_SWEEP, SEED, sampleOf, sized } from "./support/sweep.ts";

/** How many histories, steps of each, and acknowledged changes that all have at least. */
const SIZE = sized(
  { rounds: 3, steps: 1, acknowledged: 10, seed: SEED },
  // The same histories each time: a run that looks for others is `npm run test:git -- --random N`.
  { rounds: 6, steps: 2, acknowledged: 30, seed: 1 },
);

const FAULTS = sampleOf(["lost", "extra", "doubled", "split"] as const, 1);

interface Told {
  rounds: number;
  acknowledged: number;
  lost: number;
  extra: number;
  doubled: number;
  split: number;
}

function random(...options: string[]): { status: number | null; told: Told; problems: string } {
  const script = join(ROOT, "test/suites/git/run.mjs");
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, "--json", ...options], { encoding: "utf8" });
  expect(stdout, stderr).toMatch(/^\{/);
  return { status, told: JSON.parse(stdout) as Told, problems: stderr };
}

describe("random histories of git", () => {
  it(
    "[regression GIT-107] keep each acknowledged change once, and each plan and task in one folder",
    ROTATING_SWEEP,
    () => {
      const { rounds, steps, acknowledged, seed } = SIZE;
      const { status, told, problems } = random("--random", `${rounds}`, "--steps", `${steps}`, "--seed", `${seed}`);
      expect(problems).toBe("");
      expect(told).toMatchObject({ rounds, lost: 0, extra: 0, doubled: 0, split: 0 });
      expect(told.acknowledged).toBeGreaterThan(acknowledged);
      expect(status).toBe(0);
    },
  );

  it.each(FAULTS)("[regression GIT-107] the model sees a fault of kind %s", ROTATING_SWEEP, (kind) => {
    const { status, told } = random("--random", "1", "--steps", "1", "--sabotage", kind);
    expect(told[kind]).toBeGreaterThan(0);
    expect(status).toBe(1);
  });
});
