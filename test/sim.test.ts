// @module-tag long
/** A few runs of the simulator (test/sim); `npm run sim` makes many. Runs the build in dist. */
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { fileTempFolder } from "./support/temp.ts";
import { ROOT } from "./support/source.ts";
import { ROTATING, ROTATING_SWEEP, sampleOf, SEED, sized, SWEEP, WHOLE } from "./support/sweep.ts";
import { beginningAnew, buildText, load, patched } from "./sim/build.mjs";
import { OLD_FAULTS } from "./sim/old_faults.mjs";
import { smallestOf } from "./sim/shrink.mjs";

type Plan = Parameters<typeof smallestOf>[0];

const SEEDS = join(ROOT, "test/sim/seeds");

/** The build as a script, for all processes of these tests: to bundle it costs each of them most of a second. */
const BUILD = join(fileTempFolder(), "build");
beforeAll(async () => writeFileSync(BUILD, await buildText()));

/** Stops at which lines of a log are torn. */
const TEARS = ["--script", "one op", "--bound", "1", "--every", "24", "--recoveries", "0", "--json"];

function sim(...options: string[]): { status: number | null; stdout: string; stderr: string } {
  return spawnSync(process.execPath, [join(ROOT, "scripts/sim.mjs"), ...options, "--build", BUILD], {
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
  });
}

