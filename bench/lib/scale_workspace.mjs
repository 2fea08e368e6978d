// Workspaces of very many tasks with two steps each, of which few are open: as an orchestrator leaves them after a year.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readEntity, subjectOf } from "../../dist/engine/entity/entity_on_disk.js";
import { isKnownType } from "../../dist/events/index.js";
import { openWorkspace } from "../../dist/index.js";
import { sealOp } from "../../dist/log/envelope.js";
import { taskYaml } from "../../dist/projections/task_yaml.js";
import { call, WORKSPACE } from "./workspaces.mjs";

const STEPS = ["First", "Second"].map((title) => ({ title, success_criteria: ["it works"], tests: ["npm test"] }));
const DAY_MS = 24 * 3600 * 1000;
const PLAN = "PLAN-001";
const BEGAN = Date.parse("2026-01-01T00:00:00.000Z");

/**
 * A bound workspace of `tasks` tasks, the last `open` of them open and the others DONE. The engine makes one of each; the logs of
 * the others say the same with their own ids and times, as git would bring them.
 * With `plan` all of them are tasks of PLAN-001.
 * @param {string} root @param {{ tasks: number, open: number, plan?: boolean }} many
 */
export async function scaleWorkspace(root, { tasks, open, plan = false }) {
  const templates = await templateOps();
  const folder = join(root, ".coco", "tasks");
  const ws = openWorkspace({ root });
  await ws.init(WORKSPACE);
  if (plan) await call(ws, "tasks_create", { kind: "plan", id: PLAN, title: "A plan of many tasks" });
  await ws.close();
  if (plan) belongTo({ id: PLAN, root: firstHash(root, PLAN) }, templates);
  for (let n = 1; n <= tasks; n++) {
    const id = idOf(n);
    const isOpen = n > tasks - open;
    const bytes = logOf(id, n, isOpen ? templates.open : templates.done);
    mkdirSync(join(folder, id));
    writeFileSync(join(folder, id, "events.jsonl"), bytes);
    const { entity, report } = readEntity(bytes, isKnownType);
    writeFileSync(join(folder, id, "task.yaml"), taskYaml(subjectOf(id, WORKSPACE, entity, report)));
  }
}

/** @param {{ id: string, root: string }} parent @param {Awaited<ReturnType<typeof templateOps>>} templates */
function belongTo(parent, { open, done }) {
  for (const { type, payload } of [...open, ...done].flatMap(({ drafts }) => drafts))
    if (type === "task.created") payload.parent = parent;
}

/** @param {string} root @param {string} id */
function firstHash(root, id) {
  const text = readFileSync(join(root, ".coco", "tasks", id, "events.jsonl"), "utf8");
  return JSON.parse(text.slice(0, text.indexOf("\n"))).hash;
}

/** @param {number} n */
export function idOf(n) {
  return `TASK-${String(n).padStart(3, "0")}`;
}

/** Two hundred tasks a day. @param {string} id @param {number} n @param {{ tool: string, drafts: object[] }[]} ops */
function logOf(id, n, ops) {
  const parts = [];
  let heads = [];
  let seq = 0;
  for (const [i, { tool, drafts }] of ops.entries()) {
    const ts = new Date(BEGAN + Math.floor((n * DAY_MS) / 200) + i).toISOString();
    const opId = `${n.toString(16).padStart(14, "0")}${i.toString(16).padStart(2, "0")}`;
    const { events, bytes } = sealOp({ taskId: id, by: "agent:w1", ts, tool, opId, heads, seq, drafts });
    heads = [events.at(-1).hash];
    seq += events.length;
    parts.push(bytes);
  }
  return Buffer.concat(parts);
}

/** The ops of an open task and of one that is DONE, as the engine writes them. */
async function templateOps() {
  const root = mkdtempSync(join(tmpdir(), "tf-scale-"));
  try {
    const ws = openWorkspace({ root, durability: "os" });
    const checkpoints = { criteria: { confirmed: true }, tests: { confirmed: true } };
    for (const id of ["TASK-1", "TASK-2"])
      await call(ws, "tasks_create", { kind: "task", id, title: "A task", steps: STEPS });
    for (const path of ["s:0", "s:1"]) await call(ws, "tasks_close_step", { task: "TASK-2", path, checkpoints });
    await call(ws, "tasks_complete", { task: "TASK-2" });
    await ws.close();
    return { open: opsIn(root, "TASK-1"), done: opsIn(root, "TASK-2") };
  } finally {
    rmSync(root, { recursive: true });
  }
}

/**
 * The ops of a log, each with what it writes.
 * @param {string} root @param {string} id
 * @returns {{ tool: string, drafts: { type: string, payload: import("../../dist/log/types.js").Payload }[] }[]}
 */
export function opsIn(root, id) {
  const text = readFileSync(join(root, ".coco", "tasks", id, "events.jsonl"), "utf8");
  /** @type {Map<string, ReturnType<typeof opsIn>[number]>} */
  const ops = new Map();
  for (const line of text.trim().split("\n")) {
    const { op, type, payload } = JSON.parse(line);
    const known = ops.get(op.id) ?? { tool: op.tool, drafts: [] };
    known.drafts.push({ type, payload });
    ops.set(op.id, known);
  }
  return [...ops.values()];
}
