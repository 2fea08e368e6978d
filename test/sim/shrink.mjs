// @ts-check
/** Makes a plan that fails as small as it can be: fewer things that happen, fewer calls, fewer processes. */
import { run } from "./run.mjs";

/** @typedef {import("./plan.mjs").Plan} Plan */

/** @param {Plan} plan @param {import("./world.mjs").Threads} threads @param {(line: string) => void} tell @returns {Plan} */
export function shrink(plan, threads, tell) {
  const wanted = kindOf(run(plan, threads).violations[0]);
  if (wanted === undefined) return plan;
  /** @param {Plan} one */
  const fails = (one) =>
    run({ ...one, stop: true }, threads).violations.some((violation) => kindOf(violation) === wanted);
  let best = plan;
  for (let size = Infinity; sizeOf(best) < size;) {
    size = sizeOf(best);
    best = fewer(best, "jobs", fails);
    best = fewer(best, "turns", fails);
    best = fewer(best, "processes", fails);
    for (const simpler of simplerThan(best)) if (fails(simpler)) best = simpler;
    tell(`${best.processes.length} processes, ${best.jobs.length} calls, ${best.turns.length} turns`);
  }
  return best;
}

/** Violations of one kind differ in names and numbers alone. @param {string | undefined} violation */
function kindOf(violation) {
  return violation?.replaceAll(/[\d"]+|[A-Za-z0-9_-]{20,}/g, "").slice(0, 40);
}

/** @param {Plan} plan */
function sizeOf({ jobs, turns, processes, atOnce }) {
  return jobs.length + turns.length + processes.length + atOnce + jobs.filter(({ twice }) => twice).length;
}

/**
 * Leaves out half of them, then quarters, down to one at a time, as long as it fails the same way.
 * @param {Plan} plan @param {"jobs" | "turns" | "processes"} what @param {(plan: Plan) => boolean} fails @returns {Plan}
 */
function fewer(plan, what, fails) {
  let best = plan;
  for (let part = Math.ceil(best[what].length / 2); part >= 1; part = part === 1 ? 0 : Math.ceil(part / 2))
    for (let at = 0; at < best[what].length;) {
      const left = best[what].toSpliced(at, part);
      const tried = { ...best, [what]: left };
      if ((what !== "processes" || left.length > 0) && fails(tried)) best = tried;
      else at += part;
    }
  return best;
}

/** @param {Plan} plan @returns {Plan[]} */
function simplerThan(plan) {
  return [
    { ...plan, atOnce: 1 },
    { ...plan, locks: "os" },
    { ...plan, open: {} },
    { ...plan, machines: plan.machines.map(() => ({})) },
    ...plan.jobs
      .filter(({ twice }) => twice)
      .map((job) => ({ ...plan, jobs: plan.jobs.map((one) => (one === job ? { ...one, twice: false } : one)) })),
  ];
}
