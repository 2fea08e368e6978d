// @ts-check
/**
 * `npm run sim -- [--runs 100] [--seed 1] [--json] [--off torn,zeros] [--locks os|lockfile|broken] [--kind local|shared|git|packet]` runs so many plans, from this seed on.
 * `--off` (ASSUMPTIONS of test/sim/disk.mjs) and `--locks` take plans of kind `local` alone, which they change: with another `--kind` they are refused.
 * `--twice` runs each plan twice, the second time with a question for each look at the disk: the trace has to be the same.
 * `npm run sim -- --seed 7 --trace` prints who did what in that run. `--shrink` makes its plan as small as it can be, and prints that and its trace.
 * `npm run sim -- --plan FILE [--plan FILE]` runs the plan of each file, as `--shrink` prints it; `test/sim/seeds` keeps those that once failed.
 * `npm run sim -- --exhaustive [--bound 2] [--every 1] [--script NAME] [--json]` stops scripts at each call that changes the disk, and tries every survivor up to that bound.
 * `--every 10` takes each tenth stop. `--sample 7` takes one stop of each kind of call of each script, which the seed 7 chooses.
 * With `--every 3` it takes those at a write to a log, and a third of the others. `--recoveries 4` stops the recovery after a kill as well, at each fourth stop; 0 stops none. With both, only a stop counts
 * whose number both divide: `--every 10 --recoveries 4` stops the recoveries of each twentieth.
 * Of a line that is torn, three tears are recovered, and the others count by them (`counted`). `--tears 100` recovers each tear of one in 100 lines (`compared`); 1: of all.
 * Its processes run once for all disks on which they find the same. With `--twice` each runs all the same, and has to do what was known.
 * `npm run sim -- --prove [--runs 300] [--fault NAME] [--json]` puts old faults back one at a time. Each has to be found: a run breaks the rule of that fault, and passes
 * on the build as it is. For each fault it says the rule, the seed and how many runs it took.
 */
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { buildText, patched } from "../test/sim/build.mjs";
import { SCRIPTS } from "../test/sim/crash_scripts.mjs";
import { ASSUMPTIONS } from "../test/sim/disk.mjs";
import { exhaustive } from "../test/sim/matrix.mjs";
import { OLD_FAULTS } from "../test/sim/old_faults.mjs";
import { kindOf, KINDS, planOf } from "../test/sim/plans.mjs";
import { run } from "../test/sim/run.mjs";
import { shrink } from "../test/sim/shrink.mjs";
import { Threads } from "../test/sim/world.mjs";

const { values, tokens } = parseArgs({
  tokens: true,
  options: {
    runs: { type: "string" },
    seed: { type: "string", default: "1" },
    off: { type: "string", default: "" },
    locks: { type: "string" },
    kind: { type: "string" },
    json: { type: "boolean", default: false },
    trace: { type: "boolean", default: false },
    shrink: { type: "boolean", default: false },
    prove: { type: "boolean", default: false },
    fault: { type: "string" },
    exhaustive: { type: "boolean", default: false },
    bound: { type: "string", default: "2" },
    every: { type: "string", default: "1" },
    sample: { type: "string" },
    recoveries: { type: "string", default: "4" },
    tears: { type: "string", default: "100" },
    script: { type: "string" },
    plan: { type: "string", multiple: true },
    /** Of the parent process: seeds from the first on, each so many after the other. With a fault it ends at the first that finds it. */
    step: { type: "string" },
    build: { type: "string" },
    /** Each plan runs twice: it has to give the same trace. So does each process of a matrix. */
    twice: { type: "boolean", default: false },
  },
});

