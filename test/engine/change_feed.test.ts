import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { nodeRuntime } from "../../src/node_runtime.ts";
import { nodeDisk } from "../../src/disk.ts";
import { ChangeNotifications } from "../../src/engine/core/change_notifications.ts";
import { ChangeFeed } from "../../src/engine/listing/change_feed.ts";
import { Layout } from "../../src/files/layout.ts";
import { passTime } from "../support/clock.ts";
import { FaultyDisk } from "../support/faulty_disk.ts";
import { notificationsPath, BY_NOTIFICATIONS, logsIn, LogReader, oldNotifications } from "../support/notifications.ts";
import { tempFolder } from "../support/temp.ts";
import { logPath, newTask, ok, openTemp } from "../support/workspace.ts";

const NOTE = { task: "TASK-001", note: "n" };
const notified = (root: string): string[] =>
  readFileSync(notificationsPath(root), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => line.split(" ")[0]!);

/** A root with one task, whose notification file is older than any writer's look at it. */
async function aged(): Promise<{ ws: ReturnType<typeof openTemp>; root: string }> {
  const root = tempFolder();
  oldNotifications(root);
  const ws = openTemp({ root });
  await newTask(ws);
  return { ws, root };
}

function byNotifications(root: string, options = BY_NOTIFICATIONS): LogReader {
  const reader = new LogReader(root, options);
  expect(reader.read().whole).toBe(true);
  return reader;
}

describe("the notification file", () => {
  it("[FRESH-2] names each log that was written, made or moved, in one write before the caller is told", async () => {
    const root = tempFolder();
    const disk = new FaultyDisk();
    const ws = openTemp({ root, disk });
    await newTask(ws);
    await newTask(ws, "TASK-002");
    const [one, two] = ["tasks/TASK-001", "tasks/TASK-002"];
    // A creation notifies before it makes the folder, too (FRESH-2). The last notification of each change marks it.
    expect(notified(root)).toEqual([one, one, one, two, two, two]);
    await ok(ws, "tasks_note", NOTE);
    await ok(ws, "tasks_delete", { task: "TASK-002" });
    expect(notified(root).slice(6)).toEqual([one, one, two, two, two, "archive/TASK-002"]);
    const notifications = disk.calls.filter(({ path }) => path.endsWith("notifications"));
    expect(notifications.filter(({ kind }) => kind === "write")).toHaveLength(12);
    // Opened once to notify and once to learn of the creations of others, and never synced.
    expect(notifications.filter(({ kind }) => kind === "open")).toHaveLength(2);
    expect(notifications.some(({ kind }) => /sync/i.test(kind))).toBe(false);
  });

  it("[FRESH-2] a writer whose file is gone makes another within a second, and says that it may have notified in vain", async () => {
    const { ws, root } = await aged();
    rmSync(notificationsPath(root));
    passTime(1100);
    await ok(ws, "tasks_note", NOTE);
    expect(notified(root)).toEqual(["*", "tasks/TASK-001", "tasks/TASK-001"]);
  });

  it.each(["ENOSPC", "EACCES", "EIO"])(
    "[FRESH-3] %s fails no change: the file goes, and readers look at everything",
    async (errno) => {
      const root = tempFolder();
      oldNotifications(root);
      const disk = new FaultyDisk();
      const ws = openTemp({ root, disk });
      await newTask(ws);
      const reader = byNotifications(root);
      disk.fail({ kind: "write", path: "notifications" }, errno, { times: 2 });
      await ok(ws, "tasks_note", NOTE);
      expect(existsSync(notificationsPath(root))).toBe(false);
      expect(reader.read()).toMatchObject({ whole: true, logs: logsIn(root) });
    },
  );

  it("[FRESH-3] where the file cannot even be removed, this process looks at everything", async () => {
    const { root } = await aged();
    const disk = new FaultyDisk();
    const layout = new Layout(root);
    const context = {
      disk,
      layout,
      runtime: nodeRuntime,
      notifications: new ChangeNotifications(disk, layout, nodeRuntime),
    };
    const feed = new ChangeFeed(context, BY_NOTIFICATIONS);
    const readers = [feed.reader(), feed.reader()];
    const takeOf = (reader: (typeof readers)[number]): unknown => {
      const changed = reader.take();
      reader.looked(0, 1);
      return changed;
    };
    const take = (): unknown => takeOf(readers[0]!);
    expect([take(), take()]).toEqual(["all", new Set()]);
    takeOf(readers[1]!);
    disk.fail({ kind: "write", path: "notifications" }, "EIO");
    disk.fail({ kind: "unlink", path: "notifications" }, "EPERM");
    context.notifications.notify(layout.folder("TASK-001"));
    expect([take(), take()]).toEqual(["all", new Set()]);
    // The signs are read once for both, and each hears of the loss.
    expect(takeOf(readers[1]!)).toBe("all");
    context.notifications.close();
  });

  it("[FRESH-3] above four mebibytes the next writer begins a new one, and keeps the old one", async () => {
    const { root } = await aged();
    appendFileSync(notificationsPath(root), "tasks/TASK-001 0.filler.0\n".repeat(200_000));
    const before = readFileSync(notificationsPath(root));
    const reader = byNotifications(root);
    const again = openTemp({ root });
    await ok(again, "tasks_note", NOTE);
    expect(statSync(notificationsPath(root)).size).toBeLessThan(400);
    expect(readFileSync(`${notificationsPath(root)}.before`).equals(before)).toBe(true);
    expect(reader.read()).toMatchObject({ whole: true, logs: logsIn(root) });
  });

  it("[FRESH-3] a link or a folder in its place is left alone, and readers look at everything", async () => {
    for (const plant of [
      (path: string) => symlinkSync(join(tempFolder(), "elsewhere"), path),
      (path: string) => mkdirSync(path),
    ]) {
      const root = tempFolder();
      mkdirSync(join(root, ".coco", "registry"), { recursive: true });
      plant(notificationsPath(root));
      const ws = openTemp({ root });
      await newTask(ws);
      const reader = byNotifications(root);
      await ok(ws, "tasks_note", NOTE);
      expect(reader.read()).toMatchObject({ whole: true, logs: logsIn(root) });
    }
  });
});

