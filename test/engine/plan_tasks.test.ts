import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { nodeDisk } from "../../src/disk.ts";
import type { Disk } from "../../src/disk.ts";
import { openWorkspace } from "../support/open.ts";
import type { Workspace } from "../../src/engine/workspace.ts";
import type { JsonObject } from "../../src/state/schema.ts";
import { TOOLS } from "../../src/tools/index.ts";
import { call, logPath, ok, openTemp, WORKSPACE } from "../support/workspace.ts";
import { filesBelow, ROOT } from "../support/source.ts";
import { sampleOf, SWEEP } from "../support/sweep.ts";

const plan = { plan: "PLAN-001" };

/** PLAN-001 with three tasks, of which the last is DONE, and PLAN-002 with one. */
async function twoPlans(): Promise<Workspace> {
  const ws = openTemp({ durability: "os" });
  const steps = [{ title: "Write", success_criteria: ["it works"] }];
  for (const title of ["Version 2", "Version 3"]) await ok(ws, "tasks_create", { title });
  for (const [id, parent] of [1, 1, 1, 2].map((n, i) => [`TASK-00${i + 1}`, `PLAN-00${n}`] as const)) {
    await ok(ws, "tasks_create", { id, parent, title: `Part ${id}`, steps });
  }
  await ok(ws, "tasks_close_step", { task: "TASK-003", path: "s:0", checkpoints: "gate" });
  await ok(ws, "tasks_complete", { task: "TASK-003" });
  return ws;
}

/** A process that knows nothing, and the ids of the logs that it reads. */
function fresh(root: string): { ws: Workspace; read: Set<string> } {
  const read = new Set<string>();
  const note = (path: string): void => {
    const id = /([^/\\]+)[/\\]events\.jsonl$/.exec(path)?.[1];
    if (id !== undefined) read.add(id);
  };
  const disk: Disk = {
    ...nodeDisk,
    readFile: (path) => {
      note(path);
      return nodeDisk.readFile(path);
    },
    open: (path, flags) => {
      note(path);
      return nodeDisk.open(path, flags);
    },
  };
  return { ws: openWorkspace({ root, disk }), read };
}

const SIZES = sampleOf(
  Array.from({ length: 40 }, (_, i) => 200 + 97 * i),
  6,
);

