// @ts-check
// npm run mutants -- [--one-in N] [--seed S] [src/rules/lease.ts ...] changes the rules, events and log in one place at a time.
// It counts the changes that a test notices; --one-in 1 takes every function, which takes hours.
import { Stryker } from "@stryker-mutator/core";
import { relative } from "node:path";
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

/** One line of the table; a timeout is noticed as well. @param {string} name @param {typeof mutants} some */
function report(name, some) {
  /** @param {string} wanted */
  const counted = (wanted) => some.filter(({ status }) => status === wanted).length;
  const [killed = 0, timeout = 0, missed = 0, unreached = 0] = ["Killed", "Timeout", "Survived", "NoCoverage"].map(
    counted,
  );
  const score = (100 * (killed + timeout)) / (killed + timeout + missed + unreached);
  const counts = `${killed} killed, ${timeout} timed out, ${missed} not noticed, ${unreached} that no test reaches`;
  console.log(`${name.padEnd(10)} ${score.toFixed(1).padStart(5)} %: ${counts}`);
  return score;
}

for (const folder of FOLDERS.flatMap((one) => one.match(/^src\/\w+/)?.[0] ?? [])) {
  const own = mutants.filter(({ fileName }) => relative(process.cwd(), fileName).startsWith(`${folder}/`));
  if (own.length > 0) report(folder, own);
}
const score = report("in all", mutants);
console.log(`at least ${LEAST_SCORE} % expected; one function in ${oneIn}, seed ${seed}`);
if (!(score >= LEAST_SCORE)) process.exitCode = 1;
