import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { call, code, logPath, newTask, openTemp } from "../support/workspace.ts";

describe("a task that no caller can write", () => {
  it("[LEASE-8] is passed over by a call that named none, with a warning", async () => {
    const ws = openTemp();
    for (const id of ["TASK-1", "TASK-2"]) await newTask(ws, id, ["First"]);
    const path = logPath(ws.root, "TASK-1");
    const log = readFileSync(path, "utf8");
    writeFileSync(path, `<<<<<<< HEAD\n${log}=======\n>>>>>>> theirs\n`);
    const { result, warnings } = await call(ws, "tasks_claim_next", {});
    expect(result).toMatchObject({ task: "TASK-2" });
    expect(warnings).toContainEqual(
      expect.objectContaining({ code: "LOG_DAMAGED", recovery: "taskfold verify TASK-1" }),
    );
    expect(await code(ws, "tasks_claim_next", { task: "TASK-1" })).toBe("LOG_CONFLICT_MARKERS");
  });
});
