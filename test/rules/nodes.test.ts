import { describe, expect, it } from "vitest";
import { readme } from "../../src/projections/readme.ts";
import { liveConflicts } from "../../src/state/live.ts";
import { textOf } from "../../src/sentence.ts";
import { troubles } from "../../src/views/lines.ts";
import type { Given } from "../support/given.ts";
import { givenTask, types } from "../support/given.ts";
import { addSteps, remove, Story, stepId } from "../support/story.ts";

const node = (given: Given, path = "s:0", title = "Collect") =>
  given.call("tasks_task_add", { parent_step: path, title });
const NODE = "NODE-00000001";

describe("task nodes", () => {
  it("[NODES-1] [NODES-3] stand in a step in order, with what is known of them", () => {
    const given = givenTask("a", "b");
    const told = given.call("tasks_task_add", {
      parent_step: given.step("s:1").id,
      title: "Collect samples",
      description: "of every kind",
      next_steps: ["ask Ann", " ask Ann ", "none"],
      status: "ACTIVE",
    });
    expect(types(told)).toEqual(["task_node_added"]);
    const expected = { task_node_id: NODE, path: "s:1.t:0", step_id: given.step("s:1").id, title: "Collect samples" };
    expect(told.result).toMatchObject({ task: "TASK-001", revision: 2, task_node: { ...expected, status: "ACTIVE" } });
    expect(node(given, "s:1").result["task_node"]).toMatchObject({ path: "s:1.t:1", status: "TODO" });
    expect(given.entity().nodes.get(NODE)).toMatchObject({
      next_steps: ["ask Ann"],
      priority: "MEDIUM",
      context: null,
    });
  });

  it("[NODES-1] close and open nothing", () => {
    const given = givenTask("a");
    given.call("tasks_close_step", { path: "s:0", checkpoints: "gate" });
    given.call("tasks_complete", {});
    node(given);
    given.call("tasks_task_define", { path: "s:0.t:0", status: "FAILED" });
    given.call("tasks_task_delete", { path: "s:0.t:0" });
    expect(given.step("s:0").done).toBe(true);
    expect(given.entity().status).toBe("DONE");
  });

  it("[NODES-2] are named by id, by path, or by both when they agree, and a path is never given again", () => {
    const given = givenTask("a");
    node(given);
    node(given, "s:0", "Sort");
    for (const by of [{ task_node_id: NODE }, { path: "s:0.t:0" }, { task_node_id: NODE, path: "s:0.t:0" }]) {
      const told = given.call("tasks_task_define", { ...by, risks: ["late"] });
      expect(told.result["task_node"]).toMatchObject({ task_node_id: NODE });
    }
    given.call("tasks_task_delete", { task_node_id: "NODE-00000002" });
    expect(node(given).result["task_node"]).toMatchObject({ path: "s:0.t:2" });
    const code = (by: object): string => given.refusal("tasks_task_define", { ...by, title: "x" }).code;
    expect(code({ task_node_id: NODE, path: "s:0.t:2" })).toBe("TARGET_CONTRADICTION");
    expect(code({ path: "s:0.t:1" })).toBe("UNKNOWN_ID");
    expect(code({ path: "s:7.t:0" })).toBe("UNKNOWN_ID");
    expect(code({ task_node_id: "NODE-00000002" })).toBe("UNKNOWN_ID");
    expect(code({ path: "s:0" })).toBe("INVALID_INPUT");
    expect(code({ path: "s:0.t:01" })).toBe("INVALID_INPUT");
    expect(code({})).toBe("TARGET_REQUIRED");
    given.call("tasks_delete", { path: "s:0" });
    expect(code({ task_node_id: NODE })).toBe("UNKNOWN_ID");
    expect(given.refusal("tasks_task_add", { plan: "PLAN-001", parent_step: "s:0", title: "x" }).code).toBe(
      "INVALID_INPUT",
    );
    expect(given.refusal("tasks_task_delete", { plan: "PLAN-001", path: "s:0.t:0" }).code).toBe("INVALID_INPUT");
  });

  it("[NODES-3] change in what is given and in nothing else", () => {
    const given = givenTask("a");
    given.call("tasks_task_add", { parent_step: "s:0", title: "t", context: "c", problems: ["p"], description: "d" });
    const told = given.call("tasks_task_define", {
      path: "s:0.t:0",
      description: null,
      context: null,
      priority: "HIGH",
    });
    expect(types(told)).toEqual(["task_node_defined"]);
    expect(given.entity().nodes.get(NODE)).toMatchObject({
      title: "t",
      description: "",
      context: null,
      priority: "HIGH",
      problems: ["p"],
    });
    const error = given.refusal("tasks_task_define", { path: "s:0.t:0" });
    expect(error).toMatchObject({ code: "INVALID_INPUT", suggestions: [{ tool: "tasks_task_define" }] });
    expect(given.refusal("tasks_task_define", { path: "s:0.t:0", title: " " }).code).toBe("INVALID_INPUT");
  });

  it("[NODES-4] [VIEW-18] stand in the mirror, in resume and in README under their step", () => {
    const given = givenTask("a", "b");
    given.call("tasks_task_add", { parent_step: "s:0", title: "*Sort*", risks: ["late"], context: "old" });
    given.call("tasks_task_add", { parent_step: "s:0", title: "gone" });
    given.call("tasks_task_delete", { path: "s:0.t:1" });
    const row = {
      task_node_id: NODE,
      path: "s:0.t:0",
      title: "*Sort*",
      status: "TODO",
      context: "old",
      risks: ["late"],
    };
    expect(given.call("tasks_mirror", {}).result["steps"]).toMatchObject([
      { path: "s:0", task_nodes: [row] },
      { path: "s:1" },
    ]);
    expect(given.call("tasks_resume", {}).result["step_list"]).toMatchObject([{ task_nodes: [row] }, { path: "s:1" }]);
    const text = readme(given.subject("TASK-001"));
    expect(text).toContain(`  - task s:0.t:0 \\*Sort\\* (\`${NODE}\`) \`TODO\`\n    - old\n    - risk: late\n`);
    expect(text).not.toContain("gone (");
  });

  it("[NODES-4] stand in the pack and the super-resume while they and their step are open, and are counted after", () => {
    const given = givenTask("a", "b");
    for (let i = 0; i < 25; i++) given.call("tasks_task_add", { parent_step: "s:1", title: `n${i}`, risks: ["late"] });
    given.call("tasks_task_define", { path: "s:1.t:0", status: "DONE" });
    for (const tool of ["tasks_resume_pack", "tasks_resume_super"] as const) {
      const { entries, ...counts } = given.call(tool, {}).result["task_nodes"] as { entries: object[] };
      expect(counts).toEqual({ open: 24, total: 25 });
      expect(entries).toHaveLength(20);
      expect(entries[0]).toMatchObject({ path: "s:1.t:1", title: "n1", risks: ["late"] });
      const small = given.call(tool, { max_chars: 3500 }).result["task_nodes"] as { entries: object[] };
      expect(small.entries[0]).toMatchObject({ path: "s:1.t:1", title: "n1" });
    }
    given.call("tasks_close_step", { path: "s:1", checkpoints: "gate" });
    expect(given.call("tasks_resume_super", {}).result["task_nodes"]).toEqual({ entries: [], open: 0, total: 25 });
    expect(givenTask("a").call("tasks_resume_super", {}).result).not.toHaveProperty("task_nodes");
  });

  it("[NODES-6] are deleted by undo unless somebody worked on them, and get back what was set", () => {
    const given = givenTask("a");
    node(given);
    const add = given.past().ops.at(-1)!.op;
    given.call("tasks_task_define", { path: "s:0.t:0", title: "Sort", status: "DONE", risks: ["late"] });
    expect(given.refusal("tasks_undo", { op: add }).code).toBe("UNDO_CONFLICT");
    given.call("tasks_undo", {});
    expect(given.entity().nodes.get(NODE)).toMatchObject({ title: "Collect", status: "TODO", risks: [] });
    given.call("tasks_undo", { op: add });
    expect(given.entity().nodes.get(NODE)?.deleted).toBe(true);
    given.call("tasks_redo", {});
    expect(given.entity().nodes.get(NODE)?.deleted).toBe(false);
    expect(given.refusal("tasks_undo", { op: given.past().ops[0]!.op }).code).toBe("NOTHING_TO_UNDO");
  });

  it("[NODES-6] [UNDO-4] keep the step they were added to", () => {
    const given = givenTask();
    given.call("tasks_decompose", { steps: [{ title: "a", success_criteria: [] }] });
    const added = given.past().ops.at(-1)!.op;
    node(given);
    expect(given.refusal("tasks_undo", { op: added }).code).toBe("UNDO_CONFLICT");
  });
});

