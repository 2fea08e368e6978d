import { existsSync, readdirSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Disk } from "../../src/disk.ts";
import { nodeDisk } from "../../src/disk.ts";
import { Handle } from "../../src/engine/handle.ts";
import { keepUnsynced } from "../../src/engine/unsynced.ts";
import type { World } from "../../src/engine/world.ts";
import { Layout } from "../../src/files/layout.ts";
import { isKnownType } from "../../src/events/index.ts";
import { readOps } from "../../src/log/read_ops.ts";
import { bytesSource } from "../../src/log/source.ts";
import { exchanging, unsynced, without } from "../support/exchange.ts";
import { FaultyDisk, Stop } from "../support/faulty_disk.ts";
import { keysInLogs, run, SCRIPT } from "../support/script.ts";
import { call, code, keptIn, logPath, newTask, notesOf, ok, openTemp } from "../support/workspace.ts";
import { tempFolder } from "../support/temp.ts";

const LOG = "events.jsonl";
const note = (text: string, key?: string) => ({
  task: "TASK-001",
  note: text,
  ...(key ? { idempotency_key: key } : {}),
});

const quick = unsynced(nodeDisk);

async function withTask(inner: Disk = quick) {
  const disk = new FaultyDisk(inner);
  const ws = openTemp({ disk });
  await newTask(ws);
  await ok(ws, "tasks_note", note("before"));
  return { disk, ws, log: logPath(ws.root) };
}

describe("a full disk", () => {
  it.each([0, 1, 100, 299])("[DUR-4] a write cut short after %i bytes is taken back: a definite no", async (keep) => {
    const { disk, ws, log } = await withTask();
    const before = readFileSync(log);
    const radar = await ok(ws, "tasks_radar", { task: "TASK-001" });
    disk.cut({ path: LOG }, keep);
    expect(await code(ws, "tasks_note", note("lost"))).toBe("STORAGE_FULL");
    expect(readFileSync(log)).toEqual(before);
    expect(await ok(ws, "tasks_radar", { task: "TASK-001" })).toEqual(radar);
    await ok(ws, "tasks_note", note("after"));
    expect(notesOf(ws.root)).toEqual(["before", "after"]);
  });

  it.each([
    ["ENOSPC", "STORAGE_FULL"],
    ["EDQUOT", "STORAGE_FULL"],
    ["EFBIG", "STORAGE_FULL"],
    ["EIO", "STORAGE_FAILED"],
    ["EROFS", "READ_ONLY"],
  ])("[DUR-4] %s at the write of a change is %s, and nothing has changed", async (errno, expected) => {
    const { disk, ws } = await withTask();
    disk.fail({ kind: "write", path: LOG }, errno);
    expect(await code(ws, "tasks_note", note("lost", "k"))).toBe(expected);
    // The key of a call that failed for certain is free.
    await ok(ws, "tasks_note", note("another", "k"));
    expect(notesOf(ws.root)).toEqual(["before", "another"]);
  });

  it("[DUR-4] bytes that cannot be taken back are a torn line, which the next write ends", async () => {
    const { disk, ws } = await withTask();
    disk.cut({ path: LOG }, 50);
    disk.fail({ kind: "truncate", path: LOG }, "EIO");
    expect(await code(ws, "tasks_note", note("lost"))).toMatch(/^STORAGE_/);
    await ok(ws, "tasks_note", note("after"));
    const again = openTemp({ root: ws.root });
    const reply = await call(again, "tasks_radar", { task: "TASK-001" });
    expect(reply.warnings.map((w) => w.code)).toEqual(["LOG_DAMAGED"]);
    await ok(again, "tasks_note", note("last"));
    expect(readFileSync(logPath(ws.root), "utf8")).toContain('"after"');
  });

  it.each(["mkdir", "open", "write", "fsync", "syncFolder"] as const)(
    "[DUR-4] a creation that fails at %s leaves no folder behind",
    async (kind) => {
      const { disk, ws } = await withTask();
      disk.fail({ kind, path: /tasks\/TASK-002(\/events\.jsonl)?$/ }, "ENOSPC");
      const create = { kind: "task" as const, id: "TASK-002", title: "Two", idempotency_key: "k" };
      expect(await code(ws, "tasks_create", create)).toBe("STORAGE_FULL");
      expect(readdirSync(join(ws.root, ".coco/tasks"))).toEqual(["TASK-001"]);
      await ok(ws, "tasks_create", create);
      expect(keysInLogs(ws.root).filter((key) => key === "k")).toEqual(["k"]);
    },
  );
});

