// @module-tag long
/** A sample of hostile folders (test/suites/hostile/run.mjs); `npm run hostile` is the long run. Runs the build in dist. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ROOT } from "./support/source.ts";
import { ROTATING, SEED, sized, SWEEP } from "./support/sweep.ts";

interface Told {
  cases: number;
  escaped: number;
  executed: number;
  internal: number;
  hung: number;
  over_memory: number;
  believed: number;
  stopped: number;
  failing: { id: string; faults: string[] }[];
}

/** One case commits and clones 40,000 links. */
const LONG = { timeout: 300_000 };
/** Matrix cases of the sample, and how many of the exact folders of items 1 to 6. */
const SAMPLE = sized(2, 40);
const EXACT = sized(2, 10);
/** Old faults that the attack has to find. */
const WEAK: Record<string, "escaped" | "executed" | "hung" | "over_memory"> = {
  ...Object.fromEntries(
    ["unsynced", "temporary", "journal", "lock", "journals", "creates"].map((part) => [part, "escaped" as const]),
  ),
  git: "executed",
  trust: "executed",
  waiting: "hung",
  reading: "over_memory",
};
const FOUND = { escaped: 0, executed: 0, internal: 0, hung: 0, over_memory: 0, believed: 0, stopped: 0 };

function attack<T = Told>(...options: string[]): { status: number | null; told: T } {
  const script = join(ROOT, "test/suites/hostile/run.mjs");
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, "--json", ...options], { encoding: "utf8" });
  expect(stdout, stderr).toMatch(/^\{/);
  return { status, told: JSON.parse(stdout) as T };
}

describe("a folder that an attacker wrote", () => {
  it("leads nowhere, runs nothing, and stops nothing", { ...SWEEP, ...LONG }, () => {
    const sizes = ["--sample", String(SAMPLE), "--exact", String(EXACT)];
    const { status, told } = attack(...sizes, "--seed", String(sized(SEED, 3)));
    expect(told.failing).toEqual([]);
    expect(told).toMatchObject(FOUND);
    expect(told.cases).toBeGreaterThanOrEqual(SAMPLE + EXACT - 1);
    expect(status).toBe(0);
  });
});

describe("a clone that names programs", () => {
  it("[PACKET-386] runs none of them unasked, by any command, tool or call", { ...ROTATING, ...LONG }, () => {
    const { status, told } = attack("--only", "^exact: 22:");
    expect([told.failing, told.cases, status]).toEqual([[], 5, 0]);
    expect(told).toMatchObject(FOUND);
  });
});

describe("the attack itself", () => {
  // One run with all of them: its processes take longer to begin than most cases.
  it("finds each old fault that is put back, and as what it is", { ...ROTATING, ...LONG }, () => {
    const { status, told } = attack<{ weakened: Record<string, Told>; missed: string[] }>("--weak");
    expect(Object.keys(told.weakened).toSorted()).toEqual(Object.keys(WEAK).toSorted());
    for (const [part, report] of Object.entries(told.weakened)) {
      expect(report[WEAK[part]!], part).toBeGreaterThan(0);
      expect(report.failing.length, part).toBeGreaterThan(0);
    }
    expect([told.missed, status]).toEqual([[], 0]);
  });
});
