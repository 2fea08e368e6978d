// @ts-check
// The operations in a hostile folder: every command of the command line and every tool that reads or writes files.
import { openWorkspace } from "../../../dist/testing.js";
import { openGit } from "../../../dist/git.js";
import { runCli } from "../../../dist/hosts/cli/run.js";
import { BY, WORKSPACE } from "./world.mjs";

/** @typedef {import("../../../dist/index.js").Workspace} Workspace */
/** @typedef {import("../../../dist/testing.js").WorkspaceOptions} WorkspaceOptions */
/** @typedef {{ code: string, message: string }} Told what an operation answered; the code is `ok` where nothing was refused */
/** @typedef {{ run: (root: string, cursor: string) => Promise<Told>, git?: boolean }} Operation `git`: it may change what git keeps */

/** A lock that cannot be had is an answer, and no case has to wait ten seconds for it. */
const LOCK_TIMEOUT_MS = 200;
const WATCHED_MS = 60;
const TASK = { workspace: WORKSPACE, task: "TASK-001" };
const PACKET = { workspace: WORKSPACE, task: "TASK-002" };
const OK = { code: "ok", message: "" };

/** @param {string} root @param {Partial<WorkspaceOptions>} [options] */
export function openHostile(root, options = {}) {
  const git = () => openGit(root);
  return openWorkspace({ root, by: BY, git, lockTimeoutMs: LOCK_TIMEOUT_MS, durability: "os", ...options });
}

/**
 * The outcome of a thrown value: an error of the library says its code, and any other one is a fault of ours.
 * @param {unknown} error
 * @returns {Told}
 */
export function toldBy(error) {
  const code =
    error instanceof Error && error.name === "TaskfoldError" && "code" in error ? String(error.code) : "THROWN";
  return { code, message: error instanceof Error ? (error.stack ?? error.message) : String(error) };
}

/** Opens the workspace for one piece of work. @param {string} root @param {(workspace: Workspace) => unknown} work @param {Partial<WorkspaceOptions>} [options] @returns {Promise<Told>} */
export async function within(root, work, options) {
  try {
    const workspace = openHostile(root, options);
    try {
      await work(workspace);
    } finally {
      await workspace.close();
    }
    return OK;
  } catch (error) {
    return toldBy(error);
  }
}

/** One call of a tool, in a workspace that is opened for it. @param {string} root @param {string} name @param {unknown} input @param {Partial<WorkspaceOptions>} [options] @returns {Promise<Told>} */
export async function callTool(root, name, input, options) {
  /** @type {Told} */
  let told = OK;
  const around = await within(
    root,
    async (workspace) => {
      const { error } = await workspace.callTool(name, /** @type {import("taskfold").JsonObject} */ (input));
      if (error) told = { code: error.code, message: error.message };
    },
    options,
  );
  return around.code === "ok" ? told : around;
}

/**
 * One command, in this process; the caller gets its output parsed.
 * @param {string} root
 * @param {readonly string[]} args
 * @param {string} [stdin]
 * @returns {Promise<Told & { out: string }>}
 */
export async function command(root, args, stdin = "") {
  let out = "";
  const io = {
    env: {},
    cwd: root,
    color: false,
    stdout: (/** @type {string} */ text) => void (out += text),
    stderr: () => undefined,
    stdin: async () => Buffer.from(stdin),
  };
  try {
    const exit = await runCli(["-C", root, "--by", BY, "--json", ...args], io);
    const { code = "ok", message = "" } = JSON.parse(out).error ?? {};
    return { code: exit === 70 ? "INTERNAL" : code, message, out };
  } catch (error) {
    return { ...toldBy(error), out };
  }
}

/** @param {...string} args @returns {Operation} */
function cli(...args) {
  return { run: (root) => command(root, args) };
}

/** @param {string} name @param {Record<string, unknown>} [input] @param {Partial<WorkspaceOptions>} [options] @returns {Operation} */
function tool(name, input = TASK, options = {}) {
  return { run: (root) => callTool(root, name, input, options) };
}

/** @param {(workspace: Workspace) => unknown} work @returns {Operation} */
function by(work) {
  return { run: (root) => within(root, work) };
}

const NOTE = { ...TASK, note: "hello" };
const KEYED = { workspace: WORKSPACE, kind: "task", title: "By key", idempotency_key: "key-1" };
const ITEMS = [
  { kind: "test", command: "npm test", stdout: "2 passed\n".repeat(300), exit_code: 0 },
  { kind: "code", path: "src/a.ts", start_line: 1 },
];
const BATCH = ["TASK-001", "TASK-002"].map((task) => ({ tool: "tasks_note", args: { task, note: "x" } }));

