import { describe, expect, it } from "vitest";
import type { Suggestion, TaskfoldError } from "../../src/errors.ts";
import { countCodePoints } from "../../src/state/code_points.ts";
import type { FocusTool } from "../../src/tools/focus_tool.ts";
import { archiveOf, deciderOf, madeOf } from "../../src/tools/tool.ts";
import { TOOLS } from "../../src/tools/index.ts";
import { okReply } from "../../src/engine/entity/reply.ts";
import type { Reply } from "../../src/engine/entity/reply.ts";
import { fitsOutput } from "../support/outputs.ts";
import { asWritten } from "../support/story.ts";
import type { Given } from "../support/given.ts";
import { givenTask, validates, WORKSPACE } from "../support/given.ts";

interface Schema {
  properties: Record<string, object>;
  required: string[];
}

const tools = Object.values(TOOLS).map((tool) => ({ ...tool, schema: tool.input as unknown as Schema }));
const names = (list: typeof tools): string[] => list.map((t) => t.name);
const changing = tools.filter((t) => ["write", "create", "txn"].includes(t.effect));

function fits(suggestion: Suggestion): boolean {
  return validates(TOOLS[suggestion.tool]!.input, suggestion.args);
}

describe("inputs", () => {
  it.each(names(tools))("%s: every example validates", (name) => {
    const tool = TOOLS[name]!;
    for (const example of tool.examples) expect(validates(tool.input, example), JSON.stringify(example)).toBe(true);
  });

  it("[TOOL-1] take a workspace and refuse a field they do not know", () => {
    for (const tool of tools) {
      const example = tool.examples[0] as object;
      expect(tool.schema.required, tool.name).toContain("workspace");
      expect(validates(tool.input, { ...example, colour: "red" }), tool.name).toBe(false);
      expect(validates(tool.input, { ...example, workspace: "" }), tool.name).toBe(false);
      expect(validates(tool.input, { ...example, workspace: undefined }), tool.name).toBe(false);
    }
  });

  it("[TOOL-2] name an entity as task, plan or target, a text or an object", () => {
    for (const tool of tools) {
      const named = ["task", "plan", "target"].filter((key) => key in tool.schema.properties);
      // tasks_delta is about all, or about the one that is named; never about the focus.
      const takes = tool.target === "entity" || tool.name === "tasks_delta";
      // What makes a task names its plan.
      const makes = tool.effect === "txn" && "task_title" in tool.schema.properties;
      // What puts many tasks away names one of them, or the plan that they are of.
      const sweeps = archiveOf(tool) === "to" && tool.target === "workspace";
      const expected = takes ? ["task", "plan", "target"] : makes ? ["plan"] : sweeps ? ["task", "plan"] : [];
      expect(named, tool.name).toEqual(expected);
    }
    const radar = TOOLS["tasks_radar"]!.input;
    for (const target of ["TASK-001", { id: "PLAN-001" }, { id: "PLAN-001", kind: "plan" }]) {
      expect(validates(radar, { workspace: WORKSPACE, target })).toBe(true);
    }
    expect(validates(radar, { workspace: WORKSPACE, target: { id: "PLAN-001", kind: "epic" } })).toBe(false);
  });

  it("[TOOL-3] leave the focus to the focus tools", () => {
    const moving = tools.filter((t) => t.effect === "focus");
    expect(names(moving)).toEqual(["tasks_focus_clear", "tasks_focus_set"]);
    expect(moving.filter((t) => deciderOf(t))).toEqual([]);
  });

  it("[TOOL-4] take expectations and a key on every change, and only there", () => {
    const keys = ["expected_revision", "expected_head", "idempotency_key"];
    const taking = tools.filter((t) => keys.every((key) => key in t.schema.properties));
    // A batch is about many: its operations expect what they like.
    expect(names(taking)).toEqual(names(changing).filter((name) => name !== "tasks_batch"));
    expect("idempotency_key" in (TOOLS["tasks_batch"]!.input as unknown as Schema).properties).toBe(true);
    expect(names(changing)).toEqual(names(tools.filter((t) => deciderOf(t) ?? madeOf(t))));
    const block = TOOLS["tasks_block"]!.input;
    expect(validates(block, { workspace: WORKSPACE, expected_revision: 0 })).toBe(true);
    expect(validates(block, { workspace: WORKSPACE, expected_revision: -1 })).toBe(false);
  });

  it("[TOOL-1] take read_only on every read", () => {
    const reading = tools.filter((t) => t.effect === "read");
    expect(names(reading)).toContain("tasks_radar");
    expect(names(tools.filter((t) => "read_only" in t.schema.properties))).toEqual(names(reading));
  });

  it("have titles that fit a list of tools", () => {
    expect(tools.filter((t) => t.title.length > 40 || t.title === "").map((t) => t.name)).toEqual([]);
  });
});

