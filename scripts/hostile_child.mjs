// @ts-check
// A process that goes through hostile cases, one after another, as its parent names them on stdin; what it finds is said on
// descriptor 3. It may hang, run out of memory or die: then the parent says so of the case, and begins another process.
import * as fs from "node:fs";
import { createInterface } from "node:readline";
import { Attack } from "./hostile_attack.mjs";
import { EXACT } from "./hostile_exact.mjs";
import { matrixPaths, notAvailable, pathOf, plant } from "./hostile_forms.mjs";
import { WEAKENED } from "./hostile_weak.mjs";
import { World } from "./hostile_world.mjs";

/** @typedef {{ id: string, exact: string } | { id: string, form: string, path: string, operation: string }} Job */

const TOLD = 3;
const [folder = "", weaken = ""] = process.argv.slice(2);
const weak = weaken === "" ? undefined : WEAKENED[weaken]?.weaken;

const world = new World(folder);
await world.build();
say({
  ready: true,
  paths: matrixPaths(world),
  not_available: [...notAvailable(world.own), ...(world.notesReads ? [] : ["reads of canaries"])],
});
for await (const line of createInterface({ input: process.stdin })) {
  const job = /** @type {Job} */ (JSON.parse(line));
  say({ begin: job.id });
  forgetPeak();
  const started = performance.now();
  const faults = await run(job);
  say({ end: job.id, faults, ms: Math.round(performance.now() - started), peak_mb: peakMb() });
}

/** @param {Job} job */
async function run(job) {
  const attack = new Attack(world, weak);
  try {
    if ("exact" in job) {
      await EXACT[job.exact]?.run(attack);
      return attack.end();
    }
    attack.linked = plant(world, job.form, pathOf(world, job.path));
    world.watch();
    await attack.operation(job.operation);
    return attack.end();
  } catch (error) {
    // Not of the library, which answers: of the case itself.
    attack.fault("internal", `the case failed: ${error instanceof Error ? error.stack : String(error)}`);
    return attack.faults;
  }
}

/** Whole lines, at once: a case that hangs the process is known by then. @param {Record<string, unknown>} told */
function say(told) {
  fs.writeSync(TOLD, `${JSON.stringify(told)}\n`);
}

/** From here on the system counts the most memory anew. */
function forgetPeak() {
  try {
    fs.writeFileSync("/proc/self/clear_refs", "5");
  } catch {
    // Elsewhere it counts from the start, and the case that goes over the limit is still the first to do so.
  }
}

function peakMb() {
  try {
    const text = fs.readFileSync("/proc/self/status", "latin1");
    return Math.round(Number(/VmHWM:\s+(?<kib>\d+)/.exec(text)?.groups?.["kib"]) / 1024);
  } catch {
    return Math.round(process.resourceUsage().maxRSS / 1024);
  }
}
