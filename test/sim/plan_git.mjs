// @ts-check
/** Plans of machines with clones of one repository, in which git works while agents do. */
import { randomFrom } from "../../scripts/random_calls.mjs";
import { APART, jobOf, pick, Turns } from "./plan.mjs";

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
/** Calls that move folders: git would look for renames. */
const MOVES = new Set(["tasks_archive", "tasks_restore", "tasks_delete", "tasks_undo", "tasks_redo"]);

/** @param {number} seed @returns {Plan} */
export function gitPlanOf(seed) {
  const random = randomFrom(seed);
  const count = 1 + random.below(2);
  const machines = Array.from({ length: count }, () => ({}));
  // The first process of each machine runs git, and the others are agents.
  const processes = Array.from({ length: 2 * count + random.below(2) }, (_, i) => ({ machine: i % count }));
  // A process that holds the workspace for git may write itself (GIT-105), so agents call others.
  const agent = () => count + random.below(processes.length - count);
  const jobs = Array.from({ length: 8 + random.below(16) }, (_, i) => {
    const key = `k${i}`;
    if (random.chance(0.3))
      return gitJob(key, [...pick(random, WORK)], random.below(count), pick(random, [0.01, 0.05, 0.5, 5]));
    let job = jobOf(random, key, "os");
    while (MOVES.has(job.tool)) job = jobOf(random, key, "os");
    return { ...job, process: agent(), twice: false };
  });
  const turns = new Turns(random, jobs.length * 150);
  turns.switches(pick(random, [5, 30, 200]));
  if (random.chance(0.5)) turns.kills(3, agent, [0, 5, 200]);
  if (random.chance(0.3)) turns.freezes(agent, [1, 20, 1500]);
  turns.times(2, [100, 900, 2500]);
  return {
    ...APART,
    seed,
    git: true,
    locks: random.chance(0.8) ? "os" : "lockfile",
    machines,
    processes,
    atOnce: 1 + random.below(2),
    jobs,
    turns: turns.sorted(),
  };
}

/** @param {string} key @param {string[]} commands @param {number} process @param {number} pace milliseconds between two steps @returns {Job} */
function gitJob(key, commands, process, pace) {
  return { key, tool: "git", input: { commands, pace }, process, read: true };
}
