import { appendFileSync, cpSync, mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { isTaskfoldError } from "../../src/errors.ts";
import type { TaskfoldEvent } from "../../src/index.ts";
import type { Workspace } from "../../src/engine/workspace.ts";
import { FaultyDisk } from "../support/faulty_disk.ts";
import { tempFolder } from "../support/temp.ts";
import { call, logLines, logPath, newTask, ok, openTemp } from "../support/workspace.ts";

/** All events from a cursor on, page by page. */
function readAll(ws: Workspace, limit: number, since?: string): string[] {
  const ids: string[] = [];
  for (let cursor = since, more = 1; more > 0;) {
    const page = ws.log("TASK-001", { limit, ...(cursor === undefined ? {} : { since: cursor }) });
    expect(page.events.length).toBeLessThanOrEqual(limit);
    ids.push(...page.events.map((e) => e.event_id));
    ({ cursor, more } = page);
  }
  return ids;
}

function codeOf(run: () => unknown): string | undefined {
  try {
    run();
  } catch (e) {
    if (isTaskfoldError(e)) return e.code;
    throw e;
  }
  return undefined;
}

async function withTask(): Promise<Workspace> {
  const ws = openTemp();
  await newTask(ws);
  await ws.close();
  return ws;
}

async function noted(ws: Workspace, ...notes: string[]): Promise<void> {
  for (const note of notes) await ok(ws, "tasks_note", { task: "TASK-001", note });
}

const noteOf = (event: TaskfoldEvent): string | undefined => (event.type === "step_noted" ? event.note : undefined);

interface Page {
  target: unknown;
  operations: { task: string; revision: number; op: string; ts: string; tool: string; undone: boolean }[];
  next_before: string | null;
}

describe("the history of a workspace", () => {
  async function busy(): Promise<Workspace> {
    const ws = openTemp();
    await newTask(ws);
    await ok(ws, "tasks_create", { kind: "task", title: "Other" });
    for (const [i, task] of ["TASK-001", "TASK-002", "TASK-001", "TASK-002", "TASK-002"].entries())
      await ok(ws, "tasks_note", { task, note: `note ${i}` });
    await ok(ws, "tasks_undo", { task: "TASK-002" });
    await ok(ws, "tasks_delete", { task: "TASK-001" });
    return ws;
  }

  it("[UNDO-13] has every op of every plan and task, newest first, also of what was deleted", async () => {
    const ws = await busy();
    const { target, operations, next_before } = (await ok(ws, "tasks_history", {})) as unknown as Page;
    expect([target, next_before]).toEqual([null, null]);
    expect(operations.map(({ task, tool }) => `${task} ${tool}`)).toEqual([
      "TASK-001 tasks_delete",
      "TASK-002 tasks_undo",
      "TASK-002 tasks_note",
      "TASK-002 tasks_note",
      "TASK-001 tasks_note",
      "TASK-002 tasks_note",
      "TASK-001 tasks_note",
      "TASK-002 tasks_create",
      "TASK-001 tasks_create",
    ]);
    expect(operations.map((op) => op.ts)).toEqual(
      operations
        .map((op) => op.ts)
        .toSorted()
        .toReversed(),
    );
    expect(operations.map((op) => op.undone)).toEqual([false, false, true, ...Array(6).fill(false)]);
  });

  it("[UNDO-13] pages back to the first op, also in a process that has read nothing yet", async () => {
    const ws = await busy();
    const whole = ((await ok(ws, "tasks_history", {})) as unknown as Page).operations;
    await ws.close();
    const other = openTemp({ root: ws.root });
    const told: unknown[] = [];
    for (let before: string | null | undefined; before !== null;) {
      const page = (await ok(other, "tasks_history", { limit: 2, ...(before ? { before } : {}) })) as unknown as Page;
      told.push(...page.operations);
      before = page.next_before;
    }
    expect(told).toEqual(whole);
    for (const before of [3, "no-such-op"]) {
      const { error } = await call(other, "tasks_history", { before });
      expect(error?.code).toBe(before === 3 ? "INVALID_INPUT" : "CURSOR_EXPIRED");
    }
    await ok(other, "tasks_focus_set", { task: "TASK-002" });
    expect((await ok(other, "tasks_history", {}))["target"]).toMatchObject({ id: "TASK-002" });
  });

  it("[UNDO-9] has what was done between two times, of one task and of all, page by page", async () => {
    const ws = await busy();
    for (const target of [{ task: "TASK-002" }, {}]) {
      const { operations: all } = (await ok(ws, "tasks_history", target)) as unknown as Page;
      expect(all.length).toBeGreaterThan(4);
      for (const since of all.map(({ ts }) => ts))
        for (const until of all.map(({ ts }) => ts)) {
          const asked = all.filter(({ ts }) => ts > since && ts <= until);
          const page = (await ok(ws, "tasks_history", { ...target, since, until })) as unknown as Page;
          expect([page.operations, page.next_before]).toEqual([asked, null]);
          const told: unknown[] = [];
          for (let before: number | string | null | undefined; before !== null;) {
            const input = { ...target, since, until, limit: 2, ...(before === undefined ? {} : { before }) };
            const { operations, next_before } = (await ok(ws, "tasks_history", input)) as unknown as Page;
            told.push(...operations);
            before = next_before;
          }
          expect(told).toEqual(asked);
        }
      // The place is there, and nothing behind it is asked for.
      const { op, revision } = all.at(-2)!;
      const before = "task" in target ? revision : op;
      const since = all[0]!.ts;
      expect(await ok(ws, "tasks_history", { ...target, since, before })).toMatchObject({
        operations: [],
        next_before: null,
      });
      const wrong = { ...target, since, before: "no-such-op" };
      expect((await call(ws, "tasks_history", wrong)).error?.code).toBe(
        "task" in target ? "INVALID_INPUT" : "CURSOR_EXPIRED",
      );
      for (const since of ["yesterday", "2026-02-30T00:00:00Z"])
        expect((await call(ws, "tasks_history", { ...target, since })).error?.code).toBe("INVALID_INPUT");
    }
  });
});

describe("log", () => {
  it("[HISTORY-1] gives the events in effect, oldest first, as tools print them, with who wrote them", async () => {
    const ws = openTemp({ by: "human:ada" });
    await newTask(ws);
    await noted(ws, "one", "two");
    const page = ws.log("TASK-001", {});
    expect(page.events.map((e) => e.type)).toEqual(["task_created", "steps_added", "step_noted", "step_noted"]);
    expect(page.events.map((e) => e["by"])).toEqual(Array(4).fill("human:ada"));
    expect(page.events.at(-1)).toMatchObject({ note: "two", task: "TASK-001" });
    expect(page).toMatchObject({ id: "TASK-001", workspace: "acme/repo", total: 4, more: 0, revision: 3 });
  });

  it("[HISTORY-1] pages are as long as asked for, also inside an op, and lose and repeat nothing", async () => {
    const ws = openTemp();
    await newTask(ws);
    await noted(ws, "one", "two", "three");
    const whole = ws.log("TASK-001", {}).events.map((e) => e.event_id);
    for (const limit of [1, 2, 3, 200]) expect(readAll(ws, limit)).toEqual(whole);
    expect(codeOf(() => ws.log("TASK-001", { limit: 0 }))).toBe("INVALID_INPUT");
  });

  it("[HISTORY-1] the limit is 50 when left out and 200 at most", async () => {
    const ws = openTemp({ durability: "os" });
    await newTask(ws);
    await Promise.all(Array.from({ length: 210 }, (_, i) => noted(ws, `note ${i}`)));
    expect(ws.log("TASK-001").events).toHaveLength(50);
    const page = ws.log("TASK-001", { limit: 5000 });
    expect(page.events).toHaveLength(200);
    expect(page.warnings.map((w) => w.code)).toEqual(["LIMIT_CLAMPED"]);
    expect(ws.log("TASK-001", { limit: 200 }).warnings).toEqual([]);
    expect(page.more).toBe(12);
  });

  it("[HISTORY-1] a cursor at the end goes on with what comes later", async () => {
    const ws = openTemp();
    await newTask(ws);
    const { cursor } = ws.log("TASK-001");
    expect(ws.log("TASK-001", { since: cursor }).events).toEqual([]);
    await noted(ws, "later");
    expect(ws.log("TASK-001", { since: cursor }).events.map(noteOf)).toEqual(["later"]);
  });

  it("[HISTORY-1] what git brings is delivered, also when replay puts it before what was shown", async () => {
    const ws = openTemp();
    await newTask(ws);
    await ws.close();
    const other = tempFolder();
    cpSync(ws.root, other, { recursive: true });
    // The other branch began earlier by its clock, so that its events come first in replay order.
    const before = openTemp({ root: other, now: () => Date.UTC(2020, 0, 1) });
    await noted(before, "from git 1", "from git 2");
    await before.close();
    const here = openTemp({ root: ws.root, now: () => Date.UTC(2026, 5, 1) });
    await noted(here, "shown");
    const { cursor } = here.log("TASK-001");
    const base = readFileSync(logPath(ws.root), "utf8");
    appendFileSync(
      logPath(ws.root),
      readFileSync(logPath(other), "utf8")
        .split("\n")
        .filter((l) => l !== "" && !base.includes(l))
        .map((l) => `${l}\n`)
        .join(""),
    );
    const notes = here
      .log("TASK-001")
      .events.map(noteOf)
      .filter((n) => n !== undefined);
    expect(notes).toEqual(["from git 1", "from git 2", "shown"]);
    expect(here.log("TASK-001", { since: cursor, limit: 1 }).events.map(noteOf)).toEqual(["from git 1"]);
    const rest = readAll(here, 1, cursor);
    expect(rest).toHaveLength(2);
  });

  it("[HISTORY-1] a cursor that names what the log does not have has expired; what is no cursor is refused", async () => {
    const ws = openTemp();
    await newTask(ws);
    const log = readFileSync(logPath(ws.root));
    await noted(ws, "gone with a reset");
    const { cursor } = ws.log("TASK-001");
    await ws.close();
    writeFileSync(logPath(ws.root), log);
    const again = openTemp({ root: ws.root });
    expect(codeOf(() => again.log("TASK-001", { since: cursor }))).toBe("CURSOR_EXPIRED");
    for (const garbage of ["", "x", "W10", "!!", Buffer.from('[1,["x"],[]]').toString("base64url")]) {
      expect(codeOf(() => again.log("TASK-001", { since: garbage }))).toBe("INVALID_INPUT");
    }
  });

  it("[HISTORY-1] what was deleted can be read; an id that was never there cannot", async () => {
    const ws = openTemp();
    await newTask(ws);
    await ok(ws, "tasks_delete", { task: "TASK-001" });
    expect(ws.log("TASK-001").events.at(-1)?.type).toBe("task_deleted");
    expect(codeOf(() => ws.log("TASK-404"))).toBe("UNKNOWN_ID");
  });

  it("[HISTORY-1] what another process deleted meanwhile can be read", async () => {
    const ws = openTemp();
    await newTask(ws);
    expect(ws.log("TASK-001").total).toBe(2);
    await ok(openTemp({ root: ws.root }), "tasks_delete", { task: "TASK-001" });
    expect(ws.log("TASK-001").events.at(-1)?.type).toBe("task_deleted");
  });

  it("[HISTORY-1] a page has the warnings of any read: damage, conflict markers, missing lines", async () => {
    const ws = openTemp();
    await newTask(ws);
    await noted(ws, "one", "two", "three");
    const lines = logLines(ws.root);
    const damage: [string, (string | undefined)[]][] = [
      ["LOG_DAMAGED", [...lines, '{"garbled'.repeat(3)]],
      ["LOG_CONFLICT_MARKERS", [...lines, "<<<<<<< ours"]],
      ["LOG_INCOMPLETE", lines.toSpliced(3, 1)],
    ];
    for (const [code, text] of damage) {
      writeFileSync(logPath(ws.root), `${text.join("\n")}\n`);
      const { warnings } = ws.log("TASK-001");
      expect(warnings.map((w) => w.code)).toEqual([code]);
      expect(warnings).toEqual((await call(ws, "tasks_radar", { task: "TASK-001" })).warnings);
    }
  });

  it.each([
    ["nothing", () => undefined],
    ["a folder", (path: string) => mkdirSync(path)],
    ["a link", (path: string) => symlinkSync(`${path}.away`, path)],
    ["an empty file", (path: string) => writeFileSync(path, "")],
  ])("[HISTORY-1] %s in the place of a log is LOG_UNREADABLE", async (_what, put) => {
    const ws = openTemp();
    await newTask(ws);
    renameSync(logPath(ws.root), `${logPath(ws.root)}.away`);
    put(logPath(ws.root));
    for (const open of [ws, openTemp({ root: ws.root })])
      expect(codeOf(() => open.log("TASK-001"))).toBe("LOG_UNREADABLE");
  });

  it("[HISTORY-1] a log that may not be read is LOG_UNREADABLE, also when its state is in memory", async () => {
    const disk = new FaultyDisk();
    const { root } = await withTask();
    const ws = openTemp({ root, disk });
    expect(ws.log("TASK-001").total).toBe(2);
    disk.fail({ kind: "open", path: logPath(root) }, "EACCES", { times: 99 });
    expect(codeOf(() => ws.log("TASK-001"))).toBe("LOG_UNREADABLE");
    disk.mend();
    expect(ws.log("TASK-001").total).toBe(2);
  });

  it("[HISTORY-1] a folder without a log of ours has an empty page and NO_OWN_LOG", async () => {
    const root = tempFolder();
    mkdirSync(join(root, ".coco"));
    cpSync(join(import.meta.dirname, "../data/coco"), join(root, ".coco/tasks"), { recursive: true });
    const ws = openTemp({ root });
    const page = ws.log("task-2f61da5b5ec7488eb79fc983790aa10c");
    expect(page).toMatchObject({ events: [], more: 0, total: 0, revision: 0, head: "" });
    expect(page.warnings.map((w) => w.code)).toEqual(["NO_OWN_LOG"]);
    expect(ws.log(page.id, { since: page.cursor }).events).toEqual([]);
  });
});
