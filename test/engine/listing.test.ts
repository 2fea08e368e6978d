import fc from "fast-check";
import { cpSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { nodeDisk } from "../../src/disk.ts";
import type { Disk } from "../../src/disk.ts";
import { CHOOSERS } from "../../src/engine/listing/row_of_log.ts";
import { Reader } from "../../src/engine/reader.ts";
import { openWorkspace } from "../support/open.ts";
import { TOOLS } from "../../src/tools/index.ts";
import type { Tool } from "../../src/tools/tool.ts";
import { tasksContext, wholeContext } from "../../src/tools/tasks_context.ts";
import type { Workspace } from "../../src/engine/workspace.ts";
import type { JsonObject } from "../../src/state/schema.ts";
import { machinePath } from "../support/machine.ts";
import { BLOCKED, placeSample } from "../support/coco.ts";
import { FaultyDisk } from "../support/faulty_disk.ts";
import { anyWork, RandomWork } from "../support/random_work.ts";
import { fileTempFolder, inTempFolder, tempFolder } from "../support/temp.ts";
import { ROTATING, runsOf, SWEEP } from "../support/sweep.ts";
import { logPath, newTask, ok, openTemp, WORKSPACE } from "../support/workspace.ts";

const MANY = 205;

const made = fileTempFolder();

beforeAll(async () => {
  const ws = openWorkspace({ root: made, workspace: WORKSPACE, durability: "os", projections: "manual" });
  for (let n = 1; n <= MANY; n++) await newTask(ws, `TASK-${n}`, ["First"]);
  await ws.close();
  // Without the heads of these, a log that is not in the index is read.
  for (let n = 1; n <= MANY; n++) rmSync(join(logPath(made, `TASK-${n}`), "../task.yaml"));
});

/** A closed workspace of many tasks, as another machine has it, and the index of its list. */
async function many(): Promise<{ root: string; index: string }> {
  const root = tempFolder();
  const isShared = (path: string): boolean => !/\.coco.(registry|locks)$/.test(path);
  cpSync(made, root, { recursive: true, filter: isShared });
  await listed(root);
  return { root, index: machinePath(root, "index", "listing.index") };
}

/** The list as a process of its own gives it, and how many logs it read for it. */
async function listed(root: string, disk: Disk = nodeDisk): Promise<{ list: JsonObject; logsRead: number }> {
  let logsRead = 0;
  const counting: Disk = {
    ...disk,
    open: (path, flags) => {
      if (path.endsWith("events.jsonl")) logsRead++;
      return disk.open(path, flags);
    },
  };
  const ws = openWorkspace({ root, disk: counting });
  const list = await context(ws);
  await ws.close();
  return { list, logsRead };
}

async function context(ws: Workspace): Promise<JsonObject> {
  const { result, error } = await ws.callTool("tasks_context", { workspace: WORKSPACE, tasks_limit: 200 });
  if (error) throw new Error(error.message);
  return result!;
}

describe("the list", () => {
  it("[VIEW-16] is the same for every reader, at any time", SWEEP, async () => {
    await fc.assert(
      fc.asyncProperty(anyWork(25), (numbers) =>
        inTempFolder(async (root) => {
          const work = new RandomWork(root, "listing");
          const reader = openWorkspace({ root });
          await work.do(numbers, () => undefined);
          const before = await context(work.ws);
          expect(await context(reader)).toEqual(before);
          await work.do(numbers.toReversed());
          const after = await context(work.ws);
          expect(await context(reader)).toEqual(after);
          await reader.close();
          await work.ws.close();
          expect((await listed(root)).list).toEqual(after);
        }),
      ),
      runsOf(12),
    );
  });

  it("[VIEW-16] with an index no log is read, and the answer is the same", async () => {
    const { root, index } = await many();
    const { list, logsRead } = await listed(root);
    expect(logsRead).toBe(0);
    rmSync(index);
    const without = await listed(root);
    expect(without).toEqual({ list, logsRead: MANY });
    expect((await listed(root)).logsRead).toBe(0);
  });

  it("[VIEW-16] [STEP-70] a plan that its tasks began is shown so from an index, too", async () => {
    const { root, index } = await many();
    const ws = openWorkspace({ root, projections: "manual" });
    await ok(ws, "tasks_create", { kind: "plan", title: "Begun" });
    await ok(ws, "tasks_create", {
      kind: "task",
      title: "In it",
      parent: "PLAN-001",
      steps: [{ title: "s", success_criteria: [] }],
    });
    await ok(ws, "tasks_claim", { task: "TASK-206", path: "s:0" });
    await ws.close();
    // Few new rows are not worth an addition to the index: this one is made of all of them.
    rmSync(index);
    await listed(root);
    const { list, logsRead } = await listed(root);
    expect(logsRead).toBe(0);
    expect(list["plans"]).toMatchObject([{ id: "PLAN-001", status: "ACTIVE" }]);
    rmSync(index);
    expect((await listed(root)).list).toEqual(list);
  });

  it("[VIEW-16] [RESOLVE-53] a task in two folders is whole in a list from an index, too", async () => {
    const { root, index } = await many();
    cpSync(join(logPath(root, "TASK-7"), ".."), join(root, ".coco/tasks/TASK-300"), { recursive: true });
    rmSync(index);
    await listed(root);
    const { list, logsRead } = await listed(root);
    expect(logsRead).toBeLessThan(MANY);
    const titles = (list["tasks"] as JsonObject[]).flatMap(({ id, title }) => (id === "TASK-7" ? [title] : []));
    expect(titles).toEqual(["Task TASK-7"]);
    rmSync(index);
    expect((await listed(root)).list).toEqual(list);
  });

  it("[VIEW-16] what changed since is read, also where nobody but the times of the file tells", async () => {
    const { root } = await many();
    const ws = openTemp({ root, projections: "manual" });
    await ok(ws, "tasks_edit", { task: "TASK-7", title: "Another" });
    const touched = logPath(root, "TASK-9");
    utimesSync(touched, 1, 1);
    const { list, logsRead } = await listed(root);
    expect(logsRead).toBe(2);
    expect(list["counts"]).toEqual({ plans: 0, tasks: MANY });
    const titles = (list["tasks"] as { id: string; title: string }[]).filter(
      ({ id }) => /-[679]$/.test(id) && id.length === 6,
    );
    expect(titles.map(({ id, title }) => [id, title])).toEqual([
      ["TASK-6", "Task TASK-6"],
      ["TASK-7", "Another"],
      ["TASK-9", "Task TASK-9"],
    ]);
  });

  it("[VIEW-16] a folder of another program is read each time: its task.yaml changes without its log", async () => {
    const ws = openTemp();
    await newTask(ws);
    const folder = placeSample(ws.root, BLOCKED);
    const title = async (): Promise<unknown> =>
      ((await context(ws))["tasks"] as JsonObject[]).find(({ id }) => id === BLOCKED)?.["title"];
    expect(statSync(join(folder, "events.jsonl")).size).toBeGreaterThan(0);
    expect(await title()).toEqual(expect.any(String));
    const path = join(folder, "task.yaml");
    writeFileSync(path, readFileSync(path, "utf8").replace(/^title: .*$/m, "title: Another"));
    expect(await title()).toBe("Another");
  });

  it("[VIEW-16] an index that is damaged is as good as none", ROTATING, async () => {
    const { root, index } = await many();
    const whole = readFileSync(index, "latin1");
    const { list } = await listed(root);
    const damaged = [
      "",
      "x",
      whole.slice(0, -10),
      whole.replace("Task TASK-3", "Mask TASK-3"),
      whole.replace(/"format":\d+/, '"format":9'),
    ];
    for (const text of damaged) {
      writeFileSync(index, text, "latin1");
      expect(await listed(root)).toEqual({ list, logsRead: MANY });
    }
  });

  it(
    "[VIEW-16] the index is appended to, and written anew before most of it does not count any more",
    ROTATING,
    async () => {
      const { root, index } = await many();
      const first = readFileSync(index);
      const sizes = [first.length];
      let second = first;
      for (let time = 1; time <= 4; time++) {
        for (let n = 1; n <= MANY; n++) utimesSync(logPath(root, `TASK-${n}`), time, time);
        expect((await listed(root)).logsRead).toBe(MANY);
        sizes.push(statSync(index).size);
        if (time === 1) second = readFileSync(index);
      }
      expect(second.subarray(0, first.length)).toEqual(first);
      expect(sizes[1]).toBeGreaterThan(1.9 * sizes[0]!);
      expect(Math.max(...sizes)).toBeLessThan(2.2 * sizes[0]!);
      const { list, logsRead } = await listed(root);
      expect(logsRead).toBe(0);
      // A chunk that was cut short takes nothing from those before it.
      writeFileSync(index, Buffer.concat([readFileSync(index), first.subarray(0, 100)]));
      expect(await listed(root)).toEqual({ list, logsRead: 0 });
    },
  );

  it("[regression VIEW-93] a list, and all pages of one answer, look at each log once", async () => {
    const { root } = await many();
    const looks = new Map<string, number>();
    const disk: Disk = {
      ...nodeDisk,
      lstat: (path) => {
        if (path.endsWith("events.jsonl")) looks.set(path, (looks.get(path) ?? 0) + 1);
        return nodeDisk.lstat(path);
      },
    };
    const reader = new Reader({ root, disk, by: "human:local" });
    const list = (await reader.call(wholeContext, { workspace: WORKSPACE })).result!;
    expect((list["tasks"] as unknown[]).length).toBe(MANY);
    expect([...looks.values()].every((n) => n === 1)).toBe(true);
    expect(looks.size).toBe(MANY);
    const again = await reader.fromOneLook(async () => [
      await reader.call(tasksContext, { workspace: WORKSPACE }),
      await reader.call(tasksContext, { workspace: WORKSPACE, tasks_cursor: 50 }),
    ]);
    expect(again.map(({ result }) => (result!["tasks"] as unknown[]).length)).toEqual([50, 50]);
    expect([...looks.values()].every((n) => n === 2)).toBe(true);
    reader.close();
  });

  it("[VIEW-16] rows name the keys of every tool that chooses entities itself", () => {
    const tools: Tool[] = Object.values(TOOLS);
    expect(
      new Set(
        tools
          .filter((tool) => (tool.effect === "write" ? tool.route : tool.effect === "txn" && tool.archive))
          .map(({ name }) => name),
      ),
    ).toEqual(CHOOSERS);
  });

  it("[regression VIEW-92] claims and deltas open no log of a task that has ended", ROTATING, async () => {
    const ws = openTemp({ durability: "os", projections: "manual" });
    const { root } = ws;
    for (let n = 1; n <= MANY; n++) await newTask(ws, `TASK-${n}`, ["First"]);
    for (let n = 1; n < MANY - 1; n++)
      await ok(ws, "tasks_complete", { task: `TASK-${n}`, status: "CANCELED", reason: "x" });
    await ws.close();
    const reader = openWorkspace({ root });
    await ok(reader, "tasks_delta", {});
    await reader.close();
    const opened = new Set<string>();
    const disk: Disk = {
      ...nodeDisk,
      open: (path, flags) => {
        const id = /([^/]+)\/events\.jsonl$/.exec(path)?.[1];
        if (id !== undefined) opened.add(id);
        return nodeDisk.open(path, flags);
      },
    };
    const cold = openWorkspace({ root, disk });
    const claimed = await ok(cold, "tasks_claim_next", {});
    expect(claimed).toMatchObject({ task: `TASK-${MANY - 1}` });
    expect([...opened]).toEqual([`TASK-${MANY - 1}`]);
    opened.clear();
    const page = await ok(cold, "tasks_delta", { limit: 10 });
    expect(opened.size).toBeLessThanOrEqual(10);
    expect(page["next"]).toBe(MANY * 2 + (MANY - 2) + 1 - (page["events"] as unknown[]).length);
    await cold.close();
  });

  it("[VIEW-16] a few logs leave no index, and one that cannot be written is nobody's loss", async () => {
    const few = openTemp({ durability: "os" });
    await newTask(few);
    await few.close();
    await listed(few.root);
    expect(statSync(machinePath(few.root, "index", "listing.index"), { throwIfNoEntry: false })).toBeUndefined();
    const { root, index } = await many();
    rmSync(index);
    const full = new FaultyDisk();
    full.fail({ kind: "rename", path: /listing/ }, "ENOSPC");
    const ws = openWorkspace({ root, disk: full });
    expect((await context(ws))["counts"]).toEqual({ plans: 0, tasks: MANY });
    await ws.close();
    expect(full.count({ kind: "rename", path: /listing/ })).toBeGreaterThan(0);
    expect(statSync(index, { throwIfNoEntry: false })).toBeUndefined();
  });
});
