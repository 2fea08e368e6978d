// @ts-check
// The law of imports with as many files as are asked for: npm run imports -- [--runs N] [--seed S]
import { parseArgs } from "node:util";
import { count, runTests } from "./many_runs.mjs";

const { values } = parseArgs({
  options: { runs: { type: "string", default: "200" }, seed: { type: "string", default: "1" } },
});
console.log(`${values.runs} files of each tracker, seed ${values.seed}`);
process.exitCode = runTests("test/hosts/trackers", count(values.runs), count(values.seed));
