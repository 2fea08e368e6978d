// @ts-check
// Processes that go through cases, each with a limit of time and of memory. If a case goes over a limit, its process is killed
// and the case reported. The next case then has a new process.
import { spawn } from "node:child_process";
import { chownSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { remove } from "./world.mjs";

/** @typedef {import("./attack.mjs").Fault} Fault */
/** @typedef {{ id: string, seconds?: number, megabytes?: number, unprivileged?: boolean }} Limited */
/** @typedef {{ id: string, faults: Fault[], ms: number, peak_mb: number, kind?: string }} Result */
/** @typedef {{ script: string, args: readonly string[], folder: string, seconds: number, megabytes: number }} Settings */
/** @typedef {Record<string, unknown> & { begin?: string, end?: string, ready?: boolean }} Told */

/** The user `nobody` of most systems: any number that is not root does. */
const NOBODY = 65534;
const LOOK_MS = 50;
/** A machine that does other work gives a case less than a processor: so much longer it may take by the clock. */
const PATIENCE = 4;
const CLOCK_TICKS = 100;

export class Children {
  /** @type {Settings} */
  #settings;
  #started = 0;
  /** Those that wait for work: the first of them take as long to begin as a hundred cases. @type {Record<string, Child[]>} */
  #idle = { true: [], false: [] };

  /** @param {Settings} settings */
  constructor(settings) {
    this.#settings = settings;
  }

  /** The message of a child when it is ready. @returns {Promise<Told>} */
  async first() {
    const child = this.#start(false);
    const told = await child.ready;
    this.#idle["false"]?.push(child);
    return told;
  }

  end() {
    for (const child of Object.values(this.#idle).flat()) child.end();
    return Promise.all(Object.values(this.#idle).flatMap((some) => some.splice(0).map((child) => child.ended)));
  }

  /** Goes through all of them with so many processes at once, those first that need no other user. @template {Limited} T @param {readonly T[]} jobs @param {number} atOnce @param {(result: Result, job: T) => void} heard */
  async runAll(jobs, atOnce, heard) {
    for (const unprivileged of [false, true]) {
      const left = jobs.filter((job) => (job.unprivileged ?? false) === unprivileged).toReversed();
      await this.run(() => left.pop(), Math.min(atOnce, left.length), heard, unprivileged);
    }
  }

  /** Goes through what `next` gives until it gives no more. @template {Limited} T @param {() => T | undefined} next @param {number} atOnce @param {(result: Result, job: T) => void} heard */
  async run(next, atOnce, heard, unprivileged = false) {
    await Promise.all(Array.from({ length: atOnce }, () => this.#work(next, unprivileged, heard)));
  }

  /** @template {Limited} T @param {() => T | undefined} next @param {boolean} unprivileged @param {(result: Result, job: T) => void} heard */
  async #work(next, unprivileged, heard) {
    /** @type {Child | undefined} */
    let child;
    for (let job = next(); job; job = next()) {
      if (!child) {
        child = this.#idle[`${unprivileged}`]?.pop() ?? this.#start(unprivileged);
        await child.ready;
      }
      const { seconds, megabytes } = { ...this.#settings, ...job };
      const result = await child.run(job, seconds, megabytes);
      heard(result, job);
      if (child.over) child = undefined;
    }
    if (child) this.#idle[`${unprivileged}`]?.push(child);
  }

  /** @param {boolean} unprivileged */
  #start(unprivileged) {
    const { script, args, folder } = this.#settings;
    const own = join(folder, `child-${this.#started++}`);
    mkdirSync(own);
    const user = unprivileged && process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
    if (user.uid !== undefined) chownSync(own, user.uid, user.gid);
    return new Child([script, own, ...args], own, user);
  }
}

class Child {
  over = false;
  /** @type {Promise<Told>} */
  ready;
  #process;
  #folder;
  #stderr = "";
  /** @type {(told: Told) => void} */
  #heard = () => undefined;
  /** @type {Promise<void>} */
  #exited;

  /** @param {readonly string[]} args @param {string} folder @param {{ uid?: number, gid?: number }} user */
  constructor(args, folder, user) {
    this.#folder = folder;
    const stdio = /** @type {const} */ (["pipe", "ignore", "pipe", "pipe"]);
    // A group of its own: what it started ends with it.
    this.#process = spawn(process.execPath, ["--max-old-space-size=2048", ...args], {
      ...user,
      stdio: [...stdio],
      detached: true,
    });
    this.#process.stdin?.on("error", () => undefined);
    this.#process.stderr?.on("data", (chunk) => (this.#stderr = `${this.#stderr}${chunk}`.slice(-2000)));
    const told = /** @type {import("node:stream").Readable} */ (this.#process.stdio[3]);
    createInterface({ input: told }).on("line", (line) => this.#heard(JSON.parse(line)));
    this.#exited = new Promise((done) => {
      this.#process.on("exit", () => {
        this.over = true;
        done();
      });
    });
    this.ready = new Promise((done, fail) => {
      this.#heard = done;
      void this.#exited.then(() => fail(new Error(`the child ended before it was ready: ${this.#stderr}`)));
    });
    this.ready.catch(() => undefined);
  }

  /** @param {{ id: string }} job @param {number} seconds @param {number} megabytes @returns {Promise<Result>} */
  async run(job, seconds, megabytes) {
    const began = performance.now();
    const cpuBefore = this.#cpuSeconds();
    /** @type {Fault[]} */
    const faults = [];
    let peak = 0;
    /** @type {Told | undefined} */
    let answer;
    const answered = new Promise((/** @type {(value: void) => void} */ done) => {
      this.#heard = (told) => {
        if (told.end !== job.id) return;
        answer = told;
        done();
      };
    });
    const kill = (/** @type {Fault["kind"]} */ kind, /** @type {string} */ what) => {
      if (faults.length > 0 || answer) return;
      faults.push({ kind, what });
      this.#kill();
    };
    const looking = setInterval(() => {
      const mb = this.#residentMb();
      peak = Math.max(peak, mb);
      const clock = (performance.now() - began) / 1000;
      const cpu = this.#cpuSeconds() - cpuBefore;
      if (mb > megabytes) kill("over_memory", `${Math.round(mb)} MB and more, expected at most ${megabytes}`);
      else if (cpu > seconds || clock > seconds * PATIENCE)
        kill("hung", `${clock.toFixed(1)} s, ${cpu.toFixed(1)} s of them at work, expected at most ${seconds}`);
    }, LOOK_MS);
    this.#process.stdin?.write(`${JSON.stringify(job)}\n`);
    await Promise.race([answered, this.#exited]);
    clearInterval(looking);
    if (answer) {
      const told = /** @type {Result} */ (/** @type {unknown} */ (answer));
      if (told.peak_mb > megabytes)
        told.faults.push({ kind: "over_memory", what: `${told.peak_mb} MB, expected at most ${megabytes}` });
      return { ...told, id: job.id };
    }
    if (faults.length === 0) faults.push(this.#died());
    this.#cleanUp();
    return { id: job.id, faults, ms: Math.round(performance.now() - began), peak_mb: Math.round(peak) };
  }

  /** After its process is gone, and what it left. */
  get ended() {
    return this.#exited.then(() => this.#cleanUp());
  }

  end() {
    this.#process.stdin?.end();
  }

  /** @returns {Fault} */
  #died() {
    const said = this.#stderr.trim().split("\n").slice(-12).join("; ").slice(0, 600);
    const memory = /out of memory|Cannot create a string|Array buffer allocation/i.test(said);
    return { kind: memory ? "over_memory" : "internal", what: `the process died: ${said}` };
  }

  #kill() {
    const { pid } = this.#process;
    if (pid !== undefined && !this.over) process.kill(-pid, "SIGKILL");
  }

  #cleanUp() {
    remove(this.#folder);
  }

  #residentMb() {
    const pages = Number(this.#proc("statm").split(" ")[1] ?? 0);
    return (pages * 4096) / 2 ** 20;
  }

  /** Of the process and of those it started and that ended. */
  #cpuSeconds() {
    const text = this.#proc("stat");
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / CLOCK_TICKS;
  }

  /** Nothing where the system has no such files: then the clock alone counts. @param {string} name */
  #proc(name) {
    try {
      return readFileSync(`/proc/${this.#process.pid}/${name}`, "latin1");
    } catch {
      return "";
    }
  }
}
