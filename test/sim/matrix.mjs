// @ts-check
/**
 * The crash matrix: scripts stop at every call that changes the disk, and every survivor is recovered by the build and held against the promises. Nothing here
 * is drawn by chance. Equal disks with the same acknowledged calls are checked once. Where a process would find the same as one before it did, it does not run.
 * Of the tears of one line three are recovered, and the others count by them (DUR-122). Each line has some hundred tears, which the process reads as one and the same.
 */
import { createHash } from "node:crypto";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { Worker } from "node:worker_threads";
import { Alone, copyOf, diskClock } from "./alone.mjs";
import { Asked, forgetAll, made, oneOf, Outcomes } from "./asked.mjs";
import { CUT, ZEROS, checkLogs, files, isLeft, sameFiles, sentences } from "./check.mjs";
import { SCRIPTS } from "./crash_scripts.mjs";
import { Disk } from "./disk.mjs";
import { eventIds } from "./log_ops.mjs";
import { Stream } from "./stream.mjs";
import { hashOf, survivorsOf } from "./survivors.mjs";
import { errno } from "./visible.mjs";
import { randomFrom } from "../support/random_calls.mjs";

/** @typedef {import("./crash_scripts.mjs").Step} Step */
/** @typedef {import("./crash_scripts.mjs").Script} Script */
/** @typedef {import("./survivors.mjs").Survivor} Survivor */
/** @typedef {import("./alone.mjs").Reply} Reply */
/** @typedef {import("./alone.mjs").DiskCall} DiskCall */
/** @typedef {{ disk: Disk, call: DiskCall, known: Callers }} Stopped */
/**
 * The knowledge of callers at a stop: answers by key, and the calls without one. `isLossy`: an acknowledged change may be gone, and is missed. `doubted`: logs of
 * which DUR-97 says that lines may be gone. `stream`: the shared log, whose servers lose nothing.
 * @typedef {{ acked: ReadonlyMap<string, { step: Step, reply: Reply }>, under: readonly Step[], isLossy: boolean, doubted: readonly string[], stream: Stream | undefined }} Callers
 */
/**
 * `share` of `shares`: which stops this thread takes. `every`: only each so-many-th stop. `sample`: one stop of each kind of call of each script, which this seed chooses. `every` then leaves those at a write to a log. `again`: recoveries stop as well, of each so-many-th stop; 0: of none.
 * `tears`: of one in so many lines each tear is recovered. `ignores`: calls that the disk takes for done and does not do. `twice`: each process runs, also one of which all is known, and has to do what was known.
 * @typedef {{ bound: number, again: number, tears: number, share: number, shares: number, every: number, sample?: number | undefined, only?: string | undefined,
 *   ignores?: readonly string[] | undefined, twice?: boolean }} Bounds
 */
/**
 * `checked`: hashes of the disks. `recoveries`: those that stopped as well. `runs`: processes that recovered a disk. The others would have done what one of these did.
 * `classes`: lines that were torn. `counted`: their tears that count by others of their line. `compared`: those that were recovered all the same, one by one.
 * @typedef {{ stops: number, survivors: number, classes: number, counted: number, compared: number, recoveries: number, runs: number, checked: Set<string>, violations: string[] }} Told
 * What a process did that recovered a disk: `replies` in the order of the steps, `stream` as it left that.
 * @typedef {{ changes: import("./asked.mjs").Change[], replies: readonly Reply[], stream: Stream | undefined }} Recovered
 */

/**
 * The tears of a line. `isWhole`: each of them is recovered. `left`: by the first recovery.
 * @typedef {{ isWhole: boolean, left: { replies: readonly Reply[], stream: string, files: Map<string, string> } | undefined }} Class
 * @typedef {import("./survivors.mjs").Torn & { of: Class }} Tear
 */