/** Kinds of work by the option that asks for one, and the other options that change it. */
const WORK = {
  step: { do: child, takes: "runs seed off locks kind fault twice build" },
  exhaustive: { do: matrix, takes: "bound every sample recoveries tears script fault twice build json" },
  prove: { do: prove, takes: "fault runs seed build json" },
  plan: { do: one, takes: "trace shrink fault build" },
  trace: { do: one, takes: "shrink seed off locks kind fault build" },
  shrink: { do: one, takes: "trace seed off locks kind fault build" },
  runs: { do: soak, takes: "seed off locks kind twice build json" },
};
const LOCKS = /** @type {const} */ (["os", "lockfile", "broken"]);
const given = tokens.flatMap((token) => (token.kind === "option" ? [token.name] : []));
const work = /** @type {(keyof typeof WORK)[]} */ (Object.keys(WORK)).find((name) => given.includes(name)) ?? "runs";
const taken = WORK[work].takes.split(" ");
const ignored = given.filter((name) => name !== work && !taken.includes(name));
if (ignored.length > 0)
  throw new Error(
    `expected with --${work} no other option than --${taken.join(", --")}; found --${ignored.join(", --")}, which changes nothing there`,
  );

/**
 * One of these names, or none. A name that is not known would leave nothing to check. @template {string} T @param {string} option
 * @param {string | undefined} found @param {readonly T[]} names @returns {T | undefined}
 */
function named(option, found, names) {
  const name = names.find((one) => one === found);
  if (found !== undefined && name === undefined)
    throw new Error(`expected --${option} with one of: ${names.join(", ")}; found ${JSON.stringify(found)}`);
  return name;
}

/** @param {"runs" | "seed" | "bound" | "every" | "sample" | "recoveries" | "tears" | "step"} option @param {number} least @param {string} [fallback] */
function numbered(option, least, fallback) {
  const found = values[option] ?? fallback ?? "";
  if (!/^\d{1,15}$/.test(found) || Number(found) < least)
    throw new Error(`expected --${option} with a whole number from ${least} on, found ${JSON.stringify(found)}`);
  return Number(found);
}

const off = values.off.split(",").filter(Boolean);
for (const name of off) named("off", name, ASSUMPTIONS);
const wantedLocks = named("locks", values.locks, LOCKS);
const seed = numbered("seed", 0);
const wantedKind = named("kind", values.kind, KINDS);
const localOnly = [...(off.length > 0 ? ["--off"] : []), ...(wantedLocks ? ["--locks"] : [])];
if (wantedKind !== undefined && wantedKind !== "local" && localOnly.length > 0)
  throw new Error(
    `expected --kind local with ${localOnly.join(" and ")}, found --kind ${wantedKind}, whose plans they do not change`,
  );
const faultName = named(
  "fault",
  values.fault,
  OLD_FAULTS.map(({ name }) => name),
);
const fault = OLD_FAULTS.find(({ name }) => name === faultName);

/** @typedef {{ seed: number, calls: number, kills: number, cuts: number, faults: number, forks: number, violations: string[], hash: string }} Told */

/** The text of the build with these patches. A file may have it without any, as the tests make it once. @param {readonly import("../test/sim/build.mjs").Patch[]} [patches] */
async function built(patches = []) {
  return values.build === undefined ? buildText(patches) : patched(readFileSync(values.build, "utf8"), patches);
}

async function threads() {
  // The parent process has patched what it gives to one that shares its seeds.
  return new Threads(await built(values.step === undefined ? fault?.patches : []));
}

/** As the build and the disk are: without the fault. @param {number} number */
function plainly(number) {
  const kind = fault?.kind ?? wantedKind ?? (fault || localOnly.length > 0 ? "local" : kindOf(number));
  return planOf(kind, number, { off, locks: fault?.locks ?? wantedLocks });
}

/** @param {number} number */
function planned(number) {
  const plan = plainly(number);
  const faulty = fault?.ignores ? { ...plan, ignores: fault.ignores } : plan;
  return fault?.plan ? fault.plan(faulty) : faulty;
}

/** One of several that share the seeds: tells each result in a line. */
async function child() {
  const own = await threads();
  const [runs, step] = [numbered("runs", 1), numbered("step", 1)];
  for (let i = 0; i < runs; i += step) {
    const { lines: _lines, ...told } = run(planned(seed + i), own);
    if (values.twice && run(planned(seed + i), own, { asks: true }).hash !== told.hash)
      told.violations.push("[regression DUR-120] a second run, with a question for each look, has another trace");
    if (fault) told.violations = await causedBy(fault, told);
    console.log(JSON.stringify(told));
    if (fault && told.violations.length > 0) break;
  }
  own.end();
}