describe("replies", () => {
  it("[TOOL-8] give the one event, or all of them in order", () => {
    const given = givenTask("a");
    const one = given.call("tasks_note", { path: "s:0", note: "n" }).result;
    expect(one["event"]).toMatchObject({ type: "step_noted", task: "TASK-001" });
    expect(one).not.toHaveProperty("events");
    const two = given.call("tasks_close_step", { path: "s:0", checkpoints: "gate" }).result;
    expect(two["events"]).toHaveLength(2);
    expect(two).not.toHaveProperty("event");
  });

  it("[TOOL-22] of step tools say who, which step, and what it still misses", () => {
    const given = givenTask({ title: "a", proof: { tests: "require" } });
    const told = given.call("tasks_verify", { path: "s:0", checkpoints: { criteria: true } });
    expect(told.result).toEqual({
      task: "TASK-001",
      kind: "task",
      revision: 2,
      head: given.subject("TASK-001").head,
      step: {
        step_id: "STEP-00000001",
        path: "s:0",
        title: "a",
        done: false,
        blocked: false,
        missing_checkpoints: ["tests"],
        missing_proofs: ["tests"],
      },
      event: told.events[0],
    });
  });

  it("[TOOL-22] of focus tools say what the focus was and is", () => {
    const said = (name: string, focus: string | null, focus_previous: string | null): unknown =>
      (TOOLS[name] as FocusTool).reply({} as never, {
        workspace: WORKSPACE,
        by: "human:ada",
        subject: givenTask("a").subject("TASK-001"),
        focus,
        focus_previous,
        idOf: asWritten,
        find: () => undefined,
      }).result;
    expect(said("tasks_focus_get", "TASK-001", "TASK-001")).toEqual({ workspace: WORKSPACE, focus: "TASK-001" });
    expect(said("tasks_focus_set", "TASK-001", null)).toEqual({
      workspace: WORKSPACE,
      previous: null,
      focus: "TASK-001",
    });
    expect(said("tasks_focus_clear", null, "TASK-001")).toEqual({
      workspace: WORKSPACE,
      previous: "TASK-001",
      cleared: true,
    });
    expect(said("tasks_focus_clear", null, null)).toEqual({ workspace: WORKSPACE, previous: null, cleared: false });
  });

  it("of tasks_radar and tasks_handoff have target, radar and steps, and fit max_chars", () => {
    const given = givenTask("a", "b");
    given.call("tasks_edit", { description: "why ".repeat(2_000) });
    const radar = given.call("tasks_radar", {}).result;
    expect(Object.keys(radar)).toEqual(["workspace", "target", "focus", "radar", "steps"]);
    const handoff = given.call("tasks_handoff", { limit: 500 });
    expect(Object.keys(handoff.result)).toEqual(["workspace", "target", "handoff", "radar", "steps"]);
    expect(handoff.warnings?.map((w) => w.code)).toEqual(["LIMIT_CLAMPED"]);
    expect(given.call("tasks_radar", { plan: "PLAN-001" }).result).not.toHaveProperty("steps");
    for (const name of ["tasks_radar", "tasks_handoff"] as const) {
      const cut = given.call(name, { max_chars: 900 });
      expect(countCodePoints(JSON.stringify(cut.result))).toBeLessThanOrEqual(900);
      expect(cut.warnings?.map((w) => w.code)).toContain("BUDGET_TRUNCATED");
    }
  });

  it("of tasks_context list every plan and task", () => {
    const given = givenTask("a");
    const { result } = given.call("tasks_context", {});
    expect(result).toMatchObject({ workspace: WORKSPACE, counts: { plans: 1, tasks: 1 }, tasks: [{ id: "TASK-001" }] });
  });
});

