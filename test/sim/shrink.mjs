// @ts-check
/** Makes a plan that fails as small as it can be: fewer things that happen, fewer calls, fewer processes. */
import { run } from "./run.mjs";

/** @typedef {import("./plan.mjs").Plan} Plan */

/** @param {Plan} plan @param {import("./world.mjs").Threads} threads @param {(line: string) => void} tell @returns {Plan} */
export function shrink(plan, threads, tell) {
  const wanted = kindOf(run(plan, threads).violations[0]);
  if (wanted === undefined) return plan;
  return smallestOf(
    plan,
    (one) => run({ ...one, stop: true }, threads).violations.some((violation) => kindOf(violation) === wanted),
    tell,
  );
}

/** The smallest plan that is found from this one, and that fails as well. @param {Plan} plan @param {(plan: Plan) => boolean} fails @param {(line: string) => void} tell @returns {Plan} */
export function smallestOf(plan, fails, tell) {
  let best = plan;
  for (let size = Infinity; sizeOf(best) < size;) {
    size = sizeOf(best);
    best = fewer(best, "jobs", fails);
    best = fewer(best, "turns", fails);
    best = fewer(best, "processes", fails);
    best = simpler(best, fails);
    tell(`${best.processes.length} processes, ${best.jobs.length} calls, ${best.turns.length} turns`);
  }
  return best;
}

/** Violations of one kind differ in names and numbers alone. @param {string | undefined} violation */
function kindOf(violation) {
  return violation?.replaceAll(/[\d"]+|[A-Za-z0-9_-]{20,}/g, "").slice(0, 40);
}

/** All that may go: what does not count here would end the search before the rest was tried without it. @param {Plan} plan */
function sizeOf({ jobs, turns, processes, atOnce, locks, open, machines }) {
  const settings = [open, ...machines].flatMap((one) => Object.keys(one)).length + (locks === "os" ? 0 : 1);
  return jobs.length + turns.length + processes.length + atOnce + settings + jobs.filter(({ twice }) => twice).length;
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

/**
 * Makes one thing simpler after the other. Each begins with what the ones before have left, and one that changes nothing costs no run.
 * @param {Plan} plan @param {(plan: Plan) => boolean} fails @returns {Plan}
 */
function simpler(plan, fails) {
  /** @type {((plan: Plan) => Plan)[]} */
  const changes = [
    (one) => ({ ...one, atOnce: 1 }),
    (one) => ({ ...one, locks: "os" }),
    (one) => ({ ...one, open: {} }),
    ...plan.machines.map((_, i) => (/** @type {Plan} */ one) => ({ ...one, machines: one.machines.with(i, {}) })),
    ...plan.jobs.map((job, i) => (/** @type {Plan} */ one) => ({
      ...one,
      jobs: one.jobs.with(i, { ...job, twice: false }),
    })),
  ];
  let best = plan;
  for (const change of changes) {
    const tried = change(best);
    if (sizeOf(tried) < sizeOf(best) && fails(tried)) best = tried;
  }
  return best;
}
