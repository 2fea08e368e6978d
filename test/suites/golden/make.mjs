// @ts-check
// The origin of the logs of test/golden/v1, with a fixed clock and fixed ids: every event type of this release. They also hold
// the effects of merges, other programs and people on a log. Run once; no run makes a golden log anew.
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { branch, call, logOf, open, steps, withoutMachine } from "./world.mjs";

const HOSTILE = [
  "# heading\n- item\n```\ncode\n```\n</details><script>alert(1)</script>",
  "<<<<<<< HEAD\n=======\n>>>>>>> other",
  '"quoted": \\ {"v":1,"hash":"x"} \u0000 \u0085 \u2028 \u202E turned \uFEFF',
  "Ünïcödé 🚀 漢字 — yes: no # comment\r\n\ttab",
];

/** @typedef {import("./world.mjs").Library} Library */
/** @typedef {import("./world.mjs").Workspace} Workspace */

/**
 * Writes the workspace into `root`, which must be empty or absent.
 * @param {string} root
 * @param {Library} library
 * @param {typeof import("../../../src/log/envelope.ts")["sealOp"]} sealOp
 */
export async function makeGolden(root, library, sealOp) {
  const ada = open(library, root, "ada", 0);
  await lifeOfATask(ada, root);
  await linesOfOthers(ada, root);
  await lostLines(ada, root, sealOp);
  await deleted(ada);
  await call(ada, "tasks_create", { kind: "task", id: "TASK-FORK", title: "Two branches", steps: steps("common") });
  await ada.close();
  await branches(library, root);
  withoutMachine(root);
}

/** @param {Workspace} ws @param {string} root */
async function lifeOfATask(ws, root) {
  await call(ws, "tasks_create", {
    title: "Version 2",
    description: HOSTILE[3],
    contract: "Old files keep their meaning.",
  });
  await call(ws, "tasks_edit", {
    plan: "PLAN-001",
    contract_data: { stable: true, since: [1, 2] },
    tags: ["yes", "0o17"],
    priority: "HIGH",
  });
  const security = {
    title: 'Third: "quoted" # and more',
    success_criteria: ["no finding"],
    proof: { security: "require" },
  };
  await call(ws, "tasks_create", {
    parent: "PLAN-001",
    title: "Write the parser",
    steps: [...steps("Grammar", "Lexer"), security],
  });
  const task = { task: "TASK-001" };
  await call(ws, "tasks_decompose", { ...task, parent: "s:0", steps: steps("Terminals", "Rules") });
  await call(ws, "tasks_define", { ...task, path: "s:1", title: "Lexer and tokens", blockers: ["no sample files"] });
  for (const note of HOSTILE) await call(ws, "tasks_note", { ...task, path: "s:0", note });
  await call(ws, "tasks_block", { ...task, path: "s:1", reason: "waits for the samples" });
  await call(ws, "tasks_block", { ...task, path: "s:1", blocked: false });
  await call(ws, "tasks_close_step", { ...task, path: "s:0.s:0", checkpoints: "gate" });
  await call(ws, "tasks_verify", { ...task, path: "s:0.s:1", checkpoints: "gate" });
  await call(ws, "tasks_done", { ...task, path: "s:0.s:1" });
  mkdirAgent(root);
  await call(ws, "tasks_evidence_capture", {
    ...task,
    path: "s:2",
    items: [
      { kind: "audit", command: "npm audit", exit_code: 0, stdout: "found 0 vulnerabilities\n" },
      { kind: "code", path: "src/lexer.ts", start_line: 3, end_line: 9, summary: "the fix", diff: "- a\n+ b\n" },
    ],
    checks: ["CMD: npm audit", "LINK: https://ci.example/1"],
    attachments: ["agents/w1/out.log", "agents/w1/missing.log"],
    checkpoint: ["security", "tests"],
  });
  await call(ws, "tasks_close_step", {
    ...task,
    path: "s:2",
    checkpoints: { criteria: true, tests: true, security: true },
  });
  await call(ws, "tasks_progress", { ...task, path: "s:2", completed: false, reason: "one more case" });
  await call(ws, "tasks_close_step", {
    ...task,
    path: "s:2",
    checkpoints: { criteria: true, tests: true, security: true },
  });
  await call(ws, "tasks_close_step", { ...task, path: "s:1", checkpoints: "gate" });
  await call(ws, "tasks_close_step", { ...task, path: "s:0", checkpoints: "gate" });
  await call(ws, "tasks_complete", { ...task, reason: "all samples parse" });
  await call(ws, "tasks_decompose", { ...task, steps: steps("Found later", "Not needed") });
  await call(ws, "tasks_delete", { ...task, path: "s:4" });
  await call(ws, "tasks_edit", { ...task, title: "A title that is taken back" });
  await call(ws, "tasks_undo", task);
  await call(ws, "tasks_redo", task);
  await call(ws, "tasks_undo", task);
  writeFileSync(
    join(root, ".coco", "tasks", "TASK-001", "shared", "human-notes.md"),
    `# Human notes\n\n${HOSTILE[0]}\n`,
  );
  await call(ws, "tasks_note", { ...task, note: "reads in what a person wrote" });
  await call(ws, "tasks_complete", { plan: "PLAN-001", status: "CANCELED", reason: "for now" });
}

