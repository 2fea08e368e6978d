// @ts-check
// Workspaces that the viewer is looked at with: one of two working days of people and agents, and one that attacks who looks.
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { opsIn } from "../../../bench/lib/scale_workspace.mjs";
import { sealOp } from "../../../dist/log/envelope.js";
import { openWorkspace } from "../../../dist/testing.js";

export const WORKSPACE = "acme/parser";
const MINUTE = 60_000;

/** @typedef {import("../../../dist/index.js").Workspace} Workspace */
/** @typedef {{ [name: string]: unknown }} Input */

/** Calls that have to succeed, by one actor after another, each a little later than the one before. */
export class Story {
  /** @type {Map<string, Workspace>} */
  #open = new Map();
  #time;
  /** @param {string} root @param {number} start @param {string} [workspace] its id */
  constructor(root, start, workspace = WORKSPACE) {
    this.root = root;
    this.workspace = workspace;
    this.#time = start;
  }

  /** @param {number} minutes */
  later(minutes) {
    this.#time += minutes * MINUTE;
  }

  /** Answers what the tool gave. @param {string} by @param {string} tool @param {Input} input @returns {Promise<Input>} */
  async say(by, tool, input) {
    this.later(3);
    let workspace = this.#open.get(by);
    if (!workspace) {
      workspace = openWorkspace({ root: this.root, by, workspace: this.workspace, now: () => this.#time });
      this.#open.set(by, workspace);
    }
    const call =
      /** @type {(tool: string, input: Input) => Promise<{ result: Input | null, error: { message: string } | null }>} */ (
        workspace.call.bind(workspace)
      );
    const { result, error } = await call(tool, input);
    if (error || !result) throw new Error(`${tool} ${JSON.stringify(input).slice(0, 400)}: ${error?.message}`);
    return result;
  }

  async close() {
    for (const workspace of this.#open.values()) await workspace.close();
    this.#open.clear();
  }
}

/** @param {string} title @param {Input} [more] */
function step(title, more = {}) {
  return { title, success_criteria: [`${title}: reviewed`], tests: ["npm test"], ...more };
}

const TEST_OUTPUT = `\u001b[1m> acme-parser@2.0.0 test\u001b[0m
> vitest run

 \u001b[32m✓\u001b[0m test/grammar.test.ts \u001b[2m(48 tests)\u001b[0m 212ms
 \u001b[32m✓\u001b[0m test/errors.test.ts \u001b[2m(19 tests)\u001b[0m 88ms

 \u001b[1mTest Files\u001b[0m  \u001b[32m2 passed\u001b[0m (2)
      \u001b[1mTests\u001b[0m  \u001b[32m67 passed\u001b[0m (67)
`;
const FAILED_OUTPUT = TEST_OUTPUT.replace("✓", "✗").replace("2 passed", "1 failed | 1 passed").replaceAll("32m", "31m");

/** A plan of a parser: tasks that wait for each other, agents that hand over, a failed run, a block, an undo, a conflict. @param {string} root */
export async function workdays(root) {
  const story = new Story(root, Date.now() - 26 * 60 * MINUTE);
  const [ann, ada, bob, cyd] = ["human:ann", "agent:ada", "agent:bob", "agent:cyd"];
  const plan = "PLAN-001";
  await story.say(ann, "tasks_create", {
    title: "Parser 2.0",
    description: "A parser that reports every error at once.",
  });
  await story.say(ann, "tasks_contract", {
    plan,
    current: "Old files keep their meaning.\n\n- Every sample of 1.x parses.\n- Errors name line **and** column.",
  });
  await story.say(ann, "tasks_plan", { plan, steps: ["Grammar frozen", "Parser in use", "Old parser gone"] });
  const tasks = [
    ["Write the grammar", "HIGH", ["grammar"], []],
    ["Tokens with their places", "MEDIUM", ["lexer"], []],
    ["Parse statements", "HIGH", ["parser"], ["TASK-001", "TASK-002"]],
    ["Parse expressions by precedence", "MEDIUM", ["parser"], ["TASK-001", "TASK-002"]],
    ["Recover after an error", "CRITICAL", ["parser", "errors"], ["TASK-003", "TASK-004"]],
    ["Messages that name line and column", "MEDIUM", ["errors"], ["TASK-005"]],
    ["Compare with the old parser on all samples", "HIGH", ["tests"], ["TASK-003", "TASK-004"]],
    ["Document the grammar", "LOW", ["docs"], ["TASK-001"]],
    ["Release notes for 2.0", "LOW", ["docs"], ["TASK-006", "TASK-007"]],
    ["Fuzz the lexer for an hour", "MEDIUM", ["tests", "lexer"], []],
    ["Benchmark: 100 MB of logs", "MEDIUM", ["perf"], []],
    ["Drop support for tabs as brackets", "LOW", ["grammar"], []],
  ];
  for (const [title, priority, tags, depends_on] of tasks) {
    const steps = [
      step("Design"),
      step("Write the code", { proof: { tests: "require" } }),
      step("Review", { depends_on: ["s:1"] }),
    ];
    await story.say(ann, "tasks_create", { parent: plan, title, priority, tags, depends_on, steps });
  }
  await story.say(ann, "tasks_create", { title: "Website" });
  const site = { parent: "PLAN-002", steps: [step("Draft"), step("Publish")] };
  for (const title of ["Landing page", "Playground in the browser", "Pictures for the blog"])
    await story.say(ann, "tasks_create", { ...site, title, tags: ["web"] });

  await finish(story, ada, "TASK-001");
  story.later(40);
  await finish(story, bob, "TASK-002");
  await finish(story, bob, "TASK-010");
  story.later(600);
  await taskInWork(story, { ann, ada, bob });
  await story.say(bob, "tasks_claim", { task: "TASK-004", ttl_s: 172_800 });
  await story.say(bob, "tasks_close_step", { task: "TASK-004", path: "s:0", checkpoints: "gate" });
  await story.say(bob, "tasks_evidence_capture", {
    task: "TASK-004",
    path: "s:1",
    checkpoint: "tests",
    items: [
      {
        kind: "test-run",
        command: "npm test",
        stdout: FAILED_OUTPUT,
        stderr: "AssertionError: expected 14 to be 20\n",
        exit_code: 1,
      },
    ],
  });
  await story.say(cyd, "tasks_claim", { task: "TASK-008", path: "s:0", ttl_s: 172_800 });
  await story.say(cyd, "tasks_claim", { task: "TASK-011", path: "s:0", ttl_s: 172_800 });
  await story.say(cyd, "tasks_block", {
    task: "TASK-011",
    path: "s:0",
    reason: "The 100 MB of logs are not cleared for use yet",
  });
  // Nothing in it can be taken up, with claims or without.
  await story.say(ann, "tasks_block", { task: "TASK-009", path: "s:0", reason: "The date of the release is open." });
  await story.say(ann, "tasks_complete", { task: "TASK-012", status: "CANCELED" });
  await finish(story, cyd, "TASK-013");
  await story.say(ann, "tasks_plan", { plan, advance: true });
  await story.say(ada, "tasks_claim", { task: "TASK-014", path: "s:0", ttl_s: 60 });
  story.later(10);
  await story.close();
  await conflictIn(root, "TASK-007");
}

/** A task of the days before, with a change on each of four days, and a word in a note that stands nowhere else. @param {string} root */
export async function daysBefore(root) {
  const day = 24 * 60;
  const story = new Story(root, Date.now() - 4 * day * MINUTE);
  const [ann, ada, bob] = ["human:ann", "agent:ada", "agent:bob"];
  const steps = [step("Read digits"), step("Read exponents"), step("Refuse the rest")];
  const { id: task } = await story.say(ann, "tasks_create", {
    kind: "task",
    title: "Numbers of the old syntax",
    steps,
  });
  await story.say(ada, "tasks_close_step", { task, path: "s:0", checkpoints: "gate" });
  story.later(day);
  const run = { kind: "test-run", command: "npm test", stdout: FAILED_OUTPUT, exit_code: 1 };
  await story.say(ada, "tasks_evidence_capture", { task, path: "s:1", checkpoint: "tests", items: [run] });
  story.later(day);
  await story.say(bob, "tasks_note", { task, path: "s:1", note: "Two signs in a row read as a zeugma." });
  story.later(day);
  const again = { ...run, stdout: TEST_OUTPUT, exit_code: 0 };
  await story.say(bob, "tasks_evidence_capture", { task, path: "s:1", checkpoint: "tests", items: [again] });
  await story.say(bob, "tasks_close_step", { task, path: "s:1", checkpoints: "gate" });
  await story.close();
  return String(task);
}

/** All steps of a task, with the runs that prove them. @param {Story} story @param {string} by @param {string} task */
async function finish(story, by, task) {
  await story.say(by, "tasks_claim", { task, ttl_s: 7200 });
  const { steps = [] } = /** @type {{ steps?: { path: string }[] }} */ (await story.say(by, "tasks_mirror", { task }));
  const paths = steps.length > 0 ? steps.map(({ path }) => path) : ["s:0", "s:1", "s:2"];
  for (const path of paths.slice(0, task === "TASK-013" ? 2 : 3)) {
    story.later(9);
    const run = { kind: "test-run", command: "npm test", stdout: TEST_OUTPUT, exit_code: 0 };
    const commit = task === "TASK-001" ? { commit: "5e1f09a7c3d24b680f9ce1d27ab36f80c4d5e912" } : {};
    await story.say(by, "tasks_evidence_capture", { task, path, checkpoint: "tests", items: [{ ...run, ...commit }] });
    await story.say(by, "tasks_close_step", { task, path, checkpoints: "gate" });
  }
  await story.say(by, "tasks_complete", { task, status: "DONE" });
}

/**
 * The task that the pages are shown with: it has something of everything.
 * @param {Story} story @param {{ ann: string, ada: string, bob: string }} who
 */
async function taskInWork(story, { ann, ada, bob }) {
  const task = "TASK-003";
  await story.say(ada, "tasks_claim", { task, ttl_s: 3000 });
  await story.say(ada, "tasks_edit", {
    task,
    description: "Statements of all samples, with places for messages.",
    context: "The old parser reads statements in `src/old/statements.ts`.",
  });
  await story.say(ada, "change_mind", {
    task,
    selector: "goals",
    content: "# Goals\n\nEvery statement of the samples parses, and a wrong one says **where**.\n",
  });
  await story.say(ada, "change_mind", {
    task,
    selector: "constraints",
    content: "- No look-ahead of more than one token\n- No regular expression over a whole file\n",
  });
  await story.say(ada, "change_mind", {
    task,
    selector: "progress",
    content: "- [x] design\n- [ ] `if` and `while`\n- [ ] review\n",
  });
  await story.say(ada, "change_mind", {
    task,
    category: "bearinmind",
    selector: "risks",
    content: "| risk | weight |\n| --- | ---: |\n| dangling else | high |\n| deep nesting | low |\n",
  });
  await story.say(ada, "tasks_think", {
    task,
    hypothesis: "The dangling else needs a rule of its own.",
    test: "Parse `if a if b c else d` and look at the tree.",
    decision: "An else belongs to the nearest if.",
  });
  await story.say(ada, "tasks_close_step", { task, path: "s:0", checkpoints: "gate" });
  await story.say(ada, "tasks_decompose", {
    task,
    parent: "s:1",
    steps: [
      step("`if` and `while`"),
      step("Blocks and scopes"),
      step("Declarations", { blockers: ["The type syntax is not agreed on"] }),
    ],
  });
  await story.say(ada, "tasks_note", {
    task,
    path: "s:1.s:0",
    note: "The grammar is ambiguous at `else`; see the decision.",
  });
  story.later(30);
  await story.say(bob, "tasks_claim", { task, ttl_s: 172_800 });
  const run = { kind: "test-run", command: "npm test -- statements", stdout: TEST_OUTPUT, exit_code: 0 };
  await story.say(bob, "tasks_evidence_capture", {
    task,
    path: "s:1.s:0",
    checkpoint: "tests",
    items: [run, { kind: "code", title: "The rule for else", path: "src/statements.ts", start_line: 41, end_line: 67 }],
    checks: ["LINK: https://ci.example.org/builds/481"],
  });
  await story.say(bob, "tasks_close_step", { task, path: "s:1.s:0", checkpoints: "gate" });
  await story.say(bob, "tasks_close_step", { task, path: "s:1.s:1", checkpoints: "gate" });
  await story.say(bob, "tasks_undo", { task });
  await story.say(ann, "tasks_note", { task, note: "Scopes leak out of blocks: please look again, Bob." });
  await story.say(bob, "tasks_evidence_capture", {
    task,
    path: "s:1.s:1",
    checkpoint: "tests",
    items: [{ kind: "test-run", command: "npm test -- scopes", stdout: FAILED_OUTPUT, exit_code: 1 }],
  });
  await story.say(bob, "tasks_evidence_capture", {
    task,
    path: "s:1.s:1",
    checkpoint: "tests",
    items: [{ kind: "test-run", command: "npm test -- scopes", stdout: TEST_OUTPUT, exit_code: 0 }],
  });
  await story.say(bob, "tasks_note", { task, path: "s:1.s:1", note: "A block has a scope of its own now." });
}

/** Two branches write one title, and their logs come together as git joins them. @param {string} root @param {string} id */
async function conflictIn(root, id) {
  const branch = `${root}-branch`;
  cpSync(root, branch, { recursive: true });
  const now = Date.now() - 20 * MINUTE;
  try {
    for (const [at, by, title] of /** @type {const} */ ([
      [root, "human:ann", "Compare with the old parser on every sample"],
      [branch, "agent:cyd", "Compare with the old parser, broken samples too"],
    ])) {
      const story = new Story(at, now);
      await story.say(by, "tasks_edit", { task: id, title });
      await story.say(by, "change_mind", { task: id, selector: "goals", content: `${title}.\n` });
      await story.close();
    }
    const log = join(".coco", "tasks", id, "events.jsonl");
    const [here, there] = [root, branch].map((at) => readFileSync(join(at, log), "utf8").split("\n").filter(Boolean));
    writeFileSync(
      join(root, log),
      [...new Set([...(here ?? []), ...(there ?? [])])].map((line) => `${line}\n`).join(""),
    );
  } finally {
    rmSync(branch, { recursive: true, force: true });
  }
}

/** Texts that run if a page takes them for HTML: each would set `window.attacked` or open a dialog. */
export const ATTACKS = [
  `<script>window.attacked=1</script>`,
  `<img src=x onerror="window.attacked=2">`,
  `"><svg onload=alert(3)>`,
  `[click](javascript:window.attacked=4)`,
  `<a href="javascript:alert(5)">x</a>`,
  `![x](https://attacker.example/pixel.png)`,
  `<style>*{display:none}</style>`,
  `\`\`\`html\n<script>alert(6)</script>\n\`\`\``,
  `<iframe srcdoc="<script>parent.attacked=7</script>"></iframe>`,
  `&lt;script&gt;window.attacked=8&lt;/script&gt;`,
  `[x](data:text/html,<script>alert(9)</script>)`,
  `| a |\n| :-: |\n| <b onmouseover=alert(10)>b</b> |`,
];

const SVG = `<svg xmlns="http://www.w3.org/2000/svg" onload="alert(11)"><script>window.attacked=11</script></svg>`;
const TERMINAL = `\u001b]0;title\u0007\u001b[31mred\u001b[0m\u001b[2J\u001b]8;;javascript:alert(12)\u0007link\u001b]8;;\u0007\u001b[999999999m\u001b[38;5mx <script>alert(13)</script>`;

/** Every text that another writer chooses is an attack. @param {string} root */
export async function hostileFolder(root) {
  const story = new Story(root, Date.now() - 600 * MINUTE);
  const by = "agent:mallory";
  const all = ATTACKS.join("\n\n");
  const line = (/** @type {number} */ i) => ATTACKS[i % ATTACKS.length]?.split("\n")[0] || "x";
  await story.say(by, "tasks_create", { title: line(0), description: all, contract: all });
  await story.say(by, "tasks_plan", { plan: "PLAN-001", steps: ATTACKS.map((_, i) => line(i)) });
  for (let i = 0; i < 4; i++) {
    const steps = ATTACKS.map((_, at) => ({
      title: line(at + i),
      success_criteria: [line(at)],
      tests: [line(at + 1)],
      blockers: [line(at + 2)],
    }));
    await story.say(by, "tasks_create", {
      parent: "PLAN-001",
      title: line(i),
      description: all,
      tags: ["<b>tag</b>"],
      priority: "<i>high</i>",
      steps,
      depends_on: i > 0 ? [`TASK-00${i}`] : [],
    });
  }
  const task = "TASK-001";
  await story.say(by, "tasks_note", { task, note: all });
  await story.say(by, "tasks_think", { task, hypothesis: all, decision: line(1), trace: all });
  for (const selector of ["goals", "constraints", "progress"])
    await story.say(by, "change_mind", { task, selector, content: all });
  await story.say(by, "change_mind", { task, category: "bearinmind", selector: "risks", content: all });
  await story.say(by, "tasks_block", { task, path: "s:0", reason: line(1) });
  await story.say(by, "tasks_evidence_capture", {
    task,
    path: "s:1",
    checkpoint: "tests",
    items: [
      { kind: "picture", title: "a.svg", content: SVG },
      { kind: "run", command: `echo '${ATTACKS[0]}'`, stdout: TERMINAL, stderr: all, exit_code: 1 },
      { kind: "code", title: line(2), path: "src/<script>alert(14)</script>.svg", start_line: 1 },
      { kind: "link", title: line(3), url: "javascript:alert(15)" },
    ],
    checks: ["LINK: javascript:alert(16)"],
  });
  await story.close();
  for (const [id, times] of Object.entries(BAD_TIMES)) await badTimes(root, { by, id, times });
}

/** @typedef {{ start: string, end: string | null, duration_sec: number | null }} Times */
/** The last moment that a date can stand for. */
const LAST = "+275760-09-13T00:00:00.000Z";
/** By packet and stage: texts that are no times, an end before its start, the first moment and the last one. @type {Record<string, Record<string, Times>>} */
export const BAD_TIMES = {
  "TASK-TIMES": {
    gemini_brief: { start: "soon", end: "later", duration_sec: Number.MAX_SAFE_INTEGER },
    codex_impl: { start: "2026-01-02T00:00:00Z", end: "2026-01-01T00:00:00Z", duration_sec: 5 },
    codex_verify: { start: "2026-01-02T00:00:00Z", end: LAST, duration_sec: null },
    gemini_review: { start: "-271821-04-20T00:00:00.000Z", end: "", duration_sec: 0 },
  },
  "TASK-LATE": { gemini_brief: { start: LAST, end: null, duration_sec: null } },
};

/** A packet of another program, of which the log was written by hand. @param {string} root @param {{ by: string, id: string, times: Record<string, Times> }} late */
async function badTimes(root, { by, id, times }) {
  const folder = mkdtempSync(join(tmpdir(), "taskfold-times-"));
  mkdirSync(join(folder, "outputs"));
  const manifest = {
    task_id: id,
    goal: ATTACKS.join("\n\n"),
    routing: { intent: "safe_impl" },
    scope: { allow: ["src/"], deny: [] },
    acceptance: { commands: [`echo '${ATTACKS[0]}'`], criteria: [...ATTACKS, "W".repeat(400)] },
    budgets: { retry_budget: 1, paid_call_budget: 9, max_wallclock_sec: 60 },
    context: { digest_policy: "off" },
  };
  writeFileSync(join(folder, "manifest.yaml"), JSON.stringify(manifest));
  for (const stage of Object.keys(times)) {
    const tool = stage.split("_")[0];
    writeFileSync(join(folder, `outputs/${stage}.${tool}.meta.json`), JSON.stringify({ exit_code: 0 }));
  }
  const workspace = openWorkspace({ root, by, workspace: WORKSPACE });
  await workspace.packets.import(folder);
  await workspace.close();
  rmSync(folder, { recursive: true });
  const ops = opsIn(root, id);
  for (const { drafts } of ops)
    for (const { type, payload } of drafts)
      if (type === "stage.imported") Object.assign(payload, times[/** @type {string} */ (payload["stage"])]);
  writeLog(
    root,
    id,
    ops.map((op) => ({ ...op, by })),
  );
}

/** @typedef {ReturnType<typeof opsIn>[number] & { by: string, ts?: string }} WrittenOp */

/** A log as if these ops had been made one after the other, until now, or when they say. @param {string} root @param {string} id @param {readonly WrittenOp[]} ops */
export function writeLog(root, id, ops) {
  const parts = [];
  let heads = /** @type {string[]} */ ([]);
  let seq = 0;
  const end = Date.now();
  for (const [
    n,
    { tool, drafts, by, ts = new Date(end - MINUTE - (ops.length - n) * 1000).toISOString() },
  ] of ops.entries()) {
    const opId = `${n}`.padStart(20, "0");
    const { events, bytes } = sealOp({ taskId: id, by, ts, tool, opId, heads, seq, drafts });
    heads = [events.at(-1)?.hash ?? ""];
    seq += events.length;
    parts.push(bytes);
  }
  writeFileSync(join(root, ".coco/tasks", id, "events.jsonl"), Buffer.concat(parts));
}

/** TASK-001 with so many revisions: each but the first gives it the number as title. One of them is by another agent. @param {string} root @param {{ revisions: number, odd: { at: number, by: string } }} past */
export async function longPast(root, { revisions, odd }) {
  const [id, by] = ["TASK-001", "agent:ada"];
  const story = new Story(root, Date.now() - MINUTE);
  await story.say(by, "tasks_create", { kind: "task", title: "As of 1" });
  await story.close();
  const ops = opsIn(root, id).map((op) => ({ ...op, by }));
  for (let n = 2; n <= revisions; n++) {
    const title = `As of ${n}`;
    const payload = { message: `Edited title of task "${title}".`, patch: { title } };
    ops.push({ tool: "tasks_edit", drafts: [{ type: "task.edited", payload }], by: n === odd.at ? odd.by : by });
  }
  writeLog(root, id, ops);
}
