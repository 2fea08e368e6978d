// @ts-check
/**
 * Runs one plan: processes on a disk, of which exactly one goes on at a time. Everything that chance could decide stands in the plan, so the
 * same plan gives the same trace.
 */
import { createHash } from "node:crypto";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { randomFrom } from "../support/random_calls.mjs";
import { CALL_MS, clocksAt, LOOKS, START, Untold } from "./copy.mjs";
import { Disk, positionOf } from "./disk.mjs";
import { startGit } from "./git.mjs";
import { befalls } from "./network.mjs";
import { attemptUnderWay, eventIds, logFiles, opsIn } from "./log_ops.mjs";
import { DRIFTING, LOSING, othersDo } from "./others.mjs";
import { PACKET, packetConfig, PROGRAMS } from "./plan_packet.mjs";
import { Repository } from "./repository.mjs";
import { Servants } from "./servants.mjs";
import { Place, Stream } from "./stream.mjs";
import { errno } from "./visible.mjs";
import { Wire } from "./wire.mjs";

/** @typedef {import("./plan.mjs").Plan} Plan */
/** @typedef {import("./plan.mjs").Job} Job */
/** @typedef {import("./plan.mjs").Turn} Turn */
/** @typedef {import("./alone.mjs").Reply} Reply */
/**
 * `seen`: what its caller was told or shown before, by the name of a plan, task or claim. `state`: of its machine then. `messages`: of the shared log then.
 * @typedef {{ id: number, job: Job, process: Running, began: number, frozen: number, seen: Map<string, number>, state: number, messages: number }} Call
 */
/** @typedef {{ name: string, args: any[], bytes: Buffer }} Request */
/** @typedef {{ ino: number, flags: string, path: string }} OpenFile */
/** `note`: the line of the trace. @typedef {{ note: string, order: object, bytes?: Buffer | undefined }} News */
/** @typedef {Error & { code?: string }} Errno */
/**
 * A machine has a disk of its own, or all share one. `state`: another one when git, a power cut or a failure of the disk may have taken back what readers saw.
 * `gits`: jobs of git under way there.
 * @typedef {{ offset: number, drift: number, boot: number, disk: Disk, place: Place, repository: Repository, state: number, gits: number }} Machine
 */

const SYNC_MS = 1;
const RESTART_MS = 5;
const PAUSE_MS = 300;
const NOTHING = Buffer.alloc(0);
/** All tries together take longer than 60 s: so long the lock of a process that died on another machine is left alone (DUR-22). */
const CALM_PAUSE_MS = 6_000;
/** So many calls without an end are a loop. While one process stands still with a lock file, three others make 400,000. */
const MAX_CALLS = 1_000_000;
const CHANGES = new Set(
  "write truncate fdatasyncSync fdatasync fsync syncFolder mkdir rename exchange unlink rmdir".split(" "),
);
const GROWS = new Set(["write", "mkdir", "open"]);
const SYNCS = new Set("fdatasyncSync fdatasync fsync syncFolder".split(" "));
const READS = new Set("open read fstat stat lstat readFile readdir readFolders entries".split(" "));
const CREATES = new Set(["a+", "wx"]);
/** Refusals after which the same call is made again: nothing was done, or the outcome is unknown. */
const AGAIN = new Set(
  "UNKNOWN_OUTCOME LOCK_TIMEOUT STORAGE_FAILED STORAGE_FULL READ_ONLY LOG_INCOMPLETE LOG_DAMAGED ID_TAKEN INTERNAL SHARED_UNAVAILABLE SHARED_BUSY".split(
    " ",
  ),
);
const MAX_TRIES = 12;
/** At a moment that is judged a process gets this call: a list or, with a shared log, an exchange. @type {Record<"local" | "shared", Pick<Job, "tool" | "input" | "read">>} */
const LOOK = {
  local: { tool: "tasks_context", input: {}, read: true },
  shared: { tool: "exchange", input: { workspace: "acme/sim" }, read: true },
};
/** Tell that lines of a log are missing. */
const LOSSES = new Set(["LOG_TRUNCATED", "LOG_INCOMPLETE", "LOG_DAMAGED"]);

/** The run has failed, and its caller stops at the first failure. */
export class Over extends Error {}

/** A thread that serves one process after another. */
class Thread {
  /** @param {string} text of the build */
  constructor(text) {
    this.wire = new Wire();
    this.worker = new Worker(join(import.meta.dirname, "process.mjs"), {
      workerData: { shared: this.wire.shared, text },
    });
    this.first = this.wire.first();
  }
}

/** Threads by number, made when they are needed first. */
export class Threads {
  /** @type {Thread[]} */
  #all = [];
  #text;

  /** @param {string} text of the build */
  constructor(text) {
    this.#text = text;
  }

