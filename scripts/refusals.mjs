// @ts-check
// `npm run refusals -- [--runs N] [--seed S] [--json]` makes random calls of every tool, and every call that refusals and answers
// offer. For a refused offer it prints the reason and the call that led there.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { count, runTests } from "./many_runs.mjs";

/** @typedef {{ refusals: number, answers: number, suggestions: number, failed: number, codes: Record<string, number>, failures: string[] }} Told */

const { values } = parseArgs({
  options: {
    runs: { type: "string", default: "40" },
    seed: { type: "string", default: "1" },
    json: { type: "boolean", default: false },
  },
});
const folder = mkdtempSync(join(tmpdir(), "taskfold-refusals-"));
try {
  const report = join(folder, "report.json");
  const status = runTests("test/refusals.test.ts", count(values.runs), count(values.seed), { REFUSALS_REPORT: report });
  /** @type {Told} */
  const { refusals, answers, suggestions, failed, codes, failures } = JSON.parse(readFileSync(report, "utf8"));
  if (values.json) console.log(JSON.stringify({ refusals, suggestions, failed }));
  else {
    for (const [code, times] of Object.entries(codes).toSorted(([, a], [, b]) => b - a))
      console.log(`${String(times).padStart(7)} ${code}`);
    console.log(
      `${refusals} refusals and ${answers} answers of seed ${values.seed}, ${suggestions} calls offered, ${failed} of them refused`,
    );
    for (const failure of failures) console.log(failure);
  }
  process.exitCode = status;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
