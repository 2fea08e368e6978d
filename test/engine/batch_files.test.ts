import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { FaultyDisk } from "../support/faulty_disk.ts";
import { call, newTask, ok, openTemp, WORKSPACE } from "../support/workspace.ts";

const note = (text: string, task = "TASK-001") => ({ tool: "tasks_note", args: { task, note: text } });

async function prepared() {
  const disk = new FaultyDisk();
  const ws = openTemp({ disk });
  await newTask(ws);
  await ok(ws, "tasks_create", { title: "Other", kind: "task", id: "OTHER" });
  const readme = (id = "TASK-001"): string => readFileSync(join(ws.root, ".coco/tasks", id, "README.md"), "utf8");
  const written = (id = "TASK-001"): number =>
    disk.calls.filter(({ kind, path }) => /^(?:rename|exchange)$/.test(kind) && path.includes(join(id, "README.md")))
      .length;
  disk.calls.length = 0;
  return { ws, disk, readme, written };
}

describe("files of a batch", () => {
  it("[BATCH-30] of many changes are written once for each entity, and are in place at the answer", async () => {
    const { ws, disk, readme, written } = await prepared();
    const operations = Array.from({ length: 40 }, (_, i) => note(`note ${i}`, i % 4 === 3 ? "OTHER" : "TASK-001"));
    const { failed } = await ok(ws, "tasks_batch", { operations });
    expect(failed).toBe(0);
    expect(
      disk.count({ kind: "fdatasync", path: "events.jsonl" }) + disk.count({ kind: "fdatasyncSync" }),
    ).toBeGreaterThan(0);
    expect([written(), written("OTHER")]).toEqual([1, 1]);
    expect(readme()).toContain("note 38");
    expect(readme("OTHER")).toContain("note 39");
    expect(ws.verify().findings).toEqual([]);
  });

  it("[BATCH-30] are written before a call that looks at files, and with a change by another caller", async () => {
    const { ws, readme } = await prepared();
    const attach = {
      tool: "tasks_evidence_capture",
      args: { task: "TASK-001", path: "s:0", attachments: ["README.md"] },
    };
    const reply = await ok(ws, "tasks_batch", { operations: [note("before"), attach, note("after")] });
    expect(reply["failed"]).toBe(0);
    expect(readme()).toContain("after");
    const [batch, single] = await Promise.all([
      call(ws, "tasks_batch", { operations: Array.from({ length: 10 }, (_, i) => note(`of many ${i}`)) }),
      call(ws, "tasks_note", { task: "TASK-001", note: "of one" }).then((one) => ({ one, text: readme() })),
    ]);
    expect([batch.error, single.one.error]).toEqual([null, null]);
    expect(single.text).toContain("of one");
    expect(ws.verify().findings).toEqual([]);
  });

  it("[BATCH-30] that people changed meanwhile are set aside, and the answer says so", async () => {
    const { ws } = await prepared();
    const { writeFileSync } = await import("node:fs");
    const path = join(ws.root, ".coco/tasks/TASK-001/README.md");
    writeFileSync(path, "mine\n");
    const reply = await call(ws, "tasks_batch", { operations: [note("a"), note("b")] });
    expect(reply.warnings.map(({ code }) => code)).toContain("PROJECTION_DRIFT");
    expect(readFileSync(path, "utf8")).toContain("b");
  });

  it("[BATCH-30] of a deleted task go with it to the archive at once", async () => {
    const { ws } = await prepared();
    const gone = { tool: "tasks_delete", args: { task: "OTHER" } };
    const again = { tool: "tasks_create", args: { title: "Other", kind: "task" } };
    const { error } = await call(ws, "tasks_batch", {
      operations: [note("last", "OTHER"), gone, again, note("late", "OTHER")],
    });
    expect(error).toMatchObject({ code: "BATCH_FAILED", details: { index: 3, code: "UNKNOWN_ID" } });
    expect(readFileSync(join(ws.root, ".coco/archive/OTHER/README.md"), "utf8")).toContain("last");
    expect(ws.verify().findings).toEqual([]);
    expect(ws.id).toBe(WORKSPACE);
  });
});
