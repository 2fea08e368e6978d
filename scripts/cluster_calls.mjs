// @ts-check
// Calls of every tool, by its own example. They are about the plans and tasks of a cluster run, and about the life of a task of
// its own.
import { TOOLS } from "../dist/index.js";

/** @typedef {import("./random_calls.mjs").Random} Random */

const ANY_ID = /^(?:TASK|PLAN)-\d+$/;
/** Tools about packets mean these tasks, and other tools these while there are few: some end or delete what they are about. */
export const PACKETS = ["TASK-801", "TASK-802"];
export const EXAMPLES = ["TASK-701", "TASK-702", "TASK-703", "TASK-704", "TASK-705", "TASK-706"];
/** Members of an example to replace, because our plans and tasks are in another state. */
const INSTEAD = /** @type {Record<string, Record<string, unknown>>} */ ({
  packet_stage_finish: { stage: "gemini_brief" },
  packet_stage_interrupt: { stage: "gemini_brief" },
  recall_taskdoc: { category: "ux", selector: "list" },
  tasks_close_step: { step_id: undefined, expected_revision: undefined, path: "s:1" },
});

/**
 * A call of one of the tools that were called least often.
 * @param {Random} random @param {ReadonlyMap<string, number>} made by tool @param {{tasks: readonly string[], plans: readonly string[], workspace: string}} known
 */
export function exampleCall(random, made, { tasks, plans, workspace }) {
  const names = Object.keys(TOOLS);
  const least = Math.min(...names.map((name) => made.get(name) ?? 0));
  const rare = names.filter((name) => (made.get(name) ?? 0) === least);
  const name = rare[random.below(rare.length)] ?? "tasks_note";
  const { examples = [], effect } = TOOLS[name] ?? {};
  const ids = name.startsWith("packet_") ? PACKETS : [...EXAMPLES, ...tasks];
  /** @type {(key: string, value: unknown) => unknown} */
  const known = (key, value) => {
    if (key === "workspace") return workspace;
    if (typeof value !== "string" || !ANY_ID.test(value)) return value;
    const own = value.startsWith("PLAN") ? plans : ids;
    return own[random.below(own.length)] ?? value;
  };
  const example = examples[random.below(examples.length)];
  const input = /** @type {Record<string, unknown>} */ (JSON.parse(JSON.stringify(example), known));
  return { tool: name, input: { ...input, ...INSTEAD[name] }, isRead: effect === "read" || effect === "focus" };
}

/** Each call needs what those before it left, so no example about a task of others gets this far. @type {readonly [string, Record<string, unknown>][]} */
const LIFE = [
  ["tasks_verify", { path: "s:0", checkpoints: "gate" }],
  ["tasks_done", { path: "s:0" }],
  ["tasks_progress", { path: "s:0", completed: false, reason: "the tests were wrong" }],
  ["tasks_task_add", { parent_step: "s:0", title: "Collect samples" }],
  ["tasks_task_define", { path: "s:0.t:0", status: "DONE" }],
  ["change_mind", { category: "ux", selector: "list", content: "- [ ] look at it\n" }],
  ["recall_taskdoc", { category: "ux", selector: "list" }],
  ["tasks_undo", {}],
  ["tasks_redo", {}],
  ["tasks_complete", { status: "CANCELED", reason: "the feature was dropped" }],
  ["tasks_archive", {}],
  ["tasks_restore", {}],
];

/** The call number `at` in the life of this task; undefined at its end. @param {string} task @param {number} at */
export function callOfLife(task, at) {
  const [tool, input] = LIFE[at] ?? [];
  if (tool === undefined) return undefined;
  return { tool, input: { task, ...input }, isRead: TOOLS[tool]?.effect === "read" };
}
