// @ts-check
// Changes the rules, events and log in one place at a time, and counts the changes that a test notices:
// npm run mutants -- [--one-in N] [--seed S] [src/rules/lease.ts ...]; --one-in 1 takes every function, which takes hours.
import { Stryker } from "@stryker-mutator/core";
import { parseArgs } from "node:util";
import { FOLDERS, setSampleOptions } from "./mutants_sample.mjs";
import { count } from "./many_runs.mjs";

/** Percent. */
const LEAST_SCORE = 85;
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

/** @param {string[]} statuses */
const counted = (...statuses) => mutants.filter(({ status }) => statuses.includes(status)).length;
const [noticed, missed, unreached] = [counted("Killed", "Timeout"), counted("Survived"), counted("NoCoverage")];
const score = (100 * noticed) / (noticed + missed + unreached);
console.log(`${noticed} mutants noticed, ${missed} not noticed, ${unreached} that no test reaches`);
console.log(`score ${score.toFixed(1)} %, at least ${LEAST_SCORE} % expected; one function in ${oneIn}, seed ${seed}`);
if (!(score >= LEAST_SCORE)) process.exitCode = 1;