describe("a sync that fails", () => {
  it("[DUR-5] leaves the outcome unknown and the bytes kept aside; the next writer of any process brings them back", async () => {
    const { disk, ws, log } = await withTask();
    const size = readFileSync(log).length;
    disk.fail({ kind: "fdatasyncSync", path: LOG }, "EIO");
    const reply = await call(ws, "tasks_note", note("doubtful", "k"));
    expect(reply.error).toMatchObject({
      code: "UNKNOWN_OUTCOME",
      details: { reason: "SYNC_FAILED", kept_aside: true },
    });
    const marker = join(ws.root, ".coco/registry/unsynced/TASK-001");
    expect(keptIn(marker)).toContain('"doubtful"');
    // The kernel may drop pages whose sync failed.
    truncateSync(log, size);
    const other = openTemp({ root: ws.root });
    await ok(other, "tasks_note", note("next"));
    expect(existsSync(marker)).toBe(false);
    expect(notesOf(ws.root)).toEqual(["before", "doubtful", "next"]);
  });

  it("[DUR-5] another process brings the bytes back also when it had built on them before they were in doubt", async () => {
    const disk = new FaultyDisk(quick);
    const ws = openTemp({ disk, durability: "group" });
    const other = openTemp({ root: ws.root, disk: quick });
    await newTask(ws);
    await ok(other, "tasks_note", note("before"));
    disk.fail({ kind: "fdatasyncSync", path: LOG }, "EIO");
    await ok(ws, "tasks_note", note("doubtful"));
    await ok(other, "tasks_note", note("upon it"));
    const marker = join(ws.root, ".coco/registry/unsynced/TASK-001");
    expect(existsSync(marker)).toBe(false);
    await expect.poll(() => existsSync(marker)).toBe(true);
    await ok(other, "tasks_note", note("next"));
    expect(existsSync(marker)).toBe(false);
    expect(notesOf(ws.root)).toEqual(["before", "doubtful", "upon it", "doubtful", "next"]);
  });

  it("[DUR-5] bytes in doubt make no log anew where git has taken it away", async () => {
    const { disk, ws, log } = await withTask();
    const other = openTemp({ root: ws.root, disk: quick });
    await ok(other, "tasks_note", note("known"));
    disk.fail({ kind: "fdatasyncSync", path: LOG }, "EIO");
    expect(await code(ws, "tasks_note", note("doubtful", "k"))).toBe("UNKNOWN_OUTCOME");
    renameSync(log, `${log}.away`);
    expect(await code(other, "tasks_note", note("lost"))).toBe("LOG_UNREADABLE");
    expect(existsSync(log)).toBe(false);
    renameSync(`${log}.away`, log);
    await ok(other, "tasks_note", note("next"));
    expect(new Set(notesOf(ws.root))).toEqual(new Set(["before", "known", "doubtful", "next"]));
  });

  it.each([
    ["kept by the disk", false],
    ["dropped by the disk", true],
  ])("[DUR-6] a retry with the same key applies once: bytes %s", async (_how, dropped) => {
    const { disk, ws, log } = await withTask();
    const size = readFileSync(log).length;
    disk.fail({ kind: "fdatasyncSync", path: LOG }, "EIO");
    expect(await code(ws, "tasks_note", note("doubtful", "k"))).toBe("UNKNOWN_OUTCOME");
    if (dropped) truncateSync(log, size);
    const reply = await call(ws, "tasks_note", note("doubtful", "k"));
    expect(reply.error).toBeNull();
    expect(reply.warnings.map((w) => w.code)).toContain("REPLAYED");
    expect(new Set(notesOf(ws.root))).toEqual(new Set(["before", "doubtful"]));
    const context = await ok(ws, "tasks_context", {});
    expect(JSON.stringify(context)).toContain('"revision":3');
  });

  it("[DUR-5] when nothing can be kept aside either, the reply says so and a retry still applies once", async () => {
    const { disk, ws } = await withTask();
    disk.fail({ kind: "fdatasyncSync", path: LOG }, "EIO");
    disk.fail({ kind: "rename", path: /unsynced\/TASK-001\/[^.]/ }, "EIO");
    const reply = await call(ws, "tasks_note", note("doubtful", "k"));
    expect(reply.error?.details).toEqual({ reason: "SYNC_FAILED", kept_aside: false });
    await ok(ws, "tasks_note", note("doubtful", "k"));
    expect(notesOf(ws.root)).toEqual(["before", "doubtful"]);
  });

  it("[DUR-31] two processes whose syncs fail leave both their bytes, and one write brings both back", async () => {
    const { disk, ws, log } = await withTask();
    const theirs = new FaultyDisk(quick);
    const other = openTemp({ root: ws.root, disk: theirs });
    const size = readFileSync(log).length;
    for (const one of [disk, theirs]) one.fail({ kind: "fdatasyncSync", path: LOG }, "EIO");
    // The second finds nothing to write again: the first is still on its way when it looks.
    const folder = join(ws.root, ".coco/registry/unsynced/TASK-001");
    expect(await code(ws, "tasks_note", note("of one"))).toBe("UNKNOWN_OUTCOME");
    renameSync(folder, `${folder}.later`);
    expect(await code(other, "tasks_note", note("of the other"))).toBe("UNKNOWN_OUTCOME");
    for (const name of readdirSync(`${folder}.later`)) renameSync(join(`${folder}.later`, name), join(folder, name));
    truncateSync(log, size);
    await ok(openTemp({ root: ws.root }), "tasks_note", note("next"));
    expect(notesOf(ws.root).toSorted()).toEqual(["before", "next", "of one", "of the other"]);
    expect(existsSync(folder)).toBe(false);
  });

  it("[DUR-31] also where one keeps its bytes in the very moment in which the other does, or a writer takes the folder away", () => {
    const layout = new Layout(tempFolder());
    const folder = join(layout.registry, "unsynced/TASK-001");
    const keep = (disk: Disk, bytes: string): unknown => {
      const world = { disk, layout } as World;
      const { details } = keepUnsynced(
        world,
        new Handle(world, "TASK-001", layout.folder("TASK-001")),
        Buffer.from(bytes),
        null,
      );
      return details?.["kept_aside"];
    };
    let other: (() => void) | undefined;
    const busy: Disk = {
      ...quick,
      open: (path, flags) => {
        const meanwhile = other;
        other = undefined;
        meanwhile?.();
        return quick.open(path, flags);
      },
    };
    other = () => expect(keep(quick, "of one\n")).toBe(true);
    expect(keep(busy, "of another\n")).toBe(true);
    expect(keptIn(folder).split("\n").toSorted()).toEqual(["", "of another", "of one"]);
    rmSync(folder, { recursive: true });
    other = () => rmSync(folder, { recursive: true });
    expect(keep(busy, "of one\n")).toBe(true);
    expect(keptIn(folder)).toBe("of one\n");
  });

  it("[DUR-31] what a process that was killed had half kept is no write, and is cleared away", async () => {
    const { disk, ws } = await withTask();
    const folder = join(ws.root, ".coco/registry/unsynced/TASK-001");
    disk.fail({ kind: "fdatasyncSync", path: LOG }, "EIO");
    expect(await code(ws, "tasks_note", note("doubtful"))).toBe("UNKNOWN_OUTCOME");
    writeFileSync(join(folder, ".tf-tmp-1-x"), "half a line");
    await ok(ws, "tasks_note", note("next"));
    expect(existsSync(folder)).toBe(false);
    expect(readFileSync(logPath(ws.root), "utf8")).not.toContain("half a line");
  });

  it("[ENG-7] a log that is taken away between the look at it and the write is not made anew, empty", async () => {
    const { ws, log } = await withTask();
    let gone = false;
    const disk: Disk = {
      ...quick,
      open: (path, flags) => {
        if (path === log && flags !== "r" && !gone) {
          gone = true;
          renameSync(log, `${log}.away`);
        }
        return quick.open(path, flags);
      },
    };
    const other = openTemp({ root: ws.root, disk });
    expect(await code(other, "tasks_note", note("lost"))).toBe("LOG_UNREADABLE");
    expect(gone).toBe(true);
    expect(existsSync(log)).toBe(false);
    renameSync(`${log}.away`, log);
    await ok(other, "tasks_note", note("next"));
    expect(notesOf(ws.root)).toEqual(["before", "next"]);
  });

  it("[DUR-5] callers that shared the sync share its fate, and all of them can retry", async () => {
    const { disk, ws } = await withTask();
    disk.fail({ kind: ["fdatasync", "fdatasyncSync"], path: LOG }, "EIO");
    const texts = ["a", "b", "c"];
    const codes = await Promise.all(texts.map((text) => code(ws, "tasks_note", note(text, text))));
    expect(codes).toEqual(["UNKNOWN_OUTCOME", "UNKNOWN_OUTCOME", "UNKNOWN_OUTCOME"]);
    for (const text of texts) await ok(ws, "tasks_note", note(text, text));
    expect(new Set(notesOf(ws.root))).toEqual(new Set(["before", ...texts]));
    const { ops, report } = readOps(bytesSource(readFileSync(logPath(ws.root))), { isKnownType });
    expect([ops.length, report.held]).toEqual([5, 0]);
  });
});