  /** @param {number} i */
  at(i) {
    return (this.#all[i] ??= new Thread(this.#text));
  }

  /** Ends them, so that the program can end when all that it printed is read. */
  end() {
    for (const { worker } of this.#all) void worker.terminate();
  }
}

/** A process that runs, or the place of one that was killed and will start again. */
class Running {
  pid = 0;
  /** Waits for the answer to it. @type {Request | null} */
  request = null;
  /** Until then it does not go on, by the world's time. */
  until = 0;
  /** When it has something of its own to do, by its clock. @type {number | null} */
  due = null;
  /** @type {Map<number, OpenFile>} */
  files = new Map();
  /** Late answers and news that it has not heard, oldest first. @type {News[]} */
  news = [];
  alive = false;
  /** It ended by itself, when it could not open the workspace. */
  ended = false;
  /** @type {Set<Call>} */
  calls = new Set();
  /** Its connections to the shared log. @type {Map<number, ReturnType<Stream["link"]>>} */
  links = new Map();
  lastFd = 10;
  frozenMs = 0;
  /** Of the disk, what it was not told. @type {Untold | null} */
  untold = null;

  /** @param {string} name @param {number} machine @param {Thread} thread */
  constructor(name, machine, thread) {
    this.name = name;
    this.machine = machine;
    this.thread = thread;
  }
}

export class World {
  /** Milliseconds since the world began. */
  time = 0;
  calls = 0;
  kills = 0;
  cuts = 0;
  faults = 0;
  /** @type {string[]} */
  violations = [];
  /** It does not come to its end. */
  isStuck = false;
  /** @type {string[] | null} */
  lines = null;
  hash = createHash("sha256");
  /** @type {Running[]} */
  processes = [];
  /** @type {Machine[]} */
  machines = [];
  /** @type {{ process: Running, disk: Disk, fd: number, ino: number, from: number, length: number }[]} */
  locks = [];
  /** Events that no process causes, with their times. @type {{ at: number, process: Running | null, run: () => void }[]} */
  events = [];
  /** Errors that the next fitting calls get. @type {{ kinds: Set<string>, code: string, times: number, who: number, file: string, keep?: number, seen?: boolean }[]} */
  spoils = [];
  /** @type {Job[]} */
  waiting = [];
  /** @type {Map<string, number>} */
  tries = new Map();
  /** Answers by key. @type {Map<string, { job: Job, replies: Reply[] }>} */
  acked = new Map();
  /** The last refusal of a call that ended without an answer of success. @type {Map<string, Reply>} */
  refused = new Map();
  /** The highest revisions and fences that callers were told of, for each disk. @type {Map<Disk, Map<string, number>>} */
  revisions = new Map();
  /** The same that readers were shown. @type {Map<Disk, Map<string, number>>} */
  shown = new Map();
  /** Acknowledged events, and where. @type {Map<string, { key: string, tool: string, disk: Disk }>} */
  promised = new Map();
  /** Judges the promises that hold at any moment. */
  judge = () => {};
  /** Plans and tasks of which a caller was told that lines are missing. @type {Set<string>} */
  toldLosses = new Set();
  /** Plans and tasks of which another program took the log away, and their roots. @type {Map<string, string>} */
  lost = new Map();
  /** Those of which it changed a file that is folded. @type {Set<string>} */
  drifting = new Set();
  /** The log in which each acknowledged event was, where it may get lost. @type {Map<string, string>} */
  homes = new Map();
  /** Changes that a failed sync took from their log until they were written again (DUR-5). @type {Set<string>} */
  vanished = new Set();
  /** Keys that two processes worked on at once. @type {Set<string>} */
  shared = new Set();
  /** @type {Set<string>} */
  ending = new Set();
  #lastPid = 1000;
  #lastId = 0;
  /** @type {Turn[]} */
  #turns;
  /** Those that wait for a call. @type {Turn[]} */
  #aimed = [];
  /** Calls that were refused over and over: they are made again when nothing goes wrong any more. @type {Job[]} */
  #later = [];
  #mayLose;
  /** @type {Running | null} */
  #current = null;
  #isCalm = true;
  #pausing = 0;
  #begun = 0;
  #asks;

  /** @param {Plan} plan @param {Threads} threads @param {{ lines?: boolean, asks?: boolean }} [options] `asks`: processes ask for each look at the disk. */
  constructor(plan, threads, { lines = false, asks = false } = {}) {
    this.plan = plan;
    this.#asks = asks;
    if (lines) this.lines = [];
    this.disk = this.#newDisk(0);
    this.#turns = plan.turns.toSorted((a, b) => a.at - b.at);
    this.#mayLose = plan.turns.some(({ deed }) => deed !== undefined && LOSING.has(deed));
    const remote = { head: null, last: 0 };
    for (const [i, { offset = 0, drift = 1, server = 0 }] of plan.machines.entries()) {
      const disk = plan.apart && i > 0 ? this.#newDisk(i) : this.disk;
      const repository = new Repository(disk, remote);
      this.machines.push({ offset, drift, boot: 0, disk, place: new Place(server), repository, state: 0, gits: 0 });
    }
    const clock = {
      now: () => this.time,
      after: (/** @type {number} */ ms, /** @type {() => void} */ run) => this.later(ms, run),
    };
    this.servants = plan.packet ? this.#newServants(plan.packet.servants) : null;
    this.stream = plan.stream ? new Stream(clock, plan.stream) : null;
    this.processes = plan.processes.map(({ machine }, i) => new Running(`p${i}`, machine, threads.at(i)));
  }

  /** It notes times by the clock of its machine. Of a disk that machines share, that is the first one. @param {number} machine */
  #newDisk(machine) {
    const disk = new Disk(() => this.#wall(machine));
    disk.mkdir("/w");
    disk.syncFolder("/");
    return disk;
  }

  /** @param {readonly import("./servants.mjs").Script[]} scripts */
  #newServants(scripts) {
    const { disk } = this;
    disk.mkdir("/bin");
    for (const program of PROGRAMS) disk.open(program, "wx");
    return new Servants(scripts, {
      disk,
      later: (ms, run) => this.later(ms, run),
      note: (line) => this.note(line),
      violate: (what) => this.violate(what),
      runOf: (stage) => {
        const log = disk.find(`/w/.coco/tasks/${PACKET}/events.jsonl`);
        return log ? attemptUnderWay(log.data, stage) : null;
      },
    });
  }

  /** @param {string} line */
  note(line) {
    this.hash.update(`${line}\n`);
    this.lines?.push(`${this.time.toFixed(2).padStart(9)} ${line}`);
  }

  /** @param {string} what */
  violate(what) {
    this.note(`VIOLATION ${what}`);
    this.violations.push(what);
  }

  /** @param {Running} process */
  #clocks({ machine }) {
    const { drift, offset } = this.#machine(machine);
    return clocksAt({ time: this.time, drift, offset });
  }

