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
const WEAK: [part: string, what: string, count: "escaped" | "executed" | "hung" | "over_memory"][] = [
  ...["unsynced", "temporary", "journal", "lock", "journals", "creates"].map(
    (part) => [part, "files outside that are touched", "escaped"] as [string, string, "escaped"],
  ),
  ["git", "a program that is run", "executed"],
  ["trust", "a program that a configuration of packets names", "executed"],
  ["waiting", "a call that never ends", "hung"],
  ["reading", "a call that takes all memory", "over_memory"],
];
const FOUND = { escaped: 0, executed: 0, internal: 0, hung: 0, over_memory: 0, believed: 0, stopped: 0 };

function attack(...options: string[]): { status: number | null; told: Told } {
  const script = join(ROOT, "test/suites/hostile/run.mjs");
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, "--json", ...options], { encoding: "utf8" });
  expect(stdout, stderr).toMatch(/^\{/);
  return { status, told: JSON.parse(stdout) as Told };
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
  it.each(WEAK)("with the old fault %s finds %s", { ...ROTATING, ...LONG }, (part, _what, count) => {
    const { status, told } = attack("--weaken", part, ...(part === "waiting" ? ["--seconds", "2"] : []));
    expect(told[count]).toBeGreaterThan(0);
    expect(told.failing.length).toBeGreaterThan(0);
    expect(status).toBe(1);
  });
});