/** Numbers of the processes, in the order of their clocks: each copy of the build has its own. */
const [EARLY, BRANCH, FIRST, RECOVERS, LAST] = [1001, 1002, 2001, 3001, 4001];
const MAX_TRIES = 4;
const QUARANTINE = "/w/.coco/registry/quarantine";
/** More than a script makes. */
const FILES = 1_000_000;
/** Neighbouring stops have disks in common: a thread takes so many of them. */
const NEIGHBOURS = 4;
const LOG_WRITE = /^write .*\/events\.jsonl$/;
const STOPPED = { now: () => 0, after: () => undefined };
const SYNC = { key: "sync", tool: "sync", input: {} };
/** The next write. @type {Step} */
const AFTER = { key: "after", tool: "tasks_create", input: { kind: "task", title: "After" } };
/** That of a process after it, with a key of its own: a repeated call writes nothing, and so repairs nothing (DUR-8). @type {Step} */
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
    case "init":
      return wrapped(await alone.wait(workspace.shared.init("acme/sim")));
    case "sync": {
      const status = await alone.wait(workspace.shared.sync("acme/sim"));
      if (status.lacking.length > 0) throw new Error(`[SHARED-20] not in step: ${status.lacking.join(", ")}`);
      return wrapped(status);
    }
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
    classes: 0,
    counted: 0,
    compared: 0,
    recoveries: 0,
    runs: 0,
    checked: new Set(),
    violations: [],
  };
  #bounds;
  /** Stops of all scripts so far. */
  #reached = 0;
  /** Of the recoveries of a script, and of the looks at what they left, by what was known before. @type {Map<string, Outcomes<any>>} */
  #outcomes = new Map();

  /** @param {string} text of the build @param {Bounds} bounds */
  constructor(text, bounds) {
    this.#bounds = bounds;
    const copy = () => copyOf(text);
    this.builds = { first: copy(), branch: copy(), recovers: copy(), last: copy() };
  }

  /** Each script, its stops and their survivors. @param {(script: string, told: Told) => void} [heard] after each script, of all so far */
  async run(heard) {
    for (const script of SCRIPTS) {
      if (this.#bounds.only !== undefined && script.name !== this.#bounds.only) continue;
      await this.#script(script);
      heard?.(script.name, this.told);
    }
    return this.told;
  }

  /** @param {Script} script */
  async #script(script) {
    const { name, durability = "fsync", before = [], prepare, steps, fails, shared, beside } = script;
    this.#outcomes.clear();
    forgetAll();
    const disk = new Disk(diskClock(EARLY));
    disk.mkdir("/w");
    const early = this.#open("branch", disk, script, { pid: EARLY, stream: shared && new Stream(STOPPED) });
    if (shared) await must({ ...SYNC, tool: "init" }, early);
    for (const step of keyed(before, "before")) await must(step, early);
    await early.close();
    const other = beside && (await this.#beside(script, disk, keyed([beside.step], "beside")[0]));
    if (other) beside.begun(disk, other.log);
    await prepare?.(disk, async (tool, input) => {
      const own = disk.clone(diskClock(BRANCH));
      const alone = this.#open("branch", own, script, { pid: BRANCH });
      await must({ key: tool, tool, input }, alone);
      await alone.close();
      return own;
    });
    disk.syncAll();
    const { acked, stream } = await this.#elsewhere(script, early.stream);

    /** @type {Set<Step>} */
    const under = new Set();
    let syncs = 0;
    /** @type {Stopped[]} */
    const stops = [];
    const alone = this.#open("first", disk, script, {
      pid: FIRST,
      durability,
      stream,
      at: (call) => {
        const known = { acked: new Map(acked), under: [...under], isLossy: false, doubted: [] };
        stops.push(stopped(disk, call, { ...known, stream: alone.stream?.copy(STOPPED) }));
        if (other && beside.meanwhile(disk, call, other.log)) acked.set(other.step.key, other);
        if (call.name === fails?.name && ++syncs === fails.nth)
          throw Object.assign(errno("EIO", "the sync of a script"), { seen: fails.seen });
      },
    });
    /** @param {Step} step */
    const acknowledged = async (step) => {
      under.add(step);
      for (let tries = 0; !acked.has(step.key); tries++) {
        const reply = await make(step, alone);
        if (reply.error && reply.error.code === script.refusal) break;
        if (reply.success) acked.set(step.key, { step, reply });
        else if (!fails || tries > MAX_TRIES)
          throw new Error(`${name}: ${step.tool} fails: ${reply.error?.code} ${reply.error?.message}`);
      }
      under.delete(step);
    };
    for (const [i, group] of steps.entries())
      await alone.wait(Promise.all(keyed(group, `key-${i}`).map((step) => acknowledged(step))));
    await alone.close();
    const taken = this.#taken(stops);
    for (const [n, stop] of stops.entries()) if (taken(n) && this.#isOwn()) await this.#stop(script, n, stop);
  }

  /** Another machine makes its changes over a shared log. @param {Script} script @param {Stream | undefined} stream */
  async #elsewhere(script, stream) {
    /** @type {Map<string, { step: Step, reply: Reply }>} */
    const acked = new Map();
    const { elsewhere = [] } = script;
    if (elsewhere.length === 0) return { acked, stream };
    const disk = new Disk(diskClock(BRANCH));
    disk.mkdir("/w");
    const alone = this.#open("branch", disk, script, { pid: BRANCH, stream });
    await must({ ...SYNC, tool: "init" }, alone);
    for (const step of keyed(elsewhere, "elsewhere")) acked.set(step.key, { step, reply: await must(step, alone) });
    await must(SYNC, alone);
    await alone.close();
    return { acked, stream: alone.stream };
  }

  /** The answer of another process, and the log that it makes. @param {Script} script @param {Disk} from @param {Step | undefined} step */
  async #beside(script, from, step) {
    if (!step) throw new Error("expected a change beside the script");
    const disk = from.clone(diskClock(BRANCH));
    const alone = this.#open("branch", disk, script, { pid: BRANCH });
    const reply = await must(step, alone);
    await alone.close();
    return { step, reply, log: disk.readFile(`/w/.coco/tasks/${String(step.input["id"])}/events.jsonl`) };
  }

  /** Opens a workspace of a script. @param {keyof Matrix["builds"]} build @param {Disk} disk @param {Script} script @param {import("./alone.mjs").Options} options */
  #open(build, disk, { shared: mode = "strict" }, options) {
    // The build then has nothing in memory of an earlier process.
    this.builds[build].begin();
    return new Alone(this.builds[build], disk, { ...options, mode, ignores: this.#bounds.ignores });
  }

  /** Says which stops of a script count. @param {readonly Stopped[]} stops @returns {(n: number) => boolean} */
  #taken(stops) {
    const { every, sample } = this.#bounds;
    if (sample === undefined) return (n) => n % every === 0;
    const random = randomFrom(sample);
    /** @type {Map<string, number[]>} */
    const kinds = new Map();
    for (const [n, stop] of stops.entries()) {
      const kind = kindOf(stop);
      kinds.set(kind, [...(kinds.get(kind) ?? []), n]);
    }
    const chosen = [...kinds].map(([kind, of], i) => ({
      n: of[random.below(of.length)],
      // A thin sample has each write to a log: there a change may be half done.
      isTaken: LOG_WRITE.test(kind) || (i + sample) % every === 0,
    }));
    const taken = new Set(chosen.flatMap(({ n, isTaken }) => (isTaken ? n : [])));
    return (n) => taken.has(n);
  }

  /** Whether this thread takes the next stop that counts. */
  #isOwn() {
    const { share, shares } = this.#bounds;
    return Math.floor(this.#reached++ / NEIGHBOURS) % shares === share;
  }

  /** @param {Script} script @param {number} n @param {Stopped} stop */
  async #stop(script, n, stop) {
    this.told.stops++;
    const { again, bound } = this.#bounds;
    const recovers = again > 0 && n % again === 0;
    const isGroup = script.durability === "group";
    const own = `${script.name}, stop ${n}`;
    for (const { survivor, torn } of this.#ways(own, stop, bound)) {
      // At level `group` an acknowledged change waits for its sync.
      const known = survivor.isCut && isGroup ? { ...stop.known, acked: new Map(), isLossy: true } : stop.known;
      const what = `${own} at ${shown(stop.call)}, ${survivor.how}`;
      const isNew = await this.#check(what, script, survivor, known, torn);
      if (isNew && survivor.again && recovers) await this.#recovery(what, script, survivor, known);
    }
  }

  /** The disks of that stop that no earlier way left, but for tears that count by others of their line. @param {string} name @param {Stopped} stop @param {number} bound @returns {Generator<{ survivor: Survivor, torn: Tear | undefined }>} */
  *#ways(name, stop, bound) {
    /** @type {Map<string, Class>} */
    const classes = new Map();
    for (const way of survivorsOf(stop.disk, stop.call, bound)) {
      this.told.survivors++;
      const torn = way.torn && { ...way.torn, of: this.#classOf(classes, name, way.torn.line) };
      if (torn && !torn.stands) {
        if (!torn.of.isWhole) {
          this.told.counted++;
          continue;
        }
        this.told.compared++;
      }
      const survivor = way.survivor();
      if (survivor) yield { survivor, torn };
    }
  }

  /** @param {Map<string, Class>} classes @param {string} stop @param {string} line */
  #classOf(classes, stop, line) {
    const known = classes.get(line);
    if (known) return known;
    this.told.classes++;
    // By its name, so that each run takes the same lines.
    const number = createHash("sha1").update(`${stop} ${line}`).digest().readUInt32BE();
    /** @type {Class} */
    const made = { isWhole: number % this.#bounds.tears === 0, left: undefined };
    classes.set(line, made);
    return made;
  }

  /** The recoveries of all tears of a line leave the same, but for the half line. It is in the quarantine, unless no one wrote to the log. @param {Tear} torn @param {Disk} disk @param {Pick<Recovered, "replies" | "stream">} done @param {(violation: string) => void} violate */
  #alike({ of, path = "", half }, disk, { replies, stream }, violate) {
    const log = disk.find(path);
    const { at, bytes } = half();
    // A write that was cut off may go on behind it (TXN-4).
    if (log && !log.data.subarray(at, at + bytes.length).equals(bytes) && !isKept(disk, bytes))
      violate(`[DUR-50] the end of ${path} is neither there nor in the quarantine`);
    const left = { replies, stream: streamOf(stream), files: leftOn(disk) };
    of.left ??= left;
    if (isDeepStrictEqual(of.left, left)) return;
    const differ = [...new Set([...of.left.files.keys(), ...left.files.keys()])].filter(
      (one) => of.left?.files.get(one) !== left.files.get(one),
    );
    violate(
      `[regression DUR-122] the recovery of another tear of this line leaves something else: ${differ.join(", ")}`,
    );
  }

  /** The recovery stops as well. At level `group` a power cut in it may still take acknowledged changes. @param {string} before @param {Script} script @param {Survivor} survivor @param {Callers} known */
  async #recovery(before, script, survivor, known) {
    this.told.recoveries++;
    const disk = survivor.disk(diskClock(RECOVERS));
    const doubted = doubtedOn(disk);
    const acked = new Map(known.acked);
    /** @type {Stopped[]} */
    const stops = [];
    const alone = this.#open("recovers", disk, script, {
      pid: RECOVERS,
      stream: known.stream,
      at: (call) => {
        const under = known.under.filter(({ key }) => !acked.has(key));
        const now = { ...known, acked: new Map(acked), under, stream: alone.stream?.copy(STOPPED) };
        stops.push(stopped(disk, call, now));
      },
    });
    for (const step of [...known.under, AFTER]) {
      const reply = await make(step, alone);
      if (reply.success) acked.set(step.key, { step, reply });
    }
    await alone.close();
    for (const [n, stop] of stops.entries()) {
      this.told.stops++;
      const own = `${before}; recovery, stop ${n}`;
      for (const { survivor: again, torn } of this.#ways(own, stop, 0)) {
        const lost = doubted.length > 0 ? { ...stop.known, acked: known.acked, doubted } : stop.known;
        const lossy = script.durability === "group" ? { ...lost, acked: new Map(), isLossy: true } : lost;
        const what = `${own} at ${shown(stop.call)}, ${again.how}`;
        await this.#check(what, script, again, again.isCut ? lossy : stop.known, torn);
      }
    }
  }

  /** Gives false for a disk that was checked before. @param {string} what @param {Script} script @param {Survivor} survivor @param {Callers} known @param {Tear} [torn] */
  async #check(what, script, survivor, known, torn) {
    const name = [survivor.hash, ...known.acked.keys(), streamOf(known.stream), ...known.doubted].join();
    if (this.told.checked.has(name)) return false;
    this.told.checked.add(name);
    const violate = (/** @type {string} */ violation) => void this.told.violations.push(`${what}: ${violation}`);
    try {
      await this.#holds(script, survivor, known, violate, torn);
    } catch (e) {
      violate(e instanceof Error ? (e.stack ?? String(e)) : String(e));
    }
    return true;
  }

  /** The recovery of a survivor, and the promises. @param {Script} script @param {Survivor} survivor @param {Callers} known @param {(violation: string) => void} violate @param {Tear} [torn] */
  async #holds(script, survivor, known, violate, torn) {
    const find = () => {
      const disk = survivor.disk(diskClock(LAST));
      // The numbers of files that the process makes say nothing of the stop.
      disk.numberAbove(FILES);
      return disk;
    };
    const { acked, under, stream, doubted } = known;
    const disk = find();
    const steps = [...(script.shared ? [SYNC] : []), ...under, LATER];
    const about = [...steps.map(({ key }) => key), streamOf(stream)].join();
    const done = await this.#once(`recovery ${about}`, disk, { find }, violate, async () => {
      this.told.runs++;
      return this.#recovers(script, disk, steps, stream);
    });
    if (torn) this.#alike(torn, disk, done, violate);
    /** @type {Map<string, { job: Step, replies: Reply[] }>} */
    const replies = new Map([...acked].map(([key, { step, reply }]) => [key, { job: step, replies: [reply] }]));
    for (const [i, step] of steps.entries()) {
      const reply = /** @type {Reply} */ (done.replies[i]);
      if (reply.success) replies.set(step.key, { job: step, replies: [reply] });
      else if (reply.error?.code !== script.refusal)
        violate(`[DUR-3] ${step.tool} fails afterwards: ${reply.error?.code} ${reply.error?.message}`);
    }
    const plan = {
      locks: script.forks ? /** @type {const} */ ("broken") : /** @type {const} */ ("os"),
      machines: [{}],
      turns: [],
    };
    const nothing = { shared: new Set(), refused: new Map(), tries: new Map() };
    checkLogs({ disk, plan, acked: replies, ...nothing, violate });
    if (known.isLossy) return;
    const seen = `look ${survivor.isCut} ${streamOf(done.stream)} ${doubted.join()}`;
    // Files in the quarantine make no difference: people may empty it at any time.
    const left = { find: () => disk.clone(diskClock(LAST)), passesOver: QUARANTINE };
    const { violations } = await this.#once(seen, disk, left, violate, async () => ({
      violations: await this.#looks(script, disk, { ...known, stream: done.stream }, survivor.isCut),
    }));
    for (const violation of violations) violate(violation);
  }

  /**
   * Gives the deeds of a process on that disk. It runs, unless an earlier one of that name found the same. Processes of one name begin with the same knowledge.
   * @template {object} T @param {string} name @param {Disk} disk @param {{ find: () => Disk, passesOver?: string }} again the same disk again, and a path on it of which nothing counts @param {(violation: string) => void} violate
   * @param {() => Promise<T>} run @returns {Promise<T & { changes: import("./asked.mjs").Change[] }>}
   */
  async #once(name, disk, { find, passesOver }, violate, run) {
    const outcomes = this.#outcomes.get(name) ?? new Outcomes();
    this.#outcomes.set(name, outcomes);
    const known = outcomes.of(disk);
    if (known && !this.#bounds.twice) {
      // Nothing comes after a look, and its changes may be to names that were passed over.
      if (passesOver === undefined) made(disk, known.changes);
      return known;
    }
    const asked = new Asked(disk, find(), passesOver);
    try {
      const done = { ...(await run()), changes: asked.changes };
      if (known && !isDeepStrictEqual(known, done))
        violate(`[regression DUR-121] a process does not what one did that found the same`);
      outcomes.add(asked, done);
      return done;
    } finally {
      disk.asked = undefined;
    }
  }

  /** @param {Script} script @param {Disk} disk @param {readonly Step[]} steps @param {Stream | undefined} stream @returns {Promise<Omit<Recovered, "changes">>} */
  async #recovers(script, disk, steps, stream) {
    const work = this.#open("last", disk, script, { pid: LAST, stream });
    const replies = [];
    for (const step of steps) replies.push(essence(await make(step, work)));
    await work.close();
    return { replies, stream: work.stream && oneOf(`stream ${streamOf(work.stream)}`, work.stream) };
  }

  /** Another process looks at what that recovery left. Gives what is wrong. @param {Script} script @param {Disk} disk @param {Callers} known @param {boolean} isCut */
  async #looks(script, disk, { stream, doubted }, isCut) {
    /** @type {string[]} */
    const violations = [];
    const violate = (/** @type {string} */ violation) => void violations.push(violation);
    const before = files(disk);
    const look = this.#open("last", disk, script, { pid: LAST + 1, stream });
    const found = () => withoutDoubted(sentences(look.workspace.verify()), doubted);
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
    return violations;
  }
}

