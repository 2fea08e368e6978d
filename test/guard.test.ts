// @module-tag long
/** A short attack on the guard (test/suites/guard/run.mjs); `npm run guard` is the long one. Runs the build in dist. */
import { spawnSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join, sep } from "node:path";
import { describe, expect, it } from "vitest";
import { ROOT } from "./support/source.ts";
import { ROTATING, SEED, SWEEP, sized } from "./support/sweep.ts";
import { tempFolder } from "./support/temp.ts";

/** Paths that an attack tries, and the weaknesses that it has to find. */
const PATHS = sized(150, 400);
const WEAK = ["spelling", "links", "dangling", "climbing", "parents", "listing"];

interface Told {
  paths: number;
  reaching: number;
  refused: number;
  tool_calls: number;
  tool_calls_refused: number;
  spellings: number;
  bypasses: number;
  overblocked: number;
  faults: string[];
  not_available: string[];
}

function attack(runs: number, ...options: string[]): { status: number | null; told: Told } {
  const script = join(ROOT, "test/suites/guard/run.mjs");
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [script, "--runs", String(runs), "--json", ...options],
    { encoding: "utf8" },
  );
  expect(stdout, stderr).toMatch(/^\{/);
  return { status, told: JSON.parse(stdout) as Told };
}

describe("an attack on the guard", () => {
  it("[regression GUARD-20] finds no way in, and no ordinary path that is refused", SWEEP, () => {
    const { status, told } = attack(PATHS, "--seed", String(sized(SEED, 3)));
    expect(told).toMatchObject({ bypasses: 0, overblocked: 0, faults: [], paths: PATHS, spellings: 2 * PATHS });
    // An attack that leads nowhere, or a guard that refuses everything, would say the same.
    const some = PATHS / 20;
    expect(told.reaching).toBeGreaterThan(some);
    expect(told.paths - told.refused).toBeGreaterThan(some);
    expect(told.tool_calls - told.tool_calls_refused).toBeGreaterThan(some);
    expect(status).toBe(0);
  });

  it("[regression GUARD-20] names what the file system here cannot show", () => {
    const folder = tempFolder();
    writeFileSync(join(folder, "case"), "");
    const { told } = attack(1, "--dir", folder);
    expect(told.not_available.includes("names without letter case")).toBe(!existsSync(join(folder, "CASE")));
    expect(told.not_available.includes("backslash as a separator")).toBe(sep === "/");
  });

  it.each(WEAK)("[regression GUARD-21] finds a way past a guard that is weaker in its %s", ROTATING, (part) => {
    const { status, told } = attack(400, "--seed", "3", "--weaken", part);
    expect(told.bypasses).toBeGreaterThan(0);
    expect(told.faults.length).toBeGreaterThan(0);
    expect(status).toBe(1);
  });

  it("[regression GUARD-21] finds that a guard refuses everything", ROTATING, () => {
    const { status, told } = attack(50, "--weaken", "closed");
    expect(told).toMatchObject({ bypasses: 0, overblocked: 50 });
    expect(status).toBe(1);
  });
});
