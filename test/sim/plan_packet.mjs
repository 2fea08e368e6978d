// @ts-check
/** Plans of a packet: a dispatcher runs its stages, is killed and runs again, beside agents. */
import { randomFrom } from "../../scripts/random_calls.mjs";
import { BUILT_IN_CONFIG } from "../../dist/rules/packet/built_in_config.js";
import { cutOf, jobOf, pick, Turns } from "./plan.mjs";

/** @typedef {import("./plan.mjs").Job} Job */
/** @typedef {import("./plan.mjs").Plan} Plan */
/** @typedef {import("./servants.mjs").Script} Script */

/** The task that carries the packet. */
export const PACKET = "TASK-004";

/** Stages of each intent, in order. @type {Record<string, readonly string[]>} */
export const STAGES = {
  safe_impl: ["gemini_brief", "codex_impl", "codex_verify", "gemini_review"],
  review_cross: ["gemini_review", "codex_review", "copilot_review_consolidate"],
  post_impl_review: [
    "gemini_review",
    "gemini_test_design",
    "gemini_static_verify",
    "codex_review",
    "codex_test_impl",
    "codex_verify",
  ],
};

/** Programs of the simulated machine, and what they get. */
const PROMPTS = /** @type {const} */ ({ codex: "stdin", gemini: "file", copilot: "argument" });
export const PROGRAMS = Object.keys(PROMPTS).map((tool) => `/bin/${tool}`);

/** The built-in configuration with programs of the simulated machine. */
export function packetConfig() {
  const config = structuredClone(BUILT_IN_CONFIG);
  for (const tool of /** @type {const} */ (["codex", "gemini", "copilot"]))
    Object.assign(config.servants[tool], {
      command: [`/bin/${tool}`, "--stage", "{stage}", "--role", "{role}"],
      prompt: PROMPTS[tool],
    });
  return config;
}

/** The packet, made before the work begins. @param {string} intent @returns {{ tool: string, input: object }[]} */
export function packetBefore(intent) {
  const manifest = {
    goal: "Make a file",
    routing: { intent },
    scope: { allow: ["src/"], deny: [] },
    acceptance: { commands: ["npm test"], criteria: ["it is there"] },
    budgets: { retry_budget: 3, paid_call_budget: 200, max_wallclock_sec: 60 },
    context: { digest_policy: "auto" },
  };
  return [
    { tool: "tasks_create", input: { kind: "task", id: PACKET, title: "A packet" } },
    { tool: "packet_define", input: { task: PACKET, manifest, inputs: {} } },
  ];
}

/** @param {number} seed @returns {Plan} */
export function packetPlanOf(seed) {
  const random = randomFrom(seed);
  const intent = pick(random, Object.keys(STAGES));
  const processes = Array.from({ length: 1 + random.below(3) }, () => ({ machine: 0 }));
  const jobs = [dispatch("k0"), ...(random.chance(0.4) ? [dispatch("k1")] : [])];
  for (let i = random.below(10); i > 0; i--) jobs.push(besides(random, `k${jobs.length}`));
  const locks = random.chance(0.7) ? "os" : "lockfile";
  const turns = new Turns(random, 2200);
  const who = () => random.below(processes.length);
  if (processes.length > 1) turns.switches(pick(random, [5, 30, 200]));
  turns.kills(8, who, [0, 5, 200, 6000]);
  if (random.chance(0.3)) turns.freezes(who, [20, 1500, 8000]);
  turns.times(3, [100, 900, 6000]);
  if (random.chance(0.3)) turns.many(2, () => cutOf(random, turns.at(), { locks }));
  return {
    seed,
    locks,
    packet: { intent, servants: Array.from({ length: random.below(12) }, () => scriptOf(random)) },
    machines: [{}],
    processes,
    atOnce: 1 + random.below(2),
    open: { durability: "fsync" },
    jobs: jobs.toSorted(() => random.below(3) - 1),
    turns: turns.sorted(),
    mostMs: 10_000_000,
  };
}

/** @param {string} key @returns {Job} */
export function dispatch(key) {
  return { key, tool: "packet_run", input: { task: PACKET } };
}

/** Work of others on the task of the packet, or anywhere. @param {import("./plan.mjs").Random} random @param {string} key @returns {Job} */
function besides(random, key) {
  switch (random.below(4)) {
    case 0:
      return { key, tool: "tasks_note", input: { task: PACKET, note: key } };
    case 1:
      return { key, tool: "packet_show", input: { task: PACKET }, read: true };
    case 2:
      return { key, tool: "tasks_edit", input: { task: PACKET, description: key } };
    default:
      return jobOf(random, key, "os");
  }
}

/** @param {import("./plan.mjs").Random} random @returns {Script} */
function scriptOf(random) {
  const does = pick(
    random,
    /** @type {const} */ (["answer", "answer", "answer", "fail", "transient", "silent", "hang"]),
  );
  return { does, ms: pick(random, [1, 20, 400, 5000]), ...(random.chance(0.2) ? { stubborn: true } : {}) };
}
