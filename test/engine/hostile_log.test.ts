import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Disk } from "../../src/disk.ts";
import { nodeDisk } from "../../src/disk.ts";
import { sealOp } from "../../src/log/envelope.ts";
import { call, code, logLines, newTask, notesOf, ok, openTemp, START, tree, WORKSPACE } from "../support/workspace.ts";
import { tempFolder } from "../support/temp.ts";
import { note, withNotes } from "../support/noted.ts";

const COCO = join(import.meta.dirname, "../data/coco");
const TASK = "TASK-001";

describe("a log that changes under an open workspace", () => {
  it("[ENG-7] replaced by another file, as git does it: read anew before anything is written", async () => {
    const { ws, log } = await withNotes("one", "two");
    const older = logLines(ws.root).slice(0, 3);
    writeFileSync(`${log}.new`, `${older.join("\n")}\n`);
    renameSync(`${log}.new`, log);
    expect((await ok(ws, "tasks_note", note("three")))["revision"]).toBe(4);
    expect(notesOf(ws.root)).toEqual(["one", "three"]);
    // The change that noted the lost end came with it.
    expect(ws.verify().findings.map((f) => f.code)).toEqual(["LOG_TRUNCATED"]);
  });

  it("[ENG-7] replaced by one with more in it, also by a branch that forked", async () => {
    const { ws, log } = await withNotes("one");
    const copy = tempFolder();
    cpSync(ws.root, copy, { recursive: true });
    const other = openTemp({ root: copy });
    await ok(other, "tasks_note", note("theirs"));
    await ok(ws, "tasks_note", note("ours"));
    // What git's union merge makes of it: the lines of both sides.
    const theirs = logLines(copy).at(-1)!;
    writeFileSync(`${log}.new`, `${[...logLines(ws.root), theirs].join("\n")}\n`);
    renameSync(`${log}.new`, log);
    const merged = await ok(ws, "tasks_note", note("merged"));
    expect(merged["revision"]).toBe(5);
    const last = JSON.parse(logLines(ws.root).at(-1)!) as { prev: string[] };
    expect(last.prev).toHaveLength(2);
    expect(ws.verify().findings.filter((f) => f.code !== "PROJECTION_DIFFERS")).toEqual([]);
  });

  it("[ENG-7] truncated in place to fewer lines", async () => {
    const { ws, log } = await withNotes("one", "two");
    truncateSync(log, Buffer.byteLength(`${logLines(ws.root).slice(0, 3).join("\n")}\n`));
    await ok(ws, "tasks_note", note("three"));
    expect(notesOf(ws.root)).toEqual(["one", "three"]);
  });

  it("[ENG-7] edited in place, of the same size: the edited line no longer counts, its children are missed, nothing is written", async () => {
    const { ws, log } = await withNotes("one", "two");
    writeFileSync(log, readFileSync(log, "utf8").replace('"note":"one"', '"note":"0ne"'));
    const bytes = readFileSync(log);
    expect(await code(ws, "tasks_note", note("three"))).toBe("LOG_INCOMPLETE");
    expect(readFileSync(log)).toEqual(bytes);
    const radar = await call(ws, "tasks_radar", { task: TASK });
    expect(radar.warnings.map((w) => w.code).toSorted()).toEqual(["LOG_DAMAGED", "LOG_INCOMPLETE"]);
  });

  it("[ENG-7] edited in place at its end and put back to the old time", async () => {
    const { ws, log } = await withNotes("one", "two");
    const old = new Date(START);
    utimesSync(log, old, old);
    await ok(ws, "tasks_radar", { task: TASK });
    writeFileSync(log, readFileSync(log, "utf8").replace('"note":"two"', '"note":"2wo"'));
    utimesSync(log, old, old);
    const radar = await call(ws, "tasks_radar", { task: TASK });
    expect(radar.warnings.map((w) => w.code)).toEqual(["LOG_DAMAGED"]);
    await ok(ws, "tasks_note", note("three"));
  });

  it("[ENG-7] edited in place at its end and grown behind it in the same go: what was read is not gone on from", async () => {
    const { ws, log } = await withNotes("one", "two");
    const copy = tempFolder();
    cpSync(ws.root, copy, { recursive: true });
    await ok(openTemp({ root: copy }), "tasks_note", note("three"));
    const writer = openTemp({ root: ws.root });
    await ok(writer, "tasks_radar", { task: TASK });
    const { ino } = statSync(log);
    const known = readFileSync(log, "utf8");
    const edited = known.replace(/"type":"step\.noted","v":1\}\n$/, '"type":"step.n0ted","v":1}\n');
    writeFileSync(log, `${edited}${logLines(copy).at(-1)}\n`);
    expect([statSync(log).ino, edited.length, edited === known]).toEqual([ino, known.length, false]);
    const radar = await call(ws, "tasks_radar", { task: TASK });
    expect(radar.warnings.map((w) => w.code).toSorted()).toEqual(["LOG_DAMAGED", "LOG_INCOMPLETE"]);
    expect(await code(writer, "tasks_note", note("four"))).toBe("LOG_INCOMPLETE");
  });

  it("[ENG-7] lines in another order mean the same", async () => {
    const { ws, log } = await withNotes("one", "two");
    const before = await ok(ws, "tasks_radar", { task: TASK });
    writeFileSync(log, `${logLines(ws.root).toReversed().join("\n")}\n`);
    expect(await ok(ws, "tasks_radar", { task: TASK })).toEqual(before);
    expect((await ok(ws, "tasks_note", note("three")))["revision"]).toBe(4);
  });

  it("[ENG-7] garbage, alone or between lines, is set aside and stays where it is", async () => {
    const { ws, log } = await withNotes("one");
    const garbage = Buffer.from([0, 255, 254, 10, 123, 34, 10]);
    appendFileSync(log, garbage);
    const radar = await call(ws, "tasks_radar", { task: TASK });
    expect(radar.warnings.map((w) => w.code)).toEqual(["LOG_DAMAGED"]);
    await ok(ws, "tasks_note", note("two"));
    expect(readFileSync(log).includes(garbage)).toBe(true);
    expect((await ok(ws, "tasks_note", note("three")))["revision"]).toBe(4);
    writeFileSync(log, garbage);
    expect(await code(ws, "tasks_note", note("four"))).toBe("LOG_UNREADABLE");
    expect(await code(ws, "tasks_radar", { task: TASK })).toBe("LOG_UNREADABLE");
    expect(readFileSync(log)).toEqual(garbage);
  });

  it("[ENG-7] a log that is gone is refused, and comes back as it is put back", async () => {
    const { ws, log } = await withNotes("one");
    renameSync(log, `${log}.away`);
    expect(await code(ws, "tasks_note", note("two"))).toBe("LOG_UNREADABLE");
    expect(await code(ws, "tasks_radar", { task: TASK })).toBe("LOG_UNREADABLE");
    renameSync(`${log}.away`, log);
    await ok(ws, "tasks_note", note("two"));
    expect(notesOf(ws.root)).toEqual(["one", "two"]);
  });

  it("[ENG-7] a log that is taken away between the look at it and the write is not made anew, empty", async () => {
    const { ws, log } = await withNotes("before");
    let gone = false;
    const disk: Disk = {
      ...nodeDisk,
      open: (path, flags) => {
        if (path === log && flags !== "r" && !gone) {
          gone = true;
          renameSync(log, `${log}.away`);
        }
        return nodeDisk.open(path, flags);
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

  it("[ENG-11] [DIR-19] a torn tail is set aside before the next line, and lines of other programs are placed by the next write", async () => {
    const { ws, log } = await withNotes("one");
    appendFileSync(log, '{"by":"human:lo');
    await ok(ws, "tasks_note", note("two"));
    expect(notesOf2(ws.root)).toEqual(["one", "two"]);
    const foreign = {
      ts: "2026-01-02T00:00:00.000Z",
      type: "agent.started",
      taskId: TASK,
      agentInstance: "w1",
      payload: {},
    };
    appendFileSync(log, `${JSON.stringify(foreign)}\n`);
    const before = logLines(ws.root).length;
    await ok(ws, "tasks_radar", { task: TASK });
    expect(logLines(ws.root)).toHaveLength(before);
    await ok(ws, "tasks_note", note("three"));
    const added = logLines(ws.root)
      .slice(before)
      .map((line) => JSON.parse(line) as { type: string; by: string; op: { of: number } });
    expect(added.map(({ type, by, op }) => [type, by, op.of])).toEqual([
      ["foreign.adopted", "system", 1],
      ["step.noted", "human:local", 1],
    ]);
    await ok(ws, "tasks_note", note("four"));
    expect(logLines(ws.root).filter((line) => line.includes('"foreign.adopted"'))).toHaveLength(1);
  });

  it("[regression ENG-13] a clock that runs backwards changes no order, and no updatedAt falls", async () => {
    const ws = openTemp({
      now: (() => {
        let t = START;
        return () => (t -= 60_000);
      })(),
    });
    await newTask(ws);
    for (const text of ["one", "two", "three"]) await ok(ws, "tasks_note", note(text));
    await ws.close();
    const again = openTemp({ root: ws.root });
    expect(notesOf(ws.root)).toEqual(["one", "two", "three"]);
    expect((await ok(again, "tasks_radar", { task: TASK }))["target"]).toMatchObject({ revision: 4 });
    const yaml = readFileSync(join(ws.root, ".coco/tasks/TASK-001/task.yaml"), "utf8");
    const stamp = (key: string): string => new RegExp(`^${key}: "(.*)"$`, "m").exec(yaml)?.[1] ?? "";
    expect(stamp("updatedAt") >= stamp("createdAt")).toBe(true);
    expect(again.verify().findings).toEqual([]);
  });
});

/** Notes of the lines that are whole. */
function notesOf2(root: string): string[] {
  return logLines(root).flatMap((line) => /"note":"([^"]*)".*\}$/.exec(line)?.[1] ?? []);
}

/** What stands in the way of writing, and the warnings that readers get. */
const UNWRITABLE: [string, string, string[], (lines: string[]) => string[]][] = [
  [
    "conflict markers",
    "LOG_CONFLICT_MARKERS",
    ["LOG_CONFLICT_MARKERS"],
    (lines) => ["<<<<<<< HEAD", ...lines, "=======", ">>>>>>> theirs"],
  ],
  ["a line missing", "LOG_INCOMPLETE", ["LOG_INCOMPLETE"], (lines) => lines.filter((_, i) => i !== 2)],
  ["a second entity", "LOG_TWO_ROOTS", ["LOG_TWO_ROOTS"], (lines) => [...lines, created("Another")]],
  [
    "events of a newer release",
    "LOG_NEWER_VERSION",
    ["LOG_NEWER_VERSION"],
    (lines) => [...lines, line("future.happened", {}, lines)],
  ],
];

function line(type: string, payload: Record<string, string>, before: string[]): string {
  const last = before.length > 0 ? (JSON.parse(before.at(-1)!) as { hash: string; seq: number }) : undefined;
  const input = { taskId: TASK, by: "human:bob", ts: "2026-03-01T00:00:00.000Z", tool: "test", opId: "other" };
  return sealOp({ ...input, heads: last ? [last.hash] : [], seq: last?.seq ?? 0, drafts: [{ type, payload }] })
    .bytes.toString()
    .trimEnd();
}

function created(title: string): string {
  return line("task.created", { kind: "task", title }, []);
}

describe("a log that may not be written", () => {
  it.each(UNWRITABLE)(
    "[ENG-9] %s: writes are refused with %s and change nothing, reads answer with a warning",
    async (_what, refused, warned, change) => {
      const { ws, log } = await withNotes("one", "two");
      writeFileSync(log, `${change(logLines(ws.root)).join("\n")}\n`);
      const before = tree(join(ws.root, ".coco/tasks"));
      for (const open of [ws, openTemp({ root: ws.root })]) {
        expect(await code(open, "tasks_note", note("three"))).toBe(refused);
        const radar = await call(open, "tasks_radar", { task: TASK });
        expect(radar.warnings.map((w) => w.code)).toEqual(warned);
        expect(radar.success).toBe(true);
      }
      expect(tree(join(ws.root, ".coco/tasks"))).toEqual(before);
    },
  );

  it("[ENG-9] a folder that another program wrote answers from its task.yaml, and is not written", async () => {
    const root = tempFolder();
    mkdirSync(join(root, ".coco"));
    cpSync(COCO, join(root, ".coco/tasks"), { recursive: true });
    const ws = openTemp({ root });
    await ws.init(WORKSPACE);
    const before = tree(join(root, ".coco/tasks"));
    const id = "task-2f61da5b5ec7488eb79fc983790aa10c";
    const radar = await call(ws, "tasks_radar", { task: id });
    expect([radar.success, radar.warnings.map((w) => w.code)]).toEqual([true, ["NO_OWN_LOG"]]);
    expect(await code(ws, "tasks_note", { task: id, note: "mine" })).toBe("LOG_FOREIGN");
    expect(tree(join(root, ".coco/tasks"))).toEqual(before);
  });
});
