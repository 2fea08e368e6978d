/** The focus of one actor, and what it means for the others of the workspace. */
import { describe, expect, it } from "vitest";
import { TOOLS } from "../../src/tools/index.ts";
import type { JsonObject } from "../../src/state/json.ts";
import { newTask, openTemp, WORKSPACE } from "../support/workspace.ts";
import { ROTATING } from "../support/sweep.ts";

const ADA = "agent:ada";
const BEN = "human:ben";

async function twoTasks() {
  const ws = openTemp();
  await newTask(ws, "TASK-001");
  await newTask(ws, "TASK-002");
  const as = (by: string) => async (tool: string, input: object) => {
    const reply = await ws.callTool(tool, { workspace: WORKSPACE, ...input }, { by });
    const { result, warnings, error } = reply;
    return { chars: JSON.stringify(reply).length, result: result!, error, codes: warnings.map(({ code }) => code) };
  };
  return { ws, ada: as(ADA), ben: as(BEN) };
}

describe("the focus of a workspace", () => {
  it("[TOOL-3] [TOOL-31] is the one that was set last, for callers without one of their own", async () => {
    const { ada, ben } = await twoTasks();
    expect((await ben("tasks_radar", {})).error?.code).toBe("TARGET_REQUIRED");
    await ada("tasks_focus_set", { task: "TASK-001" });
    expect((await ada("tasks_radar", {})).result).toMatchObject({ target_from: "focus", focus: "TASK-001" });
    const radar = await ben("tasks_radar", {});
    expect(radar.result).toMatchObject({ target: { id: "TASK-001" }, target_from: "workspace_focus" });
    expect(radar.codes).toEqual([]);
    expect((await ben("tasks_focus_get", {})).result).toMatchObject({
      focus: "TASK-001",
      target_from: "workspace_focus",
    });
    await ben("tasks_focus_set", { task: "TASK-002" });
    expect((await ben("tasks_radar", {})).result).toMatchObject({ target: { id: "TASK-002" }, target_from: "focus" });
    expect((await ada("tasks_radar", {})).result).toMatchObject({ target: { id: "TASK-001" }, target_from: "focus" });
  });

  it(
    "[TOOL-31] every call about a plan or task says which focus it went by, and none that names its target does",
    ROTATING,
    async () => {
      const { ws, ada, ben } = await twoTasks();
      await ada("tasks_focus_set", { task: "TASK-001" });
      const asked = new Set<string>();
      for (const tool of Object.values(TOOLS)) {
        const { name, effect, target, examples } = tool;
        if (target !== "entity" || name.startsWith("packet_") || name === "tasks_delete") continue;
        for (const example of examples as JsonObject[]) {
          const { task: _task, plan: _plan, target: _target, read_only: _read, ...rest } = example;
          const { expected_revision: _revision, expected_head: _head, fence: _fence, ...input } = rest;
          for (const [call, from] of [
            [ada, "focus"],
            [ben, "workspace_focus"],
          ] as const) {
            // It is about the workspace unless the caller's own focus decides.
            const own = "ofWorkspace" in tool || name === "tasks_claim_next";
            const { result, error } = await call(name, input);
            if (error) continue;
            asked.add(name);
            expect(result["target_from"], `${name} ${JSON.stringify(input)}`).toBe(
              own && call === ben ? undefined : from,
            );
            const named = effect === "read" ? await call(name, { ...input, target: "TASK-001" }) : { result: {} };
            expect(named.result ?? {}, name).not.toHaveProperty("target_from");
          }
        }
      }
      for (const name of ["tasks_mirror", "tasks_note", "tasks_history", "tasks_macro_close_step", "tasks_close_task"])
        expect([...asked]).toContain(name);
      expect(asked.size).toBeGreaterThan(25);
      await ws.close();
    },
  );

  it("[TOOL-31] [TXN-1] a batch that is kept whole says it once, and a macro within its room", async () => {
    const { ada, ben } = await twoTasks();
    await ada("tasks_focus_set", { task: "TASK-001" });
    const ops = [{ op: "append", field: "tags", value: "a" }];
    const operations = [{ tool: "tasks_patch", args: { ops } }];
    const batch = await ben("tasks_batch", { atomic: true, operations });
    expect(batch.result).toMatchObject({ target_from: "workspace_focus" });
    const each = await ben("tasks_batch", { operations });
    expect(each.result).toMatchObject({ operations: [{ response: { result: { target_from: "workspace_focus" } } }] });
    const compact = await ben("tasks_batch", { compact: true, operations });
    expect(compact.result).toMatchObject({ operations: [{ target_from: "workspace_focus" }] });
    const reply = await ben("tasks_macro_finish", { status: "ACTIVE" });
    expect(reply.result).toMatchObject({ target_from: "workspace_focus" });
    expect(reply.codes.filter((code) => code === "FOCUS_OF_OTHER")).toHaveLength(1);
    expect(reply.chars).toBeLessThanOrEqual(4_000);
  });

  it.each([
    ["tasks_note", { note: "x" }],
    ["tasks_macro_close_step", {}],
    ["tasks_complete", { status: "ACTIVE" }],
  ])("[TOOL-31] %s by the focus of another warns, and by its own does not", async (tool, input) => {
    const { ada, ben } = await twoTasks();
    await ada("tasks_focus_set", { task: "TASK-001" });
    expect((await ben(tool, input)).codes).toContain("FOCUS_OF_OTHER");
    expect((await ben(tool, { ...input, task: "TASK-001" })).codes).not.toContain("FOCUS_OF_OTHER");
    expect((await ada(tool, input)).codes).not.toContain("FOCUS_OF_OTHER");
  });

  it.each([
    ["atomic", { atomic: true }],
    ["compact", { compact: true }],
    ["whole", {}],
  ])("[TOOL-31] [BATCH-3] an operation of a batch by the focus of another warns, %s", async (_name, how) => {
    const { ada, ben } = await twoTasks();
    await ada("tasks_focus_set", { task: "TASK-001" });
    const ops = [{ op: "append", field: "tags", value: "a" }];
    const batch = (args: object) => ({ ...how, operations: [{ tool: "tasks_patch", args: { ops, ...args } }] });
    const { result, codes } = await ben("tasks_batch", batch({}));
    expect(codes.join(" ") + JSON.stringify(result)).toContain("FOCUS_OF_OTHER");
    const named = await ben("tasks_batch", batch({ task: "TASK-001" }));
    expect(named.codes.join(" ") + JSON.stringify(named.result)).not.toContain("FOCUS_OF_OTHER");
    expect(named.result).toMatchObject({ failed: 0 });
    expect(JSON.stringify(named.result)).toContain('"changed":false');
  });

  it("[TOOL-31] a task that is begun under the focused plan of another says so", async () => {
    const { ada, ben } = await twoTasks();
    await ada("tasks_create", { kind: "plan", title: "Version 2" });
    await ada("tasks_focus_set", { plan: "PLAN-001" });
    const begun = await ben("tasks_macro_start", { task_title: "Parser" });
    expect(begun.result).toMatchObject({ plan_id: "PLAN-001" });
    expect(begun.codes).toContain("FOCUS_OF_OTHER");
    const named = await ben("tasks_macro_start", { task_title: "Lexer", plan: "PLAN-001" });
    expect(named.codes).not.toContain("FOCUS_OF_OTHER");
  });

  it("[TOOL-31] the next ready step and the history of all go by the caller's own", async () => {
    const { ada, ben } = await twoTasks();
    await ada("tasks_claim", { task: "TASK-001" });
    await ada("tasks_focus_set", { task: "TASK-001" });
    expect((await ben("tasks_claim_next", {})).result).toMatchObject({ task: "TASK-002" });
    expect((await ben("tasks_history", {})).result).toMatchObject({ target: null });
  });

  it("[TOOL-3] is cleared with the caller's own, and others keep theirs", async () => {
    const { ada, ben } = await twoTasks();
    await ada("tasks_focus_set", { task: "TASK-001" });
    expect((await ben("tasks_focus_clear", {})).result).toEqual({
      workspace: WORKSPACE,
      previous: "TASK-001",
      cleared: true,
    });
    expect((await ben("tasks_radar", {})).error?.code).toBe("TARGET_REQUIRED");
    expect((await ada("tasks_radar", {})).result).toMatchObject({ target: { id: "TASK-001" } });
  });
});
