// @ts-check
/** A seed decides the machines, the work and everything that happens to it. A plan is data; a run draws nothing. */
import { randomFrom } from "../support/random_calls.mjs";
import { DEEDS } from "./others.mjs";

/** @typedef {import("../support/random_calls.mjs").Random} Random */
/**
 * One call of one agent. `process`: which makes it, any if left out. `twice`: two processes make it at once. `heard`: of the run itself.
 * @typedef {{ key: string, tool: string, input: object, by?: string, process?: number, read?: boolean, twice?: boolean, heard?: (reply: unknown) => void }} Job
 */
/**
 * An interference when the run has made so many calls (`at`).
 * - `switch`: another process goes on. `freeze`: process `who` stands still for `ms`. `clock`: that of its machine jumps.
 * - `time`: so much time passes before the next call.
 * - `kill`: process `who` ends at its next call, of which `keep` is done. `cut`: the power of its machine fails.
 * - `fail`: its next `times` calls of these `kinds` fail with `code`; a write keeps `keep` of its bytes and says so. `file`: of paths with this in them alone.
 * - `kill`, `freeze` and `switch` with a `call` wait until their process is about to make it, on a path with `file` in it. Of a `switch` that is the one that goes on.
 * - `edit`: another program does its `deed` to plan or task `id` (others.mjs).
 * - `judge`: the promises are judged, and process `who` is asked for a list or, with a shared log, for an exchange.
 * - `network`: a `fault` of the network of its machine, or of the servers (network.mjs).
 * @typedef {{ at: number, do: "switch" | "freeze" | "clock" | "time" | "kill" | "cut" | "fail" | "edit" | "network" | "judge", fault?: import("./network.mjs").NetworkFault, who?: number, ms?: number,
 *   keep?: number, restartMs?: number, names?: import("./disk.mjs").Names, bytes?: import("./disk.mjs").Bytes | "mixed", seed?: number,
 *   kinds?: "changes" | "looks" | "syncs" | "grows" | "writes", code?: string, times?: number, seen?: boolean, file?: string, call?: string, id?: string, deed?: import("./others.mjs").Deed }} Turn
 */
/** The shared log of machines, and on how many servers. `expects`: what a condition on the last message is about. @typedef {{ mode: "strict" | "merge", replicas: 1 | 3, expects?: "stream" | "subject" }} SharedPlan */
/** A packet that is run: its intent, and how its servants behave, in the order in which they begin. `mostMs`: how long a run may take. @typedef {{ intent: string, servants: import("./servants.mjs").Script[], mostMs?: number }} PacketPlan */
/** Things that machines share, or do not. @typedef {{ stream?: SharedPlan, apart?: boolean, git?: boolean, tellsLosses?: boolean }} Shares */
/** The way in which a run goes. @typedef {{ inTurn?: boolean, packet?: PacketPlan, stop?: boolean, closes?: boolean, ignores?: readonly string[] }} Ways */
/**
 * @typedef {Shares & Ways & { seed: number, locks: "os" | "lockfile" | "broken", machines: { offset?: number, drift?: number, server?: number }[], processes: { machine: number }[],
 *   atOnce: number, open: { durability?: "fsync" | "group" | "os" }, jobs: Job[], turns: Turn[], mostMs: number }} Plan
 *
 * - `apart`: each machine has a disk of its own. `git`: and a clone of one repository.
 * - `server`: of the shared log, to which the machine is connected at first.
 * - `tellsLosses`: git works beside writers. It may take lines away, and each loss is told.
 * - `ignores`: calls that the disk takes for done and does not do.
 * - `inTurn`: who begins a call lets the others go on first.
 * - `closes`: when the work is done each process closes its workspace. Else it ends as if it was killed.
 * - `stop`: the run ends with the first violation.
 */

const TASKS = ["TASK-001", "TASK-002", "TASK-003"];
/** An owner of a lock file from before a restart counts as alive for so long (DUR-24). */
const FORGOTTEN_MS = 61_000;
/** Longer than any call may take (`mostMs`). */
const LONG_FREEZE_MS = 45_000;
/** So long that a holder of a lock file on another machine counts as dead while it lives (DUR-24). */
const DEAD_FREEZE_MS = 70_000;
const STEP = { title: "A step", success_criteria: ["it works"], tests: ["npm test"] };

