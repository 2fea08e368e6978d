// @ts-check
/**
 * The origin of the logs of test/golden/v2: events of plans, task nodes, reasoning, claims, reports and transactions, on one
 * branch and on two. They also hold lines that were lost for good. Run once, as make.mjs; the format of the logs is
 * version 1.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { branch, call, logOf, open as openAt, steps, withoutMachine } from "./world.mjs";

/** @typedef {import("./world.mjs").Library} Library */
/** @typedef {import("./world.mjs").Workspace} Workspace */

const LINE = '"quoted": # and - \\ Ünïcödé 🚀 漢字 </details>';
const HOSTILE = '# heading\n- item\n<<<<<<< HEAD\n"quoted": \\ \u0000 \u0085 \u2028 Ünïcödé 🚀 漢字\r\n\ttab';

/** @param {Library} library @param {string} root @param {string} who @param {number} hour */
const open = (library, root, who, hour) => openAt(library, root, who, hour, "golden v2");

/** Writes the workspace into `root`, which must be empty or absent. @param {string} root @param {Library} library */
export async function makeWork(root, library) {
  const ada = open(library, root, "agent:ada", 0);
  await plan(ada);
  await nodes(ada);
  await reasoning(ada);
  await transactions(ada);
  for (const id of ["PLAN-FORK", "TASK-FORK", "TASK-BESIDE"]) await forkable(ada, id);
  await ada.close();
  const later = open(library, root, "agent:eve", 3);
  await claims(later);
  await later.close();
  await branches(library, root);
  await lostForGood(library, root);
  withoutMachine(root);
}

/** @param {Workspace} ws */
async function plan(ws) {
  const it = { plan: "PLAN-WORK" };
  await call(ws, "tasks_create", { kind: "plan", id: it.plan, title: "Version 2", description: HOSTILE });
  await call(ws, "tasks_plan", { ...it, doc: LINE, steps: ["Write the parser", "Write the printer", LINE] });
  await call(ws, "tasks_plan", { ...it, advance: true });
  await call(ws, "tasks_plan", { ...it, current: 0 });
  await call(ws, "tasks_contract", {
    ...it,
    current: HOSTILE,
    contract_data: { stable: true, since: [1, 2], é: null },
  });
  await call(ws, "tasks_contract", { ...it, clear: true });
  await call(ws, "tasks_undo", it);
  await call(ws, "tasks_patch", { ...it, ops: [{ op: "append", field: "tags", value: "parser" }] });
}

/** @param {Workspace} ws */
async function nodes(ws) {
  const it = { task: "TASK-NODES" };
  await call(ws, "tasks_create", {
    kind: "task",
    id: it.task,
    parent: "PLAN-WORK",
    title: "Nodes",
    steps: steps("One", "Two"),
  });
  const lists = { next_steps: ["ask Ann"], blockers: [HOSTILE], dependencies: ["s:1"], problems: [], risks: ["late"] };
  await call(ws, "tasks_task_add", { ...it, parent_step: "s:0", title: "Collect samples", ...lists });
  await call(ws, "tasks_task_add", { ...it, parent_step: "s:0", title: "Not needed" });
  await call(ws, "tasks_task_define", { ...it, path: "s:0.t:0", status: "DONE", context: HOSTILE, risks: [] });
  await call(ws, "tasks_task_delete", { ...it, path: "s:0.t:1" });
  await call(ws, "tasks_undo", it);
  await call(ws, "tasks_redo", it);
  await call(ws, "tasks_patch", { ...it, kind: "task", path: "s:0.t:0", ops: [{ op: "unset", field: "context" }] });
}

/** @param {Workspace} ws */
async function reasoning(ws) {
  const it = { task: "TASK-THINK" };
  await call(ws, "tasks_create", {
    kind: "task",
    id: it.task,
    parent: "PLAN-WORK",
    title: "Thought about",
    steps: steps("One"),
  });
  await call(ws, "tasks_think", {
    ...it,
    frame: HOSTILE,
    hypothesis: "The cache is stale.",
    status: { hypothesis: "likely" },
  });
  await call(ws, "tasks_think", {
    ...it,
    test: { title: "Rename and read", text: HOSTILE },
    trace: "Looked at the callers.",
  });
  await call(ws, "tasks_think", { ...it, trace: "A thought that is taken back." });
  await call(ws, "tasks_undo", it);
  await call(ws, "tasks_redo", it);
  await call(ws, "tasks_undo", it);
  await call(ws, "tasks_think", {
    ...it,
    decision: { title: "Key by inode", text: "Names move." },
    note_decision: true,
  });
  await call(ws, "tasks_think", { ...it, decision: { title: "Taken back", text: HOSTILE }, note_decision: false });
  await call(ws, "tasks_undo", it);
  const agent = { instance: "w1", status: "success", conclusions: ["Every sample parses."], next_actions: ["review"] };
  await call(ws, "tasks_report", { ...it, summary: HOSTILE, agents: [agent] });
  await call(ws, "change_mind", { ...it, selector: "goals", content: "- [ ] first\n" });
  await call(ws, "change_mind", { ...it, category: "ux", selector: "checklist", content: HOSTILE.replace("\0", "") });
  await call(ws, "change_mind", { ...it, category: "ux", selector: "checklist", clear: true });
}

