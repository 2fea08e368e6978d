// @ts-check
/**
 * `npm run cluster -- [--machines 4] [--processes 2] [--seconds 60] [--servers 3] [--kill mix|leader|any|cut|none] [--mode
 * strict|merge] [--seed 1] [--json]`
 *
 * Machines with folders of their own write one workspace through real servers of NATS JetStream. The run kills servers and
 * processes and cuts machines and servers off, at any moment. Each acknowledged change has to be there once, and in the end all
 * folders are the same. `leader` kills the server that leads the stream, `any` kills one of them, `cut` cuts one off from the
 * others, `mix` does all of it.
 */
import { fork } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { parseArgs } from "node:util";
import { jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import { isKnownType } from "../../../dist/events/index.js";
import { openWorkspace } from "../../../dist/index.js";
import { readOps } from "../../../dist/log/read_ops.js";
import { bytesSource } from "../../../dist/log/source.js";
import { jetstream } from "taskfold/jetstream";
import {
  droppingProxy,
  hasNatsServer,
  NATS_SERVER,
  natsClusterWithCuts,
  natsServer,
} from "../../support/nats_servers.mjs";
import { randomFrom } from "../../support/random_calls.mjs";

const { values } = parseArgs({
  options: {
    machines: { type: "string", default: "4" },
    processes: { type: "string", default: "2" },
    seconds: { type: "string", default: "60" },
    servers: { type: "string", default: "3" },
    kill: { type: "string", default: "mix" },
    mode: { type: "string", default: "strict" },
    seed: { type: "string", default: "1" },
    json: { type: "boolean", default: false },
    keep: { type: "boolean", default: false },
  },
});
if (!["mix", "leader", "any", "cut", "none"].includes(values.kill))
  throw new Error("--kill is mix, leader, any, cut or none");
if (values.mode !== "strict" && values.mode !== "merge") throw new Error("--mode is strict or merge");
if (!hasNatsServer()) throw new Error(`expected the program ${NATS_SERVER}; on Debian: apt-get install nats-server`);

const WORKSPACE = "acme/cluster";
/** Jobs that one process has under way at a time. */
const AT_ONCE = 3;
const TASKS = ["TASK-001", "TASK-002", "TASK-003", "TASK-004"];
const CLAIMED = 8;
const STEPS = 40;
const PATIENCE_MS = 90_000;
/** Failures after which nothing was done, or the outcome is unknown: the answer to each is the same key again. */
const AGAIN = /^(?:SHARED_.*|UNKNOWN_OUTCOME|LOCK_TIMEOUT|STORAGE_FAILED|LOG_INCOMPLETE)$/;
/** Refusals by claims and blocks of others. Any other one is a fault of the engine. */
const EXPECTED = /^(?:SHARED_(?:UNAVAILABLE|BUSY)|UNKNOWN_OUTCOME|LOCK_TIMEOUT|LEASE_.*)$/;

/** @typedef {{key: string, tool: string, input: Record<string, unknown>, claim?: string, home?: string}} Job */
/** @typedef {{key: string, ok: boolean, code?: string, message?: string, warnings: string[]}} Answer */
/** @typedef {{root: string, proxies: import("../../support/nats_servers.mjs").Proxy[], workers: Map<import("node:child_process").ChildProcess, Map<string, Job>>}} Machine */

const { mode } = values;
const random = randomFrom(Number(values.seed));
const folder = mkdtempSync(join(tmpdir(), "taskfold-cluster-"));
const count = Number(values.servers);
const apart = count === 1 ? undefined : await natsClusterWithCuts(join(folder, "nats"), count);
const servers = apart?.servers ?? [await natsServer(join(folder, "nats"))];
const direct = servers.map((server) => server.url);

class Cluster {
  /** @type {Machine[]} */
  machines = [];
  /** Tools of acknowledged calls, by key. @type {Map<string, string>} */
  acked = new Map();
  /** @type {Job[]} */
  again = [];
  /** Keys of acknowledged claims, by step. @type {Map<string, Set<string>>} */
  claims = new Map();
  /** @type {Record<string, number>} */
  refused = {};
  /** Refusals that no fault of the run explains, each once. @type {Set<string>} */
  unexpected = new Set();
  replayed = 0;
  made = 0;
  nextStep = 0;
  killed = { processes: 0, servers: 0 };
  /** How often something befell a server. */
  harmed = 0;
  cuts = { machines: 0, servers: 0, leaders: 0 };
  ending = false;
  over = false;
  lastAck = Date.now();
  longestWait = 0;

  /** @param {Machine} machine */
  start(machine) {
    const urls = machine.proxies.map((proxy) => proxy.url).join(",");
    const child = fork(join(import.meta.dirname, "worker.mjs"), [machine.root, mode, urls], {
      stdio: ["ignore", "inherit", "inherit", "ipc"],
    });
    /** @type {Map<string, Job>} */
    const jobs = new Map();
    machine.workers.set(child, jobs);
    child.on("message", (/** @type {Answer & {ready?: true}} */ told) => {
      if (!told.ready) this.#heard(jobs, told);
      this.#feed(machine, child, jobs);
    });
    // One that was killed while it was spoken to: its end follows.
    child.on("error", () => undefined);
    child.on("exit", () => {
      machine.workers.delete(child);
      this.again.push(...jobs.values());
      if (!this.over && (!this.ending || this.again.length > 0)) this.start(machine);
    });
  }

  /** @param {Map<string, Job>} jobs @param {Answer} told */
  #heard(jobs, told) {
    const job = jobs.get(told.key);
    jobs.delete(told.key);
    if (!job) return;
    if (!told.ok) {
      const { code = "none", message } = told;
      this.refused[code] = (this.refused[code] ?? 0) + 1;
      if (AGAIN.test(code)) this.again.push(job);
      if (!EXPECTED.test(code)) this.unexpected.add(`${code} ${job.tool}: ${message}`);
      return;
    }
    // One that finds it done has nothing to find.
    if (!told.warnings.includes("ALREADY_DONE")) this.acked.set(told.key, job.tool);
    this.longestWait = Math.max(this.longestWait, Date.now() - this.lastAck);
    this.lastAck = Date.now();
    if (told.warnings.includes("REPLAYED")) this.replayed++;
    if (job.claim === undefined) return;
    const won = this.claims.get(job.claim) ?? new Set();
    this.claims.set(job.claim, won.add(told.key));
  }

  /** @param {Machine} machine @param {import("node:child_process").ChildProcess} child @param {Map<string, Job>} jobs */
  #feed(machine, child, jobs) {
    // A key counts once on each machine until they have exchanged it, so in mode merge a call is repeated where it was made.
    const isOf = (/** @type {Job} */ { home }) => mode === "strict" || home === undefined || home === machine.root;
    while (jobs.size < AT_ONCE && child.connected) {
      const job = this.again.find((one) => !jobs.has(one.key) && isOf(one)) ?? (this.ending ? undefined : this.#make());
      if (!job) break;
      this.again = this.again.filter((other) => other !== job);
      job.home = machine.root;
      jobs.set(job.key, job);
      child.send(job);
    }
    if (this.ending && jobs.size === 0 && !this.again.some(isOf) && child.connected) child.send("stop");
  }

  /** @returns {Job} */
  #make() {
    const key = `key-${this.made++}`;
    if (random.chance(0.15)) return this.#race(key);
    if (random.chance(0.04)) return { key, tool: "tasks_create", input: { kind: "task", title: key } };
    if (random.chance(0.03)) {
      const steps = [{ title: key, success_criteria: ["it works"], tests: ["npm test"] }];
      return { key, tool: "tasks_bootstrap", input: { plan_title: key, task_title: key, steps } };
    }
    if (random.chance(0.08)) {
      const blocked = TASKS.filter(() => random.chance(0.6)).map((task) => {
        return { tool: "tasks_block", args: { task, path: "s:0", reason: key } };
      });
      if (blocked.length > 0) return { key, tool: "tasks_batch", input: { atomic: true, operations: blocked } };
    }
    return { key, tool: "tasks_note", input: { task: TASKS[random.below(TASKS.length)], note: key } };
  }

  /** Claims of one step by processes of several machines at once. @param {string} key @returns {Job} */
  #race(key) {
    const at = this.nextStep++ % (CLAIMED * STEPS);
    const claim = `${Math.floor(at / STEPS)} ${at % STEPS}`;
    const input = { task: `TASK-9${String(Math.floor(at / STEPS)).padStart(2, "0")}`, path: `s:${at % STEPS}` };
    for (let n = 1; n < 3; n++) this.again.push({ key: `${key}.${n}`, tool: "tasks_claim", input, claim });
    return { key, tool: "tasks_claim", input, claim };
  }

  killProcess() {
    const machine = this.machines[random.below(this.machines.length)];
    const alive = [...(machine?.workers.keys() ?? [])];
    if (alive[random.below(alive.length)]?.kill("SIGKILL")) this.killed.processes++;
  }

  /** Cuts a machine off for a while. */
  async cut() {
    const machine = this.machines[random.below(this.machines.length)];
    const direction = random.chance(0.5) ? "both" : "answers";
    for (const proxy of machine?.proxies ?? []) proxy.drop(direction);
    this.cuts.machines++;
    await pause(500 + random.below(2500));
    for (const proxy of machine?.proxies ?? []) proxy.heal();
  }

  /** Harms a server: a mix takes turns, and every other time the leader is meant. */
  async harmServer() {
    const turn = this.harmed++;
    const kind = values.kill === "mix" ? (turn % 2 === 0 ? "leader" : "cut") : values.kill;
    const leader = await leaderName();
    const ofLeader =
      kind === "leader" || (kind === "cut" && Math.floor(turn / (values.kill === "mix" ? 2 : 1)) % 2 === 0);
    const led = servers.findIndex(({ name }) => name === leader);
    const at = ofLeader && led >= 0 ? led : random.below(servers.length);
    return kind === "cut" ? this.cutServer(at, at === led) : this.killServer(at);
  }

  /** Cuts a server off from the others for a while. Machines still reach it. @param {number} at @param {boolean} isLeader */
  async cutServer(at, isLeader) {
    if (!apart) return;
    apart.cut(at);
    this.cuts.servers++;
    if (isLeader) this.cuts.leaders++;
    await pause(2000 + random.below(3000));
    apart.heal(at);
  }

  /** Kills a server, or stops it for a while, and brings it back. @param {number} at */
  async killServer(at) {
    const server = servers[at];
    if (!server) return;
    this.killed.servers++;
    if (random.chance(0.3)) {
      server.signal("SIGSTOP");
      await pause(1000 + random.below(2000));
      server.signal("SIGCONT");
      return;
    }
    await server.kill();
    await pause(500 + random.below(1500));
    await server.start();
  }

  /** Every job that was handed out is acknowledged or refused in the end, or the cluster has come to a stop. */
  async end() {
    this.ending = true;
    for (const machine of this.machines) for (const [child, jobs] of machine.workers) this.#feed(machine, child, jobs);
    const until = Date.now() + PATIENCE_MS;
    while (this.#running() > 0 && Date.now() < until) await pause(20);
    const unanswered =
      this.again.length +
      this.machines.flatMap(({ workers }) => [...workers.values()]).reduce((sum, jobs) => sum + jobs.size, 0);
    this.over = true;
    for (const { workers } of this.machines) for (const child of workers.keys()) child.kill("SIGKILL");
    while (this.#running() > 0) await pause(20);
    return unanswered;
  }

  #running() {
    return this.machines.reduce((sum, { workers }) => sum + workers.size, 0);
  }
}