/** Keeps of a reply what the promises need. @param {Reply} reply @returns {Reply} */
function essence({ success, result, error }) {
  const ids = eventIds(result).map((id) => ({ event_id: id }));
  return oneOf(`reply ${success} ${JSON.stringify(ids)} ${error?.code} ${error?.message}`, {
    success,
    result: ids,
    warnings: [],
    error,
  });
}

/** @param {Stream | undefined} stream */
function streamOf(stream) {
  return stream ? stream.messages.map(({ id }) => id).join() : "";
}

/** Each file that counts, by a hash of its bytes. Of a log the end without LF is left out. @param {Disk} disk @returns {Map<string, string>} */
function leftOn(disk) {
  /** @type {Map<string, string>} */
  const found = new Map();
  for (const { path, data } of filesBelow(disk, "/w/.coco")) {
    // An index of the machine says how long a log was when it was read.
    if (path.startsWith(`${QUARANTINE}/`) || path.includes("/index/")) continue;
    const isTorn = path.endsWith("/events.jsonl") && data.at(-1) !== 10;
    found.set(path, hashOf(isTorn ? data.subarray(0, data.lastIndexOf(10) + 1) : data));
  }
  return found;
}

/** @param {Disk} disk @param {string} path @returns {Generator<{ path: string, data: Buffer }>} */
function* filesBelow(disk, path) {
  const inode = disk.find(path);
  if (inode?.kind === "file") yield { path, data: inode.data };
  else for (const name of [...(inode?.names.keys() ?? [])].toSorted()) yield* filesBelow(disk, `${path}/${name}`);
}