/** @param {string} root */
function mkdirAgent(root) {
  const folder = join(root, ".coco", "tasks", "TASK-001", "agents", "w1");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "out.log"), "12 passed\n");
}

/** Lines of another program: some placed by a write of ours, some not yet. @param {Workspace} ws @param {string} root */
async function linesOfOthers(ws, root) {
  await call(ws, "tasks_create", {
    kind: "task",
    id: "TASK-OTHERS",
    title: "Shared with another program",
    topology: "swarm",
  });
  /** @param {string} ts @param {string} type @param {Record<string, unknown>} more */
  const line = (ts, type, more) => `${JSON.stringify({ ts, type, taskId: "TASK-OTHERS", ...more })}\n`;
  const log = logOf(root, "TASK-OTHERS");
  appendFileSync(log, line("2026-01-01T01:00:00.5+01:00", "agent.started", { agentInstance: "w1" }));
  appendFileSync(
    log,
    line("2026-01-01T00:00:00.250Z", "gate.blocked", { payload: { gateId: "review", reason: "two eyes" } }),
  );
  await call(ws, "tasks_note", { task: "TASK-OTHERS", note: "places what stands above" });
  appendFileSync(log, line("2026-01-01T02:00:00Z", "agent.completed", { agentInstance: "w1" }));
}

/** A line that is lost for good, and declared so. @param {Workspace} ws @param {string} root @param {typeof import("../../../src/log/envelope.ts")["sealOp"]} sealOp */
async function lostLines(ws, root, sealOp) {
  await call(ws, "tasks_create", { kind: "task", id: "TASK-GAP", title: "A line is lost" });
  for (const note of ["kept", "lost", "hangs below the gap"]) await call(ws, "tasks_note", { task: "TASK-GAP", note });
  const log = logOf(root, "TASK-GAP");
  const [created, kept, lost, later] = /** @type {[string, string, string, string]} */ (
    readFileSync(log, "utf8").split("\n")
  );
  const { hash, seq } = JSON.parse(kept);
  const gap = sealOp({
    taskId: "TASK-GAP",
    by: "human:ada",
    ts: "2026-01-01T00:30:00.000Z",
    tool: "resolve",
    opId: "gap",
    heads: [hash],
    seq,
    drafts: [{ type: "log.gap", payload: { void: [JSON.parse(lost).hash], message: "One line is lost." } }],
  });
  const free = sealOp({
    taskId: "TASK-GAP",
    by: "human:ada",
    ts: "2026-01-01T00:31:00.000Z",
    tool: "other",
    opId: "x",
    heads: [gap.events[0]?.hash ?? ""],
    seq: gap.events[0]?.seq ?? 0,
    drafts: [{ type: "x.example.noted", payload: { text: "an ancillary type means nothing" } }],
  });
  writeFileSync(log, `${created}\n${kept}\n${later}\n${gap.bytes.toString("utf8")}${free.bytes.toString("utf8")}`);
}

/** @param {Workspace} ws */
async function deleted(ws) {
  await call(ws, "tasks_create", { kind: "task", id: "TASK-GONE", title: "Deleted", steps: steps("never done") });
  await call(ws, "tasks_complete", { task: "TASK-GONE", status: "FAILED", reason: HOSTILE[0] });
  await call(ws, "tasks_delete", { task: "TASK-GONE" });
}

/** Two people change one task, and both make one of the same id; then both branches are merged. @param {Library} library @param {string} root */
async function branches(library, root) {
  const bob = branch(root, "bob");
  for (const [at, who, hour] of /** @type {const} */ ([
    [root, "cyd", 10],
    [bob.other, "bob", 9],
  ])) {
    const ws = open(library, at, who, hour);
    await call(ws, "tasks_edit", { task: "TASK-FORK", title: `Title of ${who}` });
    await call(ws, "tasks_decompose", { task: "TASK-FORK", steps: steps(`of ${who}`) });
    await call(ws, "tasks_create", { kind: "task", id: "TASK-TWICE", title: `Made by ${who}`, steps: steps("one") });
    await ws.close();
  }
  bob.merge(["TASK-FORK", "TASK-TWICE"]);
  const ws = open(library, root, "ada", 12);
  await ws.repair.resolve();
  await call(ws, "tasks_note", { task: "TASK-FORK", note: "after the merge; the title is still in conflict" });
  await ws.close();
}