describe("task nodes after a merge", () => {
  const added = (id: string, title: string) => ({
    type: "task.node_added",
    payload: { step_id: stepId(0), node_id: id, title, message: "x" },
  });
  const defined = (id: string, fields: object) => ({
    type: "task.node_defined",
    payload: { step_id: stepId(0), node_id: id, ...fields, message: "x" },
  });
  const [A, B] = ["NODE-0000000A", "NODE-0000000B"] as const;

  it("[NODES-5] have moved paths until somebody who saw both works there", () => {
    const given = givenTask("a");
    const step = given.step("s:0");
    node(given);
    node(given, "s:0", "Sort");
    given.entity().moved.set(`step.${step.id}.nodes`, [NODE, "NODE-00000002"]);
    const error = given.refusal("tasks_task_define", { path: "s:0.t:1", title: "x" });
    expect(error).toMatchObject({ code: "PATH_MOVED", details: { task_node_id: "NODE-00000002" } });
    given.call("tasks_task_define", { task_node_id: NODE, path: "s:0.t:0", title: "x" });
    expect(given.entity().moved.size).toBe(0);
  });

  it("[NODES-5] are all there, and radar names those whose paths moved", () => {
    const story = new Story().do(addSteps(0, ["a"]));
    story.apart([added(A, "of a")], [added(B, "of b")]);
    expect([...story.entity.nodes.keys()]).toEqual([A, B]);
    expect([...troubles(story.entity)].map(textOf)).toEqual([
      `A merge moved paths, select by id: ${A} is s:0.t:0, ${B} is s:0.t:1`,
    ]);
    story.do(defined(B, { title: "seen" }));
    expect([...troubles(story.entity)]).toEqual([]);
  });

  it("[NODES-5] [EVENT-5] conflict where both wrote one field, until the node or its step is deleted", () => {
    const story = new Story().do(addSteps(0, ["a"]), added(A, "t"));
    story.apart([defined(A, { title: "one" })], [defined(A, { title: "two" })]);
    expect([...troubles(story.entity)][0]?.text).toContain("Conflict on s:0.t:0 title:");
    story.do(remove(0));
    expect(liveConflicts(story.entity)).toEqual([]);
  });
});