describe("outputs", () => {
  const given = givenTask("a");
  const reply = (): Reply => okReply("tasks_radar", structuredClone(given.call("tasks_radar", {}).result), [], []);

  it("[TOOL-25] say every member of a result and nothing beside", () => {
    expect(() => fitsOutput(reply())).not.toThrow();
    const [more, less, other] = [reply(), reply(), reply()];
    more.result!["colour"] = "red";
    delete (less.result!["radar"] as { now?: string }).now;
    (other.result!["steps"] as { total: unknown }).total = "1";
    for (const one of [more, less, other]) expect(() => fitsOutput(one)).toThrow(/output schema/);
  });

  it.each(names(tools))(
    "[TOOL-25] %s: no object is left open but events, arguments and values of the caller's",
    (name) => {
      const open = openObjects(JSON.parse(JSON.stringify(TOOLS[name]!.output)) as Output, "result");
      const known =
        /(?:event|events\[\]|unmet\[\]|args|args_hint|call\.input|details|response\.result|by_status|by_stage|omitted|tests|proof|flags|options|manifest)$/;
      expect(open.filter((path) => !known.test(path))).toEqual([]);
    },
  );
});

interface Output {
  type?: string;
  additionalProperties?: unknown;
  anyOf?: Output[];
  items?: Output;
  properties?: Record<string, Output>;
}

/** Paths of objects that may have members which the schema does not name. */
function openObjects(schema: Output, path: string): string[] {
  const inside = [
    ...(schema.anyOf ?? []).flatMap((one) => openObjects(one, path)),
    ...(schema.items ? openObjects(schema.items, `${path}[]`) : []),
    ...Object.entries(schema.properties ?? {}).flatMap(([key, one]) => openObjects(one, `${path}.${key}`)),
  ];
  return schema.type === "object" && schema.additionalProperties !== false ? [path, ...inside] : inside;
}

describe("refusals", () => {
  function refusals(): [string, TaskfoldError][] {
    const given = givenTask("a", { title: "b", proof: { tests: "require" } }, "c");
    const at = (path: string): { path: string } => ({ path });
    given.call("tasks_close_step", { path: "s:0", checkpoints: "gate" });
    given.call("tasks_verify", { path: "s:1", checkpoints: "gate" });
    const list: [string, TaskfoldError][] = [
      ["closed", given.refusal("tasks_done", at("s:0"))],
      ["unproved", given.refusal("tasks_done", at("s:1"))],
      ["unconfirmed", given.refusal("tasks_done", at("s:2"))],
      ["no gate", given.refusal("tasks_close_step", { ...at("s:2"), checkpoints: { docs: true } })],
      ["block closed", given.refusal("tasks_block", at("s:0"))],
      ["reopen open", given.refusal("tasks_progress", { ...at("s:2"), completed: false })],
      ["no step", given.refusal("tasks_done", at("s:9"))],
      ["no selector", given.refusal("tasks_done", {})],
      ["plan", given.refusal("tasks_done", { plan: "PLAN-001", path: "s:0" })],
      ["open steps", given.refusal("tasks_complete", {})],
      ["nothing to define", given.refusal("tasks_define", at("s:2"))],
      ["nothing to edit", given.refusal("tasks_edit", {})],
      ["not its field", given.refusal("tasks_edit", { contract: "c" })],
      ["itself", given.refusal("tasks_edit", { depends_on: ["TASK-001"] })],
      ["no checkpoint", given.refusal("tasks_verify", { ...at("s:2"), checkpoints: {} })],
      ["force without reason", given.refusal("tasks_progress", { ...at("s:2"), force: true })],
      ["reason without force", given.refusal("tasks_progress", { ...at("s:2"), reason: "x" })],
      ["blank note", given.refusal("tasks_note", { ...at("s:2"), note: " " })],
      ["no evidence", given.refusal("tasks_evidence_capture", at("s:2"))],
    ];
    given.call("tasks_block", { ...at("s:2"), reason: "x" });
    list.push(["blocked", given.refusal("tasks_done", at("s:2"))]);
    given.call("tasks_decompose", { parent: "s:1", steps: [{ title: "b1", success_criteria: [] }] });
    list.push(["children", given.refusal("tasks_done", at("s:1"))]);
    given.call("tasks_complete", { plan: "PLAN-001" });
    list.push(["done", given.refusal("tasks_complete", { plan: "PLAN-001" })]);
    return list;
  }

  it("[ERR-1] say what was expected, what was found and what to do", () => {
    for (const [name, error] of refusals()) {
      expect(error.message, name).toMatch(/^Expected .*\.$/s);
      expect(error.recovery, name).toMatch(/\.$/);
    }
  });

  it("[TOOL-9] suggest a call that validates, on the same workspace, with target and step", () => {
    for (const [name, error] of refusals()) {
      const [suggestion] = error.suggestions;
      expect(suggestion, name).toBeDefined();
      expect(fits(suggestion!), `${name} ${JSON.stringify(suggestion)}`).toBe(true);
      expect(suggestion!.args["workspace"]).toBe(WORKSPACE);
      expect(suggestion!.args["task"] ?? suggestion!.args["plan"], name).toMatch(/^(TASK|PLAN)-001$/);
    }
  });

  it("[TOOL-9] suggest, where a creation was refused, one that works", () => {
    const given = givenTask();
    const refused = [
      given.refusal("tasks_create", { title: "x", parent: "TASK-001" }),
      given.refusal("tasks_create", { title: "x", kind: "plan", parent: "PLAN-001" }),
      given.refusal("tasks_create", { title: "x", steps: [{ title: "a", success_criteria: [] }] }),
      given.refusal("tasks_create", { title: "x", kind: "task", contract: "c" }),
      given.refusal("tasks_create", { title: "x", id: "TASK-9" }),
    ];
    const made = refused.map(
      (e) => given.call("tasks_create", e.suggestions[0]!.args as { title: string }).result["kind"],
    );
    expect(made).toEqual(["task", "plan", "plan", "task", "plan"]);
  });
});

