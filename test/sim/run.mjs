// @ts-check
/** One run: what is there before, the work of the plan, and what has to hold afterwards. */
import { check } from "./check.mjs";
import { BEFORE } from "./plan.mjs";
import { Over, World } from "./world.mjs";

/**
 * @typedef {{ seed: number, calls: number, kills: number, cuts: number, faults: number, acked: number, violations: string[], hash: string, lines: string[] | null }} Result
 */

/** @param {import("./plan.mjs").Plan} plan @param {import("./world.mjs").Threads} threads @param {{ lines?: boolean }} [options] @returns {Result} */
export function run(plan, threads, options) {
  const world = new World(plan, threads, options);
  const [first] = world.processes;
  if (!first) throw new Error("a plan without a process");
  for (const { tool, input } of BEFORE) {
    const reply = world.ask(first, tool, { workspace: "acme/sim", ...input });
    if (!reply?.success) throw new Error(`${tool} failed before the work: ${JSON.stringify(reply?.error)}`);
  }
  world.disk.syncAll();
  world.calm = false;
  world.waiting.push(...plan.jobs);
  world.run();
  world.calm = true;
  world.run();
  if (world.violations.length === 0) {
    try {
      world.stop();
      check(world);
    } catch (e) {
      if (!(e instanceof Over)) throw e;
    }
  }
  world.leave();
  const { calls, kills, cuts, faults, violations, lines } = world;
  return {
    seed: plan.seed,
    calls,
    kills,
    cuts,
    faults,
    acked: world.acked.size,
    violations,
    hash: world.hash.digest("hex"),
    lines,
  };
}