describe("machines in a simulation", () => {
  it(
    "[DUR-95] [regression DUR-92, DUR-93, DUR-103, DUR-104, DUR-109, DUR-110, DUR-115, DUR-120] lose no acknowledged change, apply none twice and leave none half done, and the same seed gives the same trace",
    SWEEP,
    () => {
      // The kind of a plan follows from its seed: each day has another one.
      const seeds = ["--seed", String(SEED * 1001)];
      const options = sized(
        [["--runs", "1", "--twice"]],
        [
          // With those that run twice, and those of each kind of locks, a whole sweep makes 200 runs.
          ["--runs", "148"],
          ["--runs", "12", "--twice"],
        ],
      );
      for (const chosen of options) {
        const { stdout, stderr, status } = sim(...chosen, ...seeds, "--json");
        expect(stderr).toBe("");
        expect(JSON.parse(stdout)).toMatchObject({ runs: Number(chosen[1]), violations: 0 });
        expect(status).toBe(0);
      }
    },
  );

  it.each(sampleOf(["lockfile", "broken"], 1))(
    "[DUR-27] [DUR-29] lose nothing and apply nothing twice with locks of kind %s, also of those that exclude no process",
    SWEEP,
    (locks) => {
      const runs = sized(locks === "broken" ? 4 : 2, 20);
      const { stdout, stderr } = sim("--runs", String(runs), "--seed", String(SEED * 1000), "--locks", locks, "--json");
      expect(stderr).toBe("");
      const { forks, ...told } = JSON.parse(stdout) as Record<string, number>;
      expect(told).toMatchObject({ runs, violations: 0 });
      // Two processes were in one log at once, or these runs show nothing.
      expect(forks).toBeGreaterThan(locks === "broken" ? 0 : -1);
    },
  );

  it(
    "[DUR-27] lose nothing where a holder of a lock file on another machine stood still for so long that it counted as dead",
    ROTATING,
    () => {
      const { stdout, stderr } = sim("--runs", "1", "--seed", "306", "--locks", "lockfile", "--json");
      expect(stderr).toBe("");
      const { forks, violations } = JSON.parse(stdout) as Record<string, number>;
      expect(violations).toBe(0);
      expect(forks).toBeGreaterThan(0);
    },
  );

  it(
    "[DUR-29] [regression DUR-106] recover from every cut at a stop of each kind of call of each kind of write",
    SWEEP,
    () => {
      const sample = ["--sample", String(SEED), "--every", sized("12", "1")];
      const { stdout, stderr } = sim("--exhaustive", "--bound", "0", ...sample, "--recoveries", "0", "--json");
      expect(stderr).toBe("");
      const { stops, survivors, disks, violations } = JSON.parse(stdout) as Record<string, number>;
      expect(violations).toBe(0);
      expect(stops).toBeGreaterThan(sized(20, 80));
      expect(survivors).toBeGreaterThan(sized(100, 500));
      expect(disks).toBeGreaterThan(sized(50, 250));
    },
  );

  it.each([
    ["[DUR-113] sync a log before its files replace those of another program", "an adoption", 29],
    ["[DUR-113] [DUR-1] sync the names of a new log before they answer the repeated call", "the first plan", 92],
    ["[DUR-97] keep what was acknowledged before a sync failed", "a failed sync whose bytes a cut takes", 19],
  ] as const)("%s, after a kill and a power cut in the recovery", ROTATING, (_what, script, stop) => {
    const at = ["--every", String(stop), "--recoveries", String(stop)];
    const { stdout, stderr } = sim("--exhaustive", "--bound", "0", "--script", script, ...at, "--json");
    expect(stderr).toBe("");
    expect(JSON.parse(stdout)).toMatchObject({ violations: 0 });
  });

  it(
    "[regression DUR-121] run once for disks on which they find the same, and do there what they would have done",
    ROTATING,
    () => {
      const part = ["--script", "a deletion", "--bound", "0", "--every", "9", "--recoveries", "27", "--json"];
      const [once, twice] = [[], ["--twice"]].map((more) => {
        const { stdout, stderr } = sim("--exhaustive", ...part, ...more);
        expect(stderr).toBe("");
        return JSON.parse(stdout) as Record<string, number>;
      });
      expect(once).toMatchObject({ violations: 0, disks: twice?.["disks"] });
      expect(twice?.["violations"]).toBe(0);
      expect(once?.["runs"]).toBeLessThan(Number(twice?.["runs"]));
    },
  );

  it("[DUR-50] [regression DUR-122] recover from each tear of a line as from three of them", ROTATING_SWEEP, () => {
    // A sample takes each tear of one line of four, as each takes some seconds.
    const tears = sized("3", "1");
    const [few, each] = [[], ["--tears", tears]].map((more) => {
      const { stdout, stderr } = sim("--exhaustive", ...TEARS, ...more);
      expect(stderr).toBe("");
      return JSON.parse(stdout) as Record<string, number>;
    });
    expect(each).toMatchObject({ violations: 0, survivors: few?.["survivors"], classes: few?.["classes"] });
    const torn = (told: Record<string, number> | undefined) => Number(told?.["counted"]) + Number(told?.["compared"]);
    expect(torn(few)).toBe(torn(each));
    expect(torn(few)).toBeGreaterThan(1000);
    expect(Number(each?.["compared"]) - Number(few?.["compared"])).toBeGreaterThan(sized(100, 1000));
    expect(Number(each?.["runs"]) - Number(few?.["runs"])).toBeGreaterThan(sized(100, 1000));
    expect(each?.["counted"] === 0).toBe(WHOLE);
  });

  const LEFT = [
    ["bytes and their event", 39],
    ["the archive", 21],
    ["a transaction over several folders", 13],
    ["the rest of a creation that is none", 3],
  ] as const;

  it.each(LEFT)("[DUR-113] sync what a process left that was killed: %s", ROTATING, (script, stop) => {
    const at = ["--every", String(stop), "--recoveries", String(stop)];
    const { stdout, stderr } = sim("--exhaustive", "--bound", "0", "--script", script, ...at, "--json");
    expect(stderr, script).toBe("");
    expect(JSON.parse(stdout), script).toMatchObject({ violations: 0 });
  });

  it("[regression DUR-93] pass each plan that once failed, and print a trace to its end that is longer than a pipe holds", () => {
    const plans = readdirSync(SEEDS).map((name) => join(SEEDS, name));
    const { stdout, stderr, status } = sim(...plans.flatMap((plan) => ["--plan", plan]), "--trace");
    expect([stderr, status]).toEqual(["", 0]);
    // Each begins with the name of its file, and ends with the hash of its trace.
    const traces = stdout.split(/(?<=\n[0-9a-f]{64}\nno violation\n)/);
    expect(traces.map((trace) => trace.split("\n", 1)[0])).toEqual(plans);
    expect(Math.max(...traces.map(({ length }) => length))).toBeGreaterThan(100_000);
  });
});