/** @param {number} ms */
const pause = (ms) => new Promise((done) => setTimeout(done, ms));

/** The server that leads the stream. Undefined if there is none for some seconds. */
async function leaderName() {
  for (let attempt = 0; attempt < 10; attempt++) {
    const name = await presentLeader();
    if (name !== undefined) return name;
    await pause(500);
  }
  return undefined;
}

async function presentLeader() {
  /** @type {import("@nats-io/transport-node").NatsConnection | undefined} */
  let connection;
  try {
    connection = await connect({ servers: direct, timeout: 1000 });
    const { streams } = await jetstreamManager(connection, { checkAPI: false, timeout: 1000 });
    for await (const { cluster, config } of streams.list())
      if (config.name.startsWith("taskfold-") && cluster?.leader) return cluster.leader;
    return undefined;
  } catch {
    return undefined;
  } finally {
    await connection?.close();
  }
}

/** @param {string} root */
function opened(root) {
  return openWorkspace({
    root,
    by: "human:end",
    shared: jetstream({ servers: direct, mode: mode === "merge" ? "merge" : "strict", replicas: count }),
  });
}

/** Every file of plans and tasks. @param {string} root */
function filesOf(root) {
  /** @type {Map<string, string>} */
  const files = new Map();
  for (const part of ["tasks", "archive"]) {
    const at = join(root, ".coco", part);
    if (!existsSync(at)) continue;
    for (const entry of readdirSync(at, { recursive: true, withFileTypes: true }))
      if (entry.isFile() && !entry.name.startsWith(".tf-tmp-"))
        files.set(
          join(entry.parentPath, entry.name).slice(root.length),
          readFileSync(join(entry.parentPath, entry.name), "latin1"),
        );
  }
  return files;
}

