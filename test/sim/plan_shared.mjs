// @ts-check
/** Plans of machines that share a workspace over a shared log, each with a disk of its own. */
import { randomFrom } from "../../scripts/random_calls.mjs";
import { jobOf, pick } from "./plan.mjs";

/** @typedef {import("./plan.mjs").Plan} Plan */
/** @typedef {import("./plan.mjs").Turn} Turn */

/** @param {number} seed @returns {Plan} */
export function sharedPlanOf(seed) {
  const random = randomFrom(seed);
  const mode = random.chance(0.6) ? "strict" : "merge";
  const replicas = random.chance(0.7) ? 3 : 1;
  const count = 2 + random.below(2);
  const machines = Array.from({ length: count }, (_, i) =>
    i === 0 ? {} : { offset: random.below(2000) - 1000, drift: 1 + (random.below(3) - 1) * 0.001 },
  );
  const processes = [...machines.keys(), ...(random.chance(0.4) ? [random.below(count)] : [])].map((machine) => ({
    machine,
  }));
  const jobs = Array.from({ length: 8 + random.below(16) }, (_, i) => ({
    ...jobOf(random, `k${i}`, "os"),
    process: random.below(processes.length),
    twice: false,
  }));
  const calls = jobs.length * 150;
  /** @type {Turn[]} */
  const turns = [];
  const many = (/** @type {number} */ most, /** @type {() => Turn} */ make) => {
    for (let i = random.below(most + 1); i > 0; i--) turns.push(make());
  };
  const at = () => random.below(calls);
  const who = () => random.below(processes.length);
  many(pick(random, [5, 30, 100]), () => ({ at: at(), do: "switch", who: random.below(3) }));
  many(5, () => {
    const fault = pick(
      random,
      /** @type {const} */ (["away", "leader", "apart", "apart", "lost", "silent", "late", "silent"]),
    );
    const ms = fault === "late" ? pick(random, [1, 500, 2500, 4000]) : pick(random, [50, 900, 3000, 9000]);
    return { at: at(), do: "network", fault, who: who(), ms, times: pick(random, [1, 1, 2]) };
  });
  if (random.chance(0.5))
    many(3, () => ({
      at: at(),
      do: "kill",
      who: who(),
      keep: random.below(5) / 4,
      restartMs: pick(random, [0, 5, 200, 9000]),
    }));
  if (random.chance(0.3)) many(2, () => ({ at: at(), do: "freeze", who: who(), ms: pick(random, [20, 1500, 8000]) }));
  many(3, () => ({ at: at(), do: "time", ms: pick(random, [100, 900, 2500, 6000]) }));
  turns.sort((a, b) => a.at - b.at);
  return {
    seed,
    stream: { mode, replicas },
    locks: "os",
    machines,
    apart: true,
    processes,
    atOnce: 1 + random.below(2),
    open: { durability: "fsync" },
    jobs,
    turns,
    mostMs: 60_000,
  };
}
