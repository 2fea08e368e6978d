// @ts-check
/**
 * `npm run fuzz -- [--minutes 1 | --runs N] [--seed 1] [--run N] [--kind KIND] [--json]`: random attacks, by grammar and by mutation. They
 * go on logs (with valid digests), files of the registry, YAML, cursors, ids, paths, inputs of tools and messages to the
 * server. Run number N of a seed is the same in every run, and `--run` repeats it alone. Exit code 1 unless nothing was found.
 */
import { chmodSync, mkdtempSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { KINDS } from "./runs.mjs";
import { Children } from "../hostile/children.mjs";
import { remove } from "../hostile/world.mjs";
import { tempRoot } from "../../support/temp_root.mjs";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "1" },
    runs: { type: "string" },
    seed: { type: "string", default: "1" },
    run: { type: "string" },
    kind: { type: "string" },
    json: { type: "boolean", default: false },
  },
});
const AT_ONCE = 2;
const TOLD = 200;
/** Runs of one seed stay apart from those of the next. */
const APART = 1_000_003;
const { kind } = values;
if (kind !== undefined && !Object.hasOwn(KINDS, kind))
  throw new Error(`--kind is one of ${Object.keys(KINDS).join(", ")}`);

const folder = mkdtempSync(join(tempRoot(), "taskfold-fuzz-"));
chmodSync(folder, 0o711);
const children = new Children({
  script: join(import.meta.dirname, "child.mjs"),
  args: [],
  folder,
  seconds: 10,
  megabytes: 512,
});
const report = {
  runs: 0,
  escaped: 0,
  executed: 0,
  internal: 0,
  hung: 0,
  over_memory: 0,
  believed: 0,
  stopped: 0,
  seed: Number(values.seed),
  /** @type {Record<string, number>} */
  kinds: {},
  /** @type {{ run: number, kind: string, faults: string[], again: string }[]} */
  failing: [],
};
const until = performance.now() + Number(values.minutes) * 60_000;
let number = 0;
try {
  await children.run(next, AT_ONCE, (result, job) => {
    report.runs++;
    const chosen = result.kind ?? kind ?? "unknown";
    report.kinds[chosen] = (report.kinds[chosen] ?? 0) + 1;
    for (const one of new Set(result.faults.map((fault) => fault.kind))) report[one]++;
    if (result.faults.length === 0 || report.failing.length === TOLD) return;
    const only = kind === undefined ? "" : ` --kind ${kind}`;
    report.failing.push({
      run: job.number,
      kind: chosen,
      faults: result.faults.map((fault) => `${fault.kind}: ${fault.what}`),
      again: `npm run fuzz -- --seed ${report.seed} --run ${job.number}${only}`,
    });
  });
} finally {
  await children.end();
  remove(folder);
}
const { escaped, executed, internal, hung, over_memory, runs } = report;
if (values.json) console.log(JSON.stringify(report, null, 2));
else {
  const { failing, kinds, ...counts } = report;
  for (const [name, n] of [...Object.entries(counts), ...Object.entries(kinds)]) console.log(`${name}: ${n}`);
  for (const { faults, again } of failing)
    console.log(`- ${again}\n${faults.map((fault) => `    ${fault}`).join("\n")}`);
}
process.exitCode = escaped + executed + internal + hung + over_memory > 0 || runs === 0 ? 1 : 0;

/** The next run, while there is time, or while there are runs to make. */
function next() {
  if (isOver()) return undefined;
  const n = values.run === undefined ? number : Number(values.run);
  number++;
  const seed = (report.seed * APART + n) >>> 0;
  return { id: String(n), number: n, seed, ...(kind === undefined ? {} : { kind }) };
}

function isOver() {
  if (values.run !== undefined) return number > 0;
  return values.runs === undefined ? performance.now() > until : number >= Number(values.runs);
}