/** The last exchange of a machine. Servers that were killed or cut off may take a while to come together. */
async function exchanged(/** @type {ReturnType<typeof opened>} */ workspace) {
  const until = Date.now() + PATIENCE_MS;
  for (;;) {
    try {
      return await workspace.shared.sync(WORKSPACE, { blobs: "all" });
    } catch (e) {
      const { code = "" } = /** @type {{code?: string}} */ (e);
      if (!/^SHARED_(?:UNAVAILABLE|BUSY)$|^UNKNOWN_OUTCOME$/.test(code) || Date.now() > until) throw e;
      await pause(1000);
    }
  }
}

/** Paths of files that are not the same in both. @param {Map<string, string>} files @param {Map<string, string>} [others] */
function differing(files, others = new Map()) {
  return [...new Set([...files.keys(), ...others.keys()])].filter((path) => files.get(path) !== others.get(path));
}

/** @param {string} folder @returns {import("../../../dist/log/types.js").Op[]} */
function opsOf(folder) {
  return readOps(bytesSource(readFileSync(join(folder, "events.jsonl"))), { isKnownType }).ops;
}

/** @param {string} root */
function logFolders(root) {
  return ["tasks", "archive"].flatMap((part) => {
    const all = join(root, ".coco", part);
    if (!existsSync(all)) return [];
    return readdirSync(all)
      .map((id) => join(all, id))
      .filter((folder) => existsSync(join(folder, "events.jsonl")));
  });
}

