// @ts-check
/**
 * `npm run crash -- [--quick] [--seed 7] [--json]` runs a script of changes on a disk that stops at call N, for every N. It
 * cuts the last write at several bytes, drops unsynced data, and then checks every promise (test/support/crash.ts). The harness
 * is TypeScript and the oldest Node we support runs none, so vitest runs it. --quick stops at every third call.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, existsSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";

const { values } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    seed: { type: "string", default: "7" },
    json: { type: "boolean", default: false },
  },
});

const folder = mkdtempSync(join(tmpdir(), "taskfold-crash-"));
const out = join(folder, "result.json");
const plan = { seed: Number(values.seed), every: values.quick ? 3 : 1, rounds: values.quick ? 1 : 4, out };
const root = join(import.meta.dirname, "..");
const vitest = join(root, "node_modules/vitest/vitest.mjs");
const { stdout, stderr } = spawnSync(process.execPath, [vitest, "run", "test/crash.test.ts", "-t", "DUR-29"], {
  cwd: root,
  env: { ...process.env, TASKFOLD_CRASH: JSON.stringify(plan) },
  encoding: "utf8",
});
if (!existsSync(out)) {
  console.error(stdout, stderr);
  process.exitCode = 70;
} else {
  const { stops, checks, failures } = JSON.parse(readFileSync(out, "utf8"));
  if (values.json) console.log(JSON.stringify({ stops, checks, failures }));
  else {
    for (const failure of failures) console.log(failure);
    console.log(`stops: ${stops}\nchecks: ${checks}\nfailures: ${failures.length}`);
  }
  process.exitCode = failures.length > 0 ? 1 : 0;
}
rmSync(folder, { recursive: true, force: true });
