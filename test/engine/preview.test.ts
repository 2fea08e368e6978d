import { describe, expect, it } from "vitest";
import { code, newTask, ok, openTemp, tree } from "../support/workspace.ts";

describe("a dry run", () => {
  it("[CLOSE-2] writes no file and takes no lock, and compares what is expected", async () => {
    const ws = openTemp();
    await newTask(ws);
    await ok(ws, "tasks_complete", { task: "TASK-001", status: "ACTIVE" });
    const before = tree(ws.root);
    const patches = [{ ops: [{ op: "set" as const, field: "title", value: "New" }] }];
    const said = await ok(ws, "tasks_close_task", { task: "TASK-001", patches, expected_revision: 2 });
    expect(said).toMatchObject({ ready: false, revision: 2, title: "Task TASK-001", unmet: [{ code: "STEPS_OPEN" }] });
    expect(await code(ws, "tasks_close_task", { task: "TASK-001", expected_revision: 1 })).toBe("REVISION_MISMATCH");
    expect(await code(ws, "tasks_close_task", { task: "TASK-001", expected_head: "x" })).toBe("REVISION_MISMATCH");
    expect(await code(ws, "tasks_close_task", { task: "TASK-009" })).toBe("UNKNOWN_ID");
    expect(tree(ws.root)).toEqual(before);
    expect(await ok(ws, "tasks_radar", { task: "TASK-001" })).toMatchObject({ target: { title: "Task TASK-001" } });
  });

  it("[CLOSE-1] is followed by the call that does it", async () => {
    const ws = openTemp();
    await newTask(ws, "TASK-001", ["Only"]);
    await ok(ws, "tasks_close_step", { task: "TASK-001", path: "s:0", checkpoints: "gate" });
    const patches = [{ ops: [{ op: "set" as const, field: "title", value: "New" }] }];
    await ok(ws, "tasks_close_task", { task: "TASK-001", patches, apply: true });
    expect(await ok(ws, "tasks_radar", { task: "TASK-001" })).toMatchObject({
      target: { title: "New", status: "DONE" },
    });
    await ok(ws, "tasks_delete", { task: "TASK-001" });
    expect(await code(ws, "tasks_close_task", { task: "TASK-001" })).toBe("UNKNOWN_ID");
  });
});

describe("a patch that changes nothing", () => {
  it("[PATCH-4] leaves its idempotency key free for another input", async () => {
    const ws = openTemp();
    await newTask(ws);
    const patchOf = (value: string) =>
      ok(ws, "tasks_patch", { task: "TASK-001", ops: [{ op: "set", field: "title", value }], idempotency_key: "k" });
    expect(await patchOf("Task TASK-001")).toMatchObject({ changed: false, revision: 1 });
    expect(await patchOf("New")).toMatchObject({ changed: true, revision: 2 });
    expect(await patchOf("New")).toMatchObject({ changed: true, revision: 2 });
  });
});
