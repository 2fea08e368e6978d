// @ts-check
// The laws of test/laws with as many runs as are asked for: npm run laws -- [--runs N] [--seed S]
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";

const { values } = parseArgs({
  options: { runs: { type: "string", default: "500" }, seed: { type: "string", default: "1" } },
});
const root = join(import.meta.dirname, "..");
const vitest = join(root, "node_modules", "vitest", "vitest.mjs");
// In memory where the system has such a folder: what is written is thrown away, and a busy disk takes ten times as long.
const memory = process.env["TMPDIR"] === undefined && existsSync("/dev/shm") ? { TMPDIR: "/dev/shm" } : {};
const { status } = spawnSync(process.execPath, [vitest, "run", "test/laws"], {
  cwd: root,
  stdio: "inherit",
  env: { ...process.env, ...memory, LAWS_RUNS: String(count(values.runs)), LAWS_SEED: String(count(values.seed)) },
});
process.exitCode = status ?? 1;

/** @param {string} text */
function count(text) {
  const n = Number(text);
  if (Number.isSafeInteger(n) && n > 0) return n;
  throw new Error(`expected a whole number from 1, found ${text}`);
}
