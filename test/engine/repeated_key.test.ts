import { appendFileSync, cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Reply } from "../../src/engine/entity/reply.ts";
import { nodeDisk } from "../../src/disk.ts";
import { FaultyDisk } from "../support/faulty_disk.ts";
import { repository } from "../support/git.ts";
import { tempFolder } from "../support/temp.ts";
import { call, code, counting, logLines, logPath, newTask, notesOf, ok, openTemp } from "../support/workspace.ts";

const note = (text: string, key?: string) => ({
  task: "TASK-001",
  note: text,
  ...(key ? { idempotency_key: key } : {}),
});

/** The line that another process would write next to the log of this root. */
async function nextLineOf(root: string): Promise<string> {
  const copy = join(tempFolder(), "copy");
  cpSync(root, copy, { recursive: true });
  await ok(openTemp({ root: copy, newId: counting("elsewhere") }), "tasks_note", note("theirs"));
  return `${logLines(copy).at(-1)!}\n`;
}

describe("a key that is used again", () => {
  it("[ENG-2] [DUR-29] is answered while another process writes, and the next change builds on what that one wrote", async () => {
    let sneak = (): void => undefined;
    const disk = {
      ...nodeDisk,
      // After the lock is released and before the answer is made: here others may write.
      fdatasyncSync: (fd: number) => {
        nodeDisk.fdatasyncSync(fd);
        sneak();
      },
    };
    const ws = openTemp({ disk });
    await newTask(ws);
    await ok(ws, "tasks_note", note("mine", "k"));
    const line = await nextLineOf(ws.root);
    sneak = () => {
      sneak = () => undefined;
      appendFileSync(logPath(ws.root), line);
    };
    const again = await call(ws, "tasks_note", note("mine", "k"));
    expect(again.warnings.map((w) => w.code)).toEqual(["REPLAYED"]);
    await ok(ws, "tasks_note", note("next"));
    expect(notesOf(ws.root)).toEqual(["mine", "theirs", "next"]);
    const last = JSON.parse(readFileSync(logPath(ws.root), "utf8").trimEnd().split("\n").at(-1)!) as { prev: string[] };
    expect(last.prev).toEqual([(JSON.parse(line) as { hash: string }).hash]);
  });
});

describe("a key whose entity was deleted since", () => {
  const created = { kind: "task", title: "Once", idempotency_key: "make" } as const;

  it("[ENG-2] is answered as before: the creation, a change, and the deletion itself; by this process and by another", async () => {
    const ws = openTemp();
    const other = openTemp({ root: ws.root });
    const made = await ok(ws, "tasks_create", created);
    await ok(ws, "tasks_note", note("n", "k"));
    await ok(other, "tasks_note", note("m"));
    await ok(ws, "tasks_delete", { task: "TASK-001", idempotency_key: "gone" });
    for (const one of [ws, other, openTemp({ root: ws.root })]) {
      const before = logLines(ws.root, "../archive/TASK-001");
      const again = await call(one, "tasks_create", created);
      expect(again.result!["id"]).toBe(made["id"]);
      const replies = [
        again,
        await call(one, "tasks_note", note("n", "k")),
        await call(one, "tasks_delete", { task: "TASK-001", idempotency_key: "gone" }),
      ];
      for (const { warnings } of replies) expect(warnings.map((w) => w.code)).toEqual(["REPLAYED"]);
      expect(await code(one, "tasks_note", note("other", "k"))).toBe("IDEMPOTENCY_CONFLICT");
      expect(await code(one, "tasks_note", note("n", "new"))).toBe("UNKNOWN_ID");
      expect(logLines(ws.root, "../archive/TASK-001")).toEqual(before);
    }
  });
});

