// @ts-check
// The origin of the logs of test/golden/packet: events of packets from the manifest to the archive, and of an import. They also
// hold two branches that change one packet. Run once; no run makes a golden log anew.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { branch, call, open as openAt, withoutMachine } from "./world.mjs";

/** @typedef {import("./world.mjs").Library} Library */
/** @typedef {import("./world.mjs").Workspace} Workspace */

const HOSTILE = '# heading\n- item\n<<<<<<< HEAD\n"quoted": \\ \u0085 \u2028 Ünïcödé 🚀 漢字\r\n\ttab\n';
const MANIFEST = {
  goal: 'Read the "configuration" once: yes # no',
  routing: { intent: "safe_impl", pipeline: { flags: { enable_brief: true } } },
  scope: { allow: ["src/", "./docs"], deny: ["src/secret/"] },
  acceptance: { commands: ["npm test", "printf 'a\\nb'"], criteria: ["off", "it is opened once"] },
  budgets: { retry_budget: 1, paid_call_budget: 9, max_wallclock_sec: 60 },
  context: { digest_policy: "off" },
  security: { redaction_patterns: ["internal-[0-9]+"], forbidden_paths: [".env"] },
};
const HEADINGS =
  "Goal,Non-goals,Scope,Acceptance,Fixed,Files to Read,Prohibited Actions,Current State,Open Questions,Change History";
const BRIEF = [
  "## Summary\n\nRead it once, see internal-7.\n\n## Acceptance\n\n## Scope\n\n## Constraints\n",
  "## Verify Commands\n\n```sh\nnpm test\nnpm run check\n```\n\n## Updated Context Pack\n",
  ...HEADINGS.split(",").map((title, n) => `## ${n}. ${title}\n\nText of ${n}.\n`),
].join("\n");
const DIFF = "--- a/src/read.ts\n+++ b/src/read.ts\n@@ -1 +1 @@\n-twice\n+once\n";
const REVIEW = "## Findings\n\nnone\n\n## Test gaps\n\n## Breaking changes\n\n## Minimal fix\n";

/** @param {Library} library @param {string} root @param {string} who @param {number} hour */
const open = (library, root, who, hour) => openAt(library, root, who, hour, "golden packet");

/** Writes the workspace into `root`, which must be empty or absent. @param {string} root @param {Library} library */
export async function makePackets(root, library) {
  const ada = open(library, root, "agent:ada", 0);
  await whole(ada);
  await failures(ada);
  await reviewed(ada, "TASK-ARCHIVED");
  await call(ada, "packet_archive", { task: "TASK-ARCHIVED", outputs: 100 });
  await reviewed(ada, "TASK-RESTORED");
  await call(ada, "packet_archive", { task: "TASK-RESTORED" });
  await call(ada, "packet_restore", { task: "TASK-RESTORED" });
  await imported(ada);
  await define(ada, "TASK-FORK", { routing: { intent: "review_cross" } });
  await ada.close();
  await branches(library, root);
  withoutMachine(root);
}

/** @param {Workspace} ws @param {string} task @param {Record<string, unknown>} [more] */
async function define(ws, task, more = {}) {
  const inputs = {
    "user_request.md": `Read it once, see internal-8 and .env.\n${HOSTILE}`,
    "context_pack.md": "## 0. Goal\n\nRead it once.\n",
    "attachments/logs.txt": "12 passed\n",
  };
  await call(ws, "packet_define", { create: true, task, manifest: { ...MANIFEST, ...more }, inputs });
}

/** @param {Workspace} ws @param {string} task @param {string} stage @param {Record<string, unknown>} ended */
async function runStage(ws, task, stage, ended) {
  await call(ws, "packet_stage_start", { task, stage, argv: ["servant", "--stage", stage], env: ["PATH", "HOME"] });
  const times = { start: "2026-01-01T00:00:00Z", end: "2026-01-01T00:01:30Z", duration_sec: 90 };
  await call(ws, "packet_stage_finish", { task, stage, exit_code: 0, err: "read\n", ...times, ...ended });
}