/** Whether a file of the quarantine has exactly these bytes as its last line. That may have got an LF. Lines before it are of a log that went there whole. @param {Disk} disk @param {Buffer} bytes */
function isKept(disk, bytes) {
  for (const { data } of filesBelow(disk, QUARANTINE)) {
    const ended = data.at(-1) === 10 ? data.subarray(0, -1) : data;
    if (ended.subarray(ended.lastIndexOf(10) + 1).equals(bytes)) return true;
  }
  return false;
}

/** Of a log that lacks lines, its files alone tell: they stay as they are (VERIFY-41). @param {string[]} found @param {readonly string[]} doubted logs that may lack some */
function withoutDoubted(found, doubted) {
  const shorter = doubted.filter((id) => found.some((one) => one.startsWith(`LOG_TRUNCATED in .coco/tasks/${id}/`)));
  const told = shorter.flatMap((id) =>
    ["LOG_TRUNCATED", "PROJECTION_DIFFERS"].map((code) => `${code} in .coco/tasks/${id}/`),
  );
  return found.filter((one) => !told.some((start) => one.startsWith(start)));
}

/** Logs that show lines which a failed sync gave up, while no file keeps them: their process was killed before (DUR-97). @param {Disk} disk */
function doubtedOn(disk) {
  const folder = "/w/.coco/registry/unsynced";
  if (!disk.find("/w/.coco/tasks")) return [];
  return disk.readdir("/w/.coco/tasks").filter((id) => {
    const log = disk.find(`/w/.coco/tasks/${id}/events.jsonl`);
    if (!log || log.givenUp.length === 0) return false;
    const kept = disk.find(`${folder}/${id}`) ? disk.readdir(`${folder}/${id}`) : [];
    const whole = kept.filter((name) => !name.startsWith(".tf-tmp-"));
    const texts = whole.map((name) => disk.readFile(`${folder}/${id}/${name}`).toString());
    const lines = log.givenUp.map(([from, to]) => log.data.subarray(from, to).toString().trim());
    return !lines.every((line) => texts.some((text) => text.includes(line)));
  });
}