/** By name. @type {Record<string, Operation>} */
export const OPERATIONS = {
  list: cli("list"),
  radar: cli("radar", "TASK-001"),
  "radar of the focus": cli("radar"),
  handoff: cli("handoff", "TASK-001"),
  log: cli("log", "TASK-001"),
  history: cli("history", "TASK-001"),
  delta: cli("delta"),
  verify: cli("verify"),
  "verify --git": cli("verify", "--git"),
  "taskdoc show": cli("taskdoc", "show", "TASK-001"),
  "taskdoc history": cli("taskdoc", "history", "TASK-001"),
  "resolve --dry-run": by((workspace) => workspace.repair.resolve(undefined, { dryRun: true })),
  "adopt --dry-run": by((workspace) => workspace.repair.adopt("foreign-1", { dryRun: true })),
  "delta with a cursor": {
    run: (root, cursor) => callTool(root, "tasks_delta", { workspace: WORKSPACE, since: cursor }),
  },
  tasks_evidence_verify: tool("tasks_evidence_verify"),
  tasks_lint: tool("tasks_lint"),
  tasks_mirror: tool("tasks_mirror"),
  tasks_snapshot: tool("tasks_snapshot"),
  tasks_resume_super: tool("tasks_resume_super"),
  recall_taskdoc: tool("recall_taskdoc", { ...TASK, category: "ux", selector: "list" }),
  files: by((workspace) => workspace.files("TASK-001")),
  taskdocAudit: by((workspace) => workspace.taskdoc.audit("TASK-001")),
  watch: by(watchShortly),
  init: by((workspace) => workspace.init(WORKSPACE)),
  rebuild: by((workspace) => workspace.repair.rebuild()),
  resolve: by((workspace) => workspace.repair.resolve()),
  "resolve --stage --git": {
    ...by((workspace) => workspace.repair.resolve(undefined, { stage: true, restore: true })),
    git: true,
  },
  adopt: by((workspace) => workspace.repair.adopt("foreign-1")),
  "adopt-edits": by((workspace) => workspace.taskdoc.adoptEdits("TASK-001", { by: "human:ann" })),
  tasks_note: tool("tasks_note", NOTE),
  "tasks_note with a key": tool("tasks_note", { ...NOTE, idempotency_key: "key-2" }),
  "tasks_note of the focus": tool("tasks_note", { workspace: WORKSPACE, note: "hello" }),
  "tasks_create with a key": tool("tasks_create", KEYED),
  tasks_create: tool("tasks_create", { workspace: WORKSPACE, parent: "PLAN-001", title: "One more" }),
  tasks_evidence_capture: tool("tasks_evidence_capture", { ...TASK, path: "s:1", items: ITEMS }),
  "tasks_evidence_capture of a file": tool("tasks_evidence_capture", { ...TASK, attachments: ["agents/w1/notes.md"] }),
  change_mind: tool("change_mind", { ...TASK, selector: "goals", content: "Others.\n" }),
  tasks_think: tool("tasks_think", { ...TASK, decision: { title: "Another", text: "way" } }),
  tasks_report: tool("tasks_report"),
  "tasks_batch atomic": tool("tasks_batch", { workspace: WORKSPACE, atomic: true, operations: BATCH }),
  tasks_delete: tool("tasks_delete", TASK),
  "tasks_delete of a plan": tool("tasks_delete", { workspace: WORKSPACE, plan: "PLAN-001" }),
  tasks_undo: tool("tasks_undo"),
  tasks_claim_next: tool("tasks_claim_next", { workspace: WORKSPACE }),
  tasks_focus_set: tool("tasks_focus_set", { workspace: WORKSPACE, task: "TASK-002" }),
  packet_show: tool("packet_show", PACKET),
  packet_input_set: tool("packet_input_set", { ...PACKET, path: "attachments/notes.md", text: "others\n" }),
  "an attempt of a packet": { run: attempted },
  packet_stage_reopen: tool("packet_stage_reopen", { ...PACKET, stage: "gemini_review", reason: "again" }),
  packet_archive: tool("packet_archive", { ...PACKET, outputs: "drop" }),
  "packet compose": cli("packet", "compose", "TASK-002", "codex_review"),
  "packet import": cli("packet", "import", ".coco/tasks/TASK-002"),
  "packet export": cli("packet", "export", "TASK-002", "exported"),
  "packet export-review": cli("packet", "export-review", "TASK-002", "review"),
  "packet start": cli("packet", "start", "TASK-002", "codex_review"),
  "tasks_note and close": tool("tasks_note", NOTE, { projections: "manual" }),
};

/** Started and ended by two calls, with what lies in the folder as its output. @param {string} root @returns {Promise<Told>} */
async function attempted(root) {
  const stage = { ...PACKET, stage: "codex_review" };
  const started = await callTool(root, "packet_stage_start", stage);
  return started.code === "ok" ? callTool(root, "packet_stage_finish", { ...stage, exit_code: 0 }) : started;
}

/** From the template's cursor on, until nothing more comes for a moment. @param {Workspace} workspace */
async function watchShortly(workspace) {
  const end = new AbortController();
  const timer = setTimeout(() => end.abort(), WATCHED_MS);
  try {
    const events = workspace.watch({ signal: end.signal });
    while ((await events.next()).done !== true);
  } finally {
    clearTimeout(timer);
  }
}
