import fc from "fast-check";
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Workspace } from "../../src/engine/workspace.ts";
import { nodeDisk } from "../../src/disk.ts";
import type { Disk } from "../../src/disk.ts";
import type { JsonObject } from "../../src/state/schema.ts";
import { machinePath } from "../support/machine.ts";
import { anyWork, RandomWork } from "../support/random_work.ts";
import { runsOf, SWEEP } from "../support/sweep.ts";
import { inTempFolder, tempFolder } from "../support/temp.ts";
import { call, code, logPath, newTask, ok, openTemp, START, ticking, tree, WORKSPACE } from "../support/workspace.ts";

interface Page {
  events: { event_id: string; type: string; task: string; ts: string; note?: string; cited?: string }[];
  cursor: string;
  next: number;
  limit: number;
}

type Query = { since?: string; limit?: number; task?: string; plan?: string; max_chars?: number };

async function delta(ws: Workspace, query: Query = {}): Promise<Page> {
  return (await ok(ws, "tasks_delta", query)) as unknown as Page;
}

/** All events from a cursor on, page by page, and the cursor at the end. */
async function drain(ws: Workspace, query: Query = {}): Promise<{ ids: string[]; cursor: string }> {
  const ids: string[] = [];
  for (let since = query.since; ;) {
    const page = await delta(ws, { ...query, ...(since === undefined ? {} : { since }) });
    ids.push(...page.events.map((e) => e.event_id));
    since = page.cursor;
    if (page.next === 0) return { ids, cursor: page.cursor };
    expect(page.events.length).toBeGreaterThan(0);
  }
}

const note = (ws: Workspace, text: string, task = "TASK-001"): Promise<JsonObject> =>
  ok(ws, "tasks_note", { task, note: text });

/** Two tasks, whose notes take turns; returns the events. */
async function twoTasks(ws: Workspace): Promise<Page["events"]> {
  await newTask(ws);
  await newTask(ws, "TASK-002");
  for (const text of ["a", "b"]) {
    await note(ws, text);
    await note(ws, text, "TASK-002");
  }
  return (await delta(ws)).events;
}

const notes = (page: Page): string[] => page.events.flatMap((e) => (e.type === "step_noted" ? [e.note!] : []));
const cursors = (root: string): string => machinePath(root, "cursors");

/** Lines of another clone's logs, as a union merge leaves them. */
function bring(from: string, into: string): void {
  for (const part of ["tasks", "archive"]) {
    if (!existsSync(join(from, ".coco", part))) continue;
    for (const id of readdirSync(join(from, ".coco", part))) {
      const log = join(into, ".coco", part, id, "events.jsonl");
      const text = readFileSync(join(from, ".coco", part, id, "events.jsonl"), "utf8");
      mkdirSync(join(log, ".."), { recursive: true });
      const have = existsSync(log) ? readFileSync(log, "utf8") : "";
      const known = new Set(have.split("\n"));
      const more = text.split("\n").filter((line) => !known.has(line));
      appendFileSync(log, more.map((line) => `${line}\n`).join(""));
    }
  }
}