/** A packet from its manifest to its last stage. @param {Workspace} ws */
async function whole(ws) {
  const it = { task: "TASK-PACKET" };
  await define(ws, it.task);
  await call(ws, "packet_patch", { ...it, manifest: { context: { digest_policy: "aggressive" } } });
  await call(ws, "packet_input_set", { ...it, path: "attachments/notes.md", text: HOSTILE });
  await call(ws, "packet_input_set", { ...it, path: "attachments/logs.txt", text: null });
  await runStage(ws, it.task, "gemini_brief", { out: BRIEF });
  await runStage(ws, it.task, "codex_impl", { out: DIFF, changed_paths: ["src/read.ts"], applies: "applied" });
  const ran = { exit_code: 0, timed_out: false, duration_sec: 2, stdout: `12 passed\n${HOSTILE}`, stderr: "" };
  const acceptance = ["npm test", "npm run check"].map((command) => ({ command, ...ran }));
  await runStage(ws, it.task, "codex_verify", { out: "ran\n", acceptance });
  await runStage(ws, it.task, "gemini_review", { out: REVIEW });
  await call(ws, "packet_stage_reopen", { ...it, stage: "gemini_review", reason: HOSTILE.slice(2, 8) });
  await runStage(ws, it.task, "gemini_review", { out: `${REVIEW}again\n` });
}

/** Every way in which an attempt ends badly. @param {Workspace} ws */
async function failures(ws) {
  const it = { task: "TASK-FAILS", stage: "gemini_brief" };
  await define(ws, it.task);
  await runStage(ws, it.task, it.stage, { exit_code: 1, err: `ECONNRESET at 10:00:01, ${HOSTILE}` });
  await runStage(ws, it.task, it.stage, { exit_code: 1, err: `ECONNRESET at 10:00:02, ${HOSTILE}` });
  await call(ws, "packet_budget_reset", { task: it.task, kind: "retry_budget", reason: "the network is back" });
  await runStage(ws, it.task, it.stage, { exit_code: 0, timed_out: true, out: "half" });
  await call(ws, "packet_stage_start", it);
  await call(ws, "packet_stage_interrupt", { ...it, reason: "its dispatcher is gone" });
  await call(ws, "packet_budget_reset", { task: it.task, kind: "paid_call_budget", reason: "paid by another account" });
  await runStage(ws, it.task, it.stage, { out: BRIEF, changed_paths: ["secret.txt"] });
}

/** @param {Workspace} ws @param {string} task */
async function reviewed(ws, task) {
  await define(ws, task, { routing: { intent: "review_only" } });
  await runStage(ws, task, "gemini_review", { out: REVIEW });
}

/** The folder of another program. @param {Workspace} ws */
async function imported(ws) {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), "taskfold-golden-"));
  const seen = { first_seen: "2026-02-18T12:00:00Z", last_seen: "2026-02-18T12:05:00Z" };
  const signature = "sig:44d393d864ff24ba";
  /** @type {Record<string, string>} */
  const files = {
    "manifest.yaml": JSON.stringify({ ...MANIFEST, task_id: "20260218-001" }),
    "inputs/user_request.md": "See internal-9.\n",
    "outputs/gemini_brief.gemini.1.out": "the first one\n",
    "outputs/gemini_brief.gemini.out": "internal-10\n",
    "outputs/gemini_brief.gemini.meta.json": JSON.stringify({ exit_code: 0, start: seen.first_seen, duration_sec: 90 }),
    "done/gemini_brief.done": "2026-02-18T12:01:31Z\n",
    "state/stats.json": JSON.stringify({
      paid_calls_used: 3,
      signatures: { [signature]: { count: 1, class: "transient", ...seen } },
    }),
    "state/last_failure.json": JSON.stringify({ stage: "codex_impl", class: "transient", signature, exit_code: 124 }),
    "state/acceptance.commands.override": "npm run check\n",
  };
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  await ws.packets.import(folder);
  rmSync(folder, { recursive: true });
}

/** Two people change one packet; then both branches are merged. @param {Library} library @param {string} root */
async function branches(library, root) {
  const it = { task: "TASK-FORK" };
  const bob = branch(root, "bob");
  for (const [at, who, hour] of /** @type {const} */ ([
    [root, "cyd", 10],
    [bob.other, "bob", 9],
  ])) {
    const ws = open(library, at, who, hour);
    await call(ws, "packet_patch", { ...it, manifest: { goal: `Goal of ${who}` } });
    await call(ws, "packet_input_set", { ...it, path: `attachments/${who}.md`, text: `of ${who}\n` });
    await call(ws, "packet_stage_start", { ...it, stage: "gemini_review" });
    await call(ws, "packet_stage_interrupt", { ...it, stage: "gemini_review", reason: `by ${who}` });
    await ws.close();
  }
  bob.merge([it.task]);
  const ws = open(library, root, "ada", 12);
  await ws.repair.resolve();
  await runStage(ws, it.task, "gemini_review", { out: REVIEW });
  await ws.close();
}