/** Several folders that change together, and a plan that is deleted with its tasks. @param {Workspace} ws */
async function transactions(ws) {
  const made = {
    plan_title: "By a macro",
    task_title: "One of its tasks",
    steps: steps("One", "Two"),
    think: { hypothesis: "It holds." },
  };
  await call(ws, "tasks_bootstrap", { ...made, idempotency_key: "boot" });
  const path = "s:1";
  const operations = [
    { tool: "tasks_block", args: { task: "TASK-NODES", path, reason: HOSTILE } },
    { tool: "tasks_patch", args: { task: "TASK-THINK", ops: [{ op: "append", field: "tags", value: "cache" }] } },
    { tool: "tasks_block", args: { task: "TASK-001", path, reason: "waits" } },
  ];
  await call(ws, "tasks_batch", { atomic: true, operations, idempotency_key: "batch" });
  await call(ws, "tasks_block", { task: "TASK-001", path, blocked: false });
  await call(ws, "tasks_macro_close_step", { task: "TASK-001", path: "s:0", checkpoints: "gate" });
  await call(ws, "tasks_macro_create_done", { plan: "PLAN-001", task_title: "Done at once", steps: steps("Only") });
  const gone = { plan_title: "Deleted with its tasks", task_title: "Goes with it", steps: steps("Never") };
  await call(ws, "tasks_bootstrap", gone);
  await call(ws, "tasks_delete", { plan: "PLAN-002" });
}

/** By an agent that comes three hours later. @param {Workspace} ws */
async function claims(ws) {
  const it = { task: "TASK-NODES" };
  await call(ws, "tasks_claim", { ...it, path: "s:0", ttl_s: 60 });
  await call(ws, "tasks_release", { ...it, path: "s:0" });
  await call(ws, "tasks_claim", { ...it, ttl_s: 3600 });
  await call(ws, "tasks_release", { ...it, force: true, reason: HOSTILE });
  await call(ws, "tasks_claim_next", { plan: "PLAN-001" });
}

/** @param {Workspace} ws @param {string} id */
async function forkable(ws, id) {
  const kind = id.startsWith("PLAN") ? "plan" : "task";
  await call(ws, "tasks_create", {
    kind,
    id,
    title: "Two branches",
    ...(kind === "task" ? { steps: steps("common") } : {}),
  });
  await call(ws, "tasks_note", { target: id, note: "taken back on both branches" });
}

/** Both take one note back, claim one step, set one contract, lay cards down and change two folders together. @param {Library} library @param {string} root */
async function branches(library, root) {
  const ids = ["PLAN-FORK", "TASK-FORK", "TASK-BESIDE"];
  const bob = branch(root, "bob");
  for (const [at, who, hour] of /** @type {const} */ ([
    [root, "cyd", 10],
    [bob.other, "bob", 9],
  ])) {
    const ws = open(library, at, who, hour);
    for (const target of ids) {
      const last = readFileSync(logOf(at, target), "utf8").trimEnd().split("\n").at(-1) ?? "";
      await call(ws, "tasks_undo", { target, op: JSON.parse(last).hash });
    }
    const task = { task: "TASK-FORK" };
    await call(ws, "tasks_claim", { ...task, path: "s:0", ttl_s: 600 });
    await call(ws, "tasks_task_add", { ...task, parent_step: "s:0", title: `Of ${who}` });
    await call(ws, "tasks_think", { ...task, hypothesis: `As ${who} sees it`, trace: `thought by ${who}` });
    await call(ws, "tasks_report", { ...task, summary: `By ${who}` });
    await call(ws, "tasks_contract", { plan: "PLAN-FORK", current: `As ${who} understands it` });
    await call(ws, "tasks_plan", { plan: "PLAN-FORK", steps: [`first of ${who}`] });
    const blocked = ids
      .slice(1)
      .map((id) => ({ tool: "tasks_block", args: { task: id, path: "s:0", reason: `says ${who}` } }));
    await call(ws, "tasks_batch", { atomic: true, operations: blocked });
    await ws.close();
  }
  bob.merge(ids);
  const ws = open(library, root, "ada", 12);
  await ws.repair.resolve();
  await call(ws, "tasks_note", { task: "TASK-FORK", note: "after the merge" });
  await ws.close();
}

/** Lines that no source has any more, and that resolve declared lost. @param {Library} library @param {string} root */
async function lostForGood(library, root) {
  const ws = open(library, root, "ada", 14);
  const it = { task: "TASK-LOST" };
  await call(ws, "tasks_create", { kind: "task", id: it.task, title: "Two lines are lost", steps: steps("One") });
  for (const note of ["kept", "lost", "waits", "lost too", "waits for it"])
    await call(ws, "tasks_note", { ...it, note });
  const log = logOf(root, it.task);
  const left = readFileSync(log, "utf8")
    .split("\n")
    .filter((line) => !line.includes('"note":"lost'));
  writeFileSync(log, left.join("\n"));
  await ws.repair.resolve(it.task, { acceptGap: true });
  await call(ws, "tasks_note", { ...it, note: "goes on" });
  await ws.close();
}