/** Those of the rule that the fault breaks, if the same plan passes without it. @param {import("../test/sim/old_faults.mjs").OldFault} put @param {Told} told */
async function causedBy(put, told) {
  const broken = told.violations.filter((violation) => violation.includes(`${put.rule}] ${put.says ?? ""}`));
  if (broken.length === 0) return [];
  const plain = new Threads(await buildText());
  const [own] = run(plainly(told.seed), plain).violations;
  plain.end();
  if (own === undefined) return broken;
  console.error(`seed ${told.seed}: without the fault, too: ${own}`);
  return [];
}

/**
 * Shares the seeds among the processors. The threads of one run take turns: on one processor a turn costs a tenth of what it costs between two.
 * `heard` is given each result. If it says true, the process that told it ends.
 * @param {number} runs @param {string[]} options @param {(told: Told) => boolean | void} heard @returns {Promise<void>}
 */
async function shared(runs, options, heard) {
  const folder = mkdtempSync(join(tmpdir(), "taskfold-sim-"));
  try {
    await sharedIn(folder, runs, options, heard);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @param {string} folder @param {number} runs @param {string[]} options @param {(told: Told) => boolean | void} heard */
async function sharedIn(folder, runs, options, heard) {
  const build = join(folder, "build");
  writeFileSync(build, await built(OLD_FAULTS.find(({ name }) => options.includes(name))?.patches));
  const cores = Math.max(1, Math.min(availableParallelism(), runs));
  const ends = Array.from({ length: cores }, (_, i) => {
    const own = [
      import.meta.filename,
      "--seed",
      String(seed + i),
      "--runs",
      String(runs - i),
      "--step",
      String(cores),
      "--off",
      values.off,
      "--build",
      build,
      ...(values.locks === undefined ? [] : ["--locks", values.locks]),
      ...(values.kind === undefined ? [] : ["--kind", values.kind]),
      ...options,
    ];
    const pinned = process.platform === "linux";
    const program = pinned ? "taskset" : process.execPath;
    const started = spawn(program, pinned ? ["-c", String(i), process.execPath, ...own] : own, {
      stdio: ["ignore", "pipe", "inherit"],
    });
    let [text, isOver] = ["", false];
    started.stdout.setEncoding("utf8").on("data", (/** @type {string} */ part) => {
      const lines = (text + part).split("\n");
      text = lines.pop() ?? "";
      for (const line of lines) isOver ||= heard(JSON.parse(line)) === true;
      if (isOver) started.kill();
    });
    /** @type {Promise<void>} */
    const end = new Promise((done, fail) => {
      started.on("error", fail);
      started.on("exit", (code) =>
        code === 0 || isOver ? done() : fail(new Error(`a process of the simulator ended with ${code}`)),
      );
    });
    return end;
  });
  await Promise.all(ends);
}

async function soak() {
  const runs = numbered("runs", 1, "100");
  const sum = { runs: 0, calls: 0, kills: 0, cuts: 0, faults: 0, forks: 0, violations: 0 };
  await shared(runs, values.twice ? ["--twice"] : [], (told) => {
    sum.runs++;
    sum.calls += told.calls;
    sum.kills += told.kills;
    sum.cuts += told.cuts;
    sum.faults += told.faults;
    sum.forks += told.forks;
    sum.violations += told.violations.length;
    for (const violation of told.violations) console.error(`seed ${told.seed}: ${violation}`);
  });
  print(sum);
  if (wantedLocks !== "broken" || sum.forks > 0) return;
  console.error(`expected broken locks to let two processes into one log, found no fork in ${runs} runs: take more`);
  process.exitCode = 1;
}

async function prove() {
  const runs = numbered("runs", 1, "300");
  /** @type {Record<string, { rule: string, runs: number, seed: number } | null>} */
  const found = {};
  for (const put of OLD_FAULTS) {
    const { name, rule, kept } = put;
    if (values.fault !== undefined && values.fault !== name) continue;
    if (kept !== undefined) {
      found[name] = await inKept(put, kept);
      if (!values.json)
        console.log(`${name}: ${found[name] ? "found" : `${rule} was not broken`} by the kept plan ${kept}`);
      continue;
    }
    let best = /** @type {Told | null} */ (null);
    await shared(runs, ["--fault", name], (told) => {
      if (told.violations.length > 0 && (best === null || told.seed < best.seed)) best = told;
      return best !== null && told.seed >= best.seed;
    });
    const first = /** @type {Told | null} */ (best);
    found[name] = first && { rule, runs: first.seed - seed + 1, seed: first.seed };
    if (!values.json)
      console.log(
        `${name}: ${first ? `found after ${first.seed - seed + 1} runs, seed ${first.seed}: ${first.violations[0]?.slice(0, 160)}` : `${rule} was not broken in ${runs} runs`}`,
      );
  }
  if (values.json) console.log(JSON.stringify(found));
  process.exitCode = Object.values(found).includes(null) ? 1 : 0;
}

/** The rule that a kept plan breaks with the fault, if it breaks none without it. @param {import("../test/sim/old_faults.mjs").OldFault} put @param {string} kept */
async function inKept({ rule, patches }, kept) {
  const plan = JSON.parse(readFileSync(join(import.meta.dirname, `../test/sim/seeds/${kept}.json`), "utf8"));
  /** @param {typeof patches} some */
  const violationsWith = async (some) => {
    const own = new Threads(await built(some));
    const { violations } = run(plan, own);
    own.end();
    return violations;
  };
  const isBroken = (await violationsWith(patches)).some((violation) => violation.includes(`[${rule}] `));
  return isBroken && (await violationsWith([])).length === 0 ? { rule, runs: 1, seed: plan.seed } : null;
}

async function matrix() {
  if (fault?.plan) throw new Error(`expected a fault of the build or of the disk, found one of plans: ${fault.name}`);
  const bounds = {
    bound: numbered("bound", 0),
    every: numbered("every", 1),
    sample: values.sample === undefined ? undefined : numbered("sample", 0),
    again: numbered("recoveries", 0),
    tears: numbered("tears", 1),
    ignores: fault?.ignores,
    twice: values.twice,
    only: named(
      "script",
      values.script,
      SCRIPTS.map(({ name }) => name),
    ),
  };
  // Each thread makes all scripts anew, and of a sample they take most of the time.
  const shares = bounds.sample === undefined ? Math.max(1, Math.min(2, availableParallelism())) : 1;
  const heard = (/** @type {string} */ line) => void (values.json || console.error(line));
  const { violations, ...told } = await exhaustive(await built(fault?.patches), bounds, shares, heard);
  for (const violation of violations) console.error(violation);
  print({ ...told, violations: violations.length });
}

/** @param {Record<string, number>} sum */
function print(sum) {
  console.log(
    values.json
      ? JSON.stringify(sum)
      : Object.entries(sum)
          .map(([name, value]) => `${name}: ${value}`)
          .join("\n"),
  );
  process.exitCode = sum["violations"] ? 1 : 0;
}

async function one() {
  const own = await threads();
  /** @type {import("../test/sim/plan.mjs").Plan[]} */
  const plans = values.plan?.map((file) => JSON.parse(readFileSync(file, "utf8"))) ?? [planned(seed)];
  for (const [i, plan] of plans.entries()) {
    if (plans.length > 1) console.log(values.plan?.[i]);
    const smallest = values.shrink ? shrink(plan, own, (line) => console.error(line)) : plan;
    const { lines, violations, hash } = run(smallest, own, { lines: true });
    if (values.trace || values.shrink) for (const line of lines ?? []) console.log(line);
    if (values.shrink) console.log(JSON.stringify(smallest));
    console.log(`${hash}\n${violations.length === 0 ? "no violation" : violations.join("\n")}`);
    if (violations.length > 0) process.exitCode = 1;
  }
  own.end();
}

await WORK[work].do();
