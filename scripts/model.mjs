// @ts-check
// `npm run model -- [--runs N] [--seed S] [--json]` makes random calls of every tool against the model of test/model. Each run is
// some sixty calls on a workspace of its own. The run prints a failure as the shortest story that it found.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { count, runTests } from "./many_runs.mjs";

/** @typedef {{ runs: number, calls: number, failures: string[], coverage: Record<string, number> }} Told */

const { values } = parseArgs({
  options: {
    runs: { type: "string", default: "200" },
    seed: { type: "string", default: "1" },
    json: { type: "boolean", default: false },
  },
});
const folder = mkdtempSync(join(tmpdir(), "taskfold-model-"));
try {
  const report = join(folder, "report.json");
  const status = runTests("test/model.test.ts", count(values.runs), count(values.seed), { MODEL_REPORT: report });
  /** @type {Told} */
  const told = JSON.parse(readFileSync(report, "utf8"));
  if (values.json) console.log(JSON.stringify(told));
  else {
    const { runs, calls, failures, coverage } = told;
    for (const [tool, times] of Object.entries(coverage).toSorted(([, a], [, b]) => b - a))
      console.log(`${String(times).padStart(7)} ${tool}`);
    console.log(`${runs} runs of seed ${values.seed}, ${calls} calls, ${failures.length} failures`);
    for (const failure of failures) console.log(failure);
  }
  process.exitCode = status;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
