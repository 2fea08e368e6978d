import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openGit } from "../../dist/git.js";
import { openWorkspace } from "../../dist/index.js";
import { runCaptured } from "../../dist/runner.js";
import { spread } from "../lib/measure.mjs";
import { row } from "../lib/report.mjs";

const FOLDERS = 100;
const FILES = 100;
/** Milliseconds that a run may cost beside its command. */
const ALLOWED_MS = 25;
const ARGV = ["/bin/sh", "-c", ":"];
const WORKSPACE = "acme/bench";
const WARM = 3;
const GIT_ENV = {
  ...process.env,
  GIT_AUTHOR_NAME: "Bench",
  GIT_AUTHOR_EMAIL: "bench@example.org",
  GIT_COMMITTER_NAME: "Bench",
  GIT_COMMITTER_EMAIL: "bench@example.org",
};

/**
 * The cost that a captured run adds to its command, in a repository of 10,000 files.
 * @param {import("../run.mjs").Setting} setting
 */
export async function run(setting) {
  const root = setting.folder();
  makeRepository(root);
  const ws = openWorkspace({ root, workspace: WORKSPACE, by: "agent:bench", git: () => openGit(root) });
  const make = async (input) => {
    const { error } = await ws.callTool("tasks_create", { workspace: WORKSPACE, ...input });
    if (error) throw new Error(error.message);
  };
  await make({ kind: "plan", title: "Bench" });
  const steps = [{ title: "Run", success_criteria: ["it runs"] }];
  await make({ kind: "task", title: "Bench", parent: "PLAN-001", steps });
  const sides = {
    captured: () => runCaptured(ws, { task: "TASK-001", path: "s:0", argv: ARGV }),
    bare: () => bare(root),
  };
  const rounds = [];
  for (let round = -WARM; round < (setting.quick ? 15 : 41); round++) {
    const ms = {};
    for (const side of round % 2 === 0 ? ["captured", "bare"] : ["bare", "captured"])
      ms[side] = await timed(sides[side]);
    if (round >= 0) rounds.push(ms);
  }
  await ws.close();
  const median = (side) => spread(rounds.map((ms) => ms[side])).median.toFixed(1);
  return [
    row({
      figure: 32,
      name: "what a captured run adds to its command, 10,000 files",
      unit: `x ${ALLOWED_MS} ms`,
      spread: spread(rounds.map(({ captured, bare: alone }) => (captured - alone) / ALLOWED_MS)),
      better: "lower",
      must: 4,
      aim: 1,
      told: `captured ${median("captured")} ms, the command alone ${median("bare")} ms`,
    }),
  ];
}

/** @param {string} root */
function makeRepository(root) {
  const git = (...args) => execFileSync("git", args, { cwd: root, env: GIT_ENV, stdio: "pipe" });
  git("init", "-q");
  for (let folder = 0; folder < FOLDERS; folder++) {
    mkdirSync(join(root, `src/${folder}`), { recursive: true });
    for (let file = 0; file < FILES; file++)
      writeFileSync(join(root, `src/${folder}/${file}.ts`), `export const value = ${folder * FILES + file};\n`);
  }
  git("add", "-A");
  git("commit", "-q", "-m", "files");
  // Files as old as the index would be read again by each look.
  execFileSync("sleep", ["1.1"]);
  git("update-index", "-q", "--refresh");
  git("read-tree", "HEAD");
  git("update-index", "-q", "--refresh");
}

/** @param {string} cwd */
function bare(cwd) {
  return new Promise((done) => {
    spawn(ARGV[0], ARGV.slice(1), { cwd, stdio: ["ignore", "pipe", "pipe"] }).on("close", done);
  });
}

async function timed(work) {
  const start = performance.now();
  await work();
  return performance.now() - start;
}
