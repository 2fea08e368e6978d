// @ts-check
// One agent, a process of its own: works on its step through the library and prints one JSON line for each call.
import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { once } from "node:events";
import { openWorkspace } from "taskfold";

const { root, by, task, path, phase, file, test, text, titles } = JSON.parse(process.argv[2] ?? "{}");
const workspace = openWorkspace({ root, by });

/** Calls a tool on this agent's step; every change has a key, so that it can be repeated without harm. */
async function call(/** @type {string} */ tool, /** @type {import("taskfold").JsonObject} */ more) {
  const key = `${by}/${phase}/${tool}/${++calls}`;
  const input = { workspace: workspace.id ?? "", task, path, idempotency_key: key, ...more };
  const reply = await workspace.callTool(tool, input);
  print(tool, reply);
  return { input, reply };
}
let calls = 0;

/** Runs a real program in the repository; its output and exit code are evidence. @param {string} program @param {string[]} args */
function run(program, ...args) {
  const command = [program, ...args].join(" ");
  return new Promise((done) => {
    execFile(program === "node" ? process.execPath : program, args, { cwd: root }, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === "number" ? error.code : 1;
      done({
        kind: "command",
        title: `${command} -> exit ${code}`,
        command,
        cwd: ".",
        stdout,
        stderr,
        exit_code: code,
      });
    });
  });
}

/** @param {string} tool @param {import("taskfold").Reply} reply */
function print(tool, { result, error, warnings }) {
  const events = /** @type {{ event_id: string }[]} */ (
    result?.["events"] ?? (result?.["event"] ? [result["event"]] : [])
  );
  const ids = events.map((event) => event.event_id);
  console.log(
    JSON.stringify({ tool, revision: result?.["revision"], ids, error, warnings: warnings.map((w) => w.code) }),
  );
}

/** Before the fix: what is known, what the tests say, and an attempt to close the step all the same. */
async function look() {
  await call("tasks_note", { note: `${by} takes this step; the code is in ${file}.` });
  await call("tasks_evidence_capture", { items: [await run("git", "log", "--oneline", "--", file)] });
  const failing = await run("node", "--test", "--test-reporter=tap", test);
  await call("tasks_evidence_capture", { items: [failing] });
  await call("tasks_note", { note: `node --test ${test} fails with exit code ${failing.exit_code}, as reported.` });
  await call("tasks_done", {});
}

/** The fix, its proof, the close; the last call is made twice, as after a lost answer. */
async function fix() {
  writeFileSync(join(root, file), text);
  const passing = await run("node", "--test", "--test-reporter=tap", test);
  if (passing.exit_code !== 0) throw new Error(`the fix of ${file} does not pass: ${passing.stdout}`);
  await call("tasks_verify", { checkpoints: { criteria: true, tests: true } });
  await call("tasks_done", {});
  await call("tasks_evidence_capture", { items: [passing], checkpoint: "tests" });
  const { input } = await call("tasks_done", {});
  print("tasks_done again", await workspace.callTool("tasks_done", input));
}

/** One change for each title, and the close. It says when it begins one, so that it can be killed just there. */
async function tryTitles() {
  const program = 'import { slugify } from "./src/slugify.mjs"; console.log(slugify(process.argv[1]));';
  for (const [i, title] of titles.entries()) {
    const item = await run("node", "--input-type=module", "--eval", program, title);
    console.log(JSON.stringify({ begins: i + 1 }));
    await call("tasks_evidence_capture", {
      items: [{ ...item, title: `slug of ${title.trim()}` }],
      checkpoint: "tests",
    });
  }
  await call("tasks_close_step", { checkpoints: "gate" });
  const key = `${by}/${phase}/tasks_complete`;
  print(
    "tasks_complete",
    await workspace.callTool("tasks_complete", { workspace: workspace.id ?? "", task, idempotency_key: key }),
  );
}

console.log(JSON.stringify({ ready: true }));
const lines = createInterface({ input: process.stdin });
await once(lines, "line");
lines.close();
await { look, fix, titles: tryTitles }[/** @type {"look" | "fix" | "titles"} */ (phase)]();
await workspace.close();
