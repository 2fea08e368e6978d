/** A short storm (scripts/storm.mjs); `npm run storm` is the long one. Runs the build in dist. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ROOT } from "./support/source.ts";
import { ROTATING, SEED, sized } from "./support/sweep.ts";
import { onRealDisk } from "./support/temp.ts";

onRealDisk();

/** What one storm takes, and of which locks. */
const SECONDS = sized("1", "2");
const SABOTAGES = [
  ["lying-disk", "what a disk lost that swore to have it", "lost"],
  ["forget-keys", "what counted twice because its key was not used", "doubled"],
] as const;

interface Told {
  acked: number;
  found: number;
  lost: number;
  doubled: number;
  /** Of them those whose key one process at a time was given. */
  doubled_alone: number;
  unanswered: number;
  kills: number;
  forks: number;
  findings: string[];
}

function storm(...options: string[]): { status: number | null; told: Told } {
  const script = join(ROOT, "scripts/storm.mjs");
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [script, "--processes", "2", "--seconds", SECONDS, "--seed", String(SEED), "--json", ...options],
    { encoding: "utf8" },
  );
  expect(stdout, stderr).toMatch(/^\{/);
  return { status, told: JSON.parse(stdout) as Told };
}

describe("a storm of writers that are killed", ROTATING, () => {
  it.each(["os", "lockfile"])("[DUR-28] with locks of kind %s loses nothing and doubles nothing", (lock) => {
    const { status, told } = storm("--lock", lock);
    expect(told).toMatchObject({ lost: 0, doubled: 0, unanswered: 0, forks: 0, findings: [] });
    expect(told.found).toBe(told.acked);
    expect(told.acked).toBeGreaterThan(0);
    expect(told.kills).toBeGreaterThan(0);
    expect(status).toBe(0);
  });

  it("[DUR-27] with locks that exclude no other process costs merges, loses nothing, and doubles no key that one process had", () => {
    const { status, told } = storm("--lock", "broken");
    expect(told).toMatchObject({ lost: 0, doubled_alone: 0, unanswered: 0, findings: [] });
    expect(told.acked).toBeGreaterThan(0);
    // Locks that do exclude would show nothing here.
    expect(told.forks).toBeGreaterThan(0);
    expect(status).toBe(0);
  });
});

describe("the storm itself", ROTATING, () => {
  it.each(SABOTAGES)("[DUR-30] with the sabotage %s sees %s", (sabotage, _what, count) => {
    const { status, told } = storm("--sabotage", sabotage);
    expect(told[count]).toBeGreaterThan(0);
    expect(status).toBe(1);
  });
});