describe("files folded from the log", () => {
  it.each([
    ["write", "ENOSPC", unsynced(without("ENOSYS")), /README\.md$/],
    ["open", "EACCES", unsynced(without("ENOSYS")), /README\.md$/],
    ["rename", "EIO", unsynced(without("ENOSYS")), /README\.md$/],
    ["write", "ENOSPC", unsynced(exchanging), /registry\/exchange\/[^/]+$/],
    ["exchange", "EIO", unsynced(exchanging), /README\.md$/],
  ] as const)(
    "[DUR-8] a %s that fails with %s never fails the change; the next write heals the file",
    async (kind, errno, inner, path) => {
      const { disk, ws } = await withTask(inner);
      const readme = join(ws.root, ".coco/tasks/TASK-001/README.md");
      disk.fail({ kind, path }, errno);
      const reply = await call(ws, "tasks_note", note("kept"));
      expect(reply.success).toBe(true);
      expect(reply.warnings.map((w) => w.code)).toEqual(["PROJECTION_FAILED"]);
      expect(readFileSync(readme, "utf8")).not.toContain("kept");
      expect(notesOf(ws.root)).toContain("kept");
      const next = await call(ws, "tasks_note", note("next"));
      expect(next.warnings).toEqual([]);
      expect(readFileSync(readme, "utf8")).toContain("kept");
    },
  );

  it("[DUR-9] what a crash left stale is healed by the first write after opening, also a write to another task", async () => {
    const { disk, ws } = await withTask();
    await newTask(ws, "TASK-002");
    const readme = join(ws.root, ".coco/tasks/TASK-001/README.md");
    disk.fail({ kind: ["rename", "exchange"], path: /TASK-001\/(README\.md|task\.yaml)$/ }, "EIO");
    await ok(ws, "tasks_note", note("kept"));
    disk.die();
    expect(readFileSync(readme, "utf8")).not.toContain("kept");
    processIsGone(ws.root);
    const again = openTemp({ root: ws.root });
    await ok(again, "tasks_note", { task: "TASK-002", note: "hello" });
    expect(readFileSync(readme, "utf8")).toContain("kept");
    await again.close();
    expect(readdirSync(join(ws.root, ".coco/registry/dirty"))).toEqual([]);
  });

  it("[DUR-9] the number of a process that is gone may be another's by now: what began at another time is another", async () => {
    const { disk, ws } = await withTask();
    await newTask(ws, "TASK-002");
    const readme = join(ws.root, ".coco/tasks/TASK-001/README.md");
    disk.fail({ kind: "rename", path: /TASK-001\/README\.md$/ }, "EIO");
    await ok(ws, "tasks_note", note("kept"));
    disk.die();
    const folder = join(ws.root, ".coco/registry/dirty");
    for (const name of readdirSync(folder))
      renameSync(join(folder, name), join(folder, name.replace(/^\d+-\d+/, `${process.ppid}-1`)));
    await ok(openTemp({ root: ws.root }), "tasks_note", { task: "TASK-002", note: "hello" });
    expect(readFileSync(readme, "utf8")).toContain("kept");
  });

  it.each(["batch", "manual"] as const)(
    "[DUR-9] [DUR-11] what a workspace could not write until it was closed is left to the next one (%s)",
    async (projections) => {
      const disk = new FaultyDisk(quick);
      const ws = openTemp({ disk, projections });
      await newTask(ws);
      await newTask(ws, "TASK-002");
      const readme = join(ws.root, ".coco/tasks/TASK-001/README.md");
      disk.fail({ kind: ["rename", "exchange"], path: /TASK-001\/README\.md$/ }, "EIO", { times: 9 });
      await ok(ws, "tasks_note", note("kept"));
      await ws.close();
      expect(existsSync(readme) ? readFileSync(readme, "utf8") : "").not.toContain("kept");
      const again = openTemp({ root: ws.root });
      await ok(again, "tasks_note", { task: "TASK-002", note: "hello" });
      expect(readFileSync(readme, "utf8")).toContain("kept");
      await again.close();
      expect(readdirSync(join(ws.root, ".coco/registry/dirty"))).toEqual([]);
    },
  );
});

