// @ts-check
// Property tests with as many runs as are asked for: what `npm run laws` and `npm run model` share.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "..");

/** Runs these tests and gives the exit code. @param {string} tests @param {Record<string, string>} env @param {import("node:child_process").StdioOptions} stdio */
export function runTests(tests, env, stdio = "inherit") {
  const vitest = join(ROOT, "node_modules", "vitest", "vitest.mjs");
  // In memory where the system has such a folder: what is written is thrown away, and a busy disk takes ten times as long.
  const memory = process.env["TMPDIR"] === undefined && existsSync("/dev/shm") ? { TMPDIR: "/dev/shm" } : {};
  const options = { cwd: ROOT, stdio, env: { ...process.env, ...memory, ...env } };
  return spawnSync(process.execPath, [vitest, "run", tests], options).status ?? 1;
}

/** @param {string} text */
export function count(text) {
  const n = Number(text);
  if (Number.isSafeInteger(n) && n > 0) return String(n);
  throw new Error(`expected a whole number from 1, found ${text}`);
}
