// @ts-check
/** Plans of a packet: a dispatcher runs its stages, is killed and runs again, beside agents. */
import { randomFrom } from "../support/random_calls.mjs";
import { BUILT_IN_CONFIG } from "../../dist/rules/packet/built_in_config.js";
import { cutOf, jobOf, pick, Turns } from "./plan.mjs";

/** @typedef {import("./plan.mjs").Job} Job */
/** @typedef {import("./plan.mjs").Plan} Plan */
/** @typedef {import("./servants.mjs").Script} Script */

/** As each call of a workspace on one disk. */
const CALL_MS = 30_000;
/** A servant has so long, and then so long until SIGKILL. */
const [SERVANT_MS, GRACE_MS] = [60_000, 5000];
const RETRIES = 3;
/** Pauses before the retries of one run: a second, and each twice as long as the one before. */
const PAUSES_MS = 1000 * (2 ** RETRIES - 1);
/** The servant of a dispatcher that was killed has so long to end, and is asked again. */
const TAKE_OVER_MS = GRACE_MS + 2000;

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
    budgets: { retry_budget: RETRIES, paid_call_budget: 200, max_wallclock_sec: SERVANT_MS / 1000 },
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
  const servants = Array.from({ length: random.below(12) }, () => scriptOf(random));
  const turns = new Turns(random, 2200);
  const who = () => random.below(processes.length);
  if (processes.length > 1) turns.switches(pick(random, [5, 30, 200]));
  turns.kills(8, who, [0, 5, 200, 6000]);
  if (random.chance(0.3)) turns.freezes(who, [20, 1500, 8000]);
  turns.times(3, [100, 900, 6000]);
  if (random.chance(0.3)) turns.many(2, () => cutOf(random, turns.at(), { locks }));
  turns.clocks(0.1, who);
  turns.failures(0.3, who, "fsync");
  turns.judged(who);
  const atOnce = 1 + random.below(2);
  const inOrder = jobs.toSorted(() => random.below(3) - 1);
  // The next dispatcher names in the log what a killed one had of an output, and then the power fails.
  if (random.chance(0.2)) {
    const at = turns.at();
    const partial = { call: "write", file: ".partial" };
    turns.add({ at, do: "kill", who: who(), keep: 1, restartMs: 5, ...partial });
    turns.add({ ...cutOf(random, at + 300 + random.below(900), { locks }), names: "kept", bytes: "lost" });
  }
  return {
    seed,
    locks,
    packet: { intent, servants, mostMs: mostMsOf(servants) },
    machines: [{}],
    processes,
    atOnce,
    open: { durability: "fsync" },
    jobs: inOrder,
    turns: turns.sorted(),
    mostMs: CALL_MS,
  };
}

/** One run of the packet may meet all of these servants, pause before each retry, and take over from another run. @param {readonly Script[]} servants */
function mostMsOf(servants) {
  const each = servants.map(({ does, ms }) => (does === "hang" ? SERVANT_MS + GRACE_MS : ms));
  return CALL_MS + PAUSES_MS + TAKE_OVER_MS + each.reduce((sum, ms) => sum + ms, 0);
}

/** The packet alone: its servants answer, and nothing happens to it. @param {string} intent @returns {Plan} */
export function undisturbedPlanOf(intent) {
  return {
    seed: 0,
    locks: "os",
    packet: { intent, servants: [], mostMs: mostMsOf([]) },
    machines: [{}],
    processes: [{ machine: 0 }],
    atOnce: 1,
    open: { durability: "fsync" },
    jobs: [dispatch("k0")],
    turns: [],
    mostMs: CALL_MS,
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
  return {
    does,
    ms: pick(random, [1, 20, 400, 5000]),
    ...(random.chance(0.2) ? { stubborn: true } : {}),
    ...(random.chance(0.2) ? { unguarded: true } : {}),
  };
}
