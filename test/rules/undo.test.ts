import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { TaskfoldError } from "../../src/errors.ts";
import { CHECKPOINTS } from "../../src/state/entity.ts";
import { fieldAt } from "../../src/state/fields.ts";
import type { Node } from "../../src/state/node.ts";
import { decided } from "../support/decided.ts";
import { givenTask, types } from "../support/given.ts";

const code = (error: TaskfoldError): string => error.code;

describe("undo", () => {
  it.each([
    ["tasks_define", { tests: ["z"] }],
    ["tasks_progress", { completed: false, reason: "again" }],
    ["tasks_verify", { checkpoints: { tests: false } }],
  ] as const)("[UNDO-1] [UNDO-33] [STEP-15] closes again what %s opened, whatever evidence asks for", (tool, opens) => {
    for (const late of [false, true]) {
      const given = givenTask("a");
      const at = { path: "s:0" };
      const docs = (): unknown =>
        given.call("tasks_evidence_capture", { ...at, checks: ["CMD: make docs"], checkpoint: "docs" });
      given.call("tasks_close_step", { ...at, checkpoints: "gate" });
      if (!late) docs();
      given.call(tool, { ...at, ...opens } as never);
      expect(given.step("s:0").done).toBe(false);
      if (late) docs();
      const told = given.call("tasks_undo", {});
      expect(told.result["fields"]).toContain(`step.${given.step("s:0").id}.done`);
      expect(given.step("s:0")).toMatchObject({ done: true, reopened: null });
      expect(given.refusal("tasks_complete", {}).code).toBe("CHECKPOINTS_NOT_CONFIRMED");
      given.call("tasks_redo", {});
      expect(given.step("s:0").done).toBe(false);
    }
  });

  it("[UNDO-1] [UNDO-33] redo closes a step again that evidence asks more of since", () => {
    const given = givenTask("a");
    given.call("tasks_close_step", { path: "s:0", checkpoints: "gate" });
    given.call("tasks_undo", {});
    given.call("tasks_evidence_capture", { path: "s:0", checks: ["CMD: make docs"], checkpoint: "docs" });
    given.call("tasks_redo", {});
    expect(given.step("s:0").done).toBe(true);
  });

  it("[UNDO-1] is an op of its own whose event gives every field in full", () => {
    const given = givenTask("a");
    given.call("tasks_edit", { task: "TASK-001", title: "New", priority: "HIGH" });
    const told = given.call("tasks_undo", {});
    expect(types(told)).toEqual(["undo_applied"]);
    expect(told.result["fields"]).toEqual(["title", "priority"]);
    expect(given.entity()).toMatchObject({ title: "Write the parser", priority: "MEDIUM", revision: 3 });
  });

  it("[UNDO-3] takes one's own last op; somebody else's has to be named", () => {
    const given = givenTask("a");
    given.call("tasks_edit", { task: "TASK-001", title: "by ada" });
    given.by = "agent:ben";
    const refused = given.refusal("tasks_undo", {});
    expect([code(refused), refused.details?.["by"]]).toEqual(["UNDO_CONFLICT", "human:ada"]);
    given.call("tasks_undo", refused.suggestions[0]!.args as never);
    expect(given.entity().title).toBe("Write the parser");
  });

  it("[UNDO-3] refuses creation, evidence and deletion, and skips them when it looks for the last op", () => {
    const given = givenTask("a", "b");
    const made = given.past().ops[0]!.op;
    expect(code(given.refusal("tasks_undo", { op: made }))).toBe("NOTHING_TO_UNDO");
    expect(code(given.refusal("tasks_undo", {}))).toBe("NOTHING_TO_UNDO");
    given.call("tasks_edit", { task: "TASK-001", title: "New" });
    given.call("tasks_evidence_capture", { path: "s:0", checks: ["CMD: npm test"] });
    given.call("tasks_delete", { path: "s:1" });
    given.call("tasks_undo", {});
    expect(given.entity().title).toBe("Write the parser");
    expect(given.step("s:0").linked.tests).toEqual([]);
    expect(code(given.refusal("tasks_undo", { op: "nonsense" }))).toBe("UNKNOWN_ID");
  });

  it("[UNDO-4] is refused while a later op in effect wrote the same field, and allowed once that one is undone", () => {
    const given = givenTask("a");
    const first = given.call("tasks_edit", { task: "TASK-001", title: "one" }).events[0]!.event_id;
    const second = given.call("tasks_edit", { task: "TASK-001", title: "two" }).events[0]!.event_id;
    const refused = given.refusal("tasks_undo", { op: first });
    expect([code(refused), refused.details?.["in_the_way"], refused.details?.["field"]]).toEqual([
      "UNDO_CONFLICT",
      second,
      "title",
    ]);
    given.call("tasks_undo", {});
    given.call("tasks_undo", {});
    expect(given.entity().title).toBe("Write the parser");
    given.call("tasks_redo", {});
    given.call("tasks_redo", {});
    expect(given.entity().title).toBe("two");
  });

  it("[UNDO-4] does not remove steps that somebody worked on since", () => {
    const given = givenTask("a");
    const added = given.call("tasks_decompose", { steps: [{ title: "b", success_criteria: ["c"] }] }).events[0]!
      .event_id;
    given.call("tasks_note", { path: "s:1", note: "begun" });
    expect(code(given.refusal("tasks_undo", { op: added }))).toBe("UNDO_CONFLICT");
    given.call("tasks_undo", {});
    given.call("tasks_undo", {});
    expect(given.entity().children.map((s) => s.deleted)).toEqual([false, true]);
    given.call("tasks_redo", {});
    expect(given.entity().children.map((s) => s.deleted)).toEqual([false, false]);
    given.call("tasks_evidence_capture", { path: "s:1", checks: ["CMD: npm test"] });
    expect(code(given.refusal("tasks_undo", { op: added }))).toBe("UNDO_CONFLICT");
  });

  it.each([
    ["the whole", { task: "TASK-001" }],
    ["the step above", { path: "s:0" }],
  ])(
    "[UNDO-4] [UNDO-38] removes steps of which an actor claimed %s since: the claim does not name them",
    (_what, at) => {
      const given = givenTask("a");
      const added = given.call("tasks_decompose", { parent: "s:0", steps: [{ title: "b", success_criteria: ["c"] }] })
        .events[0]!.event_id;
      given.call("tasks_claim", at);
      given.call("tasks_undo", { op: added });
      expect(given.step("s:0").children.map((s) => s.deleted)).toEqual([true]);
    },
  );

  it("[UNDO-4] is refused when somebody has closed what rests on it since: the step, one above it, the task", () => {
    const given = givenTask({ title: "a", proof: { tests: "require" } });
    given.call("tasks_decompose", { parent: "s:0", steps: [{ title: "below", success_criteria: ["c"] }] });
    const child = given.call("tasks_close_step", { path: "s:0.s:0", checkpoints: "gate" }).events[0]!.event_id;
    const loosened = given.call("tasks_define", { path: "s:0", proof: { tests: "off" } }).events[0]!.event_id;
    given.call("tasks_close_step", { path: "s:0", checkpoints: "gate" });
    expect([child, loosened].map((op) => code(given.refusal("tasks_undo", { op })))).toEqual([
      "UNDO_CONFLICT",
      "UNDO_CONFLICT",
    ]);
    given.call("tasks_complete", { task: "TASK-001" });
    expect(code(given.refusal("tasks_undo", { op: child }))).toBe("UNDO_CONFLICT");
    given.call("tasks_undo", {});
    given.call("tasks_undo", {});
    given.call("tasks_undo", { op: child });
    expect([given.step("s:0").done, given.step("s:0.s:0").done]).toEqual([false, false]);
  });

  it("[UNDO-4] is refused when the gate of what it would close again was changed since", () => {
    const given = givenTask("a");
    given.call("tasks_close_step", { path: "s:0", checkpoints: "gate" });
    const open = given.call("tasks_progress", { path: "s:0", completed: false }).events[0]!.event_id;
    given.call("tasks_define", { path: "s:0", success_criteria: ["harder"] });
    expect(code(given.refusal("tasks_undo", { op: open }))).toBe("UNDO_CONFLICT");
    given.call("tasks_undo", {});
    given.call("tasks_undo", { op: open });
    expect(given.step("s:0").done).toBe(true);
  });

  it("[UNDO-1] brings back what followed from an op, too", () => {
    const given = givenTask("a");
    given.call("tasks_close_step", { path: "s:0", checkpoints: "gate" });
    given.call("tasks_complete", { task: "TASK-001" });
    const before = decided(given.entity());
    given.call("tasks_define", { path: "s:0", success_criteria: ["harder"] });
    expect([given.step("s:0").done, given.entity().status]).toEqual([false, "ACTIVE"]);
    given.call("tasks_undo", {});
    expect(decided(given.entity())).toEqual(before);
  });

  it("[UNDO-30] leaves a step closed that was closed by force above a step that it finds open", () => {
    const given = givenTask("a");
    given.call("tasks_decompose", { parent: "s:0", steps: [{ title: "below", success_criteria: ["c"] }] });
    given.call("tasks_verify", { path: "s:0", checkpoints: "gate" });
    given.call("tasks_progress", { path: "s:0", force: true, reason: "it has to go out" });
    given.call("tasks_block", { path: "s:0.s:0" });
    given.call("tasks_undo", {});
    expect(given.step("s:0")).toMatchObject({ done: true, forced: "it has to go out" });
    expect(given.step("s:0.s:0")).toMatchObject({ done: false, blocked: false });
    given.call("tasks_close_step", { path: "s:0.s:0", checkpoints: "gate" });
    given.call("tasks_undo", {});
    expect([given.step("s:0").done, given.step("s:0.s:0").done]).toEqual([true, false]);
  });

  it("[UNDO-30] [STEP-15] leaves a step closed of which evidence asked for more since", () => {
    const given = givenTask("a");
    given.call("tasks_close_step", { path: "s:0", checkpoints: "gate" });
    given.call("tasks_define", { path: "s:0", title: "b" });
    given.call("tasks_evidence_capture", { path: "s:0", checks: ["CMD: npm test"], checkpoint: "docs" });
    given.call("tasks_undo", {});
    expect(given.step("s:0")).toMatchObject({ title: "a", done: true });
  });

  it("[UNDO-34] the table of fields names those that can be set, and no others", () => {
    const given = givenTask("a");
    given.call("tasks_task_add", { parent_step: "s:0", title: "node" });
    const entity = given.entity();
    const step = given.step("s:0");
    const node = [...entity.nodes.values()][0]!;
    const nodes: Node[] = [entity, entity.checklist, step, step.confirmed, step.proof, node];
    const names = nodes.flatMap((one) =>
      Object.keys(one)
        .filter((key) => fieldAt(entity, one.$ + key))
        .map((key) => `${one.$}${key}`.replaceAll(/(?:STEP|NODE)-[0-9A-F]{8}/g, "<id>")),
    );
    const checkpoints = (name: string): string[] =>
      name.includes("<checkpoint>") ? CHECKPOINTS.map((c) => name.replace("<checkpoint>", c)) : [name];
    const table = readFileSync("spec/undo.md", "utf8")
      .split("\n")
      .filter((line) => line.startsWith("| `"))
      .flatMap((line) => {
        const told = [...line.split("|")[1]!.matchAll(/`([^`]+)`/g)].map(([, name]) => name!);
        const prefix = /^(?:step|node)\.<id>\./.exec(told[0]!)?.[0] ?? "";
        return told.map((name) => (name.startsWith(".") ? prefix + name.slice(1) : name)).flatMap(checkpoints);
      })
      .filter((name) => !/^(?:gate|note|trace|card)\./.test(name));
    expect(table.toSorted()).toEqual(names.toSorted());
  });

  it("[UNDO-6] a new undoable op clears what could be redone, other ops do not", () => {
    const given = givenTask("a");
    given.call("tasks_edit", { task: "TASK-001", title: "one" });
    given.call("tasks_undo", {});
    given.call("tasks_evidence_capture", { path: "s:0", checks: ["CMD: npm test"] });
    given.call("tasks_redo", {});
    expect(given.entity().title).toBe("one");
    given.call("tasks_undo", {});
    given.call("tasks_note", { note: "n" });
    expect(code(given.refusal("tasks_redo", {}))).toBe("NOTHING_TO_REDO");
  });

  it("[UNDO-9] [UNDO-6] history is newest first, says what changed and what can be undone, and pages to the first", () => {
    const given = givenTask("a");
    given.call("tasks_edit", { task: "TASK-001", title: "one" });
    given.call("tasks_undo", {});
    const page = given.call("tasks_history", { task: "TASK-001", limit: 2 }).result as {
      operations: Record<string, unknown>[];
      next_before: number;
    };
    expect(page.operations.map((o) => [o["revision"], o["tool"], o["undoable"], o["undone"]])).toEqual([
      [3, "tasks_undo", false, false],
      [2, "tasks_edit", false, true],
    ]);
    expect(page.operations[1]?.["changes"]).toEqual([{ field: "title", before: "Write the parser", after: "one" }]);
    expect(page.operations[1]?.["redoable"]).toBe(true);
    given.call("tasks_redo", {});
    given.call("tasks_edit", { task: "TASK-001", description: "two" });
    for (let i = 0; i < 2; i++) given.call("tasks_undo", {});
    const last = given.call("tasks_history", { task: "TASK-001" }).result as typeof page;
    const undone = last.operations.filter((o) => o["undone"] === true);
    expect(undone.map((o) => [o["revision"], o["undoable"], o["redoable"]])).toEqual([
      [5, false, false],
      [2, false, true],
    ]);
    const rest = given.call("tasks_history", { task: "TASK-001", before: page.next_before }).result as typeof page;
    expect(rest.operations.map((o) => o["revision"])).toEqual([1]);
    expect(rest.next_before).toBeNull();
  });
});
