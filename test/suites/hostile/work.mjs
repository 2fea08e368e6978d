// @ts-check
// The child's side of children.mjs: jobs come on stdin, and what was found is said on descriptor 3. The process may
// hang, run out of memory or die: then the parent says so of the job, and begins another process.
import * as fs from "node:fs";
import { createInterface } from "node:readline";

/** @typedef {import("./attack.mjs").Fault} Fault */
/** @typedef {{ id: string } & Record<string, unknown>} Job */

const TOLD = 3;

/** Does every job that comes. @param {Record<string, unknown>} ready what is said before the first @param {(job: Job) => Promise<{ faults: Fault[], kind?: string }>} run */
export async function work(ready, run) {
  say({ ...ready, ready: true });
  for await (const line of createInterface({ input: process.stdin })) {
    const job = /** @type {Job} */ (JSON.parse(line));
    forgetPeak();
    const started = performance.now();
    const found = await run(job).catch((error) => ({ faults: [failed(error)] }));
    say({ end: job.id, ...found, ms: Math.round(performance.now() - started), peak_mb: peakMb() });
  }
  // End even if a case left work open: the parent has ended, or has no more work.
  process.exit();
}

/** Not of the library, which answers: of the case itself. @param {unknown} error @returns {Fault} */
function failed(error) {
  return { kind: "internal", what: `the case failed: ${error instanceof Error ? error.stack : String(error)}` };
}

/** Whole lines, at once: also when the process hangs right after. @param {Record<string, unknown>} told */
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
