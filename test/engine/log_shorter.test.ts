import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Workspace } from "../../src/engine/workspace.ts";
import { splitLines } from "../support/logs.ts";
import { logPath, newTask, ok, openTemp } from "../support/workspace.ts";

const TASK = "TASK-001";

async function given(): Promise<{ ws: Workspace; head: string; before: string }> {
  const ws = openTemp();
  await newTask(ws);
  const { target } = (await ok(ws, "tasks_radar", { task: TASK })) as { target: { head: string } };
  // An op of two events.
  await ok(ws, "tasks_close_step", { task: TASK, path: "s:0", checkpoints: "gate" });
  const after = (await ok(ws, "tasks_radar", { task: TASK })) as { target: { head: string } };
  return { ws, head: after.target.head, before: target.head };
}

function withoutLast({ root }: Workspace, count: number): void {
  writeFileSync(logPath(root), Buffer.concat(splitLines(readFileSync(logPath(root))).slice(0, -count)));
}

function shorter(ws: Workspace): string[] {
  return ws
    .verify()
    .findings.filter(({ code }) => code === "LOG_SHORTER")
    .map(({ message }) => message);
}

describe("a log that lost its end", () => {
  it.each([1, 2])("[VERIFY-41] is found where %i of the last lines were deleted, with both heads", async (count) => {
    const { ws, head, before } = await given();
    expect(shorter(ws)).toEqual([]);
    withoutLast(ws, count);
    const [message, ...more] = shorter(ws);
    expect(more).toEqual([]);
    expect(message).toContain(`at least 2 changes up to head ${head}`);
    expect(message).toContain(`found 1 up to head ${before}: 1 at the end are missing`);
    expect(shorter(ws)).toHaveLength(1);
    await ws.rebuild(TASK);
    expect(shorter(ws)).toEqual([]);
  });

  it("[VERIFY-41] is not thought of while task.yaml is of an earlier moment, or of another entity", async () => {
    const { ws } = await given();
    const file = join(ws.root, ".coco/tasks", TASK, "task.yaml");
    const text = readFileSync(file, "utf8");
    writeFileSync(file, text.replace("revision: 2", "revision: 1"));
    expect(shorter(ws)).toEqual([]);
    withoutLast(ws, 2);
    writeFileSync(file, text.replace(/^root: .*$/m, `root: "${"A".repeat(43)}"`));
    expect(shorter(ws)).toEqual([]);
    writeFileSync(file, text);
    expect(shorter(ws)).toHaveLength(1);
  });
});
