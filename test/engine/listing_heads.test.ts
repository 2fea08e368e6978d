import { spawnSync } from "node:child_process";
import fc from "fast-check";
import {
  appendFileSync,
  cpSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { nodeDisk } from "../../src/disk.ts";
import type { Disk } from "../../src/disk.ts";
import { openWorkspace } from "../support/open.ts";
import type { Reply } from "../../src/engine/entity/reply.ts";
import { randomFrom } from "../support/random.ts";
import type { Random } from "../support/random.ts";
import { anyWork, RandomWork } from "../support/random_work.ts";
import { inTempFolder } from "../support/temp.ts";
import { runsOf, sized, SWEEP } from "../support/sweep.ts";
import { logPath, newTask, ok, openTemp, WORKSPACE } from "../support/workspace.ts";

/** The list of a process that knows nothing, and the logs it read for it; `heads`: whether it finds any. */
async function listed(root: string, { heads = true } = {}): Promise<{ reply: Reply; read: string[] }> {
  const read: string[] = [];
  const disk: Disk = {
    ...nodeDisk,
    readFile: (path) => {
      if (path.endsWith("events.jsonl")) read.push(path);
      return nodeDisk.readFile(path);
    },
    open: (path, flags) => {
      if (path.endsWith("events.jsonl")) read.push(path);
      if (!heads && path.endsWith("task.yaml")) throw Object.assign(new Error("ENOENT"), { code: "ENOENT" });
      return nodeDisk.open(path, flags);
    },
  };
  // Not closed: nothing of it is to be left for the next one.
  const reply = await openWorkspace({ root, disk }).callTool("tasks_context", {
    workspace: WORKSPACE,
    tasks_limit: 200,
  });
  return { reply, read };
}

const task = (root: string, id: string, name = "task.yaml"): string => join(logPath(root, id), "..", name);

/** One thing that git, another program or a hand may do to the files of `id`. */
const TAMPERINGS: ((root: string, id: string, ids: readonly string[], random: Random) => void)[] = [
  (root, id) => {
    const path = task(root, id);
    writeFileSync(path, readFileSync(path, "utf8").replace(/^status: .*$/m, 'status: "DONE"'));
  },
  (root, id, ids, random) => {
    const other = ids[random.below(ids.length)]!;
    writeFileSync(task(root, id), readFileSync(task(root, other)));
  },
  (root, id, _, random) => {
    const bytes = readFileSync(task(root, id));
    writeFileSync(task(root, id), bytes.subarray(0, random.below(bytes.length)));
  },
  (root, id) => rmSync(task(root, id)),
  (root, id) => {
    const log = logPath(root, id);
    writeFileSync(log, readFileSync(log, "utf8").replaceAll("\n", "\r\n"));
  },
  (root, id) => {
    const log = logPath(root, id);
    appendFileSync(log, `${readFileSync(log, "utf8").split("\n")[0]}\n`);
  },
  (root, id) => appendFileSync(logPath(root, id), "\n"),
  (root, id) => {
    const log = logPath(root, id);
    const lines = readFileSync(log, "utf8").split("\n").slice(0, -1);
    writeFileSync(
      log,
      lines
        .toReversed()
        .map((line) => `${line}\n`)
        .join(""),
    );
  },
  (root, id) => {
    const log = logPath(root, id);
    const lines = readFileSync(log, "utf8").split("\n").slice(0, -2);
    writeFileSync(log, lines.map((line) => `${line}\n`).join(""));
  },
  (root, id, ids, random) => {
    const other = ids[random.below(ids.length)]!;
    writeFileSync(logPath(root, id), readFileSync(logPath(root, other)));
  },
];

describe("a list by the heads of task.yaml", () => {
  it("[VIEW-16] says what the logs say, whatever became of either file", SWEEP, async () => {
    let spared = 0;
    await fc.assert(
      fc.asyncProperty(anyWork(25), fc.integer(), (numbers, seed) =>
        inTempFolder(async (root) => {
          const work = new RandomWork(root, "heads");
          await work.do(numbers, () => undefined);
          await work.ws.close();
          const tasks = join(root, ".coco/tasks");
          const ids = statSync(tasks, { throwIfNoEntry: false }) ? readdirSync(tasks) : [];
          const byLogs = await listed(root, { heads: false });
          const byHeads = await listed(root);
          expect(byHeads.reply).toEqual(byLogs.reply);
          expect(byLogs.read.length).toBeGreaterThanOrEqual(ids.length);
          spared += byLogs.read.length - byHeads.read.length;
          const random = randomFrom(seed);
          for (const id of ids) {
            if (!random.chance(0.6)) continue;
            const tamper = TAMPERINGS[random.below(TAMPERINGS.length)]!;
            if (nodeDisk.lstat(task(root, id)))
              tamper(
                root,
                id,
                ids.filter((one) => nodeDisk.lstat(task(root, one))),
                random,
              );
          }
          expect((await listed(root)).reply).toEqual((await listed(root, { heads: false })).reply);
        }),
      ),
      runsOf(12),
    );
    expect(spared).toBeGreaterThanOrEqual(sized(0, 1));
  });

  it("[VIEW-16] reads no log that its task.yaml was folded from, before and after git brings both", async () => {
    const ws = openTemp({ durability: "os" });
    for (const id of ["TASK-001", "TASK-002"]) await newTask(ws, id, ["First"]);
    await ok(ws, "tasks_note", { task: "TASK-002", note: "n" });
    await ws.close();
    const { reply, read } = await listed(ws.root);
    expect(read).toEqual([]);
    expect(reply.result?.["counts"]).toEqual({ plans: 0, tasks: 2 });
    const copy = openTemp();
    cpSync(ws.root, copy.root, { recursive: true, preserveTimestamps: true });
    expect((await listed(copy.root)).read).toEqual([]);
  });

  it("[VIEW-16] a log that is younger than its task.yaml is read, also at the same length", async () => {
    const ws = openTemp({ durability: "os" });
    await newTask(ws, "TASK-001", ["First"]);
    await ws.close();
    const later = statSync(task(ws.root, "TASK-001")).mtimeMs / 1000 + 1;
    utimesSync(logPath(ws.root), later, later);
    expect((await listed(ws.root)).read).toHaveLength(1);
    utimesSync(task(ws.root, "TASK-001"), later, later);
    expect((await listed(ws.root)).read).toEqual([]);
  });

  it("[VIEW-16] [DIR-50] follows no link, to a file or to a folder", async () => {
    const ws = openTemp({ durability: "os" });
    for (const id of ["TASK-001", "TASK-002"]) await newTask(ws, id, ["First"]);
    await ws.close();
    renameSync(task(ws.root, "TASK-001"), join(ws.root, "aside.yaml"));
    symlinkSync(join(ws.root, "aside.yaml"), task(ws.root, "TASK-001"));
    renameSync(task(ws.root, "TASK-002", "."), join(ws.root, "TASK-002"));
    symlinkSync(join(ws.root, "TASK-002"), task(ws.root, "TASK-002", "."));
    const { reply, read } = await listed(ws.root);
    expect(read).toEqual([logPath(ws.root)]);
    expect(reply.result?.["counts"]).toEqual({ plans: 0, tasks: 1 });
  });

  it.skipIf(process.platform === "win32")("[VIEW-16] a pipe in the place of task.yaml is not waited for", async () => {
    const ws = openTemp({ durability: "os" });
    await newTask(ws, "TASK-001", ["First"]);
    await ws.close();
    rmSync(task(ws.root, "TASK-001"));
    expect(spawnSync("sh", ["-c", `mkfifo "$0"`, task(ws.root, "TASK-001")]).status).toBe(0);
    const { reply, read } = await listed(ws.root);
    expect(read).toEqual([logPath(ws.root)]);
    expect(reply.result?.["counts"]).toEqual({ plans: 0, tasks: 1 });
  });
});
