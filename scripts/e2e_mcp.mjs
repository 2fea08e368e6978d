// @ts-check
// `npm run e2e:mcp`: an agent in an MCP client makes a task and works on it, is told what is missing, hands over and is gone;
// a second agent, in a client of another protocol revision, knows nothing but what it is given, and finishes. Every server is
// a process of its own, started as a user's client would start it. Fails when anything is not as it is said to be.
//   node scripts/e2e_mcp.mjs [--json] [--keep DIR]
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";

/**
 * An answer of the tools called here; each result has those of the members that its tool gives.
 * @typedef {{ id: string, task_id: string, steps: { first_open: { path: string } }, capsule: object, handoff: object }} Result
 * @typedef {Omit<import("../dist/index.js").Reply, "result"> & { result: Result }} Reply
 */

const PROGRAM = join(import.meta.dirname, "../dist/cli.js");
const WORKSPACE = "acme/repo";

const { values: options } = parseArgs({ options: { json: { type: "boolean" }, keep: { type: "string" } } });
const root = options.keep ? resolve(options.keep) : mkdtempSync(join(tmpdir(), "taskfold-e2e-"));
mkdirSync(root, { recursive: true });

/** @type {{ check: string, ok: boolean }[]} */
const checks = [];

/** @param {string} check @param {unknown} ok @param {unknown} [seen] what was found, told when it is wrong */
function expect(check, ok, seen) {
  checks.push({ check, ok: Boolean(ok) });
  if (!options.json) console.log(`${ok ? "ok  " : "FAIL"}  ${check}${ok ? "" : `: ${JSON.stringify(seen)}`}`);
}

class Agent {
  /** @param {Client} client @param {string[]} listed */
  constructor(client, listed) {
    this.client = client;
    this.listed = listed;
  }

  /** @param {string} name @param {import("@modelcontextprotocol/client").ClientOptions["versionNegotiation"]} [versionNegotiation] */
  static async start(name, versionNegotiation) {
    const client = new Client({ name, version: "1.0.0" }, versionNegotiation ? { versionNegotiation } : {});
    const args = [PROGRAM, "mcp", "--root", root, "--workspace", WORKSPACE];
    await client.connect(new StdioClientTransport({ command: process.execPath, args, stderr: "inherit" }));
    const { tools } = await client.listTools();
    return new Agent(
      client,
      tools.map((tool) => tool.name),
    );
  }

  /** The client checks the answer of a listed tool against its output schema. @param {string} name @param {object} input @returns {Promise<Reply>} */
  async call(name, input) {
    const result = await this.client.callTool({ name, arguments: { workspace: WORKSPACE, ...input } });
    const [text] = result.content;
    if (text?.type !== "text" || text.text !== JSON.stringify(result.structuredContent))
      throw new Error(`${name}: the text is not the reply`);
    const reply = /** @type {Reply} */ (/** @type {unknown} */ (result.structuredContent));
    if (Boolean(result.isError) === reply.success) throw new Error(`${name}: isError is not what the reply says`);
    return reply;
  }

  /** @param {string} name @param {object} input */
  async must(name, input) {
    const { success, result, error } = await this.call(name, input);
    if (!success) throw new Error(`${name}: ${error?.code} ${error?.message}`);
    return result;
  }

  /** @param {string} name */
  has(name) {
    return this.listed.includes(name);
  }
}

const steps = ["Write the parser", "Write the printer"].map((title) => ({
  title,
  success_criteria: ["every sample comes back as it was"],
  tests: ["npm test"],
}));
const PROOF = ["CMD: npm test", "LINK: https://ci.example.org/runs/7"];

