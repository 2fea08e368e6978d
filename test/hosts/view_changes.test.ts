// @module-tag long
/** Changes that a reader hears of: from the first answer on, found by a watch or by a request. */
import { appendFileSync, existsSync, mkdirSync, renameSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { openWorkspace } from "../../src/index.ts";
import type { Viewer } from "../../src/engine/open_viewer.ts";
import type { BoardAnswer, ChangeEvent, EntityAnswer, StreamState } from "../../src/views/viewer/api.ts";
import type { ServeOptions } from "../../src/hosts/view/serve.ts";
import { ROTATING } from "../support/sweep.ts";
import { ok, openTemp, WORKSPACE } from "../support/workspace.ts";
import { COCO_TASK } from "./view_coco.ts";
import { listen, read, serving, viewerOf } from "./view_support.ts";

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

  it("[regression VIEWER-63] a stream that is ended while its watches begin ends at once", async () => {
    const ws = openTemp();
    await ok(ws, "tasks_create", { kind: "task", title: "One" });
    const viewer = viewerOf(ws.root);
    const ended = new AbortController();
    const next = viewer.changes(ended.signal).next();
    // As soon as the rows are there: the stream goes on to its watches in the same turn.
    await viewer.stamp();
    ended.abort();
    // A stream that paused first would wait for its next look at all logs, which is five seconds away.
    const late = new Promise((done) => setTimeout(done, 4000, "late"));
    expect(await Promise.race([next, late])).toEqual({ value: undefined, done: true });
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

  it("[VIEWER-28] a workspace that goes away is told, and so is its way back, each time", ROTATING, async () => {
    const ws = openTemp();
    await ok(ws, "tasks_create", { kind: "task", title: "One" });
    const { events } = listen(await serving(ws.root));
    const names = (): string[] => events.map(({ name }) => name);
    await expect.poll(names).toEqual(["hello"]);
    for (const time of [1, 2]) {
      renameSync(ws.root, `${ws.root}-aside`);
      await expect.poll(names, { timeout: 15_000 }).toHaveLength(2 * time);
      renameSync(`${ws.root}-aside`, ws.root);
      await expect.poll(names, { timeout: 15_000 }).toHaveLength(2 * time + 1);
    }
    expect(names()).toEqual(["hello", "failed", "hello", "failed", "hello"]);
    expect(events[1]!.data).toMatchObject({ api: 1, error: { code: "STORAGE_FAILED" } });
    expect(JSON.stringify(events)).not.toContain(ws.root);
    expect(events[4]!.data).toEqual(events[0]!.data);
  });

  it(
    "[VIEWER-28] a page that is opened while the workspace is away hears that, and greets once it is back",
    ROTATING,
    async () => {
      const ws = openTemp();
      await ok(ws, "tasks_create", { kind: "task", title: "One" });
      const server = await serving(ws.root);
      const before = listen(server);
      await expect.poll(() => before.events.length).toBe(1);
      renameSync(ws.root, `${ws.root}-aside`);
      await expect.poll(() => before.events.at(-1)?.name, { timeout: 15_000 }).toBe("failed");
      const { events } = listen(server);
      const names = (): string[] => events.map(({ name }) => name);
      await expect.poll(names, { timeout: 15_000 }).toContain("failed");
      expect(names()).not.toContain("hello");
      expect(events[0]!.data).toMatchObject({ api: 1, error: { code: "STORAGE_FAILED" } });
      renameSync(`${ws.root}-aside`, ws.root);
      await expect.poll(names, { timeout: 15_000 }).toContain("hello");
    },
  );

  it(
    "[regression VIEWER-131] a shared log that goes away while the workspace is away is told once it is back",
    ROTATING,
    async () => {
      const ws = openTemp();
      await ok(ws, "tasks_create", { kind: "task", title: "One" });
      const asked: boolean[] = [];
      const isHere = (): boolean => existsSync(ws.root);
      const shared = {
        catchUp: () => {
          asked.push(isHere());
          return Promise.resolve(isHere() || asked.length === 1);
        },
        status: () => Promise.reject(new Error("no server")),
        fetch: () => Promise.resolve(),
      };
      const { events } = listen(
        await serving(ws.root, { shared: shared as unknown as NonNullable<ServeOptions["shared"]> }),
      );
      const sides = (): unknown[] =>
        events.filter(({ name }) => name !== "failed").map(({ data }) => (data as StreamState).shared);
      await expect.poll(sides).toContain("followed");
      renameSync(ws.root, `${ws.root}-aside`);
      await expect.poll(() => asked.at(-1), { timeout: 15_000 }).toBe(false);
      renameSync(`${ws.root}-aside`, ws.root);
      await expect.poll(sides, { timeout: 15_000 }).toContain("away");
      await expect.poll(() => sides().at(-1), { timeout: 15_000 }).toBe("followed");
    },
  );

  it("[VIEWER-50] a folder of another program is told with the row of its new file", ROTATING, async () => {
    const ws = openTemp();
    const file = join(ws.root, ".coco/tasks/coco-1/task.yaml");
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, COCO_TASK);
    const { stream } = await answered(ws.root);
    const next = stream.next();
    // The stream looks at the files of other programs as it begins.
    await new Promise((done) => setTimeout(done, 300));
    writeFileSync(file, COCO_TASK.replace(/^title: .*$/m, "title: Renamed by Coco"));
    const { value } = (await next) as { value: ChangeEvent };
    expect(value.changes).toMatchObject([{ id: "coco-1", row: { title: "Renamed by Coco" } }]);
  });

  it("[VIEWER-50] a marker of a stopped merge is told, and the page of the task warns", async () => {
    const ws = openTemp();
    await ok(ws, "tasks_create", { kind: "task", title: "One" });
    const { viewer, stream } = await answered(ws.root);
    const before = await read<EntityAnswer>(viewer, "entities/TASK-001.json");
    expect(before.warnings).toEqual([]);
    appendFileSync(join(ws.root, ".coco/tasks/TASK-001/events.jsonl"), "<<<<<<< HEAD\n");
    expect(await nextOf(stream)).toEqual({ "TASK-001": "changed" });
    const after = await read<EntityAnswer>(viewer, "entities/TASK-001.json");
    expect(after.head).toBe(before.head);
    expect(after.warnings.length).toBeGreaterThan(0);
  });

  it("[VIEWER-50] captured bytes that come by another way than a log change the page of their task", async () => {
    const ws = openTemp();
    await ok(ws, "tasks_create", { kind: "task", title: "One" });
    await ok(ws, "tasks_evidence_capture", {
      task: "TASK-001",
      items: [{ kind: "cmd_output", command: "true", exit_code: 0, stdout: "held" }],
    });
    const blobs = join(ws.root, ".coco/tasks/TASK-001/shared/evidence/blobs");
    const aside = join(ws.root, "aside");
    renameSync(blobs, aside);
    const viewer = viewerOf(ws.root);
    const page = async () => (await read<EntityAnswer>(viewer, "entities/TASK-001.json")).evidence[0]!.runs[0]!.stdout;
    expect(await page()).toMatchObject({ size: null });
    renameSync(aside, blobs);
    expect(await page()).toMatchObject({ size: 4 });
  });

  it.each([
    ["of this machine", 0],
    ["of a file server, which is behind", 10_000],
  ])(
    "[VIEWER-53] [FRESH-12] files that their writer has yet to fold are no drift; an edit by hand is: by the clock %s",
    ROTATING,
    async (_clock, behindMs) => {
      const ws = openTemp();
      await ok(ws, "tasks_create", { kind: "task", title: "One" });
      const late = openTemp({ root: ws.root, projections: "manual" });
      await ok(late, "tasks_note", { task: "TASK-001", note: "folded in a moment" });
      const written = new Date(Date.now() - behindMs);
      utimesSync(join(ws.root, ".coco/tasks/TASK-001/events.jsonl"), written, written);
      const viewer = viewerOf(ws.root);
      const drifts = async () => {
        const { rows } = await read<BoardAnswer>(viewer, "board/0.json");
        return rows[0]!.drift;
      };
      await drifts();
      // While the check that was begun looks twice.
      await new Promise((done) => setTimeout(done, 1500));
      await late.repair.rebuild("TASK-001");
      await viewer.finishChecks();
      expect(await drifts()).toBe(false);
      appendFileSync(join(ws.root, ".coco/tasks/TASK-001/README.md"), "by hand\n");
      await ok(late, "tasks_note", { task: "TASK-001", note: "looked at again" });
      await expect.poll(drifts, { timeout: 15_000 }).toBe(true);
    },
  );
});