/** @param {Disk} disk @param {DiskCall} call @param {Callers} known @returns {Stopped} */
function stopped(disk, call, known) {
  // Bytes of a call are its caller's, and change after it.
  const bytes = call.bytes && Buffer.from(call.bytes);
  return { disk: disk.clone(diskClock(0)), call: { ...call, bytes }, known };
}

/** Calls of one kind write to one log, or do the same to a file of one part of the folder. @param {Stopped} stop */
function kindOf({ disk, call: { name, args, ino } }) {
  const named = String(args[name === "rename" ? 1 : 0]);
  const path = (ino === 0 ? named : pathOf(disk, ino)).replace("/w/.coco/", "");
  const isLog = path.endsWith("/events.jsonl");
  return `${name} ${isLog ? (name === "write" ? path : "log") : partOf(path)}`;
}

/** @param {string} path below `.coco` */
function partOf(path) {
  const [part = "", below = ""] = path.split("/");
  return part === "registry" ? `${part}/${below.replace(/-.*/, "")}` : part;
}

/** @param {Disk} disk @param {number} wanted @returns {string} */
function pathOf(disk, wanted) {
  for (const { ino, names } of disk.inodes.values())
    for (const [name, of] of names) if (of === wanted) return `${ino === 1 ? "" : pathOf(disk, ino)}/${name}`;
  return "";
}

