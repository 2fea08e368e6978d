/**
 * A slice of the crash harness (support/crash.ts). `npm run crash` runs more of it through this file, with the numbers in
 * TASKFOLD_CRASH, and reads what comes out.
 */
import { writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Disk } from "../src/disk.ts";
import { crash, reference } from "./support/crash.ts";
import type { Aftermath, Reference, Sabotage } from "./support/crash.ts";
import { CHANGES } from "./support/disk_calls.ts";
import { randomFrom } from "./support/random.ts";
import { ROTATING, sampleOf, SEED, sized } from "./support/sweep.ts";
import { inTempFolder } from "./support/temp.ts";

interface Plan {
  seed: number;
  /** Every how many changes the disk stops; 1: at each. */
  every: number;
  /** Stops after which power is lost with some of the unsynced data spared, per change. */
  rounds: number;
  /** Where the result goes, as JSON. */
  out?: string;
}

const SLICE: Plan = sized({ seed: SEED, every: 77, rounds: 1 }, { seed: 7, every: 11, rounds: 1 });
const PLAN: Plan = JSON.parse(process.env["TASKFOLD_CRASH"] ?? JSON.stringify(SLICE)) as Plan;

/** Every way to go on after a stop at this change. */
function aftermaths({ changes }: Reference, n: number, { seed, rounds }: Plan): Aftermath[] {
  const { bytes = 0, line = 0 } = changes[n] ?? {};
  // The end of a line too: an op is cut there without a torn line that tells of it.
  const tears = [...new Set([1, Math.floor(bytes / 2), line, bytes - 1])].filter((tear) => tear > 0 && tear < bytes);
  const random = randomFrom(seed * 100_003 + n);
  return [
    ...[0, ...tears].map((tear) => ({ power: false as const, tear })),
    { power: true, tear: 0, spared: () => false },
    ...Array.from({ length: rounds }, () => ({ power: true as const, tear: 0, spared: () => random.chance(0.5) })),
  ];
}

const LOST = "every acknowledged change is there once";

/** With a sabotage the sweep ends once it has found what that loses. */
async function sweep(plan: Plan, sabotage?: Sabotage) {
  const known = await inTempFolder(reference);
  const result = { stops: 0, checks: 0, failures: [] as string[] };
  for (let n = plan.seed % plan.every; n < known.changes.length; n += plan.every) {
    for (const aftermath of aftermaths(known, n, plan)) {
      const { checks, failures } = await inTempFolder((root) => crash(root, known, n, aftermath, sabotage));
      result.stops++;
      result.checks += checks;
      const { kind, path } = known.changes[n]!;
      const how = `${aftermath.power ? "power lost" : "killed"}${aftermath.tear > 0 ? ` after ${aftermath.tear} bytes` : ""}`;
      const at = `change ${n} (${kind} of ${path.replace(/^.*\.coco/, ".coco")})`;
      for (const failure of failures) result.failures.push(`${at}, ${how}: ${failure}`);
      if (sabotage && result.failures.some((failure) => failure.includes(LOST))) return result;
    }
  }
  return result;
}

/** The disk as it is, with some calls in place of its own. */
function but(calls: Partial<Disk>): Sabotage {
  return (disk) =>
    new Proxy(disk, {
      get: (target, name: keyof Disk) => {
        const own: unknown = calls[name] ?? target[name];
        return typeof own === "function" && !calls[name] ? (own.bind(target) as unknown) : own;
      },
    });
}

const SABOTAGES = sampleOf<[string, Sabotage]>(
  [
    ["a log that is not synced", but({ fdatasyncSync: () => undefined, fdatasync: () => Promise.resolve() })],
    ["a new log that is not synced", but({ fsync: () => undefined })],
    ["names that are not synced", but({ syncFolder: () => undefined })],
  ],
  1,
);

describe("a crash at any change", () => {
  it("[DUR-29] keeps what was acknowledged, whole and once, and the work goes on", ROTATING, async () => {
    const result = await sweep(PLAN);
    if (PLAN.out !== undefined) writeFileSync(PLAN.out, JSON.stringify(result));
    expect(result.failures).toEqual([]);
    expect(result.stops).toBeGreaterThan(sized(6, 30));
  });
});

describe("the crash harness itself", () => {
  const few: Plan = { seed: 3, every: 17, rounds: 0 };

  it.each(SABOTAGES)("[DUR-30] sees %s", ROTATING, async (_what, sabotage) => {
    const { failures } = await sweep(few, sabotage);
    expect(failures.join("\n")).toContain(LOST);
  });

  it("[DUR-30] stops at every kind of change that leaves something on disk", async () => {
    const { changes } = await inTempFolder(reference);
    const kinds = new Set(changes.map(({ kind }) => kind));
    // A file that rested is cut before it is written again: whether one has rested long enough is up to the machine.
    const missing = CHANGES.filter((kind) => !kinds.has(kind) && kind !== "truncate");
    expect(missing).toEqual(["rmdir"]);
  });
});
