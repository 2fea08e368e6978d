// @ts-check
// `npm run imports -- [--runs N] [--seed S] [--keep FOLDER]` tries the law of imports with so many files of each tracker.
// Backlog.md, Task Master and Taskwarrior write files, too, where the PATH has them. FOLDER gets these.
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { count, runTests } from "./many_runs.mjs";

const { values } = parseArgs({
  options: {
    runs: { type: "string", default: "200" },
    seed: { type: "string", default: "1" },
    keep: { type: "string" },
  },
});
console.log(`${values.runs} files of each tracker, seed ${values.seed}`);
process.env["IMPORT_PROGRAMS"] = "1";
if (values.keep !== undefined) process.env["IMPORT_PROGRAMS_KEEP"] = resolve(values.keep);
process.exitCode = runTests("test/hosts/trackers", count(values.runs), count(values.seed));