/** Whether these names differ by the suffix alone that the later one of two gets. @param {string[]} names */
function areNamesakes(names) {
  return new Set(names.map((name) => name.replace(/-[0-9a-f]{6}$/, ""))).size === 1;
}

/** Waits until the servers have found each other. */
async function firstMachine() {
  for (let attempt = 0; ; attempt++) {
    const workspace = opened(mkdtempSync(join(folder, "machine-")));
    try {
      await workspace.shared.init(WORKSPACE);
      return workspace;
    } catch (e) {
      await workspace.close();
      if (attempt > 60) throw e;
      await pause(500);
    }
  }
}

const first = await firstMachine();
for (const id of TASKS) {
  const steps = [{ title: "Step", success_criteria: ["it works"], tests: ["npm test"] }];
  await first.call("tasks_create", { workspace: WORKSPACE, kind: "task", id, title: id, steps });
}
for (let i = 0; i < CLAIMED; i++) {
  const id = `TASK-9${String(i).padStart(2, "0")}`;
  const steps = Array.from({ length: STEPS }, (_, n) => ({
    title: `Step ${n}`,
    success_criteria: ["it works"],
    tests: ["npm test"],
  }));
  await first.call("tasks_create", { workspace: WORKSPACE, kind: "task", id, title: id, steps });
}
await first.close();

const cluster = new Cluster();
for (let i = 0; i < Number(values.machines); i++) {
  const root = i === 0 ? first.root : mkdtempSync(join(folder, "machine-"));
  const proxies = await Promise.all(servers.map(({ port }) => droppingProxy(port)));
  cluster.machines.push({ root, proxies, workers: new Map() });
}
for (const machine of cluster.machines) for (let n = 0; n < Number(values.processes); n++) cluster.start(machine);
cluster.lastAck = Date.now();

const until = Date.now() + Number(values.seconds) * 1000;
/** @param {() => Promise<void> | void} harm @param {number} least @param {number} most */
async function repeatedly(harm, least, most) {
  while (Date.now() < until) {
    await pause(least + random.below(most - least));
    if (Date.now() < until) await harm();
  }
}
await Promise.all([
  repeatedly(() => cluster.killProcess(), 800, 2500),
  repeatedly(() => cluster.cut(), 2000, 6000),
  values.kill === "none" ? pause(until - Date.now()) : repeatedly(() => cluster.harmServer(), 4000, 8000),
]);
const unanswered = await cluster.end();