  /** Milliseconds since 1970, by the clock of a machine. @param {number} machine */
  #wall(machine) {
    const { offset = 0, drift = 1 } = this.machines[machine] ?? this.plan.machines[machine] ?? {};
    return clocksAt({ time: this.time, drift, offset }).wall;
  }

  /** @param {number} machine */
  #machine(machine) {
    const found = this.machines[machine];
    if (!found) throw new Error(`no machine ${machine}`);
    return found;
  }

  /** Starts a process in a place. @param {Running} process */
  #start(process) {
    process.pid = ++this.#lastPid;
    process.alive = true;
    process.ended = false;
    process.request = null;
    process.until = 0;
    process.due = null;
    process.files = new Map();
    process.news = [];
    process.calls = new Set();
    process.untold = new Untold(this.diskOf(process));
    const { open } = this.plan;
    const by = `agent:${process.name}`;
    const self = {
      pid: process.pid,
      lastFd: process.lastFd,
      seed: this.plan.seed * 7919 + process.pid,
      host: `machine${process.machine}`,
      locks: this.plan.locks,
      ...(this.plan.stream ? { stream: this.plan.stream } : {}),
      ...(this.plan.git ? { git: true } : {}),
      open: { by, lockTimeoutMs: 5000, ...open, ...(this.plan.packet ? { packet: packetConfig() } : {}) },
    };
    this.note(`${process.name} starts as ${process.pid}`);
    this.#judged();
    this.#grant(process, { do: "start", self });
  }

  /**
   * Lets one process go on until it asks for something. @param {Running} process @param {object} order @param {Uint8Array} [bytes]
   */
  #grant(process, order, bytes = NOTHING) {
    const { changes, bytes: files } = process.untold?.told() ?? { changes: [], bytes: [] };
    const grant = { ...this.#quantum(process), changes };
    const asked = process.thread.wire.answer({ ...order, own: bytes.length, grant }, [bytes, ...files]);
    this.#looked(process, asked.text.looks);
    this.#heard(process, asked.text, asked.bytes);
  }

  /** For how long it may look at the disk by itself: until something else happens, or may fail. @param {Running} process */
  #quantum(process) {
    const { drift, offset } = this.#machine(process.machine);
    const who = this.processes.indexOf(process);
    const mayFail = this.spoils.some(({ kinds, who: whose, times }) => {
      return whose === who && times > 0 && [...LOOKS].some((name) => kinds.has(name));
    });
    const isAimed = !this.#isCalm && this.#aimed.some((turn) => LOOKS.has(turn.call ?? "") || this.#isAsked(turn));
    const turn = this.#isCalm ? undefined : this.#turns[0];
    const calls = Math.min(MAX_CALLS + 1, turn?.at ?? Infinity) - (this.calls - this.#begun);
    const until = Math.min(...this.events.map(({ at }) => at));
    return {
      time: this.time,
      drift,
      offset,
      calls: this.#asks || mayFail || isAimed ? 0 : Math.max(0, calls),
      until: until === Infinity ? null : until,
    };
  }

  /** Does what a process did by itself. @param {Running} process @param {import("./copy.mjs").Look[]} looks */
  #looked(process, looks) {
    for (const [name, args, code] of looks) {
      this.calls++;
      this.time += CALL_MS;
      const request = { name, args, bytes: NOTHING };
      this.note(`${process.name} ${shown(request, process)}${code === undefined ? "" : ` ${code}`}`);
      if (code === undefined && (name === "open" || name === "close")) this.#perform(process, request);
    }
  }

  /** @param {Running} process @param {any} text @param {Buffer} bytes */
  #heard(process, text, bytes) {
    if (text.name !== "idle") {
      process.request = { name: text.name, args: text.args, bytes };
      return;
    }
    process.request = null;
    process.due = text.due;
    process.ended = text.dead;
    for (const fault of text.faults) this.violate(`${process.name}: ${fault}`);
    for (const told of text.told) this.#told(process, told);
  }

  /** @param {Running} process @param {{ id: number, reply?: unknown, thrown?: string }} told */
  #told(process, told) {
    const call = [...process.calls].find(({ id }) => id === told.id);
    if (!call) throw new Error(`found an answer without a question: ${told.id}`);
    this.#ended(process, call);
    const { job } = call;
    if (told.thrown !== undefined) this.violate(`${job.tool} ${job.key} threw ${told.thrown}`);
    else if (call.job.heard) call.job.heard(told.reply);
    else this.#replied(call, /** @type {Reply} */ (told.reply));
  }

  /** @param {Running} process @param {Call} call */
  #ended(process, call) {
    process.calls.delete(call);
    if (call.job.tool !== "git") return;
    this.#machine(process.machine).gits--;
    this.#changed(process.machine);
  }

  /** Readers of a machine may have seen what is gone now. @param {number} machine @param {boolean} [isTold] whether what was acknowledged may be, too */
  #changed(machine, isTold = true) {
    const own = this.#machine(machine);
    own.state++;
    this.shown.delete(own.disk);
    if (isTold) this.revisions.delete(own.disk);
  }

  /** Judges what lies on the disks at this moment. */
  #judged() {
    if (this.violations.length === 0) this.judge();
  }

  /** @param {Call} call @param {Reply} reply */
  #replied(call, reply) {
    const { job, process } = call;
    const took = this.time - call.began - (process.frozenMs - call.frozen);
    const what = reply.success ? "done" : `${reply.error?.code}`;
    this.note(
      `${process.name} ${job.tool} ${job.key}: ${what}${reply.warnings.map(({ code }) => ` ${code}`).join("")}`,
    );
    this.tellsLosses(reply);
    const { mostMs, packet } = this.plan;
    const ownMs = job.tool === "packet_run" ? packet?.mostMs : undefined;
    if (took > (ownMs ?? mostMs))
      this.violate(
        `${ownMs === undefined ? "[DUR-22] " : ""}${job.tool} ${job.key} was answered after ${Math.round(took)} ms`,
      );
    if (reply.success) {
      const known = this.acked.get(job.key) ?? { job, replies: [] };
      known.replies.push(reply);
      if (!job.read)
        for (const event of eventIds(reply.result))
          this.promised.set(event, { key: job.key, tool: job.tool, disk: this.diskOf(process) });
      if (this.plan.tellsLosses || this.#mayLose) this.#keepHomes(process, reply);
      this.acked.set(job.key, known);
      this.#seen(call, reply);
      return;
    }
    const { code = "", message = "" } = reply.error ?? {};
    if (code === "INTERNAL") this.violate(`[ERR-1] ${job.tool} ${job.key}: ${message}`);
    this.refused.set(job.key, reply);
    // The outcome is unknown: the same key again, until an answer is certain.
    // Of a transaction that lost a part, to a person or to git, nothing more is to be had.
    const isLost = code === "LOG_INCOMPLETE" && (this.lost.size > 0 || this.plan.tellsLosses === true);
    if (AGAIN.has(code) && !isLost) this.#again(job);
  }

  /** Keeps of which plans and tasks an answer says that lines are missing. @param {Reply} reply */
  tellsLosses({ warnings, error }) {
    for (const { code, message } of [...warnings, ...(error ? [error] : [])])
      if (LOSSES.has(code)) for (const [id] of message.matchAll(/\b(?:TASK|PLAN)-\d+\b/g)) this.toldLosses.add(id);
  }

  /** Whether no other process worked with that key at the same time where that may apply it twice. @param {string} key */
  isAlone(key) {
    if (this.plan.git || this.stream) return !this.shared.has(key) && !this.tries.has(key);
    return this.plan.locks !== "broken" || !this.shared.has(key);
  }

  /** Whether another plan or task may have that name: a person deleted the first one, or the exchange of two machines moved it (SHARED-12). @param {string} id @param {Disk} disk */
  isAnother(id, disk) {
    return this.lost.has(id) || (this.plan.apart === true && logFiles(disk).some((log) => log.id.startsWith(`${id}-`)));
  }

  /** Whether a person deleted a folder that this transaction touched. @param {string} txn @param {readonly { ops: readonly import("../../dist/log/types.js").Op[] }[]} logs */
  isPartOfLost(txn, logs) {
    if (this.lost.size === 0) return false;
    const roots = new Set(this.lost.values());
    const stamps = logs.flatMap(({ ops }) => ops.flatMap(({ events }) => events[0]?.op.txn ?? []));
    return stamps.some(
      ({ id, ids = [], roots: own }) =>
        id === txn && (ids.some((one) => this.lost.has(one)) || own.some((root) => roots.has(root))),
    );
  }

  /** @param {Running} process */
  diskOf({ machine }) {
    return this.#machine(machine).disk;
  }

  /** Where the events of an answer are: once they are lost, nothing else tells. @param {Running} process @param {Reply} reply */
  #keepHomes({ machine }, { result }) {
    const { disk } = this.#machine(machine);
    const events = eventIds(result);
    for (const { id, log } of logFiles(disk))
      for (const event of events) if (log.includes(event)) this.homes.set(event, id);
  }

  /** The numbers that callers of a machine were told of or shown. @param {Running} process */
  #known({ machine }) {
    const { disk } = this.#machine(machine);
    const known = new Map(this.revisions.get(disk));
    for (const [name, number] of this.shown.get(disk) ?? []) known.set(name, Math.max(number, known.get(name) ?? 0));
    return known;
  }

  /** Revisions and fences only grow: an answer shows nothing older than callers knew when the question was asked. @param {Call} call @param {Reply} reply */
  #seen(call, reply) {
    const { job, process } = call;
    const { state, gits, disk } = this.#machine(process.machine);
    if (job.tool === "exchange") return this.#exchanged(call, reply);
    // An answer may tell of something that was taken back while its call was under way.
    if (gits > 0 || state !== call.state || reply.warnings.some(({ code }) => code === "REPLAYED")) return;
    const found = numbersIn(job, reply.result);
    for (const [name, number] of found) {
      const least = call.seen.get(name) ?? 0;
      if (this.isAnother(name.split(" ")[0] ?? "", disk)) continue;
      if (number < least || (number === least && name.includes(" ") && !job.read))
        this.violate(`[FRESH-1] ${job.tool} ${job.key} showed ${number} of ${name}, and ${least} was known before`);
    }
    const known = job.read ? this.shown : this.revisions;
    const own = known.get(disk) ?? new Map();
    known.set(disk, own);
    for (const [name, number] of found) own.set(name, Math.max(number, own.get(name) ?? 0));
  }

  /** After an exchange a machine has what counted when it began. @param {Call} call @param {Reply} reply */
  #exchanged({ process, messages }, { result }) {
    if (/** @type {{ lacking: string[] }} */ (result).lacking.length > 0 || !this.stream) return;
    const logs = logFiles(this.diskOf(process)).flatMap(({ log }) => opsIn(log));
    const there = new Set(logs.flatMap(({ events }) => events.map(({ hash }) => hash)));
    for (const { seq, body } of this.stream.messages.slice(0, messages))
      for (const [, hash] of Buffer.from(body, "base64")
        .toString("utf8")
        .matchAll(/"hash":"([\w-]{43})"\}$/gm))
        if (hash && !there.has(hash))
          this.violate(
            `[FRESH-1] ${process.name} exchanged with the shared log, and lacks event ${hash} of its message ${seq}`,
          );
  }

  /** @param {Job} job */
  #again(job) {
    const tries = (this.tries.get(job.key) ?? 0) + 1;
    this.tries.set(job.key, tries);
    if (job.read || job.heard) return;
    if (this.acked.has(job.key) && tries > 2) return;
    // While things go wrong a call may fail as often as they do.
    if (this.#isCalm && tries > MAX_TRIES)
      this.violate(
        `${job.tool} ${job.key} was tried ${tries} times: ${this.refused.get(job.key)?.error?.code} ${this.refused.get(job.key)?.error?.message}`,
      );
    else if (tries > MAX_TRIES) this.#later.push(job);
    else if (!this.stream && !this.#isCalm) this.waiting.push(job);
    else {
      // A caller waits before it asks servers again that did not answer, or a workspace of which another process holds a lock.
      this.#pausing++;
      this.later(this.stream ? PAUSE_MS : CALM_PAUSE_MS, () => {
        this.#pausing--;
        this.waiting.push(job);
      });
    }
  }

  /** @param {Running} process @param {Job} job */
  #give(process, job) {
    const id = ++this.#lastId;
    if (this.processes.some(({ calls }) => [...calls].some((call) => call.job.key === job.key)))
      this.shared.add(job.key);
    process.calls.add({
      id,
      job,
      process,
      began: this.time,
      frozen: process.frozenMs,
      seen: this.#known(process),
      state: this.#machine(process.machine).state,
      messages: this.stream?.messages.length ?? 0,
    });
    if (job.tool === "git") this.#machine(process.machine).gits++;
    this.note(`${process.name} begins ${job.tool} ${job.key}`);
    const input = job.heard
      ? job.input
      : { workspace: "acme/sim", ...job.input, ...(job.read ? {} : { idempotency_key: job.key }) };
    this.#grant(process, { do: "work", job: { id, tool: job.tool, input, ...(job.by ? { by: job.by } : {}) } });
  }

  /** Whether it can go on now. @param {Running} process */
  #isReady(process) {
    if (process.until > this.time) return false;
    if (!process.alive) return true;
    if (process.request || process.ended || process.news.length > 0) return true;
    if (process.due !== null && process.due <= this.#clocks(process).steady) return true;
    return this.#jobFor(process) !== undefined;
  }

  /** Whether it has nothing to go on with but the next call of an agent. @param {Running} process */
  #isIdle(process) {
    const { alive, request, ended, news, due } = process;
    if (!alive || request || ended || news.length > 0) return false;
    return due === null || due > this.#clocks(process).steady;
  }

  /** @param {Running} process */
  #jobFor(process) {
    if (process.calls.size >= this.plan.atOnce) return undefined;
    return this.waiting.find((job) => {
      if (job.process !== undefined && job.process !== this.processes.indexOf(process)) return false;
      return ![...process.calls].some((call) => call.job.key === job.key);
    });
  }

  /** When it can go on by itself, by the world's time. @param {Running} process */
  #readyAt(process) {
    if (!process.alive || process.until > this.time) return process.until;
    if (process.due === null) return Infinity;
    return (process.due - 1000) / this.#machine(process.machine).drift;
  }

  /** Goes on until nothing is left to do. */
  run() {
    for (;;) {
      if (this.violations.length > 0 && this.plan.stop) return;
      if (this.calls - this.#begun > MAX_CALLS) {
        this.isStuck = true;
        this.violate(`after ${this.calls} calls there is no end`);
        return;
      }
      this.#end();
      const process = this.#next();
      if (process) {
        this.#current = process;
        this.#goOn(process);
        continue;
      }
      const isOver =
        this.waiting.length === 0 && this.#pausing === 0 && this.processes.every(({ calls }) => calls.size === 0);
      if (isOver && !this.events.some(({ process: whose }) => whose)) return;
      const at = Math.min(...this.processes.map((one) => this.#readyAt(one)), ...this.events.map((event) => event.at));
      if (at === Infinity) {
        const left = this.processes.flatMap(({ calls }) => [...calls].map(({ job }) => `${job.tool} ${job.key}`));
        this.isStuck = true;
        this.violate(`nothing goes on any more, and these have no answer: ${left.join(", ")}`);
        return;
      }
      this.time = Math.max(this.time, at) + 0.001;
    }
  }

  /** Runs the events that are due. */
  #end() {
    if (this.events.length === 0) return;
    for (const event of this.events.filter(({ at }) => at <= this.time)) {
      this.events.splice(this.events.indexOf(event), 1);
      event.run();
    }
  }

  /** Runs something later. If it is about a process that is gone by then, it never runs. @param {number} ms @param {() => void} run @param {Running | null} [process] */
  later(ms, run, process = null) {
    this.events.push({ at: this.time + ms, process, run });
  }

  /** The one that ran goes on, until it waits or the plan says otherwise. */
  #next() {
    const turn = this.#turns[0];
    if (!this.#isCalm && turn && turn.at <= this.calls - this.#begun) {
      this.#turns.shift();
      if (turn.call !== undefined) this.#aimed.push(turn);
      const chosen = turn.call === undefined ? this.#happens(turn) : null;
      if (chosen) return chosen;
    }
    const aimed = this.#isCalm ? -1 : this.#aimed.findIndex((one) => this.#isAsked(one));
    if (aimed >= 0) {
      const [one] = this.#aimed.splice(aimed, 1);
      const chosen = one ? this.#happens(one) : null;
      if (chosen) return chosen;
    }
    const { inTurn = false } = this.plan;
    if (this.#current && this.#isReady(this.#current) && !(inTurn && this.#isIdle(this.#current))) return this.#current;
    const from = this.#current ? this.processes.indexOf(this.#current) + 1 : 0;
    return [...this.processes.slice(from), ...this.processes.slice(0, from)].find((one) => this.#isReady(one)) ?? null;
  }

  /** Whether the call for which it waits comes next. @param {Turn} turn */
  #isAsked({ do: what, who = 0, call, file = "" }) {
    const process = what === "switch" ? this.#current : this.processes[who];
    if (!process?.request || process.request.name !== call) return false;
    const { args } = process.request;
    return [process.files.get(args[0])?.path, ...args].some((one) => typeof one === "string" && one.includes(file));
  }

  /** @param {Turn} turn */
  #happens(turn) {
    const process = this.processes[turn.who ?? 0] ?? this.processes[0];
    if (!process) return null;
    switch (turn.do) {
      case "switch": {
        const ready = this.processes.filter((one) => one !== this.#current && this.#isReady(one));
        return ready[(turn.who ?? 0) % Math.max(1, ready.length)] ?? null;
      }
      case "kill":
        if (process.alive) this.#kill(process, turn);
        return null;
      case "freeze":
        this.note(`${process.name} is frozen for ${turn.ms} ms`);
        process.until = Math.max(process.until, this.time + (turn.ms ?? 0));
        process.frozenMs += turn.ms ?? 0;
        return null;
      case "cut":
        this.#cut(process.machine, turn);
        return null;
      case "clock":
        this.note(`the clock of machine ${process.machine} jumps by ${turn.ms} ms`);
        this.#machine(process.machine).offset += turn.ms ?? 0;
        return null;
      case "time":
        // The machine is slow: all clocks go on, and no process does anything.
        this.note(`${turn.ms} ms pass`);
        this.time += turn.ms ?? 0;
        for (const one of this.processes) one.frozenMs += turn.ms ?? 0;
        return null;
      case "fail": {
        const kinds = { changes: CHANGES, looks: READS, syncs: SYNCS, grows: GROWS, writes: new Set(["write"]) }[
          turn.kinds ?? "changes"
        ];
        this.spoils.push({
          kinds,
          code: turn.code ?? "EIO",
          times: turn.times ?? 1,
          who: turn.who ?? 0,
          file: turn.file ?? "",
          ...(turn.keep === undefined ? {} : { keep: turn.keep }),
          seen: turn.seen ?? false,
        });
        return null;
      }
      case "judge":
        this.note("the promises are judged");
        this.#judged();
        this.waiting.push({
          ...LOOK[this.stream ? "shared" : "local"],
          key: `look ${this.#begun + turn.at}`,
          process: this.processes.indexOf(process),
        });
        return null;
      case "network":
        this.note(`the network of machine ${process.machine}: ${turn.fault} for ${turn.ms} ms, ${turn.times} times`);
        if (this.stream)
          befalls(this.stream, this.#machine(process.machine).place, turn, (ms, run) => this.later(ms, run));
        return null;
      default:
        this.#others(turn);
        return null;
    }
  }

  /** Another program changes the folder. @param {Turn} turn */
  #others({ id = "", deed = "readme" }) {
    const log = this.disk.find(`/w/.coco/tasks/${id}/events.jsonl`);
    if (!othersDo(this.disk, id, deed, START + this.time)) return;
    this.note(`another program: ${deed} of ${id}`);
    if (LOSING.has(deed)) this.lost.set(id, (log && opsIn(log.data)[0]?.hash) ?? "");
    if (DRIFTING.has(deed)) this.drifting.add(id);
  }

  /** @param {Running} process @param {Turn} turn */
  #kill(process, turn) {
    this.kills++;
    const { request } = process;
    const { keep = 0, restartMs = RESTART_MS } = turn;
    this.note(`${process.name} is killed${request ? ` at ${shown(request, process)}` : ""}`);
    // A kill lets a write that had begun put out some of its bytes, and any other call be made or not.
    if (request?.name === "write" && keep > 0) {
      const bytes = request.bytes.subarray(0, Math.floor(request.bytes.length * keep));
      const file = process.files.get(request.args[0]);
      if (file && bytes.length > 0)
        this.#machine(process.machine).disk.write(file.ino, bytes, positionOf(file, request.args[2]));
    } else if (request && keep >= 0.5) {
      try {
        this.#perform(process, request);
      } catch {
        // It would have failed: nothing was done.
      }
    }
    this.#gone(process, restartMs);
  }

  /** @param {Running} process @param {number} restartMs */
  #gone(process, restartMs) {
    process.alive = false;
    process.until = this.time + restartMs;
    process.news = [];
    for (const link of process.links.values()) this.stream?.close(link);
    process.links.clear();
    process.due = null;
    process.files.clear();
    process.untold?.end();
    process.untold = null;
    this.locks = this.locks.filter((lock) => lock.process !== process);
    this.servants?.orphaned(process);
    this.events = this.events.filter((event) => event.process !== process);
    const calls = [...process.calls];
    for (const call of calls) this.#ended(process, call);
    if (process.request) this.#grant(process, { killed: true });
    process.request = null;
    for (const { job } of calls) this.#again(job);
  }

  /** The power of a machine fails. @param {number} machine @param {Turn} turn */
  #cut(machine, turn) {
    this.cuts++;
    const { names = "lost", bytes = "lost", seed = 1, restartMs = RESTART_MS } = turn;
    this.note(`the power of machine ${machine} fails: names ${names}, bytes ${bytes}`);
    for (const process of this.processes.filter((one) => one.machine === machine)) {
      if (process.alive) this.#gone(process, restartMs);
      process.until = Math.max(process.until, this.time + restartMs);
    }
    this.#machine(machine).boot++;
    for (const [i, { disk }] of this.machines.entries())
      if (disk === this.#machine(machine).disk) this.#changed(i, false);
    this.servants?.stop();
    const random = randomFrom(seed);
    const some = /** @type {const} */ (["lost", "kept", "torn", "reordered", "zeros"]);
    this.#machine(machine).disk.cut(random, names, () =>
      bytes === "mixed" ? (some[random.below(some.length)] ?? "lost") : bytes,
    );
    this.hash.update(this.#summary(machine));
  }

  /** @param {number} machine */
  #summary(machine) {
    return [...this.#machine(machine).disk.inodes].map(([ino, { data }]) => `${ino}:${data.length}`).join(" ");
  }

  /** @param {Running} process */
  #goOn(process) {
    if (!process.alive) return this.#start(process);
    if (process.ended && !process.request) return this.#gone(process, RESTART_MS);
    const { request } = process;
    if (request) return this.#answer(process, request);
    const news = process.news.shift();
    if (news) {
      this.note(`${process.name} ${news.note}`);
      return this.#grant(process, news.order, news.bytes);
    }
    if (process.due !== null && process.due <= this.#clocks(process).steady)
      return this.#grant(process, { do: "turn" });
    const job = this.#jobFor(process);
    if (!job) return;
    if (job.twice && !this.tries.has(job.key)) this.tries.set(job.key, 0);
    else this.waiting.splice(this.waiting.indexOf(job), 1);
    this.#give(process, job);
  }

  /** @param {Running} process @param {Request} request */
  #answer(process, request) {
    this.calls++;
    this.time += CALL_MS;
    let value;
    let error;
    const what = shown(request, process);
    try {
      value = this.#spoiled(process, request);
    } catch (e) {
      error = /** @type {Error & { code?: string }} */ (e);
      if (error.code === undefined) throw e;
    }
    const isShort = request.name === "write" && typeof value === "number" && value < request.bytes.length;
    this.note(
      `${process.name} ${what}${error ? ` ${error.code}` : isShort ? `, of which it writes ${String(value)}` : ""}`,
    );
    if (request.name === "sleep") {
      // It asks again when it wakes.
      const wakes = this.time + request.args[0];
      process.request = { name: "wake", args: [], bytes: request.bytes };
      process.until = Math.max(process.until, wakes);
      return;
    }
    process.request = null;
    if (error) this.#grant(process, { error: { code: error.code, message: error.message } });
    else if (value instanceof Buffer) this.#grant(process, { value: "bytes" }, value);
    else this.#grant(process, { value });
  }

  /** @param {Running} process @param {Request} request */
  #spoiled(process, request) {
    const who = this.processes.indexOf(process);
    const spoil = this.#isCalm
      ? undefined
      : this.spoils.find(
          ({ kinds, who: whose, times, file }) =>
            times > 0 &&
            whose === who &&
            kinds.has(request.name) &&
            (file === "" || process.files.get(request.args[0])?.path.includes(file)) &&
            (request.name !== "open" || kinds !== GROWS || CREATES.has(request.args[1])),
        );
    // The system's own files do not fail.
    if (!spoil || /^\/(?:proc|etc)/.test(String(request.args[0]))) return this.#perform(process, request);
    spoil.times--;
    this.faults++;
    this.#changed(process.machine, false);
    if (request.name === "write" && spoil.keep !== undefined) {
      const part = request.bytes.subarray(0, Math.max(1, Math.floor(request.bytes.length * spoil.keep)));
      return this.#perform(process, { ...request, bytes: part });
    }
    if (SYNCS.has(request.name) && request.name !== "syncFolder") {
      const file = process.files.get(request.args[0]);
      if (!file) throw errno("EBADF", request.name);
      const { disk } = this.#machine(process.machine);
      const sync = disk.syncing(file.ino);
      const failed = () => {
        const there = () => opsIn(disk.inodes.get(file.ino)?.data ?? Buffer.alloc(0)).map(({ hash }) => hash);
        const before = file.path.endsWith("/events.jsonl") ? there() : [];
        sync.failed(spoil.seen ?? false);
        const left = new Set(before.length > 0 ? there() : []);
        for (const hash of before) if (!left.has(hash)) this.vanished.add(hash);
        return errno(spoil.code, request.name);
      };
      if (request.name === "fdatasync") return this.#sync(process, failed);
      throw failed();
    }
    throw errno(spoil.code, shown(request, process));
  }

  /** @param {Running} process @param {() => Errno | null} end */
  #sync(process, end) {
    const id = ++this.#lastId;
    const run = () => {
      const error = end();
      const order = { do: "answered", id, error: error && { code: error.code, message: error.message } };
      process.news.push({ note: `synced${error ? ` ${error.code}` : ""}`, order });
    };
    this.later(SYNC_MS, run, process);
    return id;
  }

  /** Git works beside the processes, and its own process hears when it ends. @param {Running} process @param {any[]} args */
  #runGit(process, [what, pace]) {
    const id = ++this.#lastId;
    const { pid, machine } = process;
    this.#changed(machine);
    startGit(this.#machine(machine).repository, what, {
      note: (line) => this.note(`git of machine ${machine} ${line}`),
      later: (run) => this.later(pace, run),
      ended: (said) => {
        this.#changed(machine);
        this.#judged();
        if (!process.alive || process.pid !== pid) return;
        process.news.push({ note: `is told by git: ${said}`, order: { do: "answered", id, value: said } });
      },
    });
    return id;
  }

  /** A command goes on, and its dispatcher hears what it prints and how it ends. @param {Running} process @param {any[]} args */
  #runGroup(process, [group, limitMs]) {
    const id = ++this.#lastId;
    const { pid } = process;
    const push = (/** @type {News} */ news) => {
      if (process.alive && process.pid === pid) process.news.push(news);
    };
    this.servants?.go(
      group,
      limitMs,
      (stream, bytes) => push({ note: `hears ${stream} of ${group}`, order: { do: "printed", group, stream }, bytes }),
      (value) => push({ note: `hears the end of ${group}`, order: { do: "answered", id, value } }),
    );
    return id;
  }

  /** A question to the shared log, which is answered later. @param {Running} process @param {any[]} args @param {Buffer} bytes */
  #askStream(process, [at, name, ...args], bytes) {
    const { stream } = this;
    if (!stream) throw new Error("a plan without a shared log");
    const id = ++this.#lastId;
    const { pid } = process;
    const push = (/** @type {News} */ news) => {
      if (process.alive && process.pid === pid) process.news.push(news);
    };
    if (name === "connect") {
      const { place } = this.#machine(process.machine);
      process.links.set(
        at,
        stream.link(place, (news) =>
          push({
            note: `hears ${"message" in news ? `message ${news.message?.seq}` : Object.keys(news)[0]}`,
            order: { do: "news", link: at, news },
          }),
        ),
      );
      push({
        note: place.connected ? "is connected" : "cannot connect",
        order: {
          do: "answered",
          id,
          ...(place.connected ? {} : { error: { code: "SHARED_UNAVAILABLE", message: "no server answers" } }),
        },
      });
      return id;
    }
    const link = process.links.get(at);
    if (!link) throw new Error(`no connection ${at}`);
    stream.ask(link, name, args, bytes, ({ value, bytes: found, error }) => {
      const note = `is told of ${name}${error ? ` ${error.code}` : name === "publish" ? ` ${JSON.stringify(value)}` : ""}`;
      push({ note, order: { do: "answered", id, value, ...(error ? { error } : {}) }, bytes: found });
    });
    return id;
  }

  /** Does what the kernel does. @param {Running} process @param {Request} request @returns {unknown} */
  #perform(process, { name, args, bytes }) {
    const { disk } = this.#machine(process.machine);
    if (this.plan.ignores?.includes(name)) return name === "fdatasync" ? this.#sync(process, () => null) : null;
    const file = () => {
      const found = process.files.get(args[0]);
      if (!found) throw errno("EBADF", name);
      return found;
    };
    switch (name) {
      case "open": {
        const { ino } = disk.open(args[0], args[1]);
        process.files.set(++process.lastFd, { ino, flags: args[1], path: args[0] });
        return process.lastFd;
      }
      case "close":
        file();
        process.files.delete(args[0]);
        this.locks = this.locks.filter((lock) => lock.process !== process || lock.fd !== args[0]);
        return null;
      case "write":
        return disk.write(file().ino, bytes, positionOf(file(), args[2]));
      case "read":
        return disk.read(file().ino, args[1], args[2]);
      case "truncate":
        return disk.truncate(file().ino, args[1]);
      case "fstat":
        return disk.stat(/** @type {never} */ (disk.inodes.get(file().ino)));
      case "copyMode":
        return null;
      case "fsync":
      case "fdatasyncSync":
        disk.syncing(file().ino).done();
        this.time += SYNC_MS;
        return null;
      case "fdatasync": {
        const sync = disk.syncing(file().ino);
        return this.#sync(process, () => {
          sync.done();
          return null;
        });
      }
      case "stat":
      case "lstat":
        return this.#stat(process, args[0]);
      case "readFile": {
        const found = this.#system(process, args[0]) ?? disk.readFile(args[0]);
        if (found.length > args[1]) throw errno("TOO_LARGE", args[0]);
        return found;
      }
      case "readdir":
        return disk.readdir(args[0]);
      case "readFolders":
        return disk.readdir(args[0], true);
      case "entries":
        return disk.entries(args[0]);
      case "syncFolder":
        disk.syncFolder(args[0]);
        this.time += SYNC_MS;
        return null;
      case "mkdir":
        return disk.mkdir(args[0]);
      case "rename":
        return disk.rename(args[0], args[1]);
      case "exchange":
        return disk.exchange(args[0], args[1]);
      case "unlink":
        return disk.unlink(args[0]);
      case "rmdir":
        return disk.rmdir(args[0]);
      case "git":
        return this.#runGit(process, args);
      case "versions":
        return this.#machine(process.machine).repository.versionsOf(args[0]);
      case "heldBy":
        return this.#machine(process.machine).repository.heldBy(args[0], args[1]);
      case "refs":
        return this.#machine(process.machine).repository.refs();
      case "stream":
        return this.#askStream(process, args, bytes);
      case "launch": {
        const group = ++this.#lastPid;
        this.servants?.launch(group, process, args[0]);
        return group;
      }
      case "go":
        return this.#runGroup(process, args);
      case "groupRuns":
        return this.servants?.isRunning(args[0]) ?? false;
      case "beganAt":
        return this.servants?.isRunning(args[0]) ? `${args[0]}00` : null;
      case "signalGroup":
        this.servants?.signal(args[0], args[1]);
        return null;
      case "identity":
        return disk.identity(args[0]);
      case "tryLock":
        return this.#tryLock(process, file().ino, args);
      case "unlock":
        this.locks = this.locks.filter(
          ({ process: whose, fd, from }) => whose !== process || fd !== args[0] || from !== args[1],
        );
        return null;
      case "isRunning":
        return this.#processOf(process.machine, args[0]) !== undefined;
      case "kill":
        if (!this.#processOf(process.machine, args[0])) throw errno("ESRCH", "kill");
        return null;
      case "sleep":
      case "wake":
        return null;
      default:
        throw new Error(`no call ${name}`);
    }
  }

  /** @param {Running} process @param {string} path */
  #stat(process, path) {
    if (path === "/proc/self/ns/pid")
      return { dev: 4, ino: 4026531836, size: 0, links: 1, mtimeMs: 0, ctimeMs: 0, kind: "special file" };
    const { disk } = this.#machine(process.machine);
    const inode = disk.find(path);
    return inode && disk.stat(inode);
  }

  /** @param {number} machine @param {number} pid */
  #processOf(machine, pid) {
    return this.processes.find((one) => one.machine === machine && one.alive && one.pid === pid);
  }

  /** Files in which the system tells of itself. @param {Running} process @param {string} path */
  #system(process, path) {
    if (!/^\/(?:proc|etc)\//.test(path)) return undefined;
    if (path === "/etc/machine-id") return Buffer.from(`${process.machine}`.padStart(32, "a"));
    if (path.endsWith("/boot_id"))
      return Buffer.from(`boot-${process.machine}-${this.#machine(process.machine).boot}\n`);
    const pid = /^\/proc\/(\d+)\/stat$/.exec(path)?.[1];
    if (pid === undefined || !this.#processOf(process.machine, Number(pid))) throw errno("ENOENT", path);
    // Field 22 is when it began: no two processes here began at one time.
    return Buffer.from(`${pid} (node) S ${Array.from({ length: 18 }, () => 0).join(" ")} ${pid}00 0`);
  }

  /** @param {Running} process @param {number} ino @param {number[]} range */
  #tryLock(process, ino, [fd = 0, from = 0, length = 0]) {
    const { disk } = this.#machine(process.machine);
    const isHeld = this.locks.some(
      (lock) =>
        lock.disk === disk &&
        lock.ino === ino &&
        (lock.process !== process || lock.fd !== fd) &&
        lock.from < from + length &&
        from < lock.from + lock.length,
    );
    if (!isHeld) this.locks.push({ process, disk, fd, ino, from, length });
    return !isHeld;
  }

  /** From now on the plan's turns count, or nothing goes wrong any more. @param {boolean} calm */
  set calm(calm) {
    this.#isCalm = calm;
    this.#begun = this.calls;
    if (!calm) return;
    this.spoils = [];
    this.waiting.push(...this.#later.splice(0));
    for (const key of this.tries.keys()) this.tries.set(key, 1);
    for (const machine of this.machines) machine.offset = 0;
    this.stream?.heal(this.machines.map(({ place }) => place));
  }

  /** Has one process do something, with nothing else under way. @param {Running} process @param {string} tool @param {object} [input] @returns {any} */
  ask(process, tool, input = {}) {
    let found;
    this.waiting.push({
      key: tool,
      tool,
      input,
      process: this.processes.indexOf(process),
      heard: (reply) => (found = reply),
    });
    this.run();
    if (this.violations.length > 0 && this.plan.stop) throw new Over();
    return found;
  }

  /** The run is over, and its threads are free. */
  leave() {
    for (const process of this.processes) if (process.alive) this.#gone(process, 0);
  }

  /** All processes end, one way or the other; they start again when there is work. @param {boolean} [closed] */
  stop(closed = false) {
    for (const process of this.processes) {
      if (!process.alive) continue;
      if (closed) this.ask(process, "close");
      this.#gone(process, 0);
      this.note(`${process.name} ends`);
    }
  }
}

