// @ts-check
// How the logs of test/golden/taskdoc came about: Taskdocs as agents, people and merges leave them. Run once, as make.mjs.
import { createHash } from "node:crypto";
import { appendFileSync, cpSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const WORKSPACE = "acme/repo";
const BEAR_IN_MIND = ["risks", "decisions", "runbook", "grants", "acceptance", "contracts"];

/** @typedef {typeof import("../../../src/testing.ts")} Library */
/** @typedef {import("../../../src/index.ts").Workspace} Workspace */

/** @param {Library} library @param {string} root @param {string} by @param {number} hour */
function open(library, root, by, hour) {
  let ticks = 0;
  let ids = 0;
  return library.openWorkspace({
    root,
    by,
    now: () => Date.UTC(2026, 0, 1, hour) + 1000 * ticks++,
    newId: () => createHash("sha256").update(`taskdoc ${by} ${hour} ${ids++}`).digest("hex").slice(0, 16),
  });
}

/** @param {Workspace} ws @param {string} tool @param {Record<string, unknown>} input */
async function call(ws, tool, input) {
  const reply = await ws.callTool(tool, { workspace: WORKSPACE, ...input });
  if (!reply.success) throw new Error(`${tool}: ${reply.error?.message}`);
}

/** @param {string} root @param {Library} library */
export async function makeTaskdocGolden(root, library) {
  const ada = open(library, root, "agent:ada", 0);
  await call(ada, "tasks_create", { title: "A plan has a Taskdoc too" });
  for (const id of ["TASK-EMPTY", "TASK-FULL", "TASK-ODD", "TASK-LARGE", "TASK-FORK"])
    await call(ada, "tasks_create", { kind: "task", id, title: `Taskdoc of ${id}` });
  await full(ada, root);
  await odd(ada);
  await large(ada);
  await call(ada, "change_mind", { task: "TASK-FORK", selector: "goals", content: "common\n" });
  await ada.close();
  await branches(library, root);
  for (const name of ["registry", "locks"]) rmSync(join(root, ".coco", name), { recursive: true });
}

/** Every section that there may be, a clearing, and an edit by a person. @param {Workspace} ws @param {string} root */
async function full(ws, root) {
  const task = { task: "TASK-FULL" };
  await call(ws, "change_mind", { ...task, selector: "progress", content: "- [ ] begin\n" });
  await call(ws, "change_mind", { ...task, selector: "constraints", content: "- MUST keep old files readable.\n" });
  await call(ws, "change_mind", { ...task, selector: "goals", content: "Every sample parses." });
  for (const selector of BEAR_IN_MIND)
    await call(ws, "change_mind", { ...task, category: "bearinmind", selector, content: `# ${selector}\n\n- one\n` });
  await call(ws, "change_mind", { ...task, category: "bearinmind", selector: "runbook", clear: true });
  for (const [category, selector] of [
    ["ux.checklists", "release"],
    ["ux", "checklist"],
    ["ux", "a-b"],
    ["ux", "a"],
    ["Zeta", "notes"],
    ["api", "v2.errors"],
  ])
    await call(ws, "change_mind", { ...task, category, selector, content: `of ${category}/${selector}\n` });
  await call(ws, "change_mind", { ...task, category: "ux", selector: "a", clear: true });
  await call(ws, "change_mind", { ...task, selector: "progress", content: "- [x] begin\n- [ ] end\n" });
  writeFileSync(join(root, ".coco/tasks/TASK-FULL/taskdoc.tsk/goals.md"), "Every sample parses, and fast.\n");
  await ws.taskdoc.adoptEdits("TASK-FULL", { by: "human:bob" });
}

/** Texts that formats trip over. @param {Workspace} ws */
async function odd(ws) {
  const task = { task: "TASK-ODD" };
  await call(ws, "change_mind", {
    ...task,
    selector: "goals",
    content: "\uFEFF## Goals\r\n\r\nforged\u2028line\r\n\r\n\n",
  });
  await call(ws, "change_mind", {
    ...task,
    selector: "constraints",
    content: "    indented code\n\n## Progress\n\n- not it",
  });
  await call(ws, "change_mind", {
    ...task,
    selector: "progress",
    content: "## Progress\n\n<<<<<<< HEAD\n🚀 漢字 </details>",
  });
}

/** More than a small limit holds: a long body, one of a single line, and an index of many. @param {Workspace} ws */
async function large(ws) {
  const task = { task: "TASK-LARGE" };
  const lines = Array.from({ length: 200 }, (_, i) => `- Ziel ${i}: größer\n`).join("");
  await call(ws, "change_mind", { ...task, selector: "goals", content: lines });
  await call(ws, "change_mind", { ...task, selector: "constraints", content: "short\n" });
  await call(ws, "change_mind", { ...task, selector: "progress", content: "進".repeat(3000) });
  for (let i = 0; i < 70; i++)
    await call(ws, "change_mind", { ...task, category: "extra", selector: `section-${i}`, content: `${i}\n` });
}

/** Two agents replace one section on two branches, and make two that are one file on some disks. @param {Library} library @param {string} root */
async function branches(library, root) {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), "taskfold-golden-"));
  const other = join(folder, "bob");
  cpSync(root, other, { recursive: true });
  const log = (/** @type {string} */ at) => join(at, ".coco/tasks/TASK-FORK/events.jsonl");
  for (const [at, who, hour, category] of /** @type {const} */ ([
    [root, "cyd", 10, "UX"],
    [other, "bob", 9, "ux"],
  ])) {
    const ws = open(library, at, `agent:${who}`, hour);
    await call(ws, "change_mind", { task: "TASK-FORK", selector: "goals", content: `goals of ${who}\n` });
    await call(ws, "change_mind", { task: "TASK-FORK", selector: "progress", content: "the same on both\n" });
    await call(ws, "change_mind", { task: "TASK-FORK", category, selector: "list", content: `list of ${who}\n` });
    await ws.close();
  }
  const have = readFileSync(log(root), "utf8");
  const more = readFileSync(log(other), "utf8")
    .split("\n")
    .filter((line) => line !== "" && !have.includes(line));
  appendFileSync(log(root), more.map((line) => `${line}\n`).join(""));
  rmSync(folder, { recursive: true });
  // The file of the spelling that lost would be a stray: the branch that brought it is merged as git would.
  rmSync(join(root, ".coco/tasks/TASK-FORK/taskdoc.tsk/UX"), { recursive: true });
  const ws = open(library, root, "agent:ada", 12);
  await ws.repair.resolve();
  await call(ws, "tasks_note", { task: "TASK-FORK", note: "after the merge; two sections are still in conflict" });
  await ws.close();
}