/** Gives the marks of this process to one that is not there: a number above any that a system hands out. */
function processIsGone(root: string): void {
  const folder = join(root, ".coco/registry/dirty");
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder))
    renameSync(join(folder, name), join(folder, name.replace(/^\d+/, "99999999")));
}

/** Runs the script until the process dies at change `n`; gives what was acknowledged. */
async function crashAt(
  root: string,
  n: number,
  tear: number,
  power: boolean,
): Promise<{ acknowledged: string[]; died: boolean }> {
  const disk = new FaultyDisk(quick);
  disk.stop(n, tear);
  const ws = openTemp({ root, disk });
  const acknowledged: string[] = [];
  for (const step of SCRIPT) {
    const reply = await run(ws, step);
    if (reply.success) acknowledged.push(step.key);
    if (disk.dead) break;
    expect(reply.error).toBeNull();
  }
  const died = disk.dead;
  if (power) disk.losePower();
  else disk.die();
  processIsGone(root);
  return { acknowledged, died };
}

/** Everything acknowledged is there once, and the script can be finished with the same keys. */
async function recover(root: string, acknowledged: string[], where: string): Promise<void> {
  const there = keysInLogs(root);
  for (const key of acknowledged) expect(there, where).toContain(key);
  const ws = openTemp({ root, disk: quick });
  for (const step of SCRIPT) {
    const reply = await run(ws, step);
    // What was applied to a task that is in the archive by now: a definite no, and nothing is applied twice.
    if (/^(UNKNOWN_ID|ID_TAKEN)$/.test(reply.error?.code ?? "") && there.includes(step.key)) continue;
    expect(reply.error, `${where}, ${step.key}`).toBeNull();
  }
  // A write heals what the crash left stale; calls that were only repeated wrote nothing.
  await ok(ws, "tasks_note", { plan: "PLAN-001", note: "went on" });
  await ws.close();
  expect(keysInLogs(root).toSorted(), where).toEqual(SCRIPT.map(({ key }) => key));
  const { findings } = openTemp({ root }).verify();
  // A torn line stays where it is, and files of the archive come back by `rebuild` only.
  const harmless = /^(LINE_TORN|LINE_NOT_JSON|LINE_DUPLICATE|OP_INCOMPLETE)$/;
  const left = findings.filter((f) => !harmless.test(f.code) && !f.file?.startsWith(".coco/archive"));
  expect(left, where).toEqual([]);
}

