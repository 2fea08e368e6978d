// @ts-check
// More of the folder that attacks its readers: task files of another program, names, files of people, and captured output.
import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { opsIn } from "../../../bench/lib/scale_workspace.mjs";
import { writeLog } from "./world.mjs";

/** @typedef {import("./world.mjs").Story} Story */

/** Direction marks, terminal codes, letters of no width, and a letter under many accents. */
const CHARACTERS = `\u202Egnp.exe\u2066\u2069 \u001b[31m\u001b[2J\u0007 ${"\u200B\u200D\uFEFF".repeat(50)} Z${"\u0301\u0336\u0489".repeat(80)}`;
/** The same for a text of one line. */
const LINE = CHARACTERS.replaceAll(/\p{Cc}/gu, "");
/** No place to break it. */
const LONG = "W".repeat(2000);
const RUNS = `<img src=x onerror="window.attacked=20"><script>window.attacked=21</script>`;

/** Names that objects have from the start, and texts that look like addresses. */
const PROTOTYPE = ["__proto__", "constructor", "toString", "hasOwnProperty"];
const ADDRESSES = [
  "javascript:window.attacked=22",
  "https://attacker.example/tag",
  "//attacker.example",
  "../../../../etc/passwd",
  "#/board?is=ready&q=%00",
];

/** A task file of Coco. @param {string} id @param {string} more */
function cocoTask(id, more) {
  return `id: ${id}\ntopology: squad\nstate: working\ncreatedAt: "2026-01-01T00:00:00Z"\nupdatedAt: "2026-01-02T00:00:00Z"\n${more}`;
}

const q = JSON.stringify;