describe("the simulation itself", () => {
  it.each(["no sync of the folder", "no sync of the log"])(
    "[regression DUR-30] finds a disk that says yes to what it does not do, at some stops of one script: %s",
    ROTATING,
    (name) => {
      const part = ["--script", "the first plan", "--bound", "0", "--every", "5", "--recoveries", "0"];
      const { stdout, status } = sim("--exhaustive", "--fault", name, ...part, "--json");
      expect((JSON.parse(stdout) as { violations: number }).violations).toBeGreaterThan(0);
      expect(status).toBe(1);
    },
  );

  it("[regression DUR-122] finds a build that recovers from some tears of a line in another way", ROTATING, () => {
    const fault = ["--fault", "torn ends of even length stay"];
    const { stdout, stderr, status } = sim("--exhaustive", ...fault, ...TEARS, "--tears", "1");
    expect(stderr).toContain("[regression DUR-122] the recovery of another tear of this line leaves something else");
    expect((JSON.parse(stdout) as { violations: number }).violations).toBeGreaterThan(0);
    expect(status).toBe(1);
  });

  const REFUSED = [
    ["--exhaustive --script nothing", 'one of: the first plan, one op, .*; found "nothing"'],
    ["--exhaustive --every 0", 'a whole number from 1 on, found "0"'],
    ["--exhaustive --runs 3", "--exhaustive no other option than --bound, .*; found --runs, which changes nothing"],
    ["--exhaustive --fault prev", "one of: no sync of the folder, .*; found"],
    ["--runs many", 'a whole number from 1 on, found "many"'],
    ["--runs 3 --bound 1", "found --bound, which changes nothing"],
    ["--runs 3 --kind far", "one of: local, shared, git.*; found"],
    ["--runs 3 --off torn,bits", 'one of: torn, .*; found "bits"'],
  ] as const;

  it.each(sampleOf(REFUSED, 2))(
    "[regression DUR-112] refuses what would leave something unchecked: %s",
    SWEEP,
    (options, refusal) => {
      const { stdout, stderr, status } = sim(...options.split(/ (?=--)|(?<=--\w+) /));
      expect(stderr).toMatch(new RegExp(refusal));
      expect([stdout, status]).toEqual(["", 1]);
    },
  );

  it.each([
    ["--minutes abc", 'expected --minutes with a number of minutes from 0 on, found "abc"; for example: npm run soak'],
    ["--minutes=-1", 'expected --minutes with a number of minutes from 0 on, found "-1"'],
    ["--minutes=", 'expected --minutes with a number of minutes from 0 on, found ""'],
    ["--seed 1e3 --minutes 0", 'expected --seed with a whole number from 0 on, found "1e3"'],
  ])("[regression DUR-112] a soak refuses what is no number, and makes no turn: %s", (options, refusal) => {
    const args = [join(ROOT, "scripts/soak.mjs"), ...options.split(" ")];
    const { stdout, stderr, status } = spawnSync(process.execPath, args, { encoding: "utf8", timeout: 60_000 });
    expect(stderr).toContain(refusal);
    expect([stdout, status]).toEqual(["", 1]);
  });

  it("[regression DUR-119] gives each process the variables that the build has when it is loaded", () => {
    const text = `
let calls = 0;
let called;
const kept = new Map();
const list = [];
class Kept { static { called = () => list.push(kept.set(calls++, 1)); } }
exports.told = () => { called(); return [calls, kept.size, list.length]; };`;
    const build = load(beginningAnew(text), {}, {}) as unknown as { told: () => number[]; begin: () => void };
    expect([build.told(), build.told()]).toEqual([
      [1, 1, 1],
      [2, 2, 2],
    ]);
    build.begin();
    expect(build.told()).toEqual([1, 1, 1]);
  });

  it("[regression DUR-119] ends with the reason if a thread of its own ends", () => {
    const broken = join(fileTempFolder(), "broken");
    writeFileSync(broken, 'throw new Error("no build")');
    const args = [join(ROOT, "scripts/sim.mjs"), "--trace", "--build", broken];
    const { status, stderr } = spawnSync(process.execPath, args, { encoding: "utf8", timeout: 60_000 });
    expect(stderr).toContain("a thread of the simulator ended: Error: no build");
    expect(status).toBe(1);
  });

  it("[regression DUR-112] takes plans that an option changes, whatever the seed would choose", ROTATING, () => {
    const told = (...options: string[]): string => sim("--trace", "--seed", "1", "--off", "torn", ...options).stdout;
    expect(told()).toBe(told("--kind", "local"));
  });

  const DISTURBED: Plan = {
    seed: 1,
    locks: "broken",
    machines: [{ offset: 5, drift: 1.001 }, { offset: 7 }],
    processes: [{ machine: 0 }, { machine: 1 }, { machine: 0 }],
    atOnce: 3,
    open: { durability: "group" },
    jobs: ["k0", "k1", "k2", "k3"].map((key) => ({ key, tool: "tasks_create", input: {}, twice: true })),
    turns: [1, 2, 3].map((at) => ({ at, do: "switch" })),
    mostMs: 1000,
  };
  /** Nothing happens, and one call of one process is made once. */
  const QUIET: Plan = {
    ...DISTURBED,
    locks: "os",
    machines: [{}, {}],
    processes: [{ machine: 0 }],
    atOnce: 1,
    open: {},
    jobs: [{ key: "k2", tool: "tasks_create", input: {}, twice: false }],
    turns: [],
  };
  const hasCall = ({ jobs }: Plan): boolean => jobs.some(({ key }) => key === "k2");
  const silent = (): void => undefined;

  it("[regression DUR-94] makes a plan that fails as small as it can be: each thing that may go is gone", () => {
    const { processes, ...smallest } = smallestOf(DISTURBED, hasCall, silent);
    expect(processes).toHaveLength(1);
    expect({ ...smallest, processes: QUIET.processes }).toEqual(QUIET);
  });

  it("[regression DUR-94] keeps of a plan what its failure needs", () => {
    const needs = (plan: Plan): boolean =>
      hasCall(plan) && plan.atOnce > 1 && plan.machines[1]?.offset === 7 && plan.turns.some(({ at }) => at === 2);
    expect(smallestOf(DISTURBED, needs, silent)).toMatchObject({
      atOnce: 3,
      locks: "os",
      open: {},
      machines: [{}, { offset: 7 }],
      jobs: QUIET.jobs,
      turns: [{ at: 2, do: "switch" }],
    });
  });

  const LAST = [
    ["its locks", { locks: "broken" }, ({ locks }) => locks === "os"],
    ["what it opens with", { open: { durability: "os" } }, ({ open }) => open.durability === undefined],
    ["the clock of a machine", { machines: [{}, { drift: 2 }] }, ({ machines }) => machines[1]?.drift === undefined],
    ["how many calls it makes at once", { atOnce: 2 }, ({ atOnce }) => atOnce === 1],
  ] as const satisfies [string, Partial<Plan>, (plan: Plan) => boolean][];

  it.each(LAST)(
    "[regression DUR-94] tries all again of a plan of which this got simpler: %s",
    (_what, more, isSimple) => {
      const turns: Plan["turns"] = [{ at: 1, do: "switch" }];
      // The turn may go when that is simple, and not before.
      const fails = (plan: Plan): boolean => hasCall(plan) && (isSimple(plan) || plan.turns.length === 1);
      expect(smallestOf({ ...QUIET, turns, ...more }, fails, silent)).toEqual(QUIET);
    },
  );

  it("[regression DUR-94] has a place in the build for each old fault", () => {
    const text = readFileSync(BUILD, "utf8");
    for (const { name, patches = [] } of OLD_FAULTS) expect(() => patched(text, patches), name).not.toThrow();
  });

  const FINDS = "[regression DUR-94] finds an old fault that is put back, by the rule that it breaks";
  /** The first plan finds it within seconds: each sample shows that the simulator can fail. */
  const ALWAYS = "the fourth paid call not counted";

  /** What the proof of that fault alone says. */
  function proofOf(name: string): { told: unknown; stderr: string; status: number | null } {
    const { stdout, stderr, status } = sim("--prove", "--fault", name, "--json");
    return { told: JSON.parse(stdout), stderr, status };
  }

  /** The one that finds it by the rule that the list has for it. */
  function foundAs(name: string): ReturnType<typeof proofOf> {
    const rule = OLD_FAULTS.find((fault) => fault.name === name)?.rule;
    return { told: { [name]: { rule, runs: expect.any(Number), seed: expect.any(Number) } }, stderr: "", status: 0 };
  }

  it(`${FINDS}: ${ALWAYS}`, () => {
    expect(proofOf(ALWAYS)).toEqual(foundAs(ALWAYS));
  });

  it.each(OLD_FAULTS.filter(({ name, quick, kept }) => name !== ALWAYS && (quick || kept !== undefined)))(
    `${FINDS}: $name`,
    ROTATING,
    ({ name }) => {
      expect(proofOf(name)).toEqual(foundAs(name));
    },
  );
});
