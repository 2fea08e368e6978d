import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { openWorkspace } from "../support/open.ts";
import type { Workspace } from "../../src/engine/workspace.ts";
import { sealOp } from "../../src/log/envelope.ts";
import type { Event } from "../../src/log/types.ts";
import { passTime } from "../support/clock.ts";
import { BLOCKED, placeSample } from "../support/coco.ts";
import { ROTATING } from "../support/sweep.ts";
import { logLines, logPath, newTask, ok, openTemp } from "../support/workspace.ts";

/** From so many on a reader does not look at every log for each answer. */
const MANY = 2000;
/** Longer than a notification file is not believed. */
const TRUSTED_MS = 2100;

/** So many tasks as git would bring them: the log of one, sealed again for each. */
async function manyTasks(): Promise<string> {
  const ws = openTemp({ durability: "os" });
  const { root } = ws;
  await newTask(ws, "TASK-1");
  placeSample(root, BLOCKED);
  const events = logLines(root, "TASK-1").map((line) => JSON.parse(line) as Event);
  const [first] = events as [Event];
  const { ts, by } = first;
  const drafts = events.map(({ type, payload }) => ({ type, payload }));
  for (let n = 2; n <= MANY; n++) {
    const [taskId, opId] = [`TASK-${n}`, n.toString(16).padStart(16, "0")];
    const { bytes } = sealOp({ taskId, by, ts, tool: first.op.tool, opId, heads: [], seq: 0, drafts });
    mkdirSync(dirname(logPath(root, taskId)));
    writeFileSync(logPath(root, taskId), bytes);
  }
  return root;
}

async function asOf(ws: Workspace, tool: "tasks_context" | "tasks_delta"): Promise<number | undefined> {
  const { as_of } = await ok(ws, tool, {});
  return as_of === undefined ? undefined : Date.parse(as_of as string);
}

/** As of when an answer is that took no look, and when the answer before it, which took one, began and ended. */
async function afterALook(ws: Workspace): Promise<{ as_of: number; began: number; ended: number }> {
  for (let [began, ended] = [NaN, NaN]; ;) {
    const now = Date.now();
    const as_of = await asOf(ws, "tasks_context");
    if (as_of !== undefined) return { as_of, began, ended };
    [began, ended] = [now, Date.now()];
  }
}

/** What is found while no look comes between: on a busy machine one may. */
async function between<T>(ws: Workspace, find: () => Promise<T>): Promise<{ found: T; as_of: number }> {
  for (;;) {
    const { as_of } = await afterALook(ws);
    const found = await find();
    if ((await asOf(ws, "tasks_context")) === as_of) return { found, as_of };
  }
}

async function titleOfForeign(ws: Workspace): Promise<{ title: unknown; as_of: number }> {
  const { tasks, as_of } = await ok(ws, "tasks_context", { tasks_limit: 1, tasks_cursor: MANY });
  const [{ id, title }] = tasks as [{ id: string; title: string }];
  expect(id).toBe(BLOCKED);
  return { title, as_of: as_of === undefined ? Date.now() : Date.parse(as_of as string) };
}

describe("answers above two thousand plans and tasks", () => {
  it(
    "[FRESH-9] say as of when the older of their parts was looked at, and of what a look was for, nothing",
    { ...ROTATING, timeout: 180_000 },
    async () => {
      const root = await manyTasks();
      const ws = openTemp({ root, now: Date.now });
      const other = openWorkspace({ root });
      expect(await asOf(ws, "tasks_context")).toBe(undefined);
      await ok(other, "tasks_note", { task: "TASK-7", note: "notifies" });
      passTime(TRUSTED_MS);
      rmSync(join(root, ".coco/registry/notifications"));
      expect(await asOf(ws, "tasks_context")).toBe(undefined);
      await ok(other, "tasks_note", { task: "TASK-7", note: "makes another file" });
      const { as_of, began, ended } = await afterALook(ws);
      expect(as_of).toBeGreaterThanOrEqual(began);
      expect(as_of).toBeLessThanOrEqual(ended);
      // The archive is looked at for the first of these, and the tasks are as old as they were.
      const same = await between(ws, async () => [await asOf(ws, "tasks_delta"), await asOf(ws, "tasks_delta")]);
      expect(same.found).toEqual([same.as_of, same.as_of]);
      // What a writer of ours did is there, as old as the look is.
      await ok(other, "tasks_edit", { task: "TASK-1", title: "Another" });
      const page = await between(ws, () => ok(ws, "tasks_context", { tasks_limit: 1 }));
      expect((page.found["tasks"] as { title: unknown }[])[0]!.title).toBe("Another");
      // A folder that another program made is found by a look, and no answer that says a later time lacks it.
      const path = join(root, ".coco/tasks", BLOCKED, "task.yaml");
      writeFileSync(path, readFileSync(path, "utf8").replace(/^title: .*$/m, "title: Told by hand"));
      const changed = Date.now();
      let told = await titleOfForeign(ws);
      for (; told.as_of <= changed; told = await titleOfForeign(ws)) passTime(100);
      expect(told.title).toBe("Told by hand");
      await other.close();
    },
  );
});
