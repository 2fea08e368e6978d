// @ts-check
/** Plans of machines that share a workspace over a shared log, each with a disk of its own. */
import { randomFrom } from "../support/random_calls.mjs";
import { APART, CLAIMED, claimOf, cutOf, isAbout, jobOf, pick, Turns } from "./plan.mjs";

/** @typedef {import("./plan.mjs").Plan} Plan */

/** @param {number} seed @returns {Plan} */
export function sharedPlanOf(seed) {
  const random = randomFrom(seed);
  const mode = random.chance(0.6) ? "strict" : "merge";
  if (random.chance(0.25)) return farReaderPlanOf(seed, random, mode);
  const replicas = random.chance(0.7) ? 3 : 1;
  const count = 2 + random.below(2);
  const machines = Array.from({ length: count }, (_, i) =>
    i === 0 ? {} : { offset: random.below(2000) - 1000, drift: 1 + (random.below(3) - 1) * 0.001 },
  );
  const processes = [...machines.keys(), ...(random.chance(0.4) ? [random.below(count)] : [])].map((machine) => ({
    machine,
  }));
  const claims = mode === "merge" && random.chance(0.5);
  const jobs = Array.from({ length: 8 + random.below(16) }, (_, i) => ({
    ...(claims && random.chance(0.7) ? claimOf(random, `k${i}`) : otherJob(random, `k${i}`, claims)),
    process: random.below(processes.length),
    twice: false,
  }));
  const turns = new Turns(random, jobs.length * 150);
  const who = () => random.below(processes.length);
  turns.switches(pick(random, [5, 30, 100]));
  turns.many(5, () => {
    const fault = pick(
      random,
      /** @type {const} */ (["away", "leader", "apart", "apart", "lost", "silent", "late", "silent"]),
    );
    const ms = fault === "late" ? pick(random, [1, 500, 2500, 4000]) : pick(random, [50, 900, 3000, 9000]);
    return { at: turns.at(), do: "network", fault, who: who(), ms, times: pick(random, [1, 1, 2]) };
  });
  if (random.chance(0.5)) turns.kills(3, who, [0, 5, 200, 9000]);
  if (random.chance(0.3)) turns.freezes(who, [20, 1500, 8000]);
  turns.times(3, [100, 900, 2500, 6000]);
  if (random.chance(0.4)) turns.many(2, () => cutOf(random, turns.at(), { who: who() }));
  turns.clocks(0.1, who);
  turns.failures(0.3, who, "fsync");
  turns.judged(who);
  return {
    ...APART,
    seed,
    stream: { mode, replicas },
    locks: "os",
    machines,
    processes,
    atOnce: 1 + random.below(2),
    jobs,
    turns: turns.sorted(),
  };
}

/** Where claims are to meet, nothing else changes their task. @param {import("./plan.mjs").Random} random @param {string} key @param {boolean} claims */
function otherJob(random, key, claims) {
  let job = jobOf(random, key, "os");
  while (claims && isAbout(job, CLAIMED)) job = jobOf(random, key, "os");
  return job;
}

/**
 * A machine that begins far behind, at a server that was cut off while it led. The copy of that server has messages of two other machines that never counted.
 * @param {number} seed @param {import("./plan.mjs").Random} random @param {"strict" | "merge"} mode @returns {Plan}
 */
function farReaderPlanOf(seed, random, mode) {
  const [WRITER, READER] = [2, 3];
  const works = { 0: 5, 1: 5, [WRITER]: 10, [READER]: 2 };
  const jobs = Object.entries(works).flatMap(([process, count]) =>
    Array.from({ length: count + random.below(4) }, (_, i) => ({
      ...jobOf(random, `k${process}${i}`, "os"),
      process: Number(process),
      twice: false,
    })),
  );
  const turns = new Turns(random, jobs.length * 150);
  const ms = pick(random, [5000, 9000]);
  turns.add({
    at: random.below(10),
    do: "kill",
    who: READER,
    restartMs: Math.floor(ms * (1.1 + random.below(8) / 10)),
  });
  turns.add({ at: 200 + random.below(1200), do: "network", fault: "apart", who: 0, ms });
  turns.switches(100);
  turns.kills(1, () => random.below(READER), [0, 5, 200]);
  return {
    ...APART,
    seed,
    stream: { mode, replicas: 3 },
    locks: "os",
    machines: [{}, {}, { server: 1 }, {}],
    processes: [0, 1, WRITER, READER].map((machine) => ({ machine })),
    atOnce: 1,
    jobs,
    turns: turns.sorted(),
  };
}
