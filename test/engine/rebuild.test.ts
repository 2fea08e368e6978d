import { appendFileSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { FaultyDisk } from "../support/faulty_disk.ts";
import { call, logLines, logPath, newTask, ok, openTemp, tree } from "../support/workspace.ts";

const FOLDER = ".coco/tasks/TASK-001";
const FOLDED = ["task.yaml", "README.md", "shared/evidence/index.json"];

describe("rebuild", () => {
  it("[REBUILD-1] brings every folded file back byte for byte, and says which had to be written", async () => {
    const ws = openTemp();
    await newTask(ws);
    await newTask(ws, "TASK-002");
    const before = tree(join(ws.root, ".coco/tasks"), { times: false });
    for (const name of FOLDED) rmSync(join(ws.root, FOLDER, name));
    rmSync(join(ws.root, FOLDER, "agents"), { recursive: true });
    rmSync(join(ws.root, FOLDER, "shared/human-notes.md"));
    const { rebuilt, findings } = await ws.repair.rebuild();
    expect(findings).toEqual([]);
    expect(rebuilt).toEqual([
      { id: "TASK-001", files: [...FOLDED, "shared/human-notes.md"] },
      { id: "TASK-002", files: [] },
    ]);
    expect(tree(join(ws.root, ".coco/tasks"), { times: false })).toEqual(before);
  });

  it("[REBUILD-1] a file whose bytes are right is not written", async () => {
    const ws = openTemp();
    await newTask(ws);
    const before = tree(join(ws.root, ".coco/tasks"));
    expect((await ws.repair.rebuild("TASK-001")).rebuilt).toEqual([{ id: "TASK-001", files: [] }]);
    expect(tree(join(ws.root, ".coco/tasks"))).toEqual(before);
  });

  it("[REBUILD-1] a file that could not be written is not named, and the failure is", async () => {
    const disk = new FaultyDisk();
    const ws = openTemp({ disk });
    await newTask(ws);
    for (const name of FOLDED) rmSync(join(ws.root, FOLDER, name));
    disk.fail({ kind: "rename", path: /README\.md$/ }, "EIO", { times: 9 });
    const { rebuilt, findings } = await ws.repair.rebuild("TASK-001");
    const there = FOLDED.filter((name) => existsSync(join(ws.root, FOLDER, name)));
    expect(there).not.toContain("README.md");
    expect(rebuilt).toEqual([{ id: "TASK-001", files: there }]);
    expect(findings.map((f) => f.code)).toEqual(["PROJECTION_FAILED"]);
  });

  it("[REBUILD-1] what people wrote in their files stays", async () => {
    const ws = openTemp();
    await newTask(ws);
    writeFileSync(join(ws.root, FOLDER, "shared/human-notes.md"), "mine\n");
    await ws.repair.rebuild();
    expect(readFileSync(join(ws.root, FOLDER, "shared/human-notes.md"), "utf8")).toBe("mine\n");
  });

  it("[PEOPLE-8] what people wrote is read into the log, once; resolve leaves it to the next write", async () => {
    const ws = openTemp();
    await newTask(ws);
    writeFileSync(join(ws.root, FOLDER, "shared/human-notes.md"), "mine\n");
    await ws.repair.resolve();
    expect(logLines(ws.root).at(-1)).not.toContain("notes.changed");
    const { findings } = await ws.repair.rebuild();
    expect(findings).toMatchObject([{ code: "NOTES_CHANGED", info: true }]);
    expect(JSON.parse(logLines(ws.root).at(-1)!)).toMatchObject({
      type: "notes.changed",
      by: "system",
      payload: { file: "shared/human-notes.md", content: "mine\n" },
    });
    const before = tree(join(ws.root, ".coco/tasks"));
    expect((await ws.repair.rebuild()).findings).toEqual([]);
    expect(tree(join(ws.root, ".coco/tasks"))).toEqual(before);
    expect(ws.verify()).toMatchObject({ ok: true, findings: [] });
    expect((await call(ws, "tasks_note", { task: "TASK-001", note: "x" })).warnings).toEqual([]);
    expect(logLines(ws.root).filter((line) => line.includes("notes.changed"))).toHaveLength(1);
  });

  it("[PEOPLE-8] a log that takes no change is folded all the same", async () => {
    const ws = openTemp();
    await newTask(ws);
    appendFileSync(logPath(ws.root), "<<<<<<< HEAD\n");
    writeFileSync(join(ws.root, FOLDER, "shared/human-notes.md"), "mine\n");
    rmSync(join(ws.root, FOLDER, "README.md"));
    const { rebuilt, findings } = await ws.repair.rebuild("TASK-001");
    expect(findings.map((f) => f.code)).toEqual(["LOG_CONFLICT_MARKERS"]);
    expect(rebuilt).toEqual([{ id: "TASK-001", files: ["README.md"] }]);
    expect(logLines(ws.root).join()).not.toContain("notes.changed");
  });

  it("[REBUILD-1] what was deleted and never moved goes to the archive", async () => {
    const ws = openTemp();
    await newTask(ws);
    await ok(ws, "tasks_delete", { task: "TASK-001" });
    renameSync(join(ws.root, ".coco/archive/TASK-001"), join(ws.root, FOLDER));
    expect((await ws.repair.rebuild()).findings).toEqual([]);
    expect(existsSync(join(ws.root, FOLDER))).toBe(false);
    expect(ws.verify()).toMatchObject({ ok: true, entities: 1 });
  });

  it("[REBUILD-1] while lines are missing the files stay as they are", async () => {
    const ws = openTemp();
    await newTask(ws);
    await ok(ws, "tasks_note", { task: "TASK-001", note: "one" });
    await ok(ws, "tasks_note", { task: "TASK-001", note: "two" });
    const lines = readFileSync(logPath(ws.root), "utf8").split("\n");
    writeFileSync(logPath(ws.root), [...lines.slice(0, 2), ...lines.slice(3)].join("\n"));
    const readme = readFileSync(join(ws.root, FOLDER, "README.md"), "utf8");
    const { rebuilt, findings } = await ws.repair.rebuild();
    expect(rebuilt).toEqual([]);
    expect(findings.map((f) => f.code)).toEqual(["LOG_INCOMPLETE"]);
    expect(readFileSync(join(ws.root, FOLDER, "README.md"), "utf8")).toBe(readme);
  });
});
