// @ts-check
// Property tests with as many runs as are asked for: what `npm run laws` and `npm run model` share.
import { spawnSync } from "node:child_process";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "..");

/**
 * Runs these tests and gives the exit code. With a report their output is left out, except for errors.
 * @param {string} tests @param {string} runs @param {string} seed @param {Record<string, string>} [report]
 */
export function runTests(tests, runs, seed, report) {
  const vitest = join(ROOT, "node_modules", "vitest", "vitest.mjs");
  const env = { ...process.env, ...report, TASKFOLD_RUNS: runs, TASKFOLD_SEED: seed };
  /** @type {import("node:child_process").StdioOptions} */
  const stdio = report ? ["ignore", "ignore", "inherit"] : "inherit";
  return spawnSync(process.execPath, [vitest, "run", tests], { cwd: ROOT, stdio, env }).status ?? 1;
}

/** @param {string} text */
export function count(text) {
  const n = Number(text);
  if (Number.isSafeInteger(n) && n > 0) return String(n);
  throw new Error(`expected a whole number from 1, found ${text}`);
}