/** Plans and tasks from before the work begins. @type {readonly { tool: string, input: object }[]} */
export const BEFORE = [
  { tool: "tasks_create", input: { id: "PLAN-001", title: "The plan" } },
  ...TASKS.map((id) => ({
    tool: "tasks_create",
    input: { id, title: id, steps: [STEP, STEP], ...(id === "TASK-003" ? { kind: "task" } : { parent: "PLAN-001" }) },
  })),
];

/** The same in every plan of machines with disks of their own. @type {Pick<Plan, "apart" | "open" | "mostMs">} */
export const APART = { apart: true, open: { durability: "fsync" }, mostMs: 60_000 };

/** Parts of the paths of files of which a write fails, or is short. Most others are of little importance. */
const WRITTEN = ["/events.jsonl", "/events.jsonl", "/events.jsonl", "/journal/", "/blobs/", "README.md"];
/** Interferences, drawn one after the other for a run of so many calls. */
export class Turns {
  /** @type {Turn[]} */
  #all = [];
  #random;
  #calls;

  /** @param {Random} random @param {number} calls */
  constructor(random, calls) {
    this.#random = random;
    this.#calls = calls;
  }

  at() {
    return this.#random.below(this.#calls);
  }

  /** @param {Turn} turn */
  add(turn) {
    this.#all.push(turn);
  }

