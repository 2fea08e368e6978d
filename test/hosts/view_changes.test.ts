/** What a reader hears of changes: from the first answer on, whoever finds them. */
import { mkdirSync, renameSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { openWorkspace } from "../../src/index.ts";
import type { Viewer } from "../../src/engine/open_viewer.ts";
import type { BoardAnswer, ChangeEvent } from "../../src/views/viewer/api.ts";
import { ok, openTemp, WORKSPACE } from "../support/workspace.ts";
import { read, viewerOf } from "./view_support.ts";

interface Told {
  viewer: Viewer;
  stream: AsyncGenerator<ChangeEvent>;
}

/** A viewer that has answered, and its stream, which nothing has asked yet. */
async function answered(root: string): Promise<Told> {
  const viewer = viewerOf(root);
  await read<BoardAnswer>(viewer, "board/0.json");
  const ended = new AbortController();
  onTestFinished(() => ended.abort());
  return { viewer, stream: viewer.changes(ended.signal) };
}

async function nextOf(stream: AsyncGenerator<ChangeEvent>): Promise<Record<string, string>> {
  const { value } = (await stream.next()) as { value: ChangeEvent };
  return Object.fromEntries(value.changes.map(({ id, what }) => [id, what]));
}

describe("changes that a viewer tells", () => {
  it("[VIEWER-50] what changes after an answer is told, also where the stream begins later", async () => {
    const ws = openTemp();
    for (const title of ["One", "Two", "Three"]) await ok(ws, "tasks_create", { kind: "task", title });
    const { viewer, stream } = await answered(ws.root);
    await ok(ws, "tasks_note", { task: "TASK-002", note: "before any reader listens" });
    expect(await nextOf(stream)).toEqual({ "TASK-002": "changed" });
    // A request finds this one, before any look of the stream.
    await ok(ws, "tasks_note", { task: "TASK-003", note: "found by a request" });
    await expect.poll(async () => (await read<BoardAnswer>(viewer, "board/0.json")).rows[2]!.revision).toBe(2);
    expect(await nextOf(stream)).toEqual({ "TASK-003": "changed" });
  });

  it("[VIEWER-50] folders that come and go are told, and a file that was only touched is not", async () => {
    const ws = openTemp();
    for (const title of ["One", "Two"]) await ok(ws, "tasks_create", { kind: "task", title });
    const { stream } = await answered(ws.root);
    const tasks = join(ws.root, ".coco/tasks");
    const now = new Date();
    utimesSync(join(tasks, "TASK-001/events.jsonl"), now, now);
    await ok(ws, "tasks_create", { kind: "task", title: "Three" });
    expect(await nextOf(stream)).toEqual({ "TASK-003": "new" });
    mkdirSync(join(ws.root, "elsewhere"));
    renameSync(join(tasks, "TASK-002"), join(ws.root, "elsewhere/TASK-002"));
    expect(await nextOf(stream)).toEqual({ "TASK-002": "gone" });
  });

  it("[VIEWER-50] of many changes at once each id is told once, with the row as it is then", async () => {
    const ws = openTemp();
    for (let n = 0; n < 12; n++) await ok(ws, "tasks_create", { kind: "task", title: `Task ${n}` });
    const { stream } = await answered(ws.root);
    const other = openWorkspace({ root: ws.root, workspace: WORKSPACE });
    for (let n = 1; n <= 3; n++)
      for (let task = 1; task <= 12; task++)
        await other.call("tasks_note", { task: `TASK-${String(task).padStart(3, "0")}`, note: `note ${n}` });
    await other.close();
    const last = new Map<string, number>();
    while ([...last.values()].filter((revision) => revision === 4).length < 12) {
      const { value } = (await stream.next()) as { value: ChangeEvent };
      const ids = value.changes.map(({ id }) => id);
      expect(new Set(ids).size).toBe(ids.length);
      for (const { id, revision } of value.changes) last.set(id, revision);
    }
    expect(last.size).toBe(12);
  });
});
