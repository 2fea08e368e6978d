// @ts-check
/**
 * `npm run storm -- [--processes 4] [--seconds 20] [--seed 7] [--lock os|lockfile|broken] [--json]`: several processes write
 * the same tasks, and the run kills one after another, at any moment. Each acknowledged change has to be there, once.
 *
 * - `--lock broken` gives every process the lock at once.
 * - `--sabotage lying-disk|forget-keys` adds a fault that the storm has to find.
 */
import { fork } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { openWorkspace } from "../dist/index.js";
import { effectsIn } from "./effects.mjs";
import { randomFrom } from "./random_calls.mjs";

const { values } = parseArgs({
  options: {
    processes: { type: "string", default: "4" },
    seconds: { type: "string", default: "20" },
    seed: { type: "string", default: "7" },
    lock: { type: "string", default: "os" },
    sabotage: { type: "string", default: "" },
    json: { type: "boolean", default: false },
    keep: { type: "boolean", default: false },
  },
});
if (!["os", "lockfile", "broken"].includes(values.lock)) throw new Error("--lock is os, lockfile or broken");
if (!["", "lying-disk", "forget-keys"].includes(values.sabotage))
  throw new Error("--sabotage is lying-disk or forget-keys");

/** Jobs that one process has under way at a time: enough that some share a write. */
const AT_ONCE = 3;
/** Fewer acknowledged changes than these are no storm: on a busy machine it goes on for them, for a while. */
const LEAST = 100;
const LONGER = 30_000;
const TASKS = ["TASK-001", "TASK-002"];
const CREATE = new Set(["tasks_create", "tasks_bootstrap"]);
const WORKSPACE = "acme/storm";
/** Failures after which nothing was done, or the outcome is unknown: the answer to each is the same key again. */
const AGAIN = new Set(["UNKNOWN_OUTCOME", "LOCK_TIMEOUT", "ID_TAKEN", "LOG_INCOMPLETE", "STORAGE_FAILED"]);

/** @typedef {{key: string, tool: string, input: Record<string, unknown>}} Job */
/** @typedef {{key: string, ok: boolean, code?: string, message?: string, warnings: string[]}} Answer */

const random = randomFrom(Number(values.seed));
const root = mkdtempSync(join(tmpdir(), "taskfold-storm-"));

class Storm {
  /** @type {Map<import("node:child_process").ChildProcess, Map<string, Job>>} */
  workers = new Map();
  /** @type {Set<string>} */
  acked = new Set();
  /** Handed out to a process that did not live to answer, or that was told to try again. @type {Job[]} */
  again = [];
  /** Keys that two processes may have worked on at the same time. @type {Set<string>} */
  shared = new Set();
  /** @type {Record<string, number>} */
  refused = {};
  kills = 0;
  replayed = 0;
  made = 0;
  ending = false;
  over = false;

  start() {
    const child = fork(join(import.meta.dirname, "storm_worker.mjs"), [root, values.lock, values.sabotage]);
    const jobs = new Map();
    this.workers.set(child, jobs);
    child.on("message", (/** @type {Answer | {ready: true}} */ told) => {
      if (!("ready" in told)) this.#heard(jobs, told);
      this.#feed(child, jobs);
    });
    child.on("exit", () => {
      this.workers.delete(child);
      this.again.push(...jobs.values());
      if (!this.ending || (!this.over && this.again.length > 0 && this.workers.size === 0)) this.start();
    });
    // A message to a process that is just being killed: its jobs go to the next one.
    child.on("error", () => undefined);
  }

  killOne() {
    const alive = [...this.workers.keys()];
    if (alive[random.below(alive.length)]?.kill("SIGKILL")) this.kills++;
  }

