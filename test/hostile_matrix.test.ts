/** A sample of hostile folders (scripts/hostile.mjs); `npm run hostile` is the long run. Runs the build in dist. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ROOT } from "./support/source.ts";

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
const TIME = 300_000;
/** Matrix cases of the sample, and what the exact folders of items 1 to 6 add at least. */
const SAMPLE = 40;
const EXACT = 10;
const FOUND = { escaped: 0, executed: 0, internal: 0, hung: 0, over_memory: 0, believed: 0, stopped: 0 };

function attack(...options: string[]): { status: number | null; told: Told } {
  const script = join(ROOT, "scripts/hostile.mjs");
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, "--json", ...options], { encoding: "utf8" });
  expect(stdout, stderr).toMatch(/^\{/);
  return { status, told: JSON.parse(stdout) as Told };
}

describe("a folder that an attacker wrote", () => {
  it(
    "leads nowhere, runs nothing, and stops nothing",
    () => {
      const { status, told } = attack("--sample", String(SAMPLE), "--seed", "3");
      expect(told.failing).toEqual([]);
      expect(told).toMatchObject(FOUND);
      expect(told.cases).toBeGreaterThanOrEqual(SAMPLE + EXACT - 1);
      expect(status).toBe(0);
    },
    TIME,
  );
});

describe("the attack itself", () => {
  it.each(["unsynced", "temporary", "journal", "lock", "journals", "creates"])(
    "finds that files outside are touched by way of %s",
    (part) => {
      const { status, told } = attack("--weaken", part);
      expect(told.escaped).toBeGreaterThan(0);
      expect(told.failing.length).toBeGreaterThan(0);
      expect(status).toBe(1);
    },
    TIME,
  );

  it(
    "finds a program that is run",
    () => {
      const { status, told } = attack("--weaken", "git");
      expect(told.executed).toBeGreaterThan(0);
      expect(status).toBe(1);
    },
    TIME,
  );

  it(
    "finds a call that never ends, and one that takes all memory",
    () => {
      expect(attack("--weaken", "waiting", "--seconds", "2").told.hung).toBeGreaterThan(0);
      expect(attack("--weaken", "reading").told.over_memory).toBeGreaterThan(0);
    },
    TIME,
  );
});
