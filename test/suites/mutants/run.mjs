// @ts-check
// npm run mutants -- [--one-in N] [--seed S] [src/rules/lease.ts ...] changes the rules, events and log in one place at a time.
// It counts the changes that a test notices; --one-in 1 takes every function, which takes hours.
import { Stryker } from "@stryker-mutator/core";
import { relative } from "node:path";
import { parseArgs } from "node:util";
import { FOLDERS, setSampleOptions } from "./sample.mjs";
import { ENOUGH, LEAST_SCORE, scoresOf } from "./score.mjs";
import { count } from "../../../scripts/many_runs.mjs";

const DAY_MS = 86_400_000;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    // Some hundred mutants, and a quarter of an hour.
    "one-in": { type: "string" },
    seed: { type: "string", default: String(Math.floor(Date.now() / DAY_MS)) },
  },
});
const mutate = positionals.length > 0 ? positionals : FOLDERS;
const oneIn = Number(count(values["one-in"] ?? (positionals.length > 0 ? "1" : "40")));
const seed = Number(count(values.seed));

setSampleOptions({ seed, oneIn, mutate });
const mutants = await new Stryker({ configFile: "stryker.config.mjs" }).runMutationTest();

const folders = FOLDERS.flatMap((one) => one.match(/^src\/\w+/)?.[0] ?? []);
const relatives = mutants.map(({ fileName, ...rest }) => ({
  ...rest,
  fileName: relative(process.cwd(), fileName).replaceAll("\\", "/"),
}));
const scores = scoresOf(relatives, folders);
for (const { name, score, counts, isJudged } of scores)
  console.log(
    `${name.padEnd(10)} ${score.toFixed(1).padStart(5)} %: ${counts}${isJudged ? "" : " (too few to judge)"}`,
  );
console.log(
  `at least ${LEAST_SCORE} % expected, of a folder from ${ENOUGH} mutants on; one function in ${oneIn}, seed ${seed}`,
);
if (scores.some(({ isLow }) => isLow)) process.exitCode = 1;