describe("suggestions", () => {
  const next = (given: Given): string | undefined => given.call("tasks_radar", {}).suggestions?.[0]?.tool;

  it("[TOOL-9] go from the state alone to the next sensible call", () => {
    const given = givenTask();
    expect(next(given)).toBe("tasks_decompose");
    given.call("tasks_decompose", { steps: [{ title: "a", success_criteria: [] }] });
    expect(next(given)).toBe("tasks_close_step");
    const verified = given.call("tasks_verify", { path: "s:0", checkpoints: "gate" });
    expect(verified.suggestions).toMatchObject([{ tool: "tasks_done", args: { step_id: given.step("s:0").id } }]);
    given.call("tasks_block", { path: "s:0" });
    expect(next(given)).toBe("tasks_block");
    given.call("tasks_block", { path: "s:0", blocked: false });
    expect(given.call("tasks_done", { path: "s:0" }).suggestions?.[0]?.tool).toBe("tasks_complete");
    expect(given.call("tasks_complete", {}).suggestions).toEqual([]);
  });

  it("[TOOL-9] validate after every kind of call, and are the same for the same state", () => {
    const given = givenTask("a");
    const told = [
      given.call("tasks_create", { kind: "task", title: "t" }),
      given.call("tasks_define", { path: "s:0", proof: { tests: "require" } }),
      given.call("tasks_evidence_capture", { path: "s:0", checks: ["CMD: ls"], checkpoint: "tests" }),
      given.call("tasks_block", { path: "s:0" }),
      given.call("tasks_block", { path: "s:0", blocked: false }),
      given.call("tasks_close_step", { path: "s:0", checkpoints: "gate" }),
      given.call("tasks_progress", { path: "s:0", completed: false }),
      given.call("tasks_handoff", {}),
    ];
    for (const { suggestions } of told) {
      expect(suggestions).toHaveLength(1);
      expect(fits(suggestions![0]!), JSON.stringify(suggestions)).toBe(true);
    }
    expect(given.call("tasks_radar", {}).suggestions).toEqual(given.call("tasks_radar", {}).suggestions);
  });
});
