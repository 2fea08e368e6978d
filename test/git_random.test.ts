/** Random histories of real git against a model of keys (scripts/test_git_random.mjs); `npm run test:git -- --random N` is the long one. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ROOT } from "./support/source.ts";

interface Told {
  rounds: number;
  acknowledged: number;
  lost: number;
  extra: number;
  doubled: number;
  split: number;
}

function random(...options: string[]): { status: number | null; told: Told; problems: string } {
  const script = join(ROOT, "scripts/test_git.mjs");
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, "--json", ...options], { encoding: "utf8" });
  expect(stdout, stderr).toMatch(/^\{/);
  return { status, told: JSON.parse(stdout) as Told, problems: stderr };
}

describe("random histories of git", () => {
  it("[GIT-107] keep each acknowledged change once, and each plan and task in one folder", () => {
    const { status, told, problems } = random("--random", "20", "--steps", "2", "--seed", "1");
    expect(problems).toBe("");
    expect(told).toMatchObject({ rounds: 20, lost: 0, extra: 0, doubled: 0, split: 0 });
    expect(told.acknowledged).toBeGreaterThan(100);
    expect(status).toBe(0);
  });

  it.each(["lost", "extra", "doubled", "split"] as const)("[GIT-107] the model sees a fault of kind %s", (kind) => {
    const { status, told } = random("--random", "1", "--steps", "1", "--sabotage", kind);
    expect(told[kind]).toBeGreaterThan(0);
    expect(status).toBe(1);
  });
});