const workspaces = cluster.machines.map(({ root }) => opened(root));
for (const workspace of [...workspaces, ...workspaces]) await exchanged(workspace);
for (const workspace of workspaces) await workspace.close();
// As the machines left them: no repair comes before.
const left = cluster.machines.map(({ root }) => filesOf(root));
const diverged = new Set(left.slice(1).flatMap((files) => differing(files, left[0])));
const findings = [];
/** Messages that one server alone keeps. Machines withstand this fault. @type {Set<string>} */
const differingCopies = new Set();
/** Files that a rebuild of all machines finds otherwise than their logs say. @type {Set<string>} */
const rebuilt = new Set();
for (const [i, { root }] of cluster.machines.entries()) {
  const workspace = opened(root);
  findings.push(
    ...workspace
      .verify()
      .findings.filter((one) => !one.info)
      .map(({ code, file, message }) => `${code} ${file}: ${message}`),
  );
  const compared = await workspace.shared.verify();
  for (const { code, id, message } of compared.findings)
    if (code === "COPY_DIFFERS") differingCopies.add(message);
    else findings.push(`${code} ${id}: ${message}`);
  await workspace.repair.rebuild();
  await workspace.close();
  for (const path of differing(filesOf(root), left[i])) rebuilt.add(path);
}

/** Logs that have each key, once for each time. @type {Map<string, string[]>} */
const keys = new Map();
/** How often an op builds on what another one builds on. */
let forks = 0;
for (const logFolder of logFolders(first.root)) {
  const ops = opsOf(logFolder);
  forks += ops.length - new Set(ops.map((op) => op.events[0]?.prev.join(" "))).size;
  for (const { events } of ops) {
    const key = events[0]?.op.key;
    if (key !== undefined) keys.set(key, [...(keys.get(key) ?? []), basename(logFolder)]);
  }
}
const lost = [...cluster.acked].filter(([key]) => !keys.has(key));
const twice = [...keys].filter(([, logs]) => logs.length > 1);
/** Calls that were made again after their task had got another name (SHARED-12): they are about what has the name now. */
const renamed =
  mode === "merge" ? twice.filter(([, logs]) => new Set(logs).size === logs.length && areNamesakes(logs)) : [];
const result = {
  mode,
  machines: cluster.machines.length,
  processes: Number(values.processes),
  servers: count,
  seed: Number(values.seed),
  acked: cluster.acked.size,
  found: cluster.acked.size - lost.length,
  lost: lost.length,
  doubled: twice.length - renamed.length,
  doubled_renamed: renamed.length,
  double_claims: [...cluster.claims.values()].filter((keys) => keys.size > 1).length,
  claims: cluster.claims.size,
  diverged: diverged.size,
  rebuilt: rebuilt.size,
  unavailable_ms: cluster.longestWait,
  unanswered,
  forks,
  replayed: cluster.replayed,
  killed: cluster.killed,
  cuts: cluster.cuts,
  refused: cluster.refused,
  unexpected: [...cluster.unexpected].slice(0, 20),
  findings: findings.slice(0, 20),
  differing_copies: [...differingCopies],
  lost_keys: lost.slice(0, 20),
  doubled_keys: twice.slice(0, 20),
  differing: [...diverged].slice(0, 20),
  rebuilt_files: [...rebuilt].slice(0, 20),
};
for (const { proxies } of cluster.machines) for (const proxy of proxies) proxy.close();
apart?.close();
for (const server of servers) await server.kill();
const isStrict = mode === "strict";
const failed =
  lost.length + result.doubled + diverged.size + rebuilt.size + findings.length + unanswered > 0 ||
  cluster.unexpected.size > 0 ||
  (isStrict && result.double_claims + result.forks > 0) ||
  cluster.acked.size === 0;
if (values.json) console.log(JSON.stringify(result));
else for (const [name, value] of Object.entries(result)) console.log(`${name}: ${JSON.stringify(value)}`);
if (values.keep || failed) console.error(folder);
else rmSync(folder, { recursive: true, force: true });
process.exitCode = failed ? 1 : 0;
