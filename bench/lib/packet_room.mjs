// A workspace with a packet of three stages, in a git repository with a few files, and servants that are a script of the shell.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdirSync, openSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openGit } from "../../dist/git.js";
import { openWorkspace } from "../../dist/index.js";
import { BUILT_IN_CONFIG } from "../../dist/rules/packet/built_in_config.js";
import { runPacket } from "../../dist/runner.js";
import { call, TASK, WORKSPACE } from "./workspaces.mjs";

export const STAGES = ["gemini_review", "codex_review", "copilot_review_consolidate"];
const FILES = 50;
const NO_LIMIT = 1_000_000;
const MANIFEST = {
  goal: "Read the configuration once",
  routing: { intent: "review_cross" },
  scope: { allow: ["src"], deny: ["secrets"] },
  acceptance: { commands: ["npm test"], criteria: ["the file is opened once"] },
  budgets: { retry_budget: NO_LIMIT, paid_call_budget: NO_LIMIT, max_wallclock_sec: 600 },
  context: { digest_policy: "off" },
  security: { redaction_patterns: ["hunter2", "(?i)corp-[0-9]{6}"], forbidden_paths: [".env", "secrets/"] },
};

export class PacketRoom {
  #folder;
  #argv;
  ws;

  /** @param {string} folder an empty one @param {string} script what the servant runs; its prompt is on stdin @returns {Promise<PacketRoom>} */
  static async make(folder, script) {
    const git = (...args) => execFileSync("git", ["-C", folder, "-c", "user.name=b", "-c", "user.email=b@b", ...args]);
    mkdirSync(join(folder, "src"));
    for (let n = 0; n < FILES; n++) writeFileSync(join(folder, "src", `file-${n}.js`), `export const n = ${n};\n`);
    git("init", "-q");
    git("add", "src");
    git("commit", "-q", "-m", "begin");
    const room = new PacketRoom(folder, script);
    await call(room.ws, "tasks_create", { kind: "task", id: TASK, title: "A packet" });
    await call(room.ws, "packet_define", { task: TASK, manifest: MANIFEST, inputs: { "user_request.md": "Do it.\n" } });
    return room;
  }

  constructor(folder, script) {
    this.#folder = folder;
    this.#argv = ["sh", "-c", script];
    const packet = structuredClone(BUILT_IN_CONFIG);
    for (const servant of Object.values(packet.servants))
      Object.assign(servant, { command: this.#argv, prompt: "stdin" });
    this.ws = openWorkspace({ root: folder, workspace: WORKSPACE, git: () => openGit(folder), packet });
  }

  /** All stages, or one attempt of one. @param {string} [stage] */
  async run(stage) {
    const { outcome, stages } = await runPacket(this.ws, { task: TASK, ...(stage ? { stage } : {}) });
    return { outcome, reasons: stages.flatMap(({ reasons }) => reasons) };
  }

  async reopen() {
    for (const stage of STAGES) await call(this.ws, "packet_stage_reopen", { task: TASK, stage, reason: "again" });
  }

  note() {
    return call(this.ws, "tasks_note", { task: TASK, note: "The grammar is ambiguous here." });
  }

  /** The servant alone, with its prompt on stdin and what it prints in files. */
  async bare() {
    const out = join(this.#folder, ".git", "bare");
    const fds = [openSync(join(this.#folder, "src/file-0.js"), "r"), openSync(out, "w"), openSync(`${out}.err`, "w")];
    const child = spawn(this.#argv[0], this.#argv.slice(1), { cwd: this.#folder, stdio: fds });
    for (const fd of fds) closeSync(fd);
    const [code] = await once(child, "exit");
    if (code !== 0) throw new Error(`expected the servant to end well, found exit code ${code}`);
  }
}