describe("a crash", () => {
  it.each([
    ["the process dies", 0, false],
    ["the process dies in the middle of a write", 37, false],
    ["the power goes, and with it what no sync covered", 0, true],
  ])(
    "[DUR-1] [DUR-3] [DUR-6] %s at any change: what was acknowledged is there once, and the work goes on",
    async (_how, tear, power) => {
      let n = 0;
      for (; ; n++) {
        const root = tempFolder();
        const { acknowledged, died } = await crashAt(root, n, tear, power);
        await recover(root, acknowledged, `stopped at change ${n}`);
        if (!died) break;
      }
      expect(n).toBeGreaterThan(50);
    },
  );

  it("[DUR-3] the dead process does nothing more: the disk of these tests keeps its word", async () => {
    const { disk, ws, log } = await withTask();
    const before = readFileSync(log);
    disk.stop(0);
    const reply = await call(ws, "tasks_note", note("lost"));
    expect(reply.success).toBe(false);
    expect(() => disk.readFile(log)).toThrow(Stop);
    expect(readFileSync(log)).toEqual(before);
    disk.die();
  });
});

describe("a torn log", () => {
  it("[DUR-3] every length a log can be cut to opens, and takes the next change", async () => {
    const { ws, log } = await withTask();
    await ws.close();
    const whole = readFileSync(log);
    const first = whole.indexOf("\n", whole.indexOf("\n") + 1) + 1; // the op that creates it is two events
    for (let length = whole.length - 1; length > first; length -= 97) {
      writeFileSync(log, whole.subarray(0, length));
      const again = openTemp({ root: ws.root, projections: "manual", durability: "os" });
      await ok(again, "tasks_note", note("after"));
      expect(notesOf2(log), `cut to ${length}`).toContain("after");
      await again.close();
    }
  });
});

/** Notes in effect, read as a reader would: damaged lines are passed over. */
function notesOf2(log: string): string[] {
  const { ops } = readOps(bytesSource(readFileSync(log)), { isKnownType });
  return ops.flatMap((op) => op.events.flatMap((e) => (e.type === "step.noted" ? [e.payload["note"] as string] : [])));
}
