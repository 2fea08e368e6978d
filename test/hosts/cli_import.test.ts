import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { json, run, workspace } from "./cli_support.ts";

const OLD = "intro\n\n## Goals\n- version 2\n";

describe("taskfold taskdoc import", () => {
  it("[IMPORT-8] [regression IMPORT-14] takes a file in, and says so the second time", async () => {
    const cwd = await workspace();
    writeFileSync(join(cwd, "old.md"), OLD);
    const first = await run({ cwd }, "taskdoc", "import", "old.md", "TASK-001", "--by", "human:ada");
    expect(first).toEqual({
      code: 0,
      err: "",
      out:
        "taskdoc.tsk/goals.md: 12 bytes\ntaskdoc.tsk/progress.md: 6 bytes\n" +
        "1 line without a section of their own: kept in progress.\n" +
        "TASK-001: old.md taken in; the file stays where it is, and is no longer needed.\n",
    });
    expect(readFileSync(join(cwd, ".coco/tasks/TASK-001/taskdoc.tsk/progress.md"), "utf8")).toBe("intro\n");
    expect(await run({ cwd }, "taskdoc", "import", "old.md", "TASK-001")).toMatchObject({
      code: 0,
      out: "TASK-001: old.md was taken in before.\n",
    });
  });

  it("[IMPORT-8] [regression IMPORT-14] --dry-run shows the texts and changes nothing", async () => {
    const cwd = await workspace();
    writeFileSync(join(cwd, "old.md"), `${OLD}\u001b[2J\n`);
    const { code, out } = await run({ cwd }, "taskdoc", "import", "old.md", "TASK-001", "--dry-run");
    expect(code).toBe(0);
    expect(out).toContain("taskdoc.tsk/goals.md: 17 bytes\n  - version 2\n");
    expect(out).toContain("old.md would be taken in");
    expect(out).not.toContain("\u001b");
    expect(existsSync(join(cwd, ".coco/tasks/TASK-001/taskdoc.tsk"))).toBe(false);
  });

  it("[IMPORT-9] [regression IMPORT-14] refusals have their exit codes, and the focus stands for the id", async () => {
    const cwd = await workspace();
    writeFileSync(join(cwd, "old.md"), OLD);
    writeFileSync(join(cwd, "other.md"), "## Goals\nother\n");
    await run({ cwd }, "call", "tasks_focus_set", '{"task":"TASK-001"}');
    const taken = await json({ cwd }, "taskdoc", "import", "old.md");
    expect(taken).toMatchObject({
      code: 0,
      doc: { success: true, result: { id: "TASK-001", changed: true, unplaced: 1 } },
    });
    expect(await json({ cwd }, "taskdoc", "import", "other.md")).toMatchObject({
      code: 1,
      doc: { error: { code: "TASKDOC_NOT_EMPTY" } },
    });
    expect(await json({ cwd }, "taskdoc", "import", "none.md")).toMatchObject({
      code: 2,
      doc: { error: { code: "INVALID_INPUT" } },
    });
  });
});
