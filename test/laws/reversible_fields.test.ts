/** Every field that a call defines comes back by undo, and redo takes it again. A new field without a case fails here. */
import { describe, expect, it } from "vitest";
import { entityToJson } from "../../src/state/entity_json.ts";
import { DETAIL_FIELDS, NODE_FIELDS, STEP_FIELDS } from "../../src/rules/patch_fields.ts";
import { TOOLS } from "../../src/tools/index.ts";
import type { ToolName } from "../../src/tools/generated/tool_types.ts";
import type { Given } from "../support/given.ts";
import { givenTask } from "../support/given.ts";

/** Members of an input that say where the call goes, and what it expects. */
const NO_FIELDS =
  "workspace target task plan path step_id task_node_id node_id expected_revision expected_head idempotency_key fence";

const LINES = ["another line"];
const PLAN = { plan: "PLAN-001" };
const TASK = { task: "TASK-001" };
const STEP = { ...TASK, path: "s:0" };
const NODE = { ...TASK, path: "s:0.t:0" };

/** Values of fields that differ from those of the world below. */
const TEXTS = { title: "another title", description: "another description", context: "another context" };
const OF_ANY = { ...TEXTS, priority: "LOW", tags: LINES, depends_on: ["TASK-002"], complete_when_done: true };
const OF_PLAN = { ...OF_ANY, contract: "another promise", contract_data: { stable: false } };
const OF_STEP = {
  title: "another title",
  success_criteria: LINES,
  tests: LINES,
  blockers: LINES,
  files: LINES,
  packet: true,
};
const LISTS = {
  success_criteria: LINES,
  next_steps: LINES,
  blockers: LINES,
  dependencies: LINES,
  problems: LINES,
  risks: LINES,
};
const OF_NODE = { ...TEXTS, ...LISTS, status: "ACTIVE", priority: "LOW" };
const OF_STEP_DEFINED = {
  ...OF_STEP,
  depends_on: ["s:1"],
  proof: { tests: "captured", docs: "warn" },
  confirm: ["docs"],
};
const NAMES = { domain: "another", phase: "another", component: "another", assignee: "another" };

type Values = Readonly<Record<string, unknown>>;
const DEFINED: readonly [ToolName, object, Values][] = [
  ["tasks_define", STEP, OF_STEP_DEFINED],
  ["tasks_edit", TASK, { ...OF_ANY, new_domain: "another" }],
  ["tasks_edit", PLAN, { ...OF_PLAN, proof: { tests: "captured" } }],
  ["tasks_plan", PLAN, { steps: LINES, current: 1, doc: "another", advance: true }],
  ["tasks_contract", PLAN, { current: "another promise", contract_data: { stable: false }, clear: true }],
  ["tasks_task_define", NODE, OF_NODE],
];
const PATCHED: readonly [object, Values][] = [
  [TASK, { ...OF_ANY, ...NAMES }],
  [PLAN, OF_PLAN],
  [STEP, { ...OF_STEP, depends_on: ["s:1"] }],
  [NODE, OF_NODE],
];

const cases: [ToolName, string, string, Values][] = [
  ...DEFINED.flatMap(([tool, place, values]) =>
    Object.entries(values).map(([field, value]) => one(tool, field, { ...place, [field]: value })),
  ),
  ...PATCHED.flatMap(([place, values]) =>
    Object.entries(values).map(([field, value]) =>
      one("tasks_patch", field, { ...place, ops: [{ op: "set", field, value }] }),
    ),
  ),
];

function one(tool: ToolName, field: string, input: Values): [ToolName, string, string, Values] {
  return [tool, field, (input["path"] ?? input["task"] ?? input["plan"]) as string, input];
}

/** Each field has a value that a call can take away. Of the steps one is closed, so that what it asks for can open it. */
function world(): Given {
  const given = givenTask({ title: "closed", tests: ["npm test"], blockers: ["a blocker"] }, "open");
  given.call("tasks_create", { parent: "PLAN-001", title: "Another task" });
  given.call("tasks_plan", { ...PLAN, steps: ["first", "second"], doc: "a checklist" });
  given.call("tasks_contract", { ...PLAN, current: "a promise", contract_data: { stable: true } });
  given.call("tasks_task_add", { ...TASK, parent_step: "s:0", title: "a node", risks: ["late"] });
  given.call("tasks_define", { ...STEP, confirm: ["security"], files: ["src"] });
  given.call("tasks_close_step", { ...STEP, checkpoints: "gate" });
  return given;
}

describe("undo of a field that a call defines", () => {
  it("[UNDO-1] each field of each tool that defines some has a case below", () => {
    const known = (of: readonly Values[]) => [...new Set(of.flatMap((values) => Object.keys(values)))].toSorted();
    for (const tool of new Set(DEFINED.map(([name]) => name))) {
      const { properties } = TOOLS[tool]!.input as unknown as { properties: object };
      const fields = Object.keys(properties).filter((field) => !NO_FIELDS.split(" ").includes(field));
      const given = known(DEFINED.filter(([name]) => name === tool).map(([, , values]) => values));
      expect([tool, given]).toEqual([tool, fields.toSorted()]);
    }
    expect(known(PATCHED.map(([, values]) => values))).toEqual(known([DETAIL_FIELDS, STEP_FIELDS, NODE_FIELDS]));
  });

  it.each(cases)("[UNDO-1] brings it back, and redo takes it again: %s %s of %s", (tool, _field, _place, input) => {
    const given = world();
    const id = "plan" in input ? "PLAN-001" : "TASK-001";
    const state = () => decidedOf(given, id);
    const before = state();
    given.call(tool, input as never);
    const after = state();
    expect(after).not.toEqual(before);
    given.call("tasks_undo", { target: id });
    expect(state()).toEqual(before);
    given.call("tasks_redo", { target: id });
    expect(state()).toEqual(after);
  });
});

/** All of it but what counts ops, and who stands for a confirmation. */
function decidedOf(given: Given, id: string): unknown {
  const { own, steps, maps, children } = entityToJson(given.entity(id));
  const { updated_at: _at, revision: _revision, recent: _recent, ...decided } = own;
  const { acted: _acted, ...entries } = maps;
  const told = steps.map(({ confirmed_by: _confirmers, ...step }) => step);
  return structuredClone({ own: decided, steps: told, entries, children });
}