describe("the tasks of a plan, from disk", () => {
  it("[VIEW-81] reads the logs of the plan and of its open tasks, and no other", async () => {
    const first = await twoPlans();
    await first.close();
    const { ws, read } = fresh(first.root);
    const { tasks } = await ok(ws, "tasks_radar", plan);
    expect(tasks).toMatchObject({ total: 3, by_status: { TODO: 2, DONE: 1 }, counts: { ready: 2 } });
    expect([...read].toSorted()).toEqual(["PLAN-001", "TASK-001", "TASK-002"]);
    await ws.close();
  });

  it("[VIEW-81] a folder that cannot be read is left out with LOG_DAMAGED", async () => {
    const ws = await twoPlans();
    writeFileSync(logPath(ws.root, "TASK-002"), "<<<<<<< ours\n=======\n>>>>>>> theirs\n");
    const { result, warnings, error } = await call(ws, "tasks_radar", plan);
    expect(error).toBeNull();
    expect(warnings).toMatchObject([{ code: "LOG_DAMAGED" }]);
    expect(result).toMatchObject({ tasks: { total: 2, counts: { ready: 1 } } });
  });

  it("[VIEW-81] says nothing of others as of a moment of the past, and follows a task that another process changed", async () => {
    const ws = await twoPlans();
    expect(await ok(ws, "tasks_radar", { ...plan, at: 1 })).not.toHaveProperty("tasks");
    expect(await ok(ws, "tasks_handoff", { ...plan, at: 1 })).not.toHaveProperty("tasks");
    const other = openTemp({ root: ws.root, by: "agent:bob" });
    await ok(other, "tasks_claim_next", plan);
    const { tasks } = await ok(ws, "tasks_radar", plan);
    expect(tasks).toMatchObject({ claimed: [{ id: "TASK-001", path: "s:0", by: "agent:bob" }] });
    await ok(other, "tasks_delete", { task: "TASK-001" });
    expect((await ok(ws, "tasks_radar", plan))["tasks"]).toMatchObject({ total: 2 });
  });

  it("[STEP-70] a plan is ACTIVE in answers once work in a task has begun, and TODO in its own files", async () => {
    const ws = openTemp({ durability: "os" });
    await ok(ws, "tasks_create", { title: "Version 2" });
    for (const id of ["TASK-001", "TASK-002"]) await ok(ws, "tasks_create", { id, parent: "PLAN-001", title: id });
    /** The one status that every answer gives. */
    const told = async (): Promise<unknown[]> => {
      const { plans, by_status } = await ok(ws, "tasks_context", {});
      const statuses = [(plans as JsonObject[])[0]!["status"]];
      for (const tool of ["tasks_radar", "tasks_handoff", "tasks_snapshot", "tasks_resume"] as const)
        statuses.push(((await ok(ws, tool, plan))["target"] as JsonObject)["status"]);
      statuses.push(((await ok(ws, "tasks_mirror", plan))["plan"] as JsonObject)["status"]);
      const isCounted = (by_status as Record<string, number>)[statuses[0] as string]! > 0;
      return [...new Set([...statuses, ...(isCounted ? [] : ["not counted"])])];
    };
    expect(await told()).toEqual(["TODO"]);
    await ok(ws, "tasks_complete", { task: "TASK-001", status: "CANCELED" });
    expect(await told()).toEqual(["TODO"]);
    await ok(ws, "tasks_claim", { task: "TASK-002" });
    expect(await told()).toEqual(["ACTIVE"]);
    const own = ["README.md", "task.yaml"].map((name) => ws.files("PLAN-001").get(name)).join("\n");
    expect(own).toMatch(/TODO/);
    expect(own).not.toMatch(/ACTIVE/);
    expect((await ok(ws, "tasks_radar", { ...plan, at: 1 }))["target"]).toMatchObject({ status: "TODO" });
    await ok(ws, "tasks_release", { task: "TASK-002" });
    expect(await told()).toEqual(["TODO"]);
    await ok(ws, "tasks_complete", { task: "TASK-002" });
    expect(await told()).toEqual(["ACTIVE"]);
    await ok(ws, "tasks_archive", { task: "TASK-002" });
    expect(await told()).toEqual(["ACTIVE"]);
    await ok(ws, "tasks_complete", { ...plan, status: "FAILED" });
    expect(await told()).toEqual(["FAILED"]);
  });

  it("[STEP-70] the reply of a change and a task that waits for the plan name the status that the plan's own answers have", async () => {
    const ws = openTemp({ durability: "os" });
    await ok(ws, "tasks_create", { title: "Version 2" });
    await ok(ws, "tasks_create", { id: "TASK-001", parent: "PLAN-001", title: "One" });
    await ok(ws, "tasks_create", { kind: "task", title: "Behind it", depends_on: ["PLAN-001"] });
    const waits = async (): Promise<string> =>
      JSON.stringify((await ok(ws, "tasks_radar", { task: "TASK-002" }))["radar"]);
    expect(await waits()).toContain("Waits for PLAN-001 (TODO: Version 2)");
    await ok(ws, "tasks_claim", { task: "TASK-001" });
    expect(await waits()).toContain("Waits for PLAN-001 (ACTIVE: Version 2)");
    expect(await ok(ws, "tasks_complete", { ...plan, status: "FAILED" })).toMatchObject({ status: "FAILED" });
    expect(await waits()).toContain("Waits for PLAN-001 (FAILED: Version 2)");
    await ok(ws, "tasks_undo", plan);
    expect(await waits()).toContain("Waits for PLAN-001 (ACTIVE: Version 2)");
    await ok(ws, "tasks_release", { task: "TASK-001" });
    expect(await waits()).toContain("Waits for PLAN-001 (TODO: Version 2)");
    // A task that was deleted is no work in it.
    await ok(ws, "tasks_complete", { task: "TASK-001", status: "ACTIVE" });
    expect(await waits()).toContain("Waits for PLAN-001 (ACTIVE: Version 2)");
    await ok(ws, "tasks_delete", { task: "TASK-001" });
    expect(await waits()).toContain("Waits for PLAN-001 (TODO: Version 2)");
    // git may leave its folder among the live ones.
    renameSync(join(ws.root, ".coco/archive/TASK-001"), join(ws.root, ".coco/tasks/TASK-001"));
    const other = fresh(ws.root).ws;
    expect(await ok(other, "tasks_complete", { ...plan, status: "TODO" })).toMatchObject({ status: "TODO" });
    await other.close();
  });

  it("[STEP-21] no call sets a plan to TODO while a task of it, or one in the archive, has work", async () => {
    const ws = openTemp({ durability: "os" });
    await ok(ws, "tasks_create", { title: "Version 2" });
    for (const id of ["TASK-001", "TASK-002"]) await ok(ws, "tasks_create", { id, parent: "PLAN-001", title: id });
    const todo = { ...plan, status: "TODO" } as const;
    const code = async (tool: string, input: object) =>
      (await ws.callTool(tool, { workspace: WORKSPACE, ...input })).error?.code ?? "ok";
    await ok(ws, "tasks_claim", { task: "TASK-001" });
    expect(await code("tasks_complete", todo)).toBe("WORK_BEGUN");
    expect(await code("tasks_macro_finish", todo)).toBe("WORK_BEGUN");
    expect(await code("tasks_batch", { operations: [{ tool: "tasks_complete", args: todo }] })).toBe("BATCH_FAILED");
    await ok(ws, "tasks_release", { task: "TASK-001" });
    expect(await code("tasks_complete", todo)).toBe("ok");
    await ok(ws, "tasks_complete", { task: "TASK-002" });
    await ok(ws, "tasks_archive", { task: "TASK-002" });
    const refused = await ws.callTool("tasks_complete", { workspace: WORKSPACE, ...todo });
    expect(refused).toMatchObject({ error: { code: "WORK_BEGUN" }, suggestions: [{ tool: "tasks_restore" }] });
    const { tool, args } = refused.suggestions[0]!;
    await ws.callTool(tool, args as JsonObject);
    await ok(ws, "tasks_complete", { task: "TASK-002", status: "TODO" });
    expect(await ok(ws, "tasks_complete", todo)).toMatchObject({ status: "TODO" });
    await ws.close();
  });

  it("[STEP-70] the reply of a change to an open plan has its head, also where the call changes nothing", async () => {
    const ws = await twoPlans();
    const heads: unknown[] = [];
    for (const value of ["Version 3", "Version 3", "Version 4"]) {
      const reply = await ok(ws, "tasks_patch", { plan: "PLAN-002", ops: [{ op: "set", field: "title", value }] });
      heads.push(reply["head"]);
    }
    expect(heads[0]).toMatch(/^[\w-]{43}$/);
    expect(heads[1]).toBe(heads[0]);
    expect(heads[2]).not.toBe(heads[0]);
    await ws.close();
  });

  it("[STEP-70] answers take a status from one place", () => {
    const own = filesBelow("src", ".ts").filter((file) =>
      /\bstatusOf\((?:[a-z.]+\.)?entity\)/.test(readFileSync(join(ROOT, file), "utf8")),
    );
    // The row that it stands in, the page that counts its tasks, what is folded from its own log, and a step of a task.
    expect(own.map((file) => file.slice("src/".length))).toEqual([
      "projections/coco_state.ts",
      "projections/readme_head.ts",
      "rules/generate_report.ts",
      "state/listed.ts",
      "state/status.ts",
      "tools/tasks_macro_close_step.ts",
      "views/viewer/board_row.ts",
      "views/viewer/entity_answer.ts",
    ]);
  });

  it("[VIEW-81] each call that it suggests works, from the first task to the end of the plan", async () => {
    const ws = await twoPlans();
    const done: string[] = [];
    for (let i = 0; i < 20; i++) {
      const { next } = (await ok(ws, "tasks_radar", plan))["tasks"] as {
        next: { tool: string; args: JsonObject } | null;
      };
      if (!next) break;
      done.push(next.tool);
      const { result, error } = await ws.callTool(next.tool, next.args);
      expect(error).toBeNull();
      if (next.tool !== "tasks_claim_next") continue;
      const { task, step } = result as { task: string; step: { step_id: string } };
      await ok(ws, "tasks_close_step", { task, step_id: step.step_id, checkpoints: "gate" });
    }
    expect(done).toEqual([
      "tasks_claim_next",
      "tasks_claim_next",
      "tasks_complete",
      "tasks_complete",
      "tasks_complete",
    ]);
  });

  it("[BUDGET-1] [regression VIEW-86] every tool about a plan keeps to max_chars", SWEEP, async () => {
    const ws = await twoPlans();
    const input = (name: string) => (TOOLS[name]!.input as unknown as { properties: object }).properties;
    const names = Object.keys(TOOLS).filter(
      (n) => TOOLS[n]!.effect === "read" && "max_chars" in input(n) && "plan" in input(n),
    );
    expect(names.length).toBeGreaterThan(6);
    for (const name of names.filter((n) => n !== "recall_taskdoc" && !n.startsWith("packet_"))) {
      for (const max_chars of SIZES) {
        const { result, error } = await ws.callTool(name, { workspace: WORKSPACE, ...plan, max_chars });
        expect(error, name).toBeNull();
        expect(Array.from(JSON.stringify(result)).length, name).toBeLessThanOrEqual(Math.max(max_chars, 256));
      }
    }
  });
});
