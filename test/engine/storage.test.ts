import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { onRealDisk } from "../support/temp.ts";
import { newTask, ok, openTemp, tree } from "../support/workspace.ts";

onRealDisk();

describe("storage", () => {
  it("[STORE-1] is told with its folders and names, before and after the first write", async () => {
    const ws = openTemp();
    const told = await ok(ws, "tasks_storage", {});
    expect(tree(ws.root)).toEqual([]);
    expect(told).toMatchObject({
      storage_dir: join(ws.root, ".coco"),
      defaults: { branch: "main", docs: { notes: "notes", graph: "graph", trace: "trace" } },
    });
    await newTask(ws);
    expect(await ok(ws, "tasks_storage", {})).toEqual(told);
    const { tasks, locks, registry } = told["folders"] as Record<string, string>;
    for (const name of [tasks, locks, registry])
      expect(existsSync(join(told["storage_dir"] as string, name!))).toBe(true);
  });

  it("[TPL-2] a scaffolded task stands on disk like any other", async () => {
    const ws = openTemp();
    const plan = await ok(ws, "tasks_scaffold", { template: "basic-plan", kind: "plan", title: "P" });
    const key = { idempotency_key: "one" };
    const input = { template: "principal-task", kind: "task", title: "T", parent: "PLAN-001", ...key } as const;
    const made = await ok(ws, "tasks_scaffold", input);
    expect(plan["plan"]).toMatchObject({ id: "PLAN-001" });
    expect(await ok(ws, "tasks_scaffold", input)).toEqual(made);
    expect(ws.verify().findings.filter((f) => !f.info)).toEqual([]);
  });
});
