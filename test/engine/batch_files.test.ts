import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { FaultyDisk } from "../support/faulty_disk.ts";
import { call, newTask, ok, openTemp, WORKSPACE } from "../support/workspace.ts";
import { ROTATING } from "../support/sweep.ts";

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
  it("[regression BATCH-30] of many changes are written once for each entity, and are in place at the answer", async () => {
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

  it("[regression BATCH-30] are written before a call that looks at files, and with a change by another caller", async () => {
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

  it("[regression BATCH-30] that people changed meanwhile are set aside, and the answer says so", async () => {
    const { ws } = await prepared();
    const { writeFileSync } = await import("node:fs");
    const path = join(ws.root, ".coco/tasks/TASK-001/README.md");
    writeFileSync(path, "mine\n");
    const reply = await call(ws, "tasks_batch", { operations: [note("a"), note("b")] });
    expect(reply.warnings.map(({ code }) => code)).toContain("PROJECTION_DRIFT");
    expect(readFileSync(path, "utf8")).toContain("b");
  });

  it("[regression BATCH-30] of a deleted task go with it to the archive at once", async () => {
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

describe("the answer of a batch", () => {
  const size = (value: unknown): number => JSON.stringify(value).length;
  const large = { tool: "tasks_create", args: { kind: "task", title: "Large", description: "x".repeat(60_000) } };
  const read = { tool: "tasks_resume", args: { task: "TASK-001" } };

  it(
    "[BATCH-32] has a bound of its own: operations lose their response from the last one on, and say so",
    ROTATING,
    async () => {
      const ws = openTemp();
      await ok(ws, "tasks_batch", { operations: [large] });
      // One answer has its room whole.
      const few = await call(ws, "tasks_batch", { operations: [read] });
      expect(few.warnings).toEqual([]);
      expect(few.result).toMatchObject({ operations: [{ response: { success: true } }] });
      const reply = await call(ws, "tasks_batch", { operations: Array.from({ length: 20 }, () => read) });
      expect(size(reply.result)).toBeLessThanOrEqual(160_000);
      const { operations } = reply.result as { operations: Record<string, unknown>[] };
      expect(operations).toHaveLength(20);
      expect(operations[0]).toHaveProperty("response");
      expect(operations[19]).toMatchObject({ index: 19, tool: "tasks_resume", success: true });
      expect(operations[19]).not.toHaveProperty("response");
      // It is what compact gives, also of a call that went by the focus.
      await ok(ws, "tasks_focus_set", { task: "TASK-001" });
      const focused = { tool: "tasks_resume", args: {} };
      const byFocus = await call(ws, "tasks_batch", { operations: Array.from({ length: 20 }, () => focused) });
      expect((byFocus.result!["operations"] as object[])[19]).toMatchObject({ index: 19, target_from: "focus" });
      expect(reply.warnings).toMatchObject([
        { code: "BUDGET_TRUNCATED", recovery: expect.stringContaining("call again for none of them") as string },
      ]);
      const failed = await call(ws, "tasks_batch", {
        operations: [...Array.from({ length: 20 }, () => read), note("x", "TASK-099")],
      });
      expect(failed.error?.code).toBe("BATCH_FAILED");
      expect(size(failed.error!.details)).toBeLessThanOrEqual(161_000);
    },
  );

  it("[BATCH-4] the way out of a failed batch makes no operation twice", async () => {
    const ws = openTemp();
    await newTask(ws);
    const operations = [note("a"), note("b", "TASK-099"), note("c")];
    const recovery = async (more: object): Promise<string> =>
      (await call(ws, "tasks_batch", { operations, ...more })).error!.recovery!;
    expect(await recovery({})).toBe(
      "1 of 3 operations were made and stand, 1 refused, 1 not tried. Correct operations[1], and call a batch of it and those behind it.",
    );
    expect(await recovery({ on_error: "continue", idempotency_key: "k" })).toBe(
      "2 of 3 operations were made and stand, 1 refused, 0 not tried. Correct those that were refused, and call a batch of these alone, with another idempotency_key.",
    );
  });
});
