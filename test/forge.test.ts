// @module-tag long
/** Ways to make an unproved step pass `verify --signers` (test/suites/forge/run.mjs); `npm run forge` tries all of them. Runs the build in dist. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ROOT } from "./support/source.ts";
import { ROTATING_SWEEP, sized } from "./support/sweep.ts";

/** The sample is fixed: every so many-th way, from the first on. */
const EVERY = sized(9, 1);

describe("an attacker without a trusted key", () => {
  it("[ATTEST-20] makes no step pass that is not proved", ROTATING_SWEEP, () => {
    const script = join(ROOT, "test/suites/forge/run.mjs");
    const { status, stdout, stderr } = spawnSync(process.execPath, [script, "--json", "--every", `${EVERY}`], {
      encoding: "utf8",
    });
    expect(stdout, stderr).toMatch(/^\{/);
    const { tried, passed, ways } = JSON.parse(stdout) as {
      tried: number;
      passed: number;
      ways: { way: string; passed: boolean }[];
    };
    expect(ways.filter((one) => one.passed)).toEqual([]);
    expect({ passed, status }).toEqual({ passed: 0, status: 0 });
    expect(tried).toBeGreaterThanOrEqual(sized(8, 70));
  });
});
