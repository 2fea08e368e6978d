// @ts-check
/**
 * `npm run e2e:mcp`: an agent in an MCP client starts a task by a macro and works on it. The server tells it what is missing;
 * the agent closes a step with proof, hands over and ends. A second agent runs in a process of its own with another protocol
 * revision. It gets only the capsule, and finishes. The run fails if any answer differs from the specified one.
 *
 * - `node test/suites/mcp/run.mjs [--json] [--keep DIR]`
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { Agent } from "./agent.mjs";

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

const gate = { success_criteria: ["every sample comes back as it was"], tests: ["npm test"] };
const steps = [
  { title: "Write the parser", ...gate },
  { title: "Write the printer", ...gate },
  { title: "Verify", ...gate, proof: { tests: "require" } },
];
const PROOF = ["npm test", "https://ci.example/7"];

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
  const ada = await Agent.start(root, "ada");
  expect("the first agent is told few tools", ada.listed.length <= 8, ada.listed);
  const { task, capsule } = await first(ada);
  await ada.client.close();
  const size = JSON.stringify(capsule).length;
  expect("what is handed over is small", size <= 4000, size);

  await twoRoots(task);

  const program = join(import.meta.dirname, "second.mjs");
  const said = execFileSync(process.execPath, [program], {
    input: JSON.stringify({ root, capsule }),
    stdio: ["pipe", "pipe", "inherit"],
    timeout: 60_000,
  });
  const bob = JSON.parse(String(said));
  expect("the second agent's radar says what is next", bob.before.radar.next.length > 0, bob.before);
  const macro = "tasks_macro_close_step";
  const calls = [macro, `${macro} (filled in)`, macro];
  expect("it does what each capsule says, and that is three calls", same(bob.calls, calls), bob.calls);
  expect("the last capsule has nothing left to do", bob.last.action === null, bob.last);
  expect("who listens is told of the change", bob.heard, bob);
  expect("the radar says that it is done", bob.after.target.status === "DONE", bob.after);

  const lines = readFileSync(join(root, ".coco/tasks", task, "events.jsonl"), "utf8")
    .trim()
    .split("\n");
  const events = lines.map((line) => JSON.parse(line));
  const by = new Set(events.map((event) => event.by));
  expect("the log says who did what", by.has("agent:ada") && by.has("agent:bob"), [...by]);
  const proofs = events.filter((event) => event.type === "evidence.captured");
  expect(
    "and what proves it, by both",
    same(
      proofs.map((event) => event.by),
      ["agent:ada", "agent:bob"],
    ),
    proofs,
  );
}

/** Starts, works, is refused, closes a step with proof, and hands over. @param {Agent} ada */
async function first(ada) {
  const started = await ada.must("tasks_macro_start", { plan_title: "Version 2", task_title: "A format", steps });
  const task = started.task_id;
  expect("one call makes plan, task and steps", started.plan_created && started.steps.length === 3, started);
  expect("and says what comes next", started.resume?.capsule?.action?.tool === "tasks_macro_close_step", started);
  await ada.must("tasks_note", { task, path: "s:0", note: "The grammar is ambiguous at else; the nearer if wins." });

  const early = await ada.call("tasks_done", { task, path: "s:0" });
  expect("a step does not close unconfirmed", early.error?.code === "CHECKPOINTS_NOT_CONFIRMED", early.error);
  expect("and a call that would work is offered", early.suggestions.length > 0, early);
  const third = { task, path: "s:2", proof: "CMD: <fill: the command>" };
  const blank = await ada.call("tasks_macro_close_step", third);
  expect("what is still to be filled in is no proof", blank.error?.code === "PROOF_REQUIRED", blank.error);

  const closed = await ada.must("tasks_macro_close_step", { note: "Every sample parses.", proof: PROOF });
  expect("the first open step of the focus closes with its proof", closed.step?.path === "s:0", closed.step);
  expect("after the note and the evidence", closed.note_event && closed.evidence_event, closed);
  const { capsule } = await ada.must("tasks_snapshot", {});
  expect("the capsule says what is done", JSON.stringify(capsule?.handoff?.done).includes("Write the parser"), capsule);
  expect("and what remains", JSON.stringify(capsule?.handoff?.remaining).includes("Write the printer"), capsule);
  return { task, capsule };
}

/** An agent that works in two repositories. @param {string} task of the first one */
async function twoRoots(task) {
  const other = join(root, "other");
  const cleo = await Agent.start(root, "cleo", { roots: [other] });
  const id = "other";
  const made = await cleo.must("tasks_create", { workspace: id, kind: "task", id: task, title: "In another one" });
  const radar = await cleo.must("tasks_radar", { workspace: id, task });
  expect(
    "one server has a task of one id in two repositories",
    same([made.title, made.qualified_id], [radar.target?.title, `${id}:${task}`]),
    radar.target,
  );
  const { target } = await cleo.must("tasks_snapshot", { workspace: undefined, task });
  expect("a call without a workspace means the first one", target?.title === "A format", target);
  const { error } = await cleo.call("tasks_radar", { workspace: "no/such", task });
  expect("another id is refused with the known ones", same(error?.details?.known, ["acme/repo", id]), error);
  await cleo.client.close();
}

/** @param {unknown} a @param {unknown} b */
function same(a, b) {
  return JSON.stringify(a) === JSON.stringify(b);
}
