// @ts-check
/**
 * `npm run soak -- [--minutes 30] [--seed N]`: the random suites in turn, each turn with the next seed, until the time is over. It prints
 * the command of each turn, which repeats it. Exit code 1 if a turn failed; the others are made all the same.
 */
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { hasNatsServer, NATS_SERVER } from "../test/support/nats_servers.mjs";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "30" },
    seed: { type: "string", default: String(Math.floor(Date.now() / 1000)) },
  },
});
/** @param {"minutes" | "seed"} option @param {RegExp} form @param {string} wanted */
function numbered(option, form, wanted) {
  const found = values[option];
  if (!form.test(found))
    throw new Error(
      `expected --${option} with ${wanted}, found ${JSON.stringify(found)}; for example: npm run soak -- --${option} 30`,
    );
  return Number(found);
}
const minutes = numbered("minutes", /^\d{1,6}(?:\.\d{1,3})?$/, "a number of minutes from 0 on");
const seed = numbered("seed", /^\d{1,15}$/, "a whole number from 0 on");

const ROOT = join(import.meta.dirname, "..");
/** A turn of each takes a minute or two. @type {{ name: string, options: string[], needsServers?: true }[]} */
const TURNS = [
  { name: "sim", options: ["--runs", "200"] },
  { name: "fuzz", options: ["--minutes", "1"] },
  { name: "cluster", options: ["--machines", "3", "--seconds", "45"], needsServers: true },
  { name: "test:git", options: ["--random", "8", "--steps", "4"] },
  { name: "sim", options: ["--runs", "200"] },
  { name: "cluster", options: ["--machines", "3", "--seconds", "45", "--mode", "merge"], needsServers: true },
];

/** @type {{ scripts: Record<string, string> }} */
const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
const turns = TURNS.filter(({ name, needsServers }) => scripts[name] && (!needsServers || hasNatsServer()));
if (!hasNatsServer()) console.log(`No turns of cluster: ${NATS_SERVER} is not there (apt-get install nats-server).`);

const until = performance.now() + minutes * 60_000;
/** @type {string[]} */
const failed = [];
let made = 0;
for (; made === 0 || performance.now() < until; made++) {
  const turn = turns[made % turns.length];
  if (!turn) throw new Error("expected a suite that runs here");
  const options = [...turn.options, "--seed", String(seed + made)];
  const command = `npm run ${turn.name} -- ${options.join(" ")}`;
  console.log(`=== ${command}`);
  const child = spawn("npm", ["run", "--silent", turn.name, "--", ...options], { cwd: ROOT, stdio: "inherit" });
  const code = await new Promise((done) => child.once("close", done));
  if (code !== 0) failed.push(command);
}
for (const command of failed) console.log(`FAIL  ${command}`);
console.log(`${made} turns, ${failed.length} failed`);
process.exitCode = failed.length > 0 ? 1 : 0;
