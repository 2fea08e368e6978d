import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { isTaskfoldError } from "../../src/errors.ts";
import { projectionsOf } from "../../src/projections/index.ts";
import { nextCalls } from "../../src/rules/suggest.ts";
import { waitsFor } from "../../src/state/step_waits.ts";
import { pathOf, preOrder } from "../../src/state/tree.ts";
import type { ToolName } from "../../src/tools/generated/tool_types.ts";
import type { Given } from "../support/given.ts";
import { givenTask } from "../support/given.ts";
import { runsOf, SWEEP } from "../support/sweep.ts";

const close = (given: Given, path: string) => given.call("tasks_close_step", { path, checkpoints: "gate" });
const define = (given: Given, path: string, depends_on: string[]) => given.call("tasks_define", { path, depends_on });
const waits = (given: Given, path: string): string[] => waitsFor(given.entity(), given.step(path)).map(pathOf);
const radar = (given: Given) =>
  given.call("tasks_radar", {}).result["radar"] as { now: string; next: string[]; blockers: string[] };

function codeOf(run: () => unknown): string | null {
  try {
    run();
    return null;
  } catch (e) {
    if (!isTaskfoldError(e)) throw e;
    return e.code;
  }
}

describe("steps that depend on others", () => {
  it("[STEP-72] are named by path or id: in one call, when they are added, defined and patched", () => {
    const given = givenTask({ title: "a", depends_on: ["s:1"] }, "b");
    expect(given.step("s:0").depends_on).toEqual([given.step("s:1").id]);
    const steps = [
      { title: "a1", success_criteria: [] },
      { title: "a2", success_criteria: [], depends_on: ["s:0.s:0"] },
    ];
    given.call("tasks_decompose", { parent: "s:0", steps });
    expect(waits(given, "s:0.s:1")).toEqual(["s:0.s:0", "s:1"]);
    define(given, "s:0.s:1", [given.step("s:0.s:0").id, "s:0.s:0"]);
    expect(given.step("s:0.s:1").depends_on).toEqual([given.step("s:0.s:0").id]);
    const patch = (op: "append" | "remove" | "set" | "unset", value?: string | string[]) =>
      given.call("tasks_patch", { path: "s:0", ops: [{ op, field: "depends_on", ...(value ? { value } : {}) }] });
    patch("remove", "s:1");
    expect(waits(given, "s:0.s:1")).toEqual(["s:0.s:0"]);
    patch("append", ["s:1"]);
    expect(waits(given, "s:0")).toEqual(["s:1"]);
    given.call("tasks_undo", {});
    expect(waits(given, "s:0")).toEqual([]);
    patch("set", [given.step("s:1").id]);
    patch("unset");
    expect(given.step("s:0").depends_on).toEqual([]);
    expect(given.refusal("tasks_define", { path: "s:0", depends_on: ["s:9"] }).code).toBe("UNKNOWN_ID");
    expect(given.refusal("tasks_define", { path: "s:0", depends_on: ["b"] }).code).toBe("INVALID_INPUT");
    const lost = {
      title: "t",
      kind: "task" as const,
      steps: [{ title: "x", success_criteria: [], depends_on: ["s:3"] }],
    };
    expect(given.refusal("tasks_create", lost).code).toBe("UNKNOWN_ID");
  });

  it("[STEP-73] are not ready, and close by force with a reason alone", () => {
    const given = givenTask({ title: "a", depends_on: ["s:1"] }, "b", "c");
    given.call("tasks_decompose", { parent: "s:0", steps: [{ title: "a1", success_criteria: [] }] });
    const refused = given.refusal("tasks_close_step", { path: "s:0.s:0", checkpoints: "gate" });
    expect(refused).toMatchObject({
      code: "STEP_WAITS",
      details: { waits_for: [{ path: "s:1", step_id: given.step("s:1").id }] },
      suggestions: [{ tool: "tasks_close_step", args: { step_id: given.step("s:1").id } }],
    });
    expect(given.call("tasks_claim_next", {}).result["step"]).toMatchObject({ path: "s:1" });
    given.call("tasks_verify", { path: "s:0.s:0", checkpoints: "gate" });
    expect(given.refusal("tasks_progress", { path: "s:0.s:0", force: true }).code).toBe("INVALID_INPUT");
    given.call("tasks_progress", { path: "s:0.s:0", force: true, reason: "b is not needed for it" });
    expect(given.step("s:0.s:0").forced).toBe("b is not needed for it");
    close(given, "s:1");
    close(given, "s:0");
    define(given, "s:2", []);
    given.call("tasks_decompose", { steps: [{ title: "d", success_criteria: [], depends_on: ["s:2"] }] });
    given.call("tasks_delete", { path: "s:2" });
    close(given, "s:3");
  });

  it("[STEP-73] are refused in a circle, over steps above and below too", () => {
    const given = givenTask("a", { title: "b", depends_on: ["s:0"] }, { title: "c", depends_on: ["s:1"] });
    given.call("tasks_decompose", { parent: "s:0", steps: [{ title: "a1", success_criteria: [] }] });
    const circle = (path: string, depends_on: string[]): unknown => {
      const error = given.refusal("tasks_define", { path, depends_on });
      expect(error.code).toBe("INVALID_INPUT");
      return error.details!["circle"];
    };
    expect(circle("s:0", ["s:0"])).toEqual(["s:0", "s:0"]);
    expect(circle("s:0", ["s:2"])).toEqual(["s:0", "s:2", "s:1", "s:0"]);
    expect(circle("s:0.s:0", ["s:1"])).toEqual(["s:0.s:0", "s:1", "s:0", "s:0.s:0"]);
    expect(circle("s:0", ["s:0.s:0"])).toEqual(["s:0", "s:0.s:0"]);
    expect(circle("s:0.s:0", ["s:0"])).toEqual(["s:0.s:0", "s:0", "s:0.s:0"]);
    const ops = [{ op: "append" as const, field: "depends_on", value: "s:2" }];
    expect(given.refusal("tasks_patch", { path: "s:0", ops }).code).toBe("INVALID_INPUT");
    const steps = [{ title: "x", success_criteria: [], depends_on: ["s:1"] }];
    expect(given.refusal("tasks_decompose", { parent: "s:0", steps }).details).toMatchObject({
      circle: ["s:0.s:1", "s:1", "s:0", "s:0.s:1"],
    });
    const two = ["s:1", "s:0"].map((one) => ({ title: "x", success_criteria: [], depends_on: [one] }));
    expect(given.refusal("tasks_create", { kind: "task", title: "t", steps: two }).code).toBe("INVALID_INPUT");
  });

  it(
    "[STEP-73] whatever was accepted, some open step waits for nothing, and the offered calls finish the task",
    SWEEP,
    () => {
      const edge = fc.tuple(fc.nat(8), fc.nat(8));
      fc.assert(
        fc.property(fc.array(edge, { maxLength: 14 }), (edges) => {
          const given = givenTask("a", "b", "c");
          for (const parent of ["s:0", "s:1"])
            given.call("tasks_decompose", {
              parent,
              steps: ["x", "y", "z"].map((title) => ({ title, success_criteria: [] })),
            });
          const paths = [...preOrder(given.entity().children)].map(pathOf);
          for (const [from, to] of edges) {
            const ops = [{ op: "append" as const, field: "depends_on", value: paths[to]! }];
            expect([null, "INVALID_INPUT"]).toContain(
              codeOf(() => given.call("tasks_patch", { path: paths[from]!, ops })),
            );
          }
          for (let calls = 0; calls < paths.length; calls++) {
            const [next] = nextCalls(given.subject("TASK-001"));
            expect(next!.tool).toBe("tasks_close_step");
            given.call(next!.tool as ToolName, next!.args as never);
          }
          given.call("tasks_complete", {});
        }),
        runsOf(40),
      );
    },
  );

  it("[STEP-73] a circle that a merge closed is led out of by the call that is offered", () => {
    const given = givenTask("a", "b");
    given.step("s:0").depends_on = [given.step("s:1").id];
    given.step("s:1").depends_on = [given.step("s:0").id];
    const [offered] = given.refusal("tasks_done", { path: "s:1" }).suggestions;
    expect(offered).toMatchObject({ tool: "tasks_define", args: { depends_on: [] } });
    given.call("tasks_define", offered!.args as never);
    const [next] = nextCalls(given.subject("TASK-001"));
    given.call(next!.tool as ToolName, next!.args as never);
  });

  it("[STEP-73] order the work: a closed step stays closed, and the due step waits for no other", () => {
    const given = givenTask({ title: "a", depends_on: ["s:1"] }, "b");
    expect(radar(given).now).toContain("| s:1 b");
    expect(given.call("tasks_resume", {}).result["steps"]).toMatchObject({ first_open: { path: "s:1" } });
    close(given, "s:1");
    close(given, "s:0");
    given.call("tasks_progress", { path: "s:1", completed: false });
    expect(given.step("s:0").done).toBe(true);
    define(given, "s:0", []);
    define(given, "s:0", ["s:1"]);
    expect(given.step("s:0").done).toBe(true);
  });

  it("[STEP-72] show in radar, handoff, mirror, resume, README and Coco's milestones", () => {
    const given = givenTask({ title: "a", depends_on: ["s:1"] }, "b");
    given.call("tasks_decompose", { parent: "s:1", steps: [{ title: "b1", success_criteria: [] }] });
    define(given, "s:0", ["s:1.s:0"]);
    const [a, b, b1] = ["s:0", "s:1", "s:1.s:0"].map((path) => given.step(path).id);
    expect(radar(given).blockers).toEqual(["s:0 a waits for s:1.s:0 b1"]);
    const { remaining } = given.call("tasks_handoff", {}).result["handoff"] as { remaining: string[] };
    expect(remaining[0]).toBe("s:0 a: wait for s:1.s:0, confirm criteria, tests, close");
    const rows = given.call("tasks_mirror", {}).result["steps"];
    expect(rows).toMatchObject([{ depends_on: [b1], waits_for: [b1] }, {}, {}]);
    expect(given.call("tasks_resume", {}).result["step_list"]).toMatchObject([{ waits_for: [b1] }, {}, {}]);
    const files = projectionsOf({ ...given.subject("TASK-001"), bytes: 1 });
    expect(files.get("README.md")).toContain("  - [ ] after s:1.s:0 b1\n");
    const { milestones, steps } = parse(files.get("task.yaml")!) as { milestones: object[]; steps: object[] };
    expect(milestones).toMatchObject([
      { id: a, dependsOn: [b] },
      { id: b, dependsOn: [] },
    ]);
    expect(steps[0]).toMatchObject({ id: a, dependsOn: [b1] });
  });
});

describe("what a creation takes", () => {
  it("[TOOL-16] priority, tags and dependencies, in one op", () => {
    const given = givenTask("a");
    const more = { priority: "HIGH", tags: ["x", "x"], depends_on: ["TASK-001"] };
    const made = given.call("tasks_create", {
      kind: "task",
      title: "t",
      ...more,
      steps: [{ title: "s", success_criteria: [] }],
    });
    expect(made.events.map((event) => event.type)).toEqual(["task_created", "task_edited", "steps_added"]);
    expect(given.entity("TASK-002")).toMatchObject({ priority: "HIGH", tags: ["x"], revision: 1 });
    expect(given.entity("TASK-002").depends_on).toMatchObject([{ id: "TASK-001" }]);
    given.call("tasks_scaffold", { kind: "plan", template: "basic-plan", title: "p", ...more });
    expect(given.entity("PLAN-002")).toMatchObject({ priority: "HIGH", depends_on: [{ id: "TASK-001" }] });
    expect(given.refusal("tasks_create", { title: "t", priority: " " }).code).toBe("INVALID_INPUT");
  });
});
