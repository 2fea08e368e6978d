import { describe, expect, it } from "vitest";
import type { Disk } from "../../src/disk.ts";
import { nodeDisk } from "../../src/disk.ts";
import { call, newTask, ok, openTemp, WORKSPACE } from "../support/workspace.ts";

const CLEAR = { tool: "tasks_focus_clear", args: { workspace: WORKSPACE }, reason: "forget the focus" };

async function deletedFocus() {
  const ws = openTemp();
  await newTask(ws, "TASK-001");
  await newTask(ws, "TASK-002");
  await ok(ws, "tasks_focus_set", { task: "TASK-001" });
  return ws;
}

describe("a focus on what was deleted", () => {
  it.each([
    ["tasks_radar", {}],
    ["tasks_note", { note: "x" }],
    ["tasks_macro_close_step", {}],
    ["tasks_claim_next", {}],
    ["tasks_close_task", {}],
  ])("[TOOL-3] %s says that the focus is meant, and offers to clear it", async (tool, input) => {
    const ws = await deletedFocus();
    const other = openTemp({ root: ws.root });
    await ok(other, "tasks_radar", {});
    await ok(ws, "tasks_delete", {});
    for (const one of [ws, other]) {
      const { error, suggestions } = await one.callTool(tool, { workspace: WORKSPACE, ...input });
      expect(error).toMatchObject({ code: "UNKNOWN_ID", details: { id: "TASK-001", target_from: "focus" } });
      expect(error!.message).toMatch(/"?TASK-001"? was deleted.* the focus is on that one\.$/);
      expect(suggestions[0]).toEqual(CLEAR);
    }
    await ok(ws, "tasks_focus_clear", {});
    expect((await ws.callTool(tool, { workspace: WORKSPACE, ...input })).error?.code).not.toBe("UNKNOWN_ID");
  });

  it("[TOOL-3] a disk that fails meanwhile takes nothing from the refusal", async () => {
    const root = (await deletedFocus()).root;
    let looks = 0;
    const lstat: Disk["lstat"] = (path) => {
      if (path.includes("/focus/") && ++looks > 1) throw Object.assign(new Error("bad"), { code: "EIO" });
      return nodeDisk.lstat(path);
    };
    const ws = openTemp({ root, disk: { ...nodeDisk, lstat } });
    await ok(ws, "tasks_delete", { task: "TASK-001" });
    looks = 0;
    expect((await ws.call("tasks_note", { workspace: WORKSPACE, note: "x" })).error?.code).toBe("UNKNOWN_ID");
    // That of the caller fails, and there is one of the workspace to look for.
    expect(looks).toBe(3);
  });

  it("[TOOL-3] where a call names its target, or the focus is well, nothing of it is said", async () => {
    const ws = await deletedFocus();
    const step = await call(ws, "tasks_verify", { step_id: "STEP-00000000", checkpoints: "gate" });
    expect([step.error?.code, step.error?.details?.["target_from"]]).toEqual(["UNKNOWN_ID", undefined]);
    await ok(ws, "tasks_delete", {});
    const named = await call(ws, "tasks_radar", { task: "TASK-001" });
    expect([named.error?.code, named.suggestions.map((s) => s.tool)]).toEqual(["UNKNOWN_ID", ["tasks_context"]]);
  });
});
