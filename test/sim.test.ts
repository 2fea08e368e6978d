/** A few runs of the simulator (test/sim); `npm run sim` makes many. Runs the build in dist. */
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ROOT } from "./support/source.ts";
import { ROTATING, sampleOf, SEED, sized, SWEEP } from "./support/sweep.ts";
import { OLD_FAULTS } from "./sim/old_faults.mjs";

const SEEDS = join(ROOT, "test/sim/seeds");

function sim(...options: string[]): { status: number | null; stdout: string; stderr: string } {
  return spawnSync(process.execPath, [join(ROOT, "scripts/sim.mjs"), ...options], { encoding: "utf8" });
}

describe("machines in a simulation", () => {
  it(
    "[DUR-93] [DUR-95] [DUR-103] [DUR-104] [DUR-109] [DUR-110] lose no acknowledged change, apply none twice and leave none half done",
    SWEEP,
    () => {
      const runs = sized(3, 200);
      const { stdout, stderr, status } = sim("--runs", String(runs), "--seed", String(SEED * 1000), "--json");
      expect(stderr).toBe("");
      expect(JSON.parse(stdout)).toMatchObject({ runs, violations: 0 });
      expect(status).toBe(0);
    },
  );

  it("[DUR-92] give the same trace for the same seed", SWEEP, () => {
    const runs = sized(1, 12);
    const { stdout, stderr } = sim("--runs", String(runs), "--seed", String(SEED * 1000 + 500), "--twice", "--json");
    expect(stderr).toBe("");
    expect(JSON.parse(stdout)).toMatchObject({ runs, violations: 0 });
  });

  it.each(sampleOf(["lockfile", "broken"], 1))(
    "[DUR-27] [DUR-28] lose nothing and apply nothing twice with locks of kind %s, also of those that exclude no process",
    SWEEP,
    (locks) => {
      const runs = sized(1, 20);
      const { stdout, stderr } = sim("--runs", String(runs), "--seed", String(SEED * 1000), "--locks", locks, "--json");
      expect(stderr).toBe("");
      expect(JSON.parse(stdout)).toMatchObject({ runs, violations: 0 });
    },
  );

  it("[DUR-106] recover from every cut at some stops of each kind of write", SWEEP, () => {
    const every = sized("30", "10");
    const { stdout, stderr } = sim("--exhaustive", "--bound", "0", "--every", every, "--recoveries", "0", "--json");
    expect(stderr).toBe("");
    const { stops, survivors, disks, violations } = JSON.parse(stdout) as Record<string, number>;
    expect(violations).toBe(0);
    expect(stops).toBeGreaterThan(sized(20, 80));
    expect(survivors).toBeGreaterThan(sized(100, 500));
    expect(disks).toBeGreaterThan(sized(50, 250));
  });

  const LEFT = [
    ["bytes and their event", 36],
    ["the archive", 18],
    ["a transaction over several folders", 10],
  ] as const;

  it.each(LEFT)("[DUR-107] [DUR-10] sync what a process left that was killed: %s", ROTATING, (script, stop) => {
    const at = ["--every", String(stop), "--recoveries", String(stop)];
    const { stdout, stderr } = sim("--exhaustive", "--bound", "0", "--script", script, ...at, "--json");
    expect(stderr, script).toBe("");
    expect(JSON.parse(stdout), script).toMatchObject({ violations: 0 });
  });

  it("[DUR-93] pass each plan that once failed, and print a trace to its end that is longer than a pipe holds", () => {
    const lengths = readdirSync(SEEDS).map((plan) => {
      const { stdout, stderr } = sim("--plan", join(SEEDS, plan), "--trace");
      expect(stderr, plan).toBe("");
      expect(stdout, plan).toMatch(/\n[0-9a-f]{64}\nno violation\n$/);
      return stdout.length;
    });
    expect(Math.max(...lengths)).toBeGreaterThan(100_000);
  });
});

describe("the simulation itself", () => {
  it.each(OLD_FAULTS.filter(({ quick }) => quick).map(({ name }) => name))(
    "[DUR-94] finds an old fault that is put back: %s",
    ROTATING,
    (name) => {
      const { stdout, status } = sim("--prove", "--fault", name, "--json");
      expect(JSON.parse(stdout)).toEqual({ [name]: expect.any(Number) });
      expect(status).toBe(0);
    },
  );
});