describe("a reader", () => {
  it("[FRESH-5] looks only where it was notified", async () => {
    const { ws, root } = await aged();
    await newTask(ws, "TASK-002");
    const reader = byNotifications(root);
    expect(reader.read().whole).toBe(false);
    // No writer notified for this one.
    appendFileSync(logPath(root, "TASK-002"), "{}\n");
    await ok(ws, "tasks_note", NOTE);
    const { logs, whole } = reader.read();
    expect(whole).toBe(false);
    expect(logs.get("tasks/TASK-001")).toBe(logsIn(root).get("tasks/TASK-001"));
    expect(logs.get("tasks/TASK-002")).not.toBe(logsIn(root).get("tasks/TASK-002"));
  });

  it.each([
    ["is gone", (path: string) => rmSync(path)],
    ["is empty", (path: string) => writeFileSync(path, "")],
    [
      "begins with another line",
      (path: string) => {
        const before = statSync(path).size;
        const line = "tasks/TASK-002 0.other.0\n";
        // Nothing but the first line is another: as long as it was, and more behind it.
        writeFileSync(path, `${line.slice(0, -1).padEnd(before - 1, "0")}\n${line}`);
      },
    ],
    ["is shorter", (path: string) => writeFileSync(path, `${readFileSync(path, "utf8").split("\n")[0]!}\n`)],
    ["has a line that is none", (path: string) => appendFileSync(path, "tasks/../../x 0.a.0\n")],
    ["has half a line inside", (path: string) => appendFileSync(path, "tasks/TASK-0tasks/TASK-001 0.a.0\n")],
  ])("[FRESH-5] looks at everything when the file %s", async (_, change) => {
    const { root } = await aged();
    const reader = byNotifications(root);
    appendFileSync(logPath(root), "{}\n");
    change(notificationsPath(root));
    expect(reader.read()).toMatchObject({ whole: true, logs: logsIn(root) });
  });

  it("[FRESH-5] takes half a line at the end for one that is being written", async () => {
    const { root } = await aged();
    const reader = byNotifications(root);
    appendFileSync(notificationsPath(root), "tasks/TASK-0");
    expect(reader.read().whole).toBe(false);
    appendFileSync(logPath(root), "{}\n");
    appendFileSync(notificationsPath(root), "01 0.a.0\n");
    expect(reader.read()).toMatchObject({ whole: false, logs: logsIn(root) });
  });

  it("[FRESH-5] believes a new file after two seconds: until then a writer may still notify the one before", async () => {
    const { ws, root } = await aged();
    const reader = byNotifications(root);
    await ok(ws, "tasks_note", NOTE);
    expect(reader.read().whole).toBe(false);
    rmSync(notificationsPath(root));
    await ok(openTemp({ root }), "tasks_note", NOTE);
    // The first writer still has the file that is gone.
    for (let i = 0; i < 3; i++) {
      await ok(ws, "tasks_note", NOTE);
      expect(reader.read()).toMatchObject({ whole: true, logs: logsIn(root) });
    }
    passTime(2100);
    expect(reader.read().whole).toBe(true);
    await ok(ws, "tasks_note", NOTE);
    expect(reader.read().logs).toEqual(logsIn(root));
    await ok(ws, "tasks_note", NOTE);
    expect(reader.read()).toMatchObject({ whole: false, logs: logsIn(root) });
  });

  it("[FRESH-8] finds what other programs wrote: among few at once, among many within a second", async () => {
    const { root } = await aged();
    const few = byNotifications(root, { ...BY_NOTIFICATIONS, alwaysBelow: 2 });
    const many = byNotifications(root, { ...BY_NOTIFICATIONS, lookMs: 1000 });
    appendFileSync(logPath(root), "{}\n");
    expect(few.read().logs).toEqual(logsIn(root));
    expect(many.read().logs).not.toEqual(logsIn(root));
    passTime(1050);
    expect(many.read().logs).toEqual(logsIn(root));
  });
});

