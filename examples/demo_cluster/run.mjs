// @ts-check
// `npm run demo:cluster [-- --json]`: three servers of NATS JetStream, three machines with folders of their own, one workspace. Agents race
// for every step, a server is killed in the middle, and in the end all folders are the same. Needs nats-server.
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import { openWorkspace } from "taskfold";
import { jetstream } from "taskfold/jetstream";
import { hasNatsServer, natsCluster } from "../../test/support/nats_servers.mjs";
import { runSteps } from "../demo/run_steps.mjs";

/** @typedef {import("../demo/stage.mjs").Stage} Stage */
/** @typedef {{ name: string, workspace: import("taskfold").Workspace }} Machine */

if (!hasNatsServer()) {
  console.error("This demo starts real servers: install nats-server (on Debian: apt-get install nats-server).");
  process.exit(2);
}

const WORKSPACE = "acme/rocket";
const STEPS = [
  "Draw the hull",
  "Weld the frame",
  "Fit the engine",
  "Fill the tanks",
  "Test the valves",
  "Paint it red",
];
const PATIENCE = 60;
/** @type {import("../../test/support/nats_servers.mjs").NatsServer[]} */
let servers = [];
/** @type {Machine[]} */
const machines = [];

await runSteps("rocket", [aServers, bTask, cRaces, dSame, eEnd]);

/** @param {Stage} stage */
async function aServers(stage) {
  stage.section(
    "Three servers, three machines",
    "Each machine has a folder of its own. No folder is shared, and no git push is made.",
  );
  servers = await natsCluster(join(stage.temporary, "nats"), 3);
  const urls = servers.map(({ url }) => url);
  for (const name of ["ada", "bob", "eve"]) {
    const root = join(stage.temporary, name);
    mkdirSync(root, { recursive: true });
    const shared = jetstream({ servers: urls, replicas: 3, timeoutMs: 1000 });
    machines.push({ name, workspace: openWorkspace({ root, by: `agent:${name}`, shared }) });
  }
  await until(async () => (await first().shared.init(WORKSPACE)).last > 0);
  stage.print(`   servers   ${urls.join("  ")}`);
  stage.print(`   machines  ${machines.map(({ name }) => name).join("  ")}\n`);
}

/** @param {Stage} stage */
async function bTask(stage) {
  stage.section("A task that ada makes is there for all");
  const steps = STEPS.map((title) => ({ title, success_criteria: ["it holds"], tests: ["look at it"] }));
  const made = await first().call("tasks_create", {
    workspace: WORKSPACE,
    kind: "task",
    title: "Build the rocket",
    steps,
  });
  const id = String(/** @type {{ id?: string }} */ (made.result).id);
  stage.task = id;
  const seen = await Promise.all(
    machines.map(({ workspace }) =>
      workspace.shared.sync(WORKSPACE).then(() => existsSync(join(workspace.root, ".coco/tasks", id))),
    ),
  );
  stage.check(
    "the task of one machine is in the folders of all",
    seen.every(Boolean),
    `${id} in ${seen.length} folders`,
  );
}

/** @param {Stage} stage */
async function cRaces(stage) {
  stage.section(
    "Every machine claims every step at once",
    "Each claim goes to all three machines. After the second step the leading server is killed.",
  );
  let winners = 0;
  for (const [i, title] of STEPS.entries()) {
    if (i === 2) {
      const leader = await leaderOf();
      const server = servers.find(({ name }) => name === leader) ?? servers[0];
      await server?.kill();
      stage.print(`\n   ${leader} is killed.\n`);
    }
    const began = Date.now();
    const replies = await Promise.all(machines.map((machine) => claim(machine, stage.task, `s:${i}`)));
    const won = machines.filter((_, at) => replies[at] === "ok");
    winners += won.length === 1 ? 1 : 0;
    stage.print(
      `   ${title.padEnd(18)} ${machines.map(({ name }, at) => `${name} ${replies[at] === "ok" ? "has it" : "held  "}`).join("   ")}   ${Date.now() - began} ms`,
    );
  }
  stage.check(
    "each step has one winner, also while a server is gone",
    winners === STEPS.length,
    `${winners} of ${STEPS.length}`,
  );
}

/** @param {Stage} stage */
async function dSame(stage) {
  stage.section("The server is back, and all folders are the same");
  for (const server of servers) {
    await server.kill();
    await server.start();
  }
  await until(async () => {
    for (const { workspace } of [...machines, ...machines]) await workspace.shared.sync(WORKSPACE);
    return true;
  });
  const trees = machines.map(({ workspace }) => filesBelow(join(workspace.root, ".coco/tasks")));
  const isSame = trees.every((tree) => tree === trees[0]);
  stage.check("three folders are equal, byte for byte", isSame, `${trees[0]?.length ?? 0} bytes each`);
  const found = machines.flatMap(({ workspace }) => workspace.verify().findings.filter((one) => !one.info));
  stage.check("verify finds nothing on any machine", found.length === 0, `${found.length} findings`);
  const compared = await Promise.all(machines.map(({ workspace }) => workspace.shared.verify()));
  stage.check(
    "the shared log and every machine agree",
    compared.every(({ findings }) => findings.length === 0),
    `${compared[0]?.messages ?? 0} messages`,
  );
}

async function eEnd() {
  for (const { workspace } of machines) await workspace.close();
  for (const server of servers) await server.kill();
}

function first() {
  const [machine] = machines;
  if (!machine) throw new Error("expected a machine");
  return machine.workspace;
}

/** The same key again is safe, whatever the first answer was. @param {Machine} machine @param {string} task @param {string} path */
async function claim({ name, workspace }, task, path) {
  const input = { workspace: WORKSPACE, task, path, idempotency_key: `${name} ${path}` };
  for (let attempt = 0; attempt < PATIENCE; attempt++) {
    const { error } = await workspace.call("tasks_claim", input);
    if (!error) return "ok";
    if (!/^(?:SHARED_|UNKNOWN_OUTCOME)/.test(error.code)) return error.code;
    await pause(250);
  }
  throw new Error(`expected an answer about ${path}`);
}

/** @param {() => Promise<boolean>} work */
async function until(work) {
  for (let attempt = 1; ; attempt++) {
    try {
      if (await work()) return;
    } catch (e) {
      if (attempt === PATIENCE) throw e;
    }
    await pause(500);
  }
}

async function leaderOf() {
  const connection = await connect({ servers: servers.map(({ url }) => url) });
  try {
    const { streams } = await jetstreamManager(connection);
    for await (const { config, cluster } of streams.list())
      if (config.name.startsWith("taskfold-")) return cluster?.leader ?? "";
    return "";
  } finally {
    await connection.close();
  }
}

/** @param {string} folder */
function filesBelow(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted()
    .map((path) => `${path.slice(folder.length)}\n${readFileSync(path, "latin1")}`)
    .join("\n");
}

/** @param {number} ms */
function pause(ms) {
  return new Promise((done) => setTimeout(done, ms));
}