/** By folder, those that are shown. @type {Record<string, string>} */
export const COCO_SHOWN = {
  "coco-texts": cocoTask(
    "coco-texts",
    `title: ${q(RUNS + CHARACTERS)}
description: ${q(`${RUNS}\n\n[x](javascript:window.attacked=23) ![x](https://attacker.example/y.png)\n\n${LONG}`)}
milestones:
${[RUNS, CHARACTERS, LONG, ...PROTOTYPE, ...ADDRESSES].map((text, n) => `  - { id: ${q(n < 3 ? `m${n}` : text)}, title: ${q(text)}, state: working, dependsOn: [${q(n === 0 ? "__proto__" : "m0")}] }`).join("\n")}
roster:
${[RUNS, CHARACTERS, LONG, "__proto__"].map((text) => `  - { instance: ${q(text)}, agent: ${q(text)}, state: active, assignedMilestone: ${q(text)}, skills: [${q(text)}] }`).join("\n")}
gates:
  - { id: ${q(RUNS)}, type: human-approval, state: blocked, reason: ${q(RUNS + LONG)}, instructionsRef: "javascript:window.attacked=24", resolvedBy: ${q(CHARACTERS)} }
`,
  ),
  "coco-proto": cocoTask(
    "coco-proto",
    `title: constructor\n__proto__: { polluted: true }\nconstructor: { prototype: { polluted: true } }\ntoString: 1\n`,
  ),
  "coco-long": cocoTask(
    "coco-long",
    `title: ${q(`long ${"t ".repeat(200_000)}`)}\ndescription: ${"d".repeat(500_000)}\n`,
  ),
  "coco-anchors": cocoTask(
    "coco-anchors",
    `title: &t ${q(RUNS)}\ndescription: *t\nmilestones:\n${Array.from({ length: 900 }, (_, n) => `  - { id: m${n}, title: *t }`).join("\n")}\n`,
  ),
  // Members that Coco knows nothing of are not written out.
  "coco-bomb": cocoTask(
    "coco-bomb",
    `title: bomb\na0: &a0 [x, x, x, x, x, x, x, x, x, x]\n${Array.from({ length: 12 }, (_, n) => `a${n + 1}: &a${n + 1} [${Array(10).fill(`*a${n}`).join(", ")}]`).join("\n")}\n`,
  ),
  "coco-self": cocoTask("coco-self", `title: self\nextra: &e [*e]\n`),
};

/** Those that are a warning. @type {Record<string, string>} */
export const COCO_REFUSED = {
  "coco-tag": cocoTask("coco-tag", `title: !!js/function "function () { globalThis.attacked = 25 }"\n`),
  "coco-deep": cocoTask("coco-deep", `title: deep\nextra: ${"[".repeat(5000)}${"]".repeat(5000)}\n`),
  "coco-large": cocoTask("coco-large", `title: ${q("x".repeat(1_100_000))}\n`),
};

/** Folders that are not adopted. @param {string} root */
export function hostileCoco(root) {
  for (const [id, text] of Object.entries({ ...COCO_SHOWN, ...COCO_REFUSED })) {
    const folder = join(root, ".coco/tasks", id);
    mkdirSync(join(folder, "shared"), { recursive: true });
    writeFileSync(join(folder, "task.yaml"), text);
    peoplesFiles(folder);
  }
}

/** The files that people write, of one task. @param {string} folder */
function peoplesFiles(folder) {
  writeFileSync(join(folder, "shared/human-notes.md"), `# ${RUNS}\n\n${CHARACTERS}\n\n${LONG}\n`);
  writeFileSync(
    join(folder, "shared/context-manifest.yaml"),
    `files:\n  - ${q(RUNS)}\n  - !!js/undefined x\n${CHARACTERS.slice(0, 9)}`,
  );
}

/** A task whose every name is an attack. @param {string} root @param {Story} story @param {string} by */
export async function hostileNames(root, story, by) {
  const task = "TASK-NAMES";
  await story.say(by, "tasks_create", {
    kind: "task",
    id: task,
    title: `${RUNS} ${LINE}`.slice(0, 200),
    description: `${CHARACTERS}\n\n${LONG}`,
    tags: [...ADDRESSES, ...PROTOTYPE, LONG.slice(0, 60)],
    steps: [
      { title: LONG.slice(0, 200), success_criteria: [LONG, LINE], tests: [LINE], blockers: [LONG] },
      { title: "constructor", success_criteria: ["__proto__"], tests: ["toString"] },
    ],
  });
  for (const id of ["constructor", "toString", "hasOwnProperty"])
    await story.say(by, "tasks_create", { kind: "task", id, title: id });
  const content = `${RUNS}\n\n${CHARACTERS}\n\n${LONG}`;
  await story.say(by, "change_mind", { task, category: "bearinmind", selector: "risks", content });
  for (const category of [...PROTOTYPE.slice(1), "w".repeat(60), "constructor.prototype"])
    await story.say(by, "change_mind", { task, category, selector: "constructor", content });
  await story.say(by, "tasks_think", {
    task,
    hypothesis: `${RUNS}${CHARACTERS}`,
    decision: LONG,
    trace: `${CHARACTERS}\n${LONG}`,
  });
  for (const note of [RUNS, CHARACTERS, LONG]) await story.say(by, "tasks_note", { task, note });
  const actor = `agent:${"W".repeat(64)}`;
  await story.say(actor, "tasks_claim", { task, path: "s:1", ttl_s: 172_800 });
  await story.say("human:__proto__", "tasks_note", { task, note: "constructor" });
  peoplesFiles(join(root, ".coco/tasks", task));
  await story.say("human:https//attacker.example/x", "tasks_note", { task, note: "after people wrote" });
}

/** Of no output that the engine captures: its bytes are written beside a log of the attacker's own. */
const LARGE = 24 * 1024 * 1024;
const TURNING = "\u202E\u200B\u0301\u2066\uFEFF\u0489";
const COLOURS = Array.from({ length: 8 }, (_, n) => `\u001b[3${n}me`).join("");
/** Captured outputs that are a storm: one line, colours, other codes, letters that take no room or turn, short lines. @type {Record<string, () => string>} */
const STORMS = {
  "one line": () => `${RUNS}e`.padEnd(LARGE, "x"),
  colours: () => COLOURS.repeat(60_000),
  codes: () => `\u001b]0;e\u0007\u001b[9;1H\u001b[${";".repeat(60)}m\u0008\r7`.repeat(30_000),
  letters: () => `e${TURNING.repeat(200_000)}`,
  lines: () => "e\n".repeat(1_000_000),
};
export const STORM_TASK = "TASK-STORM";
export const STORM_COUNT = Object.keys(STORMS).length;

/** @param {string} root @param {Story} story @param {string} by */
export async function hostileOutputs(root, story, by) {
  const task = STORM_TASK;
  await story.say(by, "tasks_create", { kind: "task", id: task, title: "Storms" });
  const items = Object.keys(STORMS).map((name) => ({ kind: "run", command: name, stdout: name, exit_code: 1 }));
  await story.say(by, "tasks_evidence_capture", { task, items });
  const blobs = join(root, ".coco/tasks", task, "shared/evidence/blobs");
  let ops = JSON.stringify(opsIn(root, task));
  for (const [name, textOf] of Object.entries(STORMS)) {
    const bytes = Buffer.from(textOf());
    ops = ops.replaceAll(digest(name), digest(bytes));
    writeFileSync(join(blobs, digest(bytes)), bytes);
  }
  const message = `${RUNS} ${CHARACTERS} ${LONG}`;
  const forged = /** @type {ReturnType<typeof opsIn>} */ (JSON.parse(ops));
  for (const { payload } of forged.flatMap(({ drafts }) => drafts)) payload["message"] = message;
  writeLog(
    root,
    task,
    forged.map((op) => ({ ...op, tool: "constructor", by })),
  );
}

/** Rows that end early: a table of 64,000 cells in 1,790 characters. */
const TABLE = `|${"a|".repeat(255)}\n|${"-|".repeat(255)}\n${"|a\n".repeat(255)}\n`;
/** Sentences of which each begins as a form of the pages does, and none ends as one. */
const CHAINS = [
  "Undid: ",
  "Undid: A. ",
  ": ",
  "s:0 x: blocked: ",
  "Packet: ",
  "Captured 1 piece of evidence on a for b",
];
/** Texts that are small in the folder and large on a page. By task, its notes and the messages of its changes. @type {Record<string, { notes?: string[], messages?: string[] }>} */
const SIZES = {
  "TASK-TABLES": { notes: Array(50).fill(TABLE) },
  "TASK-MARKS": {
    notes: [TABLE.repeat(50), "- a\n".repeat(24_000), "*a*".repeat(30_000), ...Array(50).fill("W\n".repeat(100_000))],
  },
  "TASK-CHAINS": {
    messages: CHAINS.flatMap((piece) =>
      [240, 2000, 900_000].map((length) => `Conflict on ${piece.repeat(length / piece.length)}`),
    )
      .concat(CHAINS.map((piece) => piece.repeat(20_000)))
      .concat(Array.from({ length: 190 }, (_, n) => `Conflict on ${n}${": ".repeat(990)}`)),
  },
  "TASK-TIMES-MANY": { messages: Array(10).fill("2026-01-01T00:00:00.000Z ".repeat(40_000)) },
};
export const SIZES_PAGES = Object.entries(SIZES).flatMap(([id, { notes }]) =>
  notes ? [`#/task/${id}?tab=notes`] : [`#/task/${id}`, `#/time/${id}?at=2&from=1`],
);

/** @param {string} root @param {Story} story @param {string} by */
export async function hostileSizes(root, story, by) {
  for (const [id, { notes = [], messages = [] }] of Object.entries(SIZES)) {
    await story.say(by, "tasks_create", { kind: "task", id, title: id });
    writeLog(root, id, [
      ...opsIn(root, id).map((op) => ({ ...op, by })),
      ...notes.map((note) => written(by, "step.noted", { message: "Noted.", note, step_id: null })),
      ...messages.map((message, n) => written(by, "task.edited", { message, patch: { title: `T${n}` } })),
    ]);
  }
  const id = "TASK-DAYS";
  await story.say(by, "tasks_create", { kind: "task", id, title: id });
  // A change each 400 days since the year 1.
  const first = Date.parse("0001-01-02T00:00:00Z");
  const days = Array.from({ length: 1840 }, (_, n) => new Date(first + n * 400 * 86_400_000).toISOString());
  writeLog(
    root,
    id,
    [
      ...opsIn(root, id).map((op) => ({ ...op, by })),
      ...days.map((day) => written(by, "task.edited", { message: "Edited.", patch: { title: day } })),
    ].map((op, n) => ({ ...op, ts: days[Math.max(0, n - 1)] ?? "" })),
  );
}

/** @param {string} by @param {string} type @param {import("../../../dist/index.js").JsonObject} payload */
function written(by, type, payload) {
  return { tool: "tasks_edit", by, drafts: [{ type, payload }] };
}

/** @param {string | Uint8Array} bytes */
function digest(bytes) {
  return createHash("sha256").update(bytes).digest("hex");
}