describe("after a crash", () => {
  it("[FRESH-2] who finishes a transaction notifies for every log of it", async () => {
    const root = tempFolder();
    oldNotifications(root);
    const disk = new FaultyDisk(nodeDisk);
    const ws = openTemp({ root, disk });
    for (const id of ["TASK-001", "TASK-002"]) await newTask(ws, id);
    const args = { path: "s:0", blocked: true, reason: "r" };
    const operations = ["TASK-001", "TASK-002"].map((task) => ({ tool: "tasks_block", args: { task, ...args } }));
    // All lines are in their logs, and none of them is notified.
    const writes = (): number => disk.count({ kind: "write", path: "notifications" });
    const before = writes();
    disk.fail({ kind: "write", path: "notifications" }, "EIO", { times: 4 });
    disk.fail({ kind: "unlink", path: "notifications" }, "EPERM", { times: 4 });
    disk.fail({ kind: "unlink", path: /journal/ }, "EIO", { times: 9 });
    await ws.callTool("tasks_batch", { workspace: "acme/repo", atomic: true, operations });
    expect(writes()).toBe(before + 4);
    const reader = byNotifications(root);
    const had = notified(root).length;
    await newTask(openTemp({ root }), "TASK-003");
    // Over a shared log the first process goes on beside it, and may tell of its logs again.
    const told = new Set(notified(root).slice(had));
    expect([...told].toSorted()).toEqual(["tasks/TASK-001", "tasks/TASK-002", "tasks/TASK-003"]);
    expect(reader.read()).toMatchObject({ whole: false, logs: logsIn(root) });
  });
});
