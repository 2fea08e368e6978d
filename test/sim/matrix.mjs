// @ts-check
/**
 * The crash matrix: scripts stop at every call that changes the disk, and every survivor is recovered by the build and held against the promises. Nothing here
 * is drawn by chance. Equal disks with the same acknowledged calls are checked once.
 */
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { Alone, copyOf, diskClock } from "./alone.mjs";
import { CUT, ZEROS, checkLogs, files, isLeft, sameFiles, sentences } from "./check.mjs";
import { SCRIPTS } from "./crash_scripts.mjs";
import { Disk, errno } from "./disk.mjs";
import { survivorsOf } from "./survivors.mjs";

/** @typedef {import("./crash_scripts.mjs").Step} Step */
/** @typedef {import("./crash_scripts.mjs").Script} Script */
/** @typedef {import("./survivors.mjs").Survivor} Survivor */
/** @typedef {import("./alone.mjs").Reply} Reply */
/** @typedef {import("./alone.mjs").DiskCall} DiskCall */
/** @typedef {{ disk: Disk, call: DiskCall, known: Callers }} Stopped */
/**
 * The knowledge of callers at a stop: answers by key, and the calls without one. `isLossy`: an acknowledged change may be gone, and is missed. `forks`: branches of a
 * log were merged.
 * @typedef {{ acked: ReadonlyMap<string, { step: Step, reply: Reply }>, under: readonly Step[], isLossy: boolean, forks: boolean }} Callers
 */
/**
 * `share` of `shares`: which disks this thread checks. `every`: only each so-many-th stop. `again`: recoveries stop as well, of each so-many-th stop; 0: of none.
 * @typedef {{ bound: number, again: number, share: number, shares: number, every: number, only?: string | undefined }} Bounds
 */
/**
 * `checked`: hashes of the disks. `again`: of recoveries.
 * @typedef {{ stops: number, survivors: number, again: { stops: number, survivors: number, recoveries: number }, checked: Set<string>, violations: string[] }} Told
 */

/** Numbers of the processes, in the order of their clocks: each copy of the build has its own. */
const [EARLY, BRANCH, FIRST, RECOVERS, LAST] = [1001, 1002, 2001, 3001, 4001];
const MAX_TRIES = 4;
/** The next write. @type {Step} */
const AFTER = { key: "after", tool: "tasks_create", input: { kind: "task", title: "After" } };
/** That of a process after it, with a key of its own: a repeated call writes nothing, and so repairs nothing (DUR-9). @type {Step} */
const LATER = { ...AFTER, key: "later" };

/** @param {Step} step @param {Alone} alone @returns {Promise<Reply>} */
async function make({ key, tool, input }, alone) {
  const { workspace } = alone;
  switch (tool) {
    case "adopt":
      return wrapped(await alone.wait(workspace.repair.adopt(String(input["id"])).catch(refusedAsDone)));
    case "resolve":
      return wrapped(await alone.wait(workspace.repair.resolve()));
    case "rebuild":
      return wrapped(await alone.wait(workspace.repair.rebuild()));
    default:
      return alone.call(tool, { ...input, idempotency_key: key });
  }
}

/** @param {unknown} result @returns {Reply} */
function wrapped(result) {
  return { success: true, result, warnings: [], error: null };
}

/** It was adopted before the stop. @param {{ code?: string }} e */
function refusedAsDone(e) {
  if (e.code !== "ALREADY_DONE") throw e;
}

/** @param {readonly Omit<Step, "key">[]} steps @param {string} name @returns {Step[]} */
function keyed(steps, name) {
  return steps.map((step, i) => ({ ...step, key: `${name}-${i}` }));
}

export class Matrix {
  /** @type {Told} */
  told = {
    stops: 0,
    survivors: 0,
    again: { stops: 0, survivors: 0, recoveries: 0 },
    checked: new Set(),
    violations: [],
  };
  #bounds;
  #builds;

  /** @param {string} text of the build @param {Bounds} bounds */
  constructor(text, bounds) {
    this.#bounds = bounds;
    const copy = () => copyOf(text);
    this.#builds = { first: copy(), branch: copy(), recovers: copy(), last: copy() };
  }

