// @ts-check
/** Plans of machines with clones of one repository, in which git works while agents do. */
import { randomFrom } from "../support/random_calls.mjs";
import { APART, CLAIMED, claimOf, isAbout, jobOf, pick, Turns } from "./plan.mjs";

/** @typedef {import("./plan.mjs").Job} Job */
/** @typedef {import("./plan.mjs").Plan} Plan */

/** Command lines of people. */
const WORK = /** @type {const} */ ([
  ["commit", "pull", "resolve", "commit", "push"],
  ["commit", "pull", "resolve", "commit"],
  ["pull", "resolve"],
  ["commit"],
  ["stash", "pop", "resolve", "commit"],
  ["stash"],
  ["commit", "pop", "resolve"],
  ["commit", "switch"],
  ["commit", "switch", "commit", "switch"],
  ["commit", "join", "resolve", "commit"],
]);
/** They take away what no commit has, or make room for others to. */
const LOSING = /** @type {const} */ ([["reset"], ["commit", "switch", "reset"], ["stash", "reset", "pop", "resolve"]]);
/** Calls that move folders: git would look for renames. */
const MOVES = new Set(["tasks_archive", "tasks_restore", "tasks_delete", "tasks_undo", "tasks_redo"]);

/** @param {number} seed @returns {Plan} */
export function gitPlanOf(seed) {
  const random = randomFrom(seed);
  const count = 1 + random.below(2);
  // Of people who call git itself (GIT-100).
  const isHeld = random.chance(0.7);
  const machines = Array.from({ length: count }, (_, i) =>
    i === 0 ? {} : { offset: random.below(20_000) - 10_000, drift: 1 + (random.below(3) - 1) * 0.001 },
  );
  // The first process of each machine runs git, and the others are agents.
  const processes = Array.from({ length: 2 * count + random.below(2) }, (_, i) => ({ machine: i % count }));
  // A process that holds the workspace for git may write itself (GIT-106), so agents call others.
  const agent = () => count + random.below(processes.length - count);
  const claims = count > 1 && random.chance(0.5);
  const jobs = Array.from({ length: 8 + random.below(16) }, (_, i) => {
    const key = `k${i}`;
    if (random.chance(isHeld ? 0.3 : 0.45))
      return gitJob(key, [...pick(random, isHeld ? WORK : [...WORK, ...LOSING])], random.below(count), {
        pace: pick(random, isHeld ? [0.01, 0.05, 0.5, 5] : [0.05, 0.5, 5, 20]),
        ...(isHeld ? {} : { isHeld }),
      });
    if (claims && random.chance(0.7)) return { ...claimOf(random, key), process: agent() };
    let job = jobOf(random, key, "os");
    while (MOVES.has(job.tool) || (claims && isAbout(job, CLAIMED))) job = jobOf(random, key, "os");
    return { ...job, process: agent(), twice: false };
  });
  const turns = new Turns(random, jobs.length * 150);
  turns.switches(pick(random, [5, 30, 200]));
  if (random.chance(0.5)) turns.kills(3, agent, [0, 5, 200]);
  if (random.chance(0.3)) turns.freezes(agent, [1, 20, 1500]);
  turns.times(2, [100, 900, 2500]);
  turns.clocks(0.1, () => random.below(processes.length));
  turns.failures(0.3, () => random.below(processes.length), "fsync");
  turns.judged(() => random.below(processes.length));
  return {
    ...APART,
    seed,
    git: true,
    ...(isHeld ? {} : { tellsLosses: true, inTurn: true }),
    locks: random.chance(0.8) ? "os" : "lockfile",
    machines,
    processes,
    // Git refuses a second command beside the first.
    atOnce: isHeld ? 1 + random.below(2) : 1,
    jobs,
    turns: turns.sorted(),
  };
}

/**
 * `pace`: milliseconds between two steps. `isHeld`: whether writers wait. @param {string} key @param {string[]} commands @param {number} process
 * @param {{ pace: number, isHeld?: boolean }} how @returns {Job}
 */
function gitJob(key, commands, process, how) {
  return { key, tool: "git", input: { commands, ...how }, process, read: true };
}