  /** @param {number} most @param {() => Turn} make */
  many(most, make) {
    for (let i = this.#random.below(most + 1); i > 0; i--) this.add(make());
  }

  /** @param {number} most */
  switches(most) {
    this.many(most, () => ({ at: this.at(), do: "switch", who: this.#random.below(3) }));
  }

  /** @param {number} most @param {() => number} who @param {readonly number[]} restartsMs one is drawn for each */
  kills(most, who, restartsMs) {
    const random = this.#random;
    this.many(most, () => ({
      at: this.at(),
      do: "kill",
      who: who(),
      keep: random.below(5) / 4,
      restartMs: pick(random, restartsMs),
      ...(random.chance(0.3) ? { call: "write", file: pick(random, WRITTEN) } : {}),
    }));
  }

  /** @param {() => number} who @param {readonly number[]} ms one is drawn for each */
  freezes(who, ms) {
    this.many(2, () => {
      /** @type {Turn} */
      const turn = { at: this.at(), do: "freeze", who: who(), ms: pick(this.#random, ms) };
      // It has the locks of a change then: a call that waits for them is refused (DUR-22).
      return (turn.ms ?? 0) >= LONG_FREEZE_MS ? { ...turn, call: "write", file: "/events.jsonl" } : turn;
    });
  }

  /** @param {number} most @param {readonly number[]} ms one is drawn for each */
  times(most, ms) {
    this.many(most, () => ({ at: this.at(), do: "time", ms: pick(this.#random, ms) }));
  }

  /** Clocks jump in such a part of the plans. @param {number} part @param {() => number} who */
  clocks(part, who) {
    const random = this.#random;
    if (random.chance(part))
      this.many(2, () => ({ at: this.at(), do: "clock", who: who(), ms: random.below(120_000) - 60_000 }));
  }

  /** Calls to the disk fail in such a part of the plans. @param {number} part @param {() => number} who @param {string} durability */
  failures(part, who, durability) {
    const random = this.#random;
    if (random.chance(part)) this.many(2, () => failureOf(random, this.at(), who(), durability));
  }

  /** Moments at which the promises are judged, and a process is asked. @param {() => number} who */
  judged(who) {
    this.many(4, () => ({ at: this.at(), do: "judge", who: who() }));
  }

  /** The first to come first. */
  sorted() {
    return this.#all.toSorted((a, b) => a.at - b.at);
  }
}

/**
 * `off`: assumptions about the disk that are switched off, by name. `locks`: of this kind.
 * @param {number} seed @param {{ off?: readonly string[], locks?: Plan["locks"] | undefined }} [options] @returns {Plan}
 */
export function planOf(seed, { off = [], locks: wanted } = {}) {
  const random = randomFrom(seed);
  const drawn = pick(random, /** @type {const} */ (["os", "os", "os", "lockfile", "broken"]));
  const locks = wanted ?? drawn;
  // One process that lists, over and over, what others change.
  const lists = random.chance(0.2);
  const count = (lists || locks === "broken" ? 2 : 1) + random.below(lists ? 2 : 4);
  // Machines that share one disk keep each other out by lock files alone.
  const machines = Array.from({ length: locks === "lockfile" && random.chance(0.4) ? 2 : 1 }, (_, i) =>
    i === 0 ? {} : { offset: random.below(20_000) - 10_000, drift: 1 + (random.below(3) - 1) * 0.001 },
  );
  const processes = Array.from({ length: count }, (_, i) => ({ machine: i % machines.length }));
  // Processes that finish each other's transactions.
  const together = random.chance(0.2);
  const jobs = Array.from({ length: (lists ? 40 : 6) + random.below(20) }, (_, i) =>
    lists && random.chance(0.7)
      ? { ...listing(`k${i}`), process: count - 1 }
      : together && random.chance(0.7)
        ? batchOf(random, `k${i}`)
        : jobOf(random, `k${i}`, locks),
  );
  // About so many calls has the run, going by others of its kind.
  const calls = jobs.length * (lists ? 100 : 90);
  const durability = random.chance(0.8) ? "fsync" : pick(random, /** @type {const} */ (["group", "os"]));
  const turns = new Turns(random, calls);
  const at = () => turns.at();
  const who = () => random.below(count);
  if (count > 1) turns.switches(lists ? Math.floor(calls / 5) : pick(random, [5, 30, 200]));
  if (random.chance(lists ? 0.2 : 0.6)) turns.kills(together ? 6 : 3, who, [0, 5, 200]);
  if (random.chance(0.3))
    turns.freezes(who, [1, 20, 1500, 8000, machines.length > 1 ? DEAD_FREEZE_MS : LONG_FREEZE_MS]);
  // So readers look between the notification and the change, and without locks others write there.
  if (lists || locks === "broken")
    for (let i = 0; i < 12; i++) turns.add({ at: at(), do: "switch", call: "write", file: "/events.jsonl" });
  // A reader believes the notification file only after some seconds (FRESH-5).
  if (lists) for (const part of [6, 3, 2, 1.5]) turns.add({ at: Math.floor(calls / part), do: "time", ms: 2500 });
  else turns.times(4, [100, 900, 2500, 6000]);
  turns.clocks(0.15, who);
  turns.failures(0.45, who, durability);
  turns.judged(who);
  if (random.chance(0.25))
    turns.many(3, () => ({ at: at(), do: "edit", id: pick(random, TASKS), deed: pick(random, DEEDS) }));
  if (durability === "fsync" && machines.length === 1 && random.chance(0.4))
    turns.many(2, () => cutOf(random, at(), { off, locks }));
  return {
    seed,
    locks,
    machines,
    processes,
    atOnce: 1 + random.below(3),
    open: { durability },
    jobs,
    turns: turns.sorted(),
    mostMs: 30_000,
    closes: random.chance(0.5),
    // A reader whose questions all come in a row sees no change.
    ...(lists ? { inTurn: true } : {}),
  };
}

/** @param {Random} random @param {number} at @param {{ who?: number, off?: readonly string[], locks?: Plan["locks"] }} [options] @returns {Turn} */
export function cutOf(random, at, { who = 0, off = [], locks = "os" } = {}) {
  const names = /** @type {const} */ (["lost", "kept", "ordered", "any"]).filter((one) => !off.includes(one));
  const bytes = /** @type {const} */ (["lost", "kept", "torn", "reordered", "zeros", "mixed"]).filter(
    (one) => !off.includes(one) && (one !== "mixed" || off.length === 0),
  );
  return {
    at,
    do: "cut",
    who,
    names: pick(random, names),
    bytes: pick(random, bytes),
    seed: random.below(1e6),
    restartMs: locks === "lockfile" ? FORGOTTEN_MS : 5,
  };
}

/** @param {Random} random @param {number} at @param {number} who @param {string} durability @returns {Turn} */
function failureOf(random, at, who, durability) {
  const times = pick(random, [1, 1, 3, 40]);
  const file = pick(random, WRITTEN);
  switch (random.below(7)) {
    case 0:
      return { at, do: "fail", who, kinds: "grows", code: "ENOSPC", times };
    case 5:
      return {
        at,
        do: "fail",
        who,
        kinds: "writes",
        code: pick(random, ["ENOSPC", "EIO"]),
        times: pick(random, [1, 2]),
        file,
      };
    case 1:
      return {
        at,
        do: "fail",
        who,
        kinds: "syncs",
        code: "EIO", // An answer that came before its sync is lost with a disk that then keeps nothing else either.
        times: durability === "fsync" ? Math.min(times, 3) : 1,
        // A process that is killed before it keeps such lines loses what these levels do not promise (DUR-1).
        seen: random.chance(0.5) && durability === "fsync",
      };
    case 2:
    case 6:
      return { at, do: "fail", who, kinds: "writes", code: "ENOSPC", times: 1, keep: random.below(4) / 4, file };
    case 3:
      return { at, do: "fail", who, kinds: "looks", code: pick(random, ["EIO", "EMFILE", "EACCES"]), times: 1 };
    default:
      return { at, do: "fail", who, kinds: "changes", code: pick(random, ["EIO", "EACCES", "EROFS"]), times };
  }
}

/** One transaction over some of the plans and tasks. @param {Random} random @param {string} key @returns {Job} */
function batchOf(random, key) {
  const operations = [...TASKS, "PLAN-001"]
    .filter(() => random.chance(0.6))
    .map((id) =>
      id === "PLAN-001"
        ? { tool: "tasks_patch", args: { plan: id, ops: [{ op: "append", field: "tags", value: key }] } }
        : { tool: "tasks_block", args: { task: id, path: `s:${random.below(2)}`, reason: key } },
    );
  const twice = random.chance(0.12);
  if (operations.length === 0) return { key, tool: "tasks_note", input: { task: "TASK-001", note: key }, twice };
  return { key, tool: "tasks_batch", input: { atomic: true, operations }, twice };
}

/** @param {string} key @returns {Job} */
function listing(key) {
  return { key, tool: "tasks_context", input: {}, read: true };
}

/** The task whose claims meet. */
export const CLAIMED = "TASK-001";

/** @param {Job} job @param {string} task */
export function isAbout({ input }, task) {
  return JSON.stringify(input).includes(task);
}

/** Claims of one task by different agents, which meet when branches do. @param {Random} random @param {string} key @returns {Job} */
export function claimOf(random, key) {
  const input = { task: CLAIMED, path: random.chance(0.8) ? "s:0" : "s:1" };
  const by = pick(random, ["agent:ada", "agent:bob", "human:eve"]);
  if (random.chance(0.3)) return { key, tool: "tasks_release", input, by };
  return { key, tool: "tasks_claim", input: { ...input, ttl_s: pick(random, [1, 60]) }, by };
}

/** @param {Random} random @param {string} key @param {Plan["locks"]} locks @returns {Job} */
export function jobOf(random, key, locks) {
  const task = pick(random, TASKS);
  const path = `s:${random.below(2)}`;
  const by = pick(random, ["agent:ada", "agent:bob", "human:eve"]);
  // Without any lock two creations with one key may both be first, and nothing in one log can tell.
  const twice = random.chance(0.12);
  switch (random.below(18)) {
    case 0:
    case 1:
      return { key, tool: "tasks_claim", input: { task, path, ttl_s: pick(random, [5, 60]) }, by };
    case 2:
      return { key, tool: "tasks_release", input: { task, path }, by };
    case 3:
      return { key, tool: "tasks_close_step", input: { task, path, checkpoints: "gate" }, by };
    case 4:
    case 5:
    case 6:
      return batchOf(random, key);
    case 7:
      return { key, tool: "tasks_create", input: { kind: "task", title: key }, twice: twice && locks !== "broken" };
    case 8:
      return {
        key,
        tool: "tasks_bootstrap",
        input: { plan_title: key, task_title: key, steps: [STEP] },
        twice: twice && locks !== "broken",
      };
    case 9:
      return {
        key,
        tool: "tasks_evidence_capture",
        input: {
          task,
          path,
          items: [
            { kind: "run", command: "npm test", exit_code: 0, stdout: `${key}\n`.repeat(pick(random, [1, 4000])) },
          ],
          checkpoint: "tests",
        },
      };
    case 10:
      return { key, tool: random.chance(0.5) ? "tasks_undo" : "tasks_redo", input: { task }, by };
    case 11:
      return random.chance(0.5)
        ? { key, tool: "tasks_complete", input: { task, status: pick(random, ["ACTIVE", "CANCELED"]), reason: key } }
        : { key, tool: "tasks_archive", input: { task } };
    case 12:
      return { key, tool: "tasks_restore", input: { task } };
    case 13:
    case 14:
      return { key, tool: "tasks_radar", input: { task }, read: true };
    case 15:
      return listing(key);
    case 16:
      return random.chance(0.2)
        ? { key, tool: "tasks_delete", input: { task } }
        : { key, tool: "tasks_edit", input: { task, description: key } };
    default:
      return { key, tool: "tasks_note", input: { task, note: key }, twice };
  }
}

/** @template T @param {Random} random @param {readonly T[]} items @returns {T} */
export function pick(random, items) {
  return /** @type {T} */ (items[random.below(items.length)]);
}
