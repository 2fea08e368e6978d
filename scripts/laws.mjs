// @ts-check
// The laws of test/laws with as many runs as are asked for: npm run laws -- [--runs N] [--seed S]
import { parseArgs } from "node:util";
import { count, runTests } from "./many_runs.mjs";

const { values } = parseArgs({
  options: { runs: { type: "string", default: "500" }, seed: { type: "string", default: "1" } },
});
process.exitCode = runTests("test/laws", count(values.runs), count(values.seed));
