// @ts-check
/**
 * `npm run hostile -- [--json] [--all | --only PATTERN | --sample N [--exact M]] [--seed S] [--weaken PART | --weak] [--seconds
 * 10] [--megabytes 512]`: folders as an attacker writes them, and every command and tool in them. Beside them lie canaries that
 * no call may touch, and programs that no call may run. Exit code 1 unless nothing was found.
 *
 * - Without an option the run takes every fifth case of the matrix of paths, forms and operations, so that each pair is there.
 * - `--seed` says which cases, and `--all` takes each.
 * - `--sample` takes so many of them and the exact folders of items 1 to 6, `--exact` so many of these.
 * - `--weaken` puts back an old fault, and the run has to find it; `--weak` puts back each in turn.
 */
import { chmodSync, mkdtempSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { exactCases, isTaken, matrixCases } from "./cases.mjs";
import { Children } from "./children.mjs";
import { WEAKENED } from "./weak.mjs";
import { remove } from "./world.mjs";
import { randomFrom } from "../../support/random_calls.mjs";
import { tempRoot } from "../../support/temp_root.mjs";

const { values } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    all: { type: "boolean", default: false },
    only: { type: "string" },
    sample: { type: "string" },
    exact: { type: "string" },
    seed: { type: "string", default: "1" },
    weaken: { type: "string" },
    weak: { type: "boolean", default: false },
    seconds: { type: "string", default: "10" },
    megabytes: { type: "string", default: "512" },
  },
});
const AT_ONCE = 2;
/** Kinds of which each failing case is told; the rest is counted. */
const TOLD = 400;
/** A sample takes exact folders of these alone. */
const SAMPLED = 6;
if (values.weaken !== undefined && !Object.hasOwn(WEAKENED, values.weaken))
  throw new Error(`--weaken is one of ${Object.keys(WEAKENED).join(", ")}`);

/** @typedef {import("./cases.mjs").Case} Case */

const folder = mkdtempSync(join(tempRoot(), "taskfold-hostile-"));
// A child without the rights of root has to reach its own folder in it.
chmodSync(folder, 0o711);
const children = new Children({
  script: join(import.meta.dirname, "child.mjs"),
  args: [],
  folder,
  seconds: Number(values.seconds),
  megabytes: Number(values.megabytes),
});
try {
  if (values.weak) {
    /** @type {Record<string, Awaited<ReturnType<typeof attack>>["report"]>} */
    const weakened = {};
    const missed = [];
    for (const part of Object.keys(WEAKENED)) {
      const { report, failed } = await attack(part);
      weakened[part] = report;
      if (!failed) missed.push(part);
    }
    if (values.json) console.log(JSON.stringify({ weakened, missed }));
    else console.log(`missed: ${missed.join(", ") || "none"}`);
    process.exitCode = missed.length > 0 ? 1 : 0;
  } else {
    const { report, failed } = await attack(values.weaken);
    if (values.json) console.log(JSON.stringify(report, null, 2));
    else tell(report);
    process.exitCode = failed ? 1 : 0;
  }
} finally {
  await children.end();
  remove(folder);
}

/** @param {string | undefined} weaken */
async function attack(weaken) {
  const started = performance.now();
  const { paths, not_available } = /** @type {{ paths: string[], not_available: string[] }} */ (
    /** @type {unknown} */ (await children.first())
  );
  const all = [...matrixCases(paths, not_available), ...exactCases()];
  const cases = weaken === undefined ? chosen(all) : weakenedCases(all, weaken);
  const report = {
    cases: cases.length,
    escaped: 0,
    executed: 0,
    internal: 0,
    hung: 0,
    over_memory: 0,
    /** Planted state that was taken for true. */
    believed: 0,
    /** One odd thing, and the rest did not go on. */
    stopped: 0,
    seconds: 0,
    slowest: { id: "", ms: 0 },
    largest: { id: "", mb: 0 },
    not_available,
    /** @type {{ id: string, faults: string[], again: string }[]} */
    failing: [],
  };
  await children.runAll(cases, AT_ONCE, ({ id, faults, ms, peak_mb }) => {
    if (ms > report.slowest.ms) report.slowest = { id, ms };
    if (peak_mb > report.largest.mb) report.largest = { id, mb: peak_mb };
    for (const kind of new Set(faults.map((fault) => fault.kind))) report[kind]++;
    if (faults.length === 0 || report.failing.length === TOLD) return;
    const again = `npm run hostile -- --only '^${literally(id)}$'${weaken === undefined ? "" : ` --weaken ${weaken}`}`;
    report.failing.push({ id, faults: faults.map(({ kind, what }) => `${kind}: ${what}`), again });
  });
  report.seconds = Math.round((performance.now() - started) / 1000);
  const { escaped, executed, internal, hung, over_memory, believed, stopped } = report;
  // A run of no case shows nothing.
  const failed = escaped + executed + internal + hung + over_memory + believed + stopped > 0 || cases.length === 0;
  return { report, failed };
}

/** Those that were asked for. @param {Case[]} all @returns {Case[]} */
function chosen(all) {
  const seed = Number(values.seed);
  if (values.only !== undefined) return withId(all, new RegExp(values.only));
  if (values.all) return all;
  if (values.sample === undefined) return all.filter((one) => !("form" in one) || isTaken(one.place, seed));
  const random = randomFrom(seed);
  const matrix = all.filter((one) => "form" in one);
  const picked = Array.from({ length: Number(values.sample) }, () => random.below(matrix.length));
  const some = [...new Set(picked)].flatMap((i) => matrix[i] ?? []);
  const exact = all.filter((one) => "item" in one && one.item <= SAMPLED);
  const first = random.below(exact.length);
  return [...some, ...[...exact, ...exact].slice(first, first + Number(values.exact ?? exact.length))];
}

/** Those that have to tell, unless others were asked for. @param {Case[]} all @param {string} weaken @returns {Case[]} */
function weakenedCases(all, weaken) {
  const { cases = /^$/, seconds } = WEAKENED[weaken] ?? {};
  const wanted = withId(all, values.only === undefined ? cases : new RegExp(values.only));
  return wanted.map((one) => ({ ...one, weaken, ...(seconds === undefined ? {} : { seconds }) }));
}

/** @param {Case[]} all @param {RegExp} pattern */
function withId(all, pattern) {
  return all.filter(({ id }) => pattern.test(id));
}

/** @param {string} id */
function literally(id) {
  return id.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}

/** @param {Awaited<ReturnType<typeof attack>>["report"]} report */
function tell({ failing, slowest, largest, not_available, ...counts }) {
  for (const [name, n] of Object.entries(counts)) console.log(`${name}: ${n}`);
  console.log(`slowest: ${slowest.ms} ms, ${slowest.id}\nlargest: ${largest.mb} MB, ${largest.id}`);
  if (not_available.length > 0) console.log(`not tried, this system has none: ${not_available.join("; ")}`);
  for (const { id, faults, again } of failing) {
    console.log(`- ${id}`);
    for (const fault of faults) console.log(`    ${fault}`);
    console.log(`    ${again}`);
  }
}