describe("tasks_delta", () => {
  it("[DELTA-1] gives what happened in all entities, oldest first, as tools print it", async () => {
    const ws = openTemp({ by: "human:ada" });
    await newTask(ws);
    await newTask(ws, "TASK-002", []);
    await note(ws, "one");
    await note(ws, "two", "TASK-002");
    await note(ws, "three");
    const page = await delta(ws);
    expect(page.events.map((e) => [e.task, e.type])).toEqual([
      ["TASK-001", "task_created"],
      ["TASK-001", "steps_added"],
      ["TASK-002", "task_created"],
      ["TASK-001", "step_noted"],
      ["TASK-002", "step_noted"],
      ["TASK-001", "step_noted"],
    ]);
    expect(notes(page)).toEqual(["one", "two", "three"]);
    expect(page).toMatchObject({ workspace: WORKSPACE, next: 0, limit: 50 });
    expect(page.events[3]).toMatchObject({ by: "human:ada", message: expect.any(String) });
  });

  it("[DELTA-1] ignores the focus, and knows what was deleted", async () => {
    const ws = openTemp();
    await newTask(ws);
    await newTask(ws, "TASK-002", []);
    await ok(ws, "tasks_focus_set", { task: "TASK-001" });
    const { cursor } = await delta(ws);
    await ok(ws, "tasks_delete", { task: "TASK-002" });
    expect((await delta(ws, { since: cursor })).events.map((e) => [e.task, e.type])).toEqual([
      ["TASK-002", "task_deleted"],
    ]);
    expect((await delta(ws, { task: "TASK-002" })).events.map((e) => e.type)).toEqual(["task_created", "task_deleted"]);
    expect((await drain(ws)).ids).toHaveLength(4);
  });

  it("[DELTA-2] a cursor goes on with what comes later, also in another process", async () => {
    const ws = openTemp();
    await newTask(ws);
    const { cursor } = await delta(ws);
    expect(cursor).toMatch(/^[A-Za-z0-9_-]{22}$/);
    expect(await delta(ws, { since: cursor })).toMatchObject({ events: [], next: 0, cursor });
    await note(ws, "later");
    const other = openTemp({ root: ws.root });
    for (const one of [ws, other]) expect(notes(await delta(one, { since: cursor }))).toEqual(["later"]);
  });

  it("[DELTA-2] pages end between ops, lose and repeat nothing; an op larger than the limit comes whole", async () => {
    const ws = openTemp();
    await newTask(ws);
    await newTask(ws, "TASK-002");
    await Promise.all(["a", "b", "c"].flatMap((text) => [note(ws, text), note(ws, text, "TASK-002")]));
    const whole = await delta(ws);
    expect(whole.events).toHaveLength(10);
    for (const limit of [1, 2, 3, 4, 7]) {
      expect((await drain(ws, { limit })).ids).toEqual(whole.events.map((e) => e.event_id));
      expect((await drain(ws, { limit, task: "TASK-001" })).ids).toEqual(
        whole.events.filter((e) => e.task === "TASK-001").map((e) => e.event_id),
      );
    }
    const first = await delta(ws, { limit: 1 });
    expect(first.events.map((e) => e.type)).toEqual(["task_created", "steps_added"]);
    expect(first.next).toBe(8);
    const said = async (limit: number) => (await call(ws, "tasks_delta", { limit })).warnings.map((w) => w.code);
    expect([await said(1), await said(2)]).toEqual([["OP_WHOLE"], []]);
    const clamped = await call(ws, "tasks_delta", { limit: 1000 });
    expect(clamped.result).toMatchObject({ limit: 200 });
    expect(clamped.warnings.map((w) => w.code)).toEqual(["LIMIT_CLAMPED"]);
  });

  it("[DELTA-2] [BUDGET-10] an op that the budget cuts in two does not stand whole, and every event comes once", async () => {
    const ws = openTemp();
    const steps = Array.from({ length: 6 }, (_, i) => ({ title: `s ${i}`, success_criteria: ["x".repeat(30_000)] }));
    await ok(ws, "tasks_create", { kind: "task", title: "t", description: "y".repeat(30_000), steps });
    const seen: string[] = [];
    for (let since: string | undefined; ;) {
      const asked = since === undefined ? { limit: 1 } : { limit: 1, since };
      const { result, warnings } = await call(ws, "tasks_delta", asked);
      const { events, next, cursor } = result as unknown as Page;
      expect(warnings.map(({ code: name }) => name)).toEqual(["BUDGET_TRUNCATED"]);
      expect(JSON.stringify(result).length).toBeLessThanOrEqual(80_000);
      seen.push(...events.map(({ type }) => type));
      if (next === 0) break;
      since = cursor;
    }
    expect(seen).toEqual(["task_created", "steps_added"]);
    expect((await call(ws, "tasks_delta", { limit: 1, max_chars: 600_000 })).warnings).toMatchObject([
      { code: "OP_WHOLE" },
    ]);
  });

  it("[TOOL-8] [BUDGET-8] an event has its payload as an object too, which goes before any event does", async () => {
    const ws = openTemp();
    await newTask(ws);
    for (let n = 0; n < 12; n++) await note(ws, `note ${n} `.repeat(20));
    const reply = await ok(ws, "tasks_note", { task: "TASK-001", path: "s:0", note: "the last" });
    expect(reply["event"]).toMatchObject({ type: "step_noted", note: "the last", payload: { note: "the last" } });
    const without = (event: JsonObject): JsonObject =>
      Object.fromEntries(Object.entries(event).filter(([key]) => key !== "payload"));
    const views = [
      ["tasks_delta", {}, (r: JsonObject) => r],
      ["tasks_context_pack", {}, (r: JsonObject) => r["delta"] as JsonObject],
      ["tasks_resume", { events_limit: 20 }, (r: JsonObject) => r["timeline"] as JsonObject],
    ] as const;
    for (const [tool, more, at] of views) {
      const asked = { task: "TASK-001", ...more };
      const whole = await ok(ws, tool, asked);
      const events = at(whole)["events"] as JsonObject[];
      expect(events.at(-1)).toMatchObject({
        note: "the last",
        payload: { note: "the last" },
      });
      const bare = events.map(without);
      for (const event of events) {
        const { event_id: _e, type: _t, ts: _s, task: _k, by: _b, payload, ...spread } = event;
        expect(payload).toEqual(spread);
      }
      // There is room for the keys of all, and for what is said of the cut.
      const payloads = JSON.stringify(events).length - JSON.stringify(bare).length;
      const max_chars = JSON.stringify(whole).length - payloads + 400;
      const cut = await call(ws, tool, { ...asked, max_chars });
      expect(cut.warnings.map(({ code: name }) => name)).toEqual(["BUDGET_TRUNCATED"]);
      const left = at(cut.result!)["events"] as JsonObject[];
      expect(left.map(without)).toEqual(bare);
      const has = left.map((event) => "payload" in event);
      expect(has).toContain(false);
      const order = tool === "tasks_delta" ? has.toReversed() : has;
      expect(order).toEqual([...order.filter((one) => !one), ...order.filter(Boolean)]);
    }
  });

  it("[DELTA-3] what git brings is given, also when replay puts it before what was given", async () => {
    const ws = openTemp();
    await newTask(ws);
    await ws.close();
    const clone = tempFolder();
    cpSync(ws.root, clone, { recursive: true });
    // By its clock the other branch began earlier.
    const there = openTemp({ root: clone, now: ticking(Date.UTC(2020, 0, 1)) });
    await newTask(there, "TASK-009", []);
    await note(there, "from git 1");
    await note(there, "from git 2");
    await there.close();
    const here = openTemp({ root: ws.root, now: ticking(Date.UTC(2026, 5, 1)) });
    await note(here, "seen");
    const all = await delta(here);
    const one = await delta(here, { task: "TASK-001" });
    bring(clone, ws.root);
    expect(notes(await delta(here, { since: one.cursor, task: "TASK-001" }))).toEqual(["from git 1", "from git 2"]);
    const page = await delta(here, { since: all.cursor, limit: 2 });
    expect(page.events.map((e) => [e.task, e.note])).toEqual([
      ["TASK-009", undefined],
      ["TASK-001", "from git 1"],
    ]);
    // Two heads: no bound on what would stand in the cursor itself.
    const half = await delta(here, { since: one.cursor, task: "TASK-001", limit: 1 });
    expect(half.cursor).toMatch(/^[A-Za-z0-9_-]{22}$/);
    expect(notes(await delta(here, { since: half.cursor, task: "TASK-001" }))).toEqual(["from git 2"]);
    await note(here, "on both");
    const after = await delta(here, { since: page.cursor });
    expect(notes(after)).toEqual(["from git 2", "on both"]);
    await note(here, "after the merge");
    expect(notes(await delta(here, { since: after.cursor }))).toEqual(["after the merge"]);
  });

  it("[DELTA-3] a cursor whose list is gone, or that names changes which are gone, has expired", async () => {
    const ws = openTemp();
    await newTask(ws);
    const log = readFileSync(logPath(ws.root));
    await note(ws, "gone with a reset");
    const { cursor } = await delta(ws);
    const one = await delta(ws, { task: "TASK-001" });
    await ws.close();
    writeFileSync(logPath(ws.root), log);
    const again = openTemp({ root: ws.root });
    expect(await code(again, "tasks_delta", { since: cursor })).toBe("CURSOR_EXPIRED");
    expect(await code(again, "tasks_delta", { since: one.cursor, task: "TASK-001" })).toBe("CURSOR_EXPIRED");
    const now = await delta(again);
    writeFileSync(join(cursors(ws.root), `${now.cursor}.json`), "[1,[]]");
    expect(await code(again, "tasks_delta", { since: now.cursor })).toBe("CURSOR_EXPIRED");
    rmSync(join(ws.root, ".coco", "registry"), { recursive: true });
    expect(await code(again, "tasks_delta", { since: now.cursor })).toBe("CURSOR_EXPIRED");
    expect((await delta(again)).cursor).toBe(now.cursor);
    expect((await delta(again, { since: now.cursor })).events).toEqual([]);
  });

  it("[DELTA-3] what is no cursor is refused", async () => {
    const ws = openTemp();
    await newTask(ws);
    const one = await delta(ws, { task: "TASK-001" });
    for (const since of ["x", "!!", "W10", one.cursor, `${"a".repeat(22)}b`])
      expect(await code(ws, "tasks_delta", { since })).toBe("INVALID_INPUT");
    expect(await code(ws, "tasks_delta", { since: "x", task: "TASK-001" })).toBe("INVALID_INPUT");
    expect(await code(ws, "tasks_delta", { task: "TASK-404" })).toBe("UNKNOWN_ID");
    expect(await code(ws, "tasks_delta", { plan: "TASK-001" })).toBe("TARGET_CONTRADICTION");
  });

  it("[DELTA-21] goes on behind an event, in the workspace, in one entity, in the log and in a watch", async () => {
    const ws = openTemp();
    const events = await twoTasks(ws);
    // TASK-001 was made by one change of two events: the first of them ends inside it.
    expect(events.slice(0, 2).map(({ type }) => type)).toEqual(["task_created", "steps_added"]);
    for (const [index, { event_id: since, task }] of events.entries()) {
      const rest = events.slice(index + 1).map((e) => e.event_id);
      for (const limit of [1, 50]) expect((await drain(ws, { since, limit })).ids, `${index}`).toEqual(rest);
      const own = events.filter((e, i) => i > index && e.task === task).map((e) => e.event_id);
      expect((await drain(ws, { since, task, limit: 1 })).ids).toEqual(own);
      expect(ws.log(task, { since }).events.map((e) => e.event_id)).toEqual(own);
      const first = ws.log(task, { since, limit: 1 });
      expect(first.more).toBe(Math.max(0, own.length - 1));
      const next = ws.log(task, { since: first.cursor }).events.map((e) => e.event_id);
      expect(next).toEqual(own.slice(1));
      if (rest.length === 0) continue;
      const watch = ws.watch({ since });
      expect((await watch.next()).value?.event_id).toBe(rest[0]);
      await watch.return?.();
    }
    for (const query of [{ since: "x".repeat(43) }, { since: events[0]!.event_id, task: "TASK-002" }])
      expect(await code(ws, "tasks_delta", query)).toBe("CURSOR_EXPIRED");
    expect(() => ws.log("TASK-002", { since: events[0]!.event_id })).toThrow("in effect here");
  });

  it("[DELTA-21] goes on behind a time, in the workspace, in one entity, in the log and in a watch", async () => {
    const ws = openTemp({ now: ticking() });
    const events = await twoTasks(ws);
    const times = [...new Set(events.map(({ ts }) => ts))];
    expect(times.length).toBeGreaterThan(4);
    for (const time of ["2001-01-01T00:00:00Z", ...times]) {
      // The same moment in another zone.
      const since = time.replace(/T(\d\d)(.*)Z$/, (_, hour: string, rest: string) => `T${hour}${rest}+00:00`);
      const idsAfter = (of: typeof events) => of.filter(({ ts }) => ts > time).map((e) => e.event_id);
      const rest = idsAfter(events);
      for (const limit of [1, 50]) expect((await drain(ws, { since, limit })).ids, time).toEqual(rest);
      for (const task of ["TASK-001", "TASK-002"]) {
        const own = idsAfter(events.filter((e) => e.task === task));
        expect((await drain(ws, { since, task, limit: 1 })).ids).toEqual(own);
        expect(ws.log(task, { since }).events.map((e) => e.event_id)).toEqual(own);
      }
      if (rest.length === 0) continue;
      const watch = ws.watch({ since });
      expect((await watch.next()).value?.event_id).toBe(rest[0]);
      await watch.return?.();
    }
    expect(await code(ws, "tasks_delta", { since: "2026-02-30T00:00:00Z" })).toBe("INVALID_INPUT");
  });

  it("[DELTA-3] the list behind a cursor is kept once, for this machine, and 1,000 of them at most", async () => {
    const ws = openTemp({ durability: "os" });
    expect((await delta(ws)).events).toEqual([]);
    expect(tree(ws.root)).toEqual([]);
    await newTask(ws);
    const one = await delta(ws, { task: "TASK-001" });
    expect(existsSync(cursors(ws.root))).toBe(false);
    const before = tree(join(ws.root, ".coco", "tasks"));
    await delta(ws);
    await delta(ws);
    expect(readdirSync(cursors(ws.root))).toHaveLength(1);
    // A cursor of the whole says where each entity was left.
    expect(one.cursor).not.toHaveLength(22);
    const { cursor } = await delta(ws);
    expect((await delta(ws, { since: cursor, task: "TASK-001" })).events).toEqual([]);
    expect(tree(join(ws.root, ".coco", "tasks"))).toEqual(before);
    for (let i = 0; i < 1100; i++) writeFileSync(join(cursors(ws.root), `old-${i}.json`), "");
    await note(ws, "one more");
    const last = await delta(ws);
    expect(readdirSync(cursors(ws.root)).length).toBeLessThanOrEqual(1000);
    expect((await delta(ws, { since: last.cursor })).events).toEqual([]);
  });

  it("[DELTA-2] a page that does not fit max_chars ends earlier, and its cursor stands before what was left out", async () => {
    const ws = openTemp({ durability: "os" });
    await newTask(ws);
    for (let i = 0; i < 12; i++) await note(ws, `note ${i} ${"long ".repeat(i * 3)}`);
    const whole = await delta(ws);
    for (const max of [600, 1500, 4000]) {
      for (const query of [{}, { task: "TASK-001" }]) {
        const page = await delta(ws, { ...query, max_chars: max });
        expect(JSON.stringify(page).length).toBeLessThanOrEqual(max);
        expect(page.next).toBe(whole.events.length - page.events.length);
        expect((await drain(ws, { ...query, max_chars: max })).ids).toEqual(whole.events.map((e) => e.event_id));
      }
    }
    const cut = await call(ws, "tasks_delta", { max_chars: 1500 });
    expect(cut.warnings.map((w) => w.code)).toEqual(["BUDGET_TRUNCATED"]);
    const { budget } = cut.result as { budget: { full_chars: number; used_chars: number } };
    expect(JSON.stringify(cut.result)).toHaveLength(budget.used_chars);
    expect(await delta(ws, { max_chars: budget.full_chars })).toEqual(whole);
  });

  it("[DELTA-2] where not even one op fits, the page ends inside it; an event that does not fit loses its payload", async () => {
    const ws = openTemp();
    await newTask(ws);
    await note(ws, "x".repeat(5000));
    const ids = (await delta(ws)).events.map((e) => e.event_id);
    for (const max of [1, 300, 500]) {
      for (const query of [{}, { task: "TASK-001" }]) {
        let since: string | undefined;
        for (let given = 0; given < ids.length;) {
          const page = await delta(ws, {
            ...query,
            max_chars: max,
            ...(since === undefined ? {} : { since }),
          });
          expect(Array.from(JSON.stringify(page)).length).toBeLessThanOrEqual(Math.max(max, 256));
          expect(page.events.length).toBeGreaterThan(0);
          for (const event of page.events) expect(event.event_id).toBe(ids[given++]);
          expect(page.next).toBe(ids.length - given);
          since = page.cursor;
        }
      }
    }
    const last = await delta(ws, { since: (await delta(ws, { limit: 1 })).cursor, max_chars: 400 });
    expect(Object.keys(last.events[0]!)).toEqual(["event_id", "type", "ts", "task"]);
  });

  it("[DELTA-2] following the cursor names every event once, whatever max_chars is", SWEEP, async () => {
    const ws = openTemp({ durability: "os" });
    const long = `TASK-${"9".repeat(59)}`;
    await newTask(ws);
    await newTask(ws, long);
    await ok(ws, "tasks_close_step", { task: "TASK-001", path: "s:0", checkpoints: "gate" });
    await note(ws, "x".repeat(3000));
    await note(ws, "short", long);
    const whole = (await delta(ws)).events;
    expect(whole.length).toBeGreaterThan(6);
    const most = JSON.stringify(whole).length + 500;
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(fc.integer({ min: 1, max: 700 }), fc.integer({ min: 1, max: most })),
        fc.integer({ min: 1, max: 9 }),
        fc.constantFrom(undefined, "TASK-001", long),
        async (max, limit, task) => {
          const query = { max_chars: max, limit, ...(task === undefined ? {} : { task }) };
          const ids = whole.filter((e) => task === undefined || e.task === task).map((e) => e.event_id);
          expect((await drain(ws, query)).ids).toEqual(ids);
        },
      ),
      runsOf(60),
    );
  });

  it("[DELTA-2] [DELTA-3] a cursor inside an op goes on there in another process, and expires with the op", async () => {
    const ws = openTemp();
    await newTask(ws);
    await note(ws, "before");
    const log = readFileSync(logPath(ws.root));
    const from = await delta(ws);
    const one = await delta(ws, { task: "TASK-001" });
    await ok(ws, "tasks_close_step", { task: "TASK-001", path: "s:0", checkpoints: "gate" });
    const rest = (await delta(ws, { since: from.cursor })).events.map((e) => e.event_id);
    expect(rest.length).toBeGreaterThan(1);
    const half = await delta(ws, { since: from.cursor, max_chars: 1 });
    const halfOfOne = await delta(ws, { since: one.cursor, max_chars: 1, task: "TASK-001" });
    expect(half.events.map((e) => e.event_id)).toEqual(rest.slice(0, 1));
    for (const { cursor } of [half, halfOfOne]) expect(cursor).toMatch(/^[A-Za-z0-9_-]{22}$/);
    await ws.close();
    const again = openTemp({ root: ws.root });
    await note(again, "after");
    const { events } = await delta(again, { since: half.cursor });
    expect(events.slice(0, -1).map((e) => e.event_id)).toEqual(rest.slice(1));
    expect((await delta(again, { since: halfOfOne.cursor, task: "TASK-001" })).events).toEqual(events);
    await again.close();
    // As it was before the op: every head is there, the op that the cursor stands in is nowhere.
    writeFileSync(logPath(ws.root), log);
    const reset = openTemp({ root: ws.root });
    for (const { cursor } of [half, halfOfOne]) {
      expect(await code(reset, "tasks_delta", { since: cursor, task: "TASK-001" })).toBe("CURSOR_EXPIRED");
    }
  });

  it("[DELTA-1] a log that cannot be read is left out with a warning, and its events are given when it can", async () => {
    let broken = true;
    const disk: Disk = {
      ...nodeDisk,
      open: (path, flags) => {
        if (broken && path === logPath(root, "TASK-002")) throw Object.assign(new Error("no"), { code: "EACCES" });
        return nodeDisk.open(path, flags);
      },
    };
    const ws = openTemp();
    const { root } = ws;
    await newTask(ws);
    await newTask(ws, "TASK-002", []);
    await ws.close();
    const again = openTemp({ root, disk });
    const reply = await call(again, "tasks_delta", {});
    expect(reply.warnings.map((w) => w.code)).toEqual(["LOG_DAMAGED"]);
    const { cursor, events } = reply.result as unknown as Page;
    expect(events.map((e) => e.task)).toEqual(["TASK-001", "TASK-001"]);
    broken = false;
    expect((await delta(again, { since: cursor })).events.map((e) => e.task)).toEqual(["TASK-002"]);
    expect(await code(again, "tasks_delta", { task: "TASK-404" })).toBe("UNKNOWN_ID");
  });

  it("[regression DELTA-9] reads a straight log from where the reader left it, and is right when that is wrong", async () => {
    const read: number[] = [];
    const logs = new Set<number>();
    const disk: Disk = {
      ...nodeDisk,
      open: (path, flags) => {
        const fd = nodeDisk.open(path, flags);
        if (path.endsWith("events.jsonl")) logs.add(fd);
        else logs.delete(fd);
        return fd;
      },
      read: (fd, into, position) => {
        if (logs.has(fd)) read.push(position);
        return nodeDisk.read(fd, into, position);
      },
    };
    const ws = openTemp({ disk, durability: "os" });
    await newTask(ws);
    await Promise.all(Array.from({ length: 40 }, (_, i) => note(ws, `note ${i}`)));
    for (const query of [{}, { task: "TASK-001" }]) {
      const { cursor } = await drain(ws, query);
      const size = readFileSync(logPath(ws.root)).length;
      await note(ws, "new");
      read.length = 0;
      expect(notes(await delta(ws, { ...query, since: cursor }))).toEqual(["new"]);
      expect(Math.min(...read)).toBeGreaterThan(size - 1000);
      await note(ws, "newer");
      // Somebody put an empty line at the start: nothing stands where it stood.
      writeFileSync(logPath(ws.root), `\n${readFileSync(logPath(ws.root), "utf8")}`);
      expect(notes(await delta(ws, { ...query, since: cursor }))).toEqual(["new", "newer"]);
    }
  });

  it(
    "[DELTA-3] whatever was read before a merge, and however, everything else is given after it, once",
    SWEEP,
    async () => {
      await fc.assert(
        fc.asyncProperty(
          anyWork(10),
          anyWork(8),
          anyWork(8),
          fc.integer({ min: 1, max: 9 }),
          fc.integer({ min: -20, max: 20 }),
          fc.option(fc.integer({ min: 1, max: 1500 }), { nil: undefined }),
          (common, ours, theirs, limit, skew, max) =>
            inTempFolder(async (folder) => {
              const [base, a, b] = ["base", "a", "b"].map((name) => join(folder, name)) as [string, string, string];
              const short = { limit, ...(max === undefined ? {} : { max_chars: max }) };
              const begun = new RandomWork(base, "base");
              await begun.do(common);
              await begun.ws.close();
              for (const copy of [a, b]) cpSync(base, copy, { recursive: true });
              const mine = new RandomWork(a, "a", { calls: begun.calls, now: ticking(START + 1e8) });
              const first = await drain(mine.ws, short);
              await mine.do(ours.slice(0, 4));
              const second = await delta(mine.ws, { ...short, since: first.cursor });
              await mine.do(ours.slice(4));
              const other = new RandomWork(b, "b", { calls: begun.calls, now: ticking(START + 1e8 + skew * 1000) });
              await other.do(theirs);
              await other.ws.close();
              bring(b, a);
              const given = [...first.ids, ...second.events.map((e) => e.event_id)];
              const rest = await drain(mine.ws, { ...short, since: second.cursor });
              given.push(...rest.ids);
              const whole = await drain(mine.ws, { limit });
              expect(new Set(given).size).toBe(given.length);
              // Where both made the same id, one of the two entities has no effect until resolve moves it.
              expect(whole.ids.filter((id) => !given.includes(id))).toEqual([]);
              await mine.ws.close();
            }),
        ),
        runsOf(12),
      );
    },
  );
});
