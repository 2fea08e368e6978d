import { appendFileSync, mkdirSync, readdirSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { WorkspaceOptions } from "../../src/testing.ts";
import { nodeDisk } from "../../src/disk.ts";
import { unsynced } from "../support/exchange.ts";
import { FaultyDisk } from "../support/faulty_disk.ts";
import { call, code, logLines, logPath, newTask, notesOf, ok, openTemp } from "../support/workspace.ts";

const TASK = "TASK-001";
const note = (text: string) => ({ task: TASK, path: "s:0", note: text });

async function given(options: Partial<WorkspaceOptions> = {}) {
  const ws = openTemp(options);
  await newTask(ws);
  await ok(ws, "tasks_note", note("one"));
  return { ws, log: logPath(ws.root) };
}

function quarantined(root: string): string[] {
  const folder = join(root, ".coco/registry/quarantine");
  return readdirSync(folder).map((name) => readFileSync(join(folder, name), "latin1"));
}

/** What a strict reader does: every line has to be JSON. */
const isStrict = (root: string): boolean => logLines(root).every((line) => JSON.parse(line) !== null);

const TAILS: [string, string][] = [
  ["half a line", '{"by":"human:lo'],
  ["zeros that a power cut left", "\0".repeat(300)],
  ["a line whose hash is wrong", '{"v":1,"hash":"no"}'],
];

describe("a torn tail", () => {
  it.each(TAILS)(
    "[DUR-50] [LOG-80] %s goes to the quarantine before the next line, under an OS lock",
    async (_, tail) => {
      const { ws, log } = await given();
      const whole = readFileSync(log);
      appendFileSync(log, tail);
      const reply = await call(ws, "tasks_note", note("two"));
      expect(reply.warnings.map(({ code: said }) => said)).toEqual(["SET_ASIDE"]);
      expect(isStrict(ws.root)).toBe(true);
      expect(readFileSync(log).subarray(0, whole.length).equals(whole)).toBe(true);
      expect(notesOf(ws.root)).toEqual(["one", "two"]);
      expect(quarantined(ws.root)).toEqual([tail]);
      expect(ws.verify().findings).toEqual([]);
      await ok(openTemp({ root: ws.root }), "tasks_note", note("three"));
      expect((await ok(ws, "tasks_radar", { task: TASK }))["target"]).toMatchObject({ revision: 4 });
    },
  );

  it("[DUR-50] our own last line, cut, goes as well; the lines of its op that are whole stay", async () => {
    const { ws, log } = await given();
    await ok(ws, "tasks_close_step", { task: TASK, path: "s:0", checkpoints: "gate" });
    const size = readFileSync(log).length;
    truncateSync(log, size - 40);
    const cut = readFileSync(log, "latin1").split("\n").at(-1);
    await ok(ws, "tasks_note", note("two"));
    expect(isStrict(ws.root)).toBe(true);
    expect(quarantined(ws.root)).toEqual([cut]);
    expect(notesOf(ws.root)).toEqual(["one", "two"]);
  });

  it("[DUR-50] goes before a part of a transaction and before people's files are read in", async () => {
    const { ws, log } = await given();
    await newTask(ws, "TASK-002");
    appendFileSync(log, '{"half');
    const operations = [TASK, "TASK-002"].map((task) => ({
      tool: "tasks_block" as const,
      args: { task, path: "s:0", reason: "both" },
    }));
    await ok(ws, "tasks_batch", { atomic: true, operations });
    expect(isStrict(ws.root)).toBe(true);
    appendFileSync(log, '{"another half');
    writeFileSync(join(ws.root, ".coco/tasks", TASK, "shared/human-notes.md"), "Mind the gap.\n");
    await ws.repair.rebuild(TASK);
    expect(isStrict(ws.root)).toBe(true);
    expect(quarantined(ws.root)).toHaveLength(2);
  });

  it("[DUR-50] a refused call leaves it; if the quarantine cannot be written, nothing changes and the call fails", async () => {
    const disk = new FaultyDisk(unsynced(nodeDisk));
    const { ws, log } = await given({ disk });
    appendFileSync(log, '{"half');
    const before = readFileSync(log);
    expect(await code(ws, "tasks_note", { ...note("no"), path: "s:9" })).toBe("UNKNOWN_ID");
    expect(readFileSync(log).equals(before)).toBe(true);
    disk.fail({ kind: "open", path: /registry\/quarantine\// }, "ENOSPC");
    expect(await code(ws, "tasks_note", note("no"))).toBe("STORAGE_FULL");
    expect(readFileSync(log).equals(before)).toBe(true);
    await ok(ws, "tasks_note", note("two"));
    expect(notesOf(ws.root)).toEqual(["one", "two"]);
  });

  it("[LOG-80] a last line that is whole gets its LF and stays, ours or another program's", async () => {
    const { ws, log } = await given();
    truncateSync(log, readFileSync(log).length - 1);
    await ok(ws, "tasks_note", note("two"));
    expect(notesOf(ws.root)).toEqual(["one", "two"]);
    const foreign =
      '{"ts":"2026-01-02T00:00:00.000Z","type":"agent.started","taskId":"x","agentInstance":"w1","payload":{}}';
    appendFileSync(log, foreign);
    await ok(ws, "tasks_note", note("three"));
    expect(readFileSync(log, "utf8").split("\n")).toContain(foreign);
    expect(isStrict(ws.root)).toBe(true);
    expect(ws.verify().findings).toEqual([]);
  });

  it("[DUR-50] under lock files it is ended and stays, every read says so, and resolve takes it out", async () => {
    const { ws, log } = await given({ lock: "lockfile" });
    appendFileSync(log, '{"half');
    await ok(ws, "tasks_note", note("two"));
    expect(readFileSync(log, "utf8").split("\n")).toContain('{"half');
    const { warnings } = await call(ws, "tasks_radar", { task: TASK });
    expect(warnings.map((w) => [w.code, w.recovery])).toEqual([["LOG_DAMAGED", `taskfold verify ${TASK}`]]);
    await ws.repair.resolve(TASK);
    expect(isStrict(ws.root)).toBe(true);
  });

  it("[DUR-50] a line that another program ends meanwhile is not cut", async () => {
    const foreign =
      '{"ts":"2026-01-02T00:00:00.000Z","type":"agent.started","taskId":"x","agentInstance":"w1","payload":{}}\n';
    let late = (): void => undefined;
    const disk = {
      ...unsynced(nodeDisk),
      rename: (from: string, to: string) => {
        nodeDisk.rename(from, to);
        if (to.includes("quarantine")) late();
      },
    };
    const { ws, log } = await given({ disk });
    mkdirSync(join(ws.root, ".coco/registry/quarantine"), { recursive: true });
    appendFileSync(log, foreign.slice(0, 20));
    late = () => {
      late = () => undefined;
      appendFileSync(log, foreign.slice(20));
    };
    await ok(ws, "tasks_note", note("two"));
    expect(readFileSync(log, "utf8")).toContain(foreign);
    expect(isStrict(ws.root)).toBe(true);
  });
});
