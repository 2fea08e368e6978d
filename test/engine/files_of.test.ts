import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { newTask, ok, openTemp, tree } from "../support/workspace.ts";

describe("folded files as texts", () => {
  it("[PROJ-17] are what a write leaves on disk, whatever stands there", async () => {
    const ws = openTemp();
    await newTask(ws);
    await ok(ws, "tasks_note", { task: "TASK-001", note: "x" });
    const folder = join(ws.root, ".coco", "tasks", "TASK-001");
    const files = ws.files("TASK-001");
    expect([...files.keys()]).toEqual(expect.arrayContaining(["task.yaml", "README.md"]));
    for (const [name, text] of files) expect(readFileSync(join(folder, name), "utf8")).toBe(text);
    writeFileSync(join(folder, "README.md"), "edited");
    const before = tree(ws.root);
    expect(ws.files("TASK-001")).toEqual(files);
    expect(tree(ws.root)).toEqual(before);
  });

  it("[PROJ-17] are refused of what is not there, and of what another program keeps", async () => {
    const ws = openTemp();
    await newTask(ws);
    expect(() => ws.files("TASK-9")).toThrow(expect.objectContaining({ code: "UNKNOWN_ID" }));
    const theirs = join(ws.root, ".coco", "tasks", "TASK-7");
    mkdirSync(theirs);
    writeFileSync(
      join(theirs, "task.yaml"),
      "id: TASK-7\ntitle: Theirs\ntopology: squad\nstate: working\ncreatedAt: 2026-01-01T00:00:00Z\nupdatedAt: 2026-01-01T00:00:00Z\n",
    );
    expect(() => ws.files("TASK-7")).toThrow(expect.objectContaining({ code: "LOG_FOREIGN" }));
  });
});