/** @param {DiskCall} call */
function shown({ name, args }) {
  return [name, ...args].join(" ");
}

/**
 * All of them, by so many threads. `survivors`: the ways in which a stop may go on. `disks`: those that differ, or leave other calls acknowledged.
 * @param {string} text of the build @param {Pick<Bounds, "bound" | "again" | "tears" | "every" | "sample" | "only" | "ignores" | "twice">} bounds @param {number} shares
 * @param {(line: string) => void} progress
 * @returns {Promise<Omit<Told, "checked"> & { disks: number }>}
 */
export async function exhaustive(text, bounds, shares, progress) {
  const all = await Promise.all(
    Array.from({ length: shares }, (_, share) => {
      const worker = new Worker(join(import.meta.dirname, "matrix_thread.mjs"), {
        workerData: { text, bounds: { ...bounds, share, shares } },
        resourceLimits: { maxYoungGenerationSizeMb: 64 },
      });
      /** @type {Promise<Told>} */
      const told = new Promise((done, fail) =>
        worker.on("message", (one) => (one.line ? progress(one.line) : done(one))).once("error", fail),
      );
      return told;
    }),
  );
  /** @param {"stops" | "survivors" | "classes" | "counted" | "compared" | "recoveries" | "runs"} what */
  const sum = (what) => all.reduce((total, told) => total + told[what], 0);
  return {
    stops: sum("stops"),
    recoveries: sum("recoveries"),
    runs: sum("runs"),
    survivors: sum("survivors"),
    classes: sum("classes"),
    counted: sum("counted"),
    compared: sum("compared"),
    disks: new Set(all.flatMap(({ checked }) => [...checked])).size,
    violations: all.flatMap(({ violations }) => violations),
  };
}

/** @param {Step} step @param {Alone} alone */
async function must(step, alone) {
  const reply = await make(step, alone);
  if (!reply.success) throw new Error(`${step.tool} fails before the stops: ${JSON.stringify(reply.error)}`);
  return reply;
}