describe("what a repeated key is answered by", () => {
  const SYNCS = { kind: ["fdatasync", "fdatasyncSync"] as const, path: "TASK-001/events.jsonl" };
  const created = { kind: "task", title: "Once", idempotency_key: "make" } as const;

  it.each([
    ["fsync", 1],
    ["os", 0],
  ] as const)("[DUR-1] is synced first at %s, also in the archive", async (durability, syncs) => {
    const first = openTemp();
    await ok(first, "tasks_create", created);
    const disk = new FaultyDisk();
    const ws = openTemp({ root: first.root, disk, durability });
    const count = async (again: () => Promise<Reply>): Promise<number> => {
      const before = disk.count(SYNCS);
      expect((await again()).warnings.map((w) => w.code)).toEqual(["REPLAYED"]);
      return disk.count(SYNCS) - before;
    };
    await ok(first, "tasks_note", note("n", "k"));
    expect(await count(() => call(ws, "tasks_create", created))).toBe(syncs);
    expect(await count(() => call(ws, "tasks_note", note("n", "k")))).toBe(syncs);
    await ok(first, "tasks_delete", { task: "TASK-001", idempotency_key: "gone" });
    expect(await count(() => call(ws, "tasks_create", created))).toBe(syncs);
    expect(await count(() => call(ws, "tasks_note", note("n", "k")))).toBe(syncs);
    expect(await count(() => call(ws, "tasks_delete", { task: "TASK-001", idempotency_key: "gone" }))).toBe(syncs);
    await ws.close();
    const logs = disk.calls.filter(({ path }) => path.endsWith("events.jsonl"));
    const opened = logs.filter(({ kind }) => kind === "open").length;
    expect(logs.filter(({ kind }) => kind === "close")).toHaveLength(opened);
  });

  it.each([
    ["a creation", () => ({ tool: "tasks_create" as const, input: created })],
    ["a change", () => ({ tool: "tasks_note" as const, input: note("n", "k") })],
  ])("[DUR-5] %s whose sync fails now has an unknown outcome, and can be repeated", async (_what, make) => {
    const disk = new FaultyDisk();
    const ws = openTemp({ disk });
    await ok(ws, "tasks_create", created);
    await ok(ws, "tasks_note", note("n", "k"));
    const { tool, input } = make();
    disk.fail(SYNCS, "EIO");
    const { error } = await call(ws, tool, input as never);
    expect(error).toMatchObject({ code: "UNKNOWN_OUTCOME", details: { reason: "SYNC_FAILED", kept_aside: true } });
    expect((await call(ws, tool, input as never)).warnings.map((w) => w.code)).toEqual(["REPLAYED"]);
  });
});

describe("the key of a plan's deletion", () => {
  it("[ENG-2] [TXN-9] is answered as before by a process that knew the plan and its task", async () => {
    const ws = openTemp();
    const other = openTemp({ root: ws.root });
    await ok(ws, "tasks_create", { kind: "plan", title: "Plan" });
    await ok(ws, "tasks_create", { kind: "task", title: "Task", parent: "PLAN-001" });
    await ok(other, "tasks_note", note("m"));
    const deletion = { plan: "PLAN-001", idempotency_key: "gone" };
    const first = await ok(ws, "tasks_delete", deletion);
    for (const one of [ws, other, openTemp({ root: ws.root })]) {
      const again = await call(one, "tasks_delete", deletion);
      expect(again.warnings.map((w) => w.code)).toEqual(["REPLAYED"]);
      expect(again.result!["deleted_tasks"]).toEqual(first["deleted_tasks"]);
    }
  });
});

describe("a key of a creation that git brings and takes away", () => {
  it("[ENG-2] counts while its entity is there, in a process that knew another of that id", async () => {
    const { ada } = repository();
    const ws = openTemp({ root: ada.root });
    const other = openTemp({ root: ada.root });
    await newTask(ws);
    ada.commit("begin");
    const keyed = { kind: "task", id: "TASK-002", title: "Keyed", idempotency_key: "k" } as const;
    ada.git("checkout", "-q", "-b", "side");
    await ok(other, "tasks_create", keyed);
    ada.commit("keyed");
    ada.git("checkout", "-q", "main");
    await newTask(ws, "TASK-002");
    await ok(ws, "tasks_create", { kind: "task", title: "Third", idempotency_key: "third" });
    ada.commit("plain");
    ada.git("checkout", "-q", "side");
    expect((await call(ws, "tasks_create", keyed)).warnings.map((w) => w.code)).toEqual(["REPLAYED"]);
    ada.git("checkout", "-q", "main");
    expect(await code(ws, "tasks_create", keyed)).toBe("ID_TAKEN");
  });
});