try {
  await work();
} finally {
  if (!options.keep) rmSync(root, { recursive: true, force: true });
}
const failed = checks.filter(({ ok }) => !ok).length;
if (options.json) console.log(JSON.stringify({ passed: checks.length - failed, failed, checks }, null, 2));
else console.log(`${checks.length - failed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;

async function work() {
  const ada = await Agent.start("ada");
  expect("the first agent is told few tools", ada.listed.length <= 8, ada.listed);
  const task = await begin(ada);
  await ada.must("tasks_note", { task, path: "s:0", note: "The grammar is ambiguous at else; the nearer if wins." });

  const early = await ada.call("tasks_done", { task, path: "s:0" });
  expect("a step does not close unconfirmed", early.error?.code === "CHECKPOINTS_NOT_CONFIRMED", early.error);
  expect("and a call that would work is offered", early.suggestions.length > 0, early);

  await closeWithProof(ada, task);
  const handed = await handOver(ada, task);
  await ada.client.close();

  const bob = await Agent.start("bob", { mode: { pin: "2026-07-28" } });
  expect("the second agent sees what is done", JSON.stringify(handed).includes("Write the parser"), handed);
  expect("and what remains", JSON.stringify(handed).includes("Write the printer"), handed);
  const uri = `taskfold://tasks/${task}/radar`;
  const before = await radar(bob, uri);
  expect("its radar says what is next", before.radar.next.length > 0, before);
  /** @type {Promise<string>} */
  const told = new Promise((done) => {
    bob.client.setNotificationHandler("notifications/resources/updated", ({ params }) => done(params.uri));
  });
  await bob.client.listen({ resourceSubscriptions: [uri] });
  const finished = await finish(bob, task, handed);
  expect("the second agent finishes the task", finished, finished);
  expect("who listens is told of the change", (await told) === uri, uri);
  const after = await radar(bob, uri);
  expect("the radar says that it is done", after.target.status === "DONE", after);
  await bob.client.close();

  const log = readFileSync(join(root, ".coco/tasks", task, "events.jsonl"), "utf8");
  const by = new Set(
    log
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line).by),
  );
  expect("the log says who did what", by.has("agent:ada") && by.has("agent:bob"), [...by]);
}

/** A plan and a task of two steps, in as few calls as there are tools for. @param {Agent} agent @returns {Promise<string>} */
async function begin(agent) {
  if (agent.has("tasks_macro_start")) {
    const started = await agent.must("tasks_macro_start", { plan_title: "Version 2", task_title: "A format", steps });
    return started.task_id;
  }
  const plan = await agent.must("tasks_create", { title: "Version 2" });
  return (await agent.must("tasks_create", { parent: plan.id, title: "A format", steps })).id;
}

/** The first open step. @param {Agent} agent @param {string} task */
async function closeWithProof(agent, task) {
  if (agent.has("tasks_macro_close_step")) return agent.must("tasks_macro_close_step", { task, proof: PROOF });
  const { steps: counted } = await agent.must("tasks_radar", { task });
  const { path } = counted.first_open;
  await agent.must("tasks_evidence_capture", { task, path, checks: PROOF, checkpoint: "tests" });
  return agent.must("tasks_close_step", { task, path, checkpoints: "gate" });
}

/** What the next agent gets: the capsule, and nothing else where there is one. @param {Agent} agent @param {string} task */
async function handOver(agent, task) {
  if (agent.has("tasks_snapshot")) return (await agent.must("tasks_snapshot", { task })).capsule;
  return (await agent.must("tasks_handoff", { task, max_chars: 4000 })).handoff;
}

/** @param {Agent} agent @param {string} task @param {object} handed */
async function finish(agent, task, handed) {
  expect("what was handed over is small", JSON.stringify(handed).length <= 4000, JSON.stringify(handed).length);
  await closeWithProof(agent, task);
  const reply = await agent.call("tasks_complete", { task });
  return reply.success;
}

/** @param {Agent} agent @param {string} uri */
async function radar(agent, uri) {
  const [content] = (await agent.client.readResource({ uri })).contents;
  return JSON.parse(content && "text" in content ? content.text : "null");
}