  /** Each script, its stops and their survivors. */
  async run() {
    for (const script of SCRIPTS)
      if (this.#bounds.only === undefined || script.name === this.#bounds.only) await this.#script(script);
    return this.told;
  }

  /** @param {Script} script */
  async #script({ name, durability = "fsync", before = [], prepare, steps, fails, forks = false }) {
    const disk = new Disk(diskClock(EARLY));
    disk.mkdir("/w");
    const early = new Alone(this.#builds.branch, disk, { pid: EARLY });
    for (const step of keyed(before, "before")) await must(step, early);
    await early.close();
    await prepare?.(disk, async (tool, input) => {
      const own = disk.clone(diskClock(BRANCH));
      const alone = new Alone(this.#builds.branch, own, { pid: BRANCH });
      await must({ key: tool, tool, input }, alone);
      await alone.close();
      return own;
    });
    disk.syncAll();

    /** @type {Map<string, { step: Step, reply: Reply }>} */
    const acked = new Map();
    /** @type {Set<Step>} */
    const under = new Set();
    let syncs = 0;
    /** @type {Stopped[]} */
    const stops = [];
    const alone = new Alone(this.#builds.first, disk, {
      pid: FIRST,
      durability,
      at: (call) => {
        stops.push(stopped(disk, call, { acked: new Map(acked), under: [...under], isLossy: false, forks }));
        if (call.name === fails?.name && ++syncs === fails.nth)
          throw Object.assign(errno("EIO", "the sync of a script"), { seen: fails.seen });
      },
    });
    /** @param {Step} step */
    const acknowledged = async (step) => {
      under.add(step);
      for (let tries = 0; !acked.has(step.key); tries++) {
        const reply = await make(step, alone);
        if (reply.success) acked.set(step.key, { step, reply });
        else if (!fails || tries > MAX_TRIES)
          throw new Error(`${name}: ${step.tool} fails: ${reply.error?.code} ${reply.error?.message}`);
      }
      under.delete(step);
    };
    for (const [i, group] of steps.entries())
      await alone.wait(Promise.all(keyed(group, `key-${i}`).map((step) => acknowledged(step))));
    await alone.close();
    for (const [n, stop] of stops.entries()) {
      if (n % this.#bounds.every !== 0) continue;
      this.told.stops++;
      const recovers = this.#bounds.again > 0 && n % this.#bounds.again === 0;
      for (const survivor of survivorsOf(stop.disk, stop.call, this.#bounds.bound)) {
        this.told.survivors++;
        if (!survivor) continue;
        if (Buffer.from(survivor.hash, "base64").readUInt8() % this.#bounds.shares !== this.#bounds.share) continue;
        // At level `group` an acknowledged change waits for its sync.
        const isLossy = survivor.isCut && durability === "group";
        const acked = isLossy ? new Map() : stop.known.acked;
        const known = { ...stop.known, acked, isLossy };
        const what = `${name}, stop ${n} at ${shown(stop.call)}, ${survivor.how}`;
        const isNew = await this.#check(what, survivor, known);
        if (isNew && survivor.again && recovers) await this.#recovery(what, survivor, known, durability === "group");
      }
    }
  }

  /** The recovery stops as well. `isGroup`: a power cut in it may still take acknowledged changes. @param {string} before @param {Survivor} survivor @param {Callers} known @param {boolean} isGroup */
  async #recovery(before, survivor, known, isGroup) {
    this.told.again.recoveries++;
    const disk = survivor.disk(diskClock(RECOVERS));
    /** @type {Stopped[]} */
    const stops = [];
    const alone = new Alone(this.#builds.recovers, disk, {
      pid: RECOVERS,
      at: (call) => void stops.push(stopped(disk, call, known)),
    });
    for (const step of [...known.under, AFTER]) await make(step, alone);
    await alone.close();
    for (const [n, stop] of stops.entries()) {
      this.told.again.stops++;
      for (const again of survivorsOf(stop.disk, stop.call, 0)) {
        this.told.again.survivors++;
        const lossy = again?.isCut && isGroup ? { ...known, acked: new Map(), isLossy: true } : known;
        if (again)
          await this.#check(`${before}; recovery, stop ${n} at ${shown(stop.call)}, ${again.how}`, again, lossy);
      }
    }
  }

  /** Gives false for a disk that was checked before. @param {string} what @param {Survivor} survivor @param {Callers} known */
  async #check(what, survivor, known) {
    const name = `${survivor.hash} ${[...known.acked.keys()].join()}`;
    if (this.told.checked.has(name)) return false;
    this.told.checked.add(name);
    const violate = (/** @type {string} */ violation) => void this.told.violations.push(`${what}: ${violation}`);
    try {
      await this.#holds(survivor, known, violate);
    } catch (e) {
      violate(e instanceof Error ? (e.stack ?? String(e)) : String(e));
    }
    return true;
  }

  /** The recovery of a survivor, and the promises. @param {Survivor} survivor @param {Callers} known @param {(violation: string) => void} violate */
  async #holds({ disk: made, isCut }, { acked, under, isLossy, forks }, violate) {
    const disk = made(diskClock(LAST));
    const work = new Alone(this.#builds.last, disk, { pid: LAST });
    /** @type {Map<string, { job: Step, replies: Reply[] }>} */
    const replies = new Map([...acked].map(([key, { step, reply }]) => [key, { job: step, replies: [reply] }]));
    for (const step of [...under, LATER]) {
      const reply = await make(step, work);
      if (reply.success) replies.set(step.key, { job: step, replies: [reply] });
      else violate(`[DUR-3] ${step.tool} fails afterwards: ${reply.error?.code} ${reply.error?.message}`);
    }
    const plan = {
      locks: forks ? /** @type {const} */ ("broken") : /** @type {const} */ ("os"),
      machines: [{}],
      turns: [],
    };
    const nothing = { shared: new Set(), refused: new Map(), tries: new Map() };
    checkLogs({ disk, plan, acked: replies, ...nothing, violate });
    if (!isCut || isLossy) await work.close();
    if (isLossy) return;
    const before = files(disk);
    // Another process looks at the survivor of a kill.
    const look = isCut ? work : new Alone(this.#builds.last, disk, { pid: LAST + 1 });
    const found = () => sentences(look.workspace.verify());
    if (!isCut) for (const one of found().filter((code) => !CUT.test(code))) violate(`verify finds ${one}`);
    await look.wait(look.workspace.repair.rebuild());
    if (!isCut) sameFiles({ violate }, before, files(disk));
    const left = found();
    for (const one of left.filter((code) => !CUT.test(code) && !(isCut && ZEROS.test(code))))
      violate(`after rebuild verify finds ${one}`);
    // Where nothing is found, nothing is resolved.
    if (left.length > 0) {
      await look.wait(look.workspace.repair.resolve());
      for (const one of found().filter((...one) => !isLeft(...one))) violate(`after resolve verify finds ${one}`);
    }
    await look.close();
  }
}

/** @param {Disk} disk @param {DiskCall} call @param {Callers} known @returns {Stopped} */
function stopped(disk, call, known) {
  // Bytes of a call are its caller's, and change after it.
  const bytes = call.bytes && Buffer.from(call.bytes);
  return { disk: disk.clone(diskClock(0)), call: { ...call, bytes }, known };
}

/** @param {DiskCall} call */
function shown({ name, args }) {
  return [name, ...args].join(" ");
}

/**
 * All of them, by so many threads. `survivors`: the ways in which a stop may go on. `disks`: those that differ, or leave other calls acknowledged.
 * @param {string} text of the build @param {Pick<Bounds, "bound" | "again" | "every" | "only">} bounds @param {number} shares
 * @returns {Promise<{ stops: number, recoveries: number, survivors: number, disks: number, violations: string[] }>}
 */
export async function exhaustive(text, bounds, shares) {
  const all = await Promise.all(
    Array.from({ length: shares }, (_, share) => {
      const worker = new Worker(join(import.meta.dirname, "matrix_thread.mjs"), {
        workerData: { text, bounds: { ...bounds, share, shares } },
        resourceLimits: { maxYoungGenerationSizeMb: 64 },
      });
      /** @type {Promise<Told>} */
      const told = new Promise((done, fail) => worker.once("message", done).once("error", fail));
      return told;
    }),
  );
  const [first] = all;
  if (!first) throw new Error("no thread");
  /** @param {(told: Told) => number} of */
  const sum = (of) => all.reduce((total, told) => total + of(told), 0);
  // Each thread counts the stops of the scripts, and the stops of the recoveries that are its own.
  return {
    stops: first.stops + sum(({ again }) => again.stops),
    survivors: first.survivors + sum(({ again }) => again.survivors),
    recoveries: sum(({ again }) => again.recoveries),
    disks: new Set(all.flatMap(({ checked }) => [...checked])).size,
    violations: all.flatMap(({ violations }) => violations),
  };
}

/** @param {Step} step @param {Alone} alone */
async function must(step, alone) {
  const reply = await make(step, alone);
  if (!reply.success) throw new Error(`${step.tool} fails before the stops: ${JSON.stringify(reply.error)}`);
}