  /** @param {Map<string, Job>} jobs @param {Answer} told */
  #heard(jobs, told) {
    const job = jobs.get(told.key);
    jobs.delete(told.key);
    if (!job) return;
    if (told.ok) {
      this.acked.add(told.key);
      if (told.warnings.includes("REPLAYED")) this.replayed++;
      return;
    }
    const { code = "none", message } = told;
    this.refused[code] = (this.refused[code] ?? 0) + 1;
    if (AGAIN.has(code)) this.again.push(job);
    else console.error(`${code}: ${message}`);
  }

  /** @param {import("node:child_process").ChildProcess} child @param {Map<string, Job>} jobs */
  #feed(child, jobs) {
    while (jobs.size < AT_ONCE && child.connected) {
      const job = this.again.find(({ key }) => !jobs.has(key)) ?? (this.ending ? undefined : this.#make());
      if (!job) break;
      this.again = this.again.filter((other) => other !== job);
      this.#send(child, jobs, job);
      // A caller that did not wait for the answer: the same key comes from two processes at once.
      if (this.ending || !random.chance(0.15)) continue;
      const other = [...this.workers].find(([one, has]) => one !== child && one.connected && !has.has(job.key));
      // Without any lock two creations may both be first, and nothing in one log can tell.
      if (other && (values.lock !== "broken" || !CREATE.has(job.tool))) this.#send(...other, job);
    }
    if (this.ending && jobs.size === 0 && child.connected) child.send("stop");
  }

  /** @param {import("node:child_process").ChildProcess} child @param {Map<string, Job>} jobs @param {Job} job */
  #send(child, jobs, job) {
    if ([...this.workers.values()].some((has) => has.has(job.key))) this.shared.add(job.key);
    jobs.set(job.key, job);
    child.send(job);
  }

  /** @returns {Job} */
  #make() {
    const key = `key-${this.made++}`;
    if (random.chance(0.03)) return { key, tool: "tasks_create", input: { kind: "task", title: key } };
    if (random.chance(0.05)) {
      const steps = [{ title: key, success_criteria: ["it works"], tests: ["npm test"] }];
      return { key, tool: "tasks_bootstrap", input: { plan_title: key, task_title: key, steps } };
    }
    if (random.chance(0.15)) {
      const blocked = TASKS.filter(() => random.chance(0.6)).map((task) => {
        return { tool: "tasks_block", args: { task, path: "s:0", reason: key } };
      });
      if (blocked.length > 0) return { key, tool: "tasks_batch", input: { atomic: true, operations: blocked } };
    }
    const task = TASKS[random.below(TASKS.length)];
    return { key, tool: "tasks_note", input: { task, note: key } };
  }

  /** Everything handed out is acknowledged in the end, or the workspace has come to a stop. @param {number} patience */
  async end(patience) {
    this.ending = true;
    for (const [child, jobs] of this.workers) this.#feed(child, jobs);
    const until = Date.now() + patience;
    while (this.workers.size > 0 && Date.now() < until) await new Promise((done) => setTimeout(done, 20));
    const unanswered = this.again.length + [...this.workers.values()].reduce((sum, jobs) => sum + jobs.size, 0);
    this.over = true;
    for (const child of this.workers.keys()) child.kill("SIGKILL");
    while (this.workers.size > 0) await new Promise((done) => setTimeout(done, 20));
    return unanswered;
  }
}

const first = openWorkspace({ root, ...(values.lock === "lockfile" ? { lock: "lockfile" } : {}) });
const steps = [{ title: "Step", success_criteria: ["it works"], tests: ["npm test"] }];
for (const id of TASKS) await first.call("tasks_create", { workspace: WORKSPACE, kind: "task", id, title: id, steps });
await first.close();

const storm = new Storm();
const until = Date.now() + Number(values.seconds) * 1000;
for (let i = 0; i < Number(values.processes); i++) storm.start();
while (Date.now() < until || (storm.acked.size < LEAST && Date.now() < until + LONGER)) {
  await new Promise((done) => setTimeout(done, 200 + random.below(600)));
  storm.killOne();
}
const unanswered = await storm.end(values.sabotage ? 3000 : 60_000);

const after = openWorkspace({ root });
await after.rebuild();
// Of two processes that both take a journal for a dead one's, each writes its lines: copies, as a merge makes them.
if (values.lock === "broken") await after.resolve();
const { findings } = after.verify();
await after.close();
// The remains of a creation that was cut off never counted. With a lock, the next creation of that id clears them away (DUR-3).
const bad = findings.filter((f) => !f.info && !(values.lock === "broken" && f.code === "LOG_EMPTY"));
const { keys, doubled, twice, forks, entities } = effectsIn(root);
const lost = [...storm.acked].filter((key) => !keys.has(key));
const result = {
  lock: values.lock,
  acked: storm.acked.size,
  found: storm.acked.size - lost.length,
  lost: lost.length,
  doubled,
  doubled_alone: [...twice].filter((key) => !storm.shared.has(key)).length,
  unanswered,
  kills: storm.kills,
  replayed: storm.replayed,
  refused: storm.refused,
  forks,
  entities,
  findings: bad.map(({ code, file, message }) => `${code} ${file}: ${message}`),
};
// With a working lock each process writes on the last state. Without one there are forks, or it was no storm. Two
// processes that use one key at the same time may both apply it, as two branches may; neither case loses a change.
const apart = values.lock === "broken" ? forks === 0 || result.doubled_alone > 0 : forks > 0 || doubled !== 0;
const failed = lost.length > 0 || bad.length > 0 || apart || unanswered > 0 || storm.acked.size === 0;
if (values.json) console.log(JSON.stringify(result));
else
  console.log(
    Object.entries(result)
      .map(([name, value]) => `${name}: ${JSON.stringify(value)}`)
      .join("\n"),
  );
if (values.keep) console.error(root);
else rmSync(root, { recursive: true, force: true });
process.exitCode = failed ? 1 : 0;