/** The first process of each machine. @param {World} world */
export function firstsOf({ machines, processes }) {
  return [...machines.keys()].flatMap((machine) => processes.find((one) => one.machine === machine) ?? []);
}

/** @param {Request} request @param {Running} process */
function shown({ name, args, bytes }, process) {
  const told = args.map((arg, i) =>
    i === 0 && typeof arg === "number" && name !== "sleep" && name !== "kill"
      ? (process.files.get(arg)?.path ?? arg)
      : arg,
  );
  if (name === "stream") return `asks ${args.filter((arg) => typeof arg !== "object").join(" ")}`;
  const text = told
    .filter((arg) => arg !== undefined && arg !== null)
    .join(" ")
    .replaceAll("/w/.coco/", "");
  return name === "write"
    ? `${name} ${text} ${createHash("sha256").update(bytes).digest("hex").slice(0, 8)}`
    : `${name} ${text}`;
}

/** Revisions that an answer shows, and the fence of a claim by its place. @param {Job} job @param {any} result @returns {[string, number][]} */
function numbersIn({ tool, input }, result) {
  const { task, path } = /** @type {{ task?: string, path?: string }} */ (input);
  const fence = tool === "tasks_claim" ? result?.lease?.fence : undefined;
  return [
    ...revisionsIn(result),
    ...(typeof fence === "number" ? [/** @type {[string, number]} */ ([`${task} ${path}`, fence])] : []),
  ];
}

/** Revisions of plans and tasks that an answer shows. @param {any} value @returns {[string, number][]} */
function revisionsIn(value) {
  if (typeof value !== "object" || value === null) return [];
  const { id, task, plan, revision } = value;
  const name = [id, task, plan].find((one) => typeof one === "string");
  /** @type {[string, number][]} */
  const own = name !== undefined && typeof revision === "number" ? [[name, revision]] : [];
  return [...own, ...Object.values(value).flatMap(revisionsIn)];
}
