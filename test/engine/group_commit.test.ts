import { describe, expect, it } from "vitest";
import type { WorkspaceOptions } from "../../src/testing.ts";
import { exchanging } from "../support/exchange.ts";
import { FaultyDisk } from "../support/faulty_disk.ts";
import { heldSyncs } from "../support/held_syncs.ts";
import { onRealDisk } from "../support/temp.ts";
import { call, code, newTask, notesOf, ok, openTemp, tree } from "../support/workspace.ts";

onRealDisk();

const SYNCS = { kind: ["fdatasync", "fdatasyncSync"] as const, path: "events.jsonl" };
const WRITES = { kind: "write" as const, path: "events.jsonl" };
const codes = (error: { code: string } | null): string => error?.code ?? "ok";

async function withTask(options: Partial<WorkspaceOptions> = {}) {
  const disk = new FaultyDisk(exchanging);
  const ws = openTemp({ disk, ...options });
  await newTask(ws);
  // A tool's first call waits for its validator; afterwards calls made together go out together.
  for (const tool of ["tasks_note", "tasks_close_step", "tasks_delete"]) await ws.callTool(tool, {});
  disk.calls.length = 0;
  return { disk, ws };
}

describe("callers at once", () => {
  it("[ENG-1] fifty calls are all there, by one write and one sync, each upon the one before it", async () => {
    const { disk, ws } = await withTask();
    const texts = Array.from({ length: 50 }, (_, i) => `note ${i}`);
    const results = await Promise.all(texts.map((note) => ok(ws, "tasks_note", { task: "TASK-001", note })));
    expect(notesOf(ws.root)).toEqual(texts);
    expect([disk.count(WRITES), disk.count(SYNCS)]).toEqual([1, 1]);
    expect(results.map((r) => r["revision"])).toEqual(texts.map((_, i) => i + 2));
    expect(disk.count({ kind: ["exchange", "rename"], path: "README.md" })).toBe(1);
  });

  it("[ENG-1] more than a batch takes several, and nobody is left out", async () => {
    const { disk, ws } = await withTask({ projections: "manual" });
    const texts = Array.from({ length: 200 }, (_, i) => `note ${i}`);
    await Promise.all(texts.map((note) => ok(ws, "tasks_note", { task: "TASK-001", note })));
    expect(notesOf(ws.root)).toEqual(texts);
    expect(disk.count(SYNCS)).toBeLessThan(10);
    expect(disk.count(WRITES)).toBe(disk.count(SYNCS));
  });

  it("[ENG-1] a refused call disturbs none of the others, and each sees what those before it did", async () => {
    const { disk, ws } = await withTask();
    const close = { task: "TASK-001", path: "s:0", checkpoints: "gate" } as const;
    const replies = await Promise.all([
      call(ws, "tasks_note", { task: "TASK-001", note: "one" }),
      call(ws, "tasks_close_step", close),
      call(ws, "tasks_close_step", close),
      call(ws, "tasks_note", { task: "TASK-001", path: "s:9", note: "no such step" }),
      call(ws, "tasks_note", { task: "TASK-001", note: "two" }),
    ]);
    expect(replies.map((r) => codes(r.error))).toEqual(["ok", "ok", "ALREADY_DONE", "UNKNOWN_ID", "ok"]);
    expect(notesOf(ws.root)).toEqual(["one", "two"]);
    expect(disk.count(SYNCS)).toBe(1);
    expect((await ok(ws, "tasks_note", { task: "TASK-001", note: "three" }))["revision"]).toBe(5);
  });

  it("[ENG-1] a call behind the deletion in the same batch finds nothing to write to", async () => {
    const { ws } = await withTask();
    const replies = await Promise.all([
      call(ws, "tasks_delete", { task: "TASK-001" }),
      call(ws, "tasks_note", { task: "TASK-001", note: "too late" }),
    ]);
    expect(replies.map((r) => codes(r.error))).toEqual(["ok", "UNKNOWN_ID"]);
  });

  it("[ENG-1] calls to several entities go on side by side", async () => {
    const { ws } = await withTask();
    await newTask(ws, "TASK-002");
    const ids = Array.from({ length: 40 }, (_, i) => `TASK-00${1 + (i % 2)}`);
    await Promise.all(ids.map((task, i) => ok(ws, "tasks_note", { task, note: `note ${i}` })));
    expect(notesOf(ws.root, "TASK-001")).toHaveLength(20);
    expect(notesOf(ws.root, "TASK-002")).toHaveLength(20);
  });
});

describe("a read while changes are on their way to the disk", () => {
  it("[ENG-1] has them, and reads no log again for it", async () => {
    const { disk: held, isSyncing, go } = heldSyncs(exchanging);
    const disk = new FaultyDisk(held);
    const ws = openTemp({ disk });
    await newTask(ws);
    for (const tool of ["tasks_note", "tasks_radar"]) await ws.callTool(tool, {});
    // More than one batch: only a process in which others wait gives its turn away for a sync.
    const texts = Array.from({ length: 65 }, (_, i) => `note ${i}`);
    const written = Promise.all(texts.map((note) => ok(ws, "tasks_note", { task: "TASK-001", note })));
    await isSyncing;
    disk.calls.length = 0;
    expect(JSON.stringify(await ok(ws, "tasks_radar", { task: "TASK-001" }))).toContain('"revision":65');
    expect(disk.count({ kind: "read", path: "events.jsonl" })).toBe(0);
    go();
    await written;
    expect(notesOf(ws.root)).toEqual(texts);
  });
});

describe("idempotency", () => {
  const note = { task: "TASK-001", note: "once", idempotency_key: "k" };

  it("[ENG-2] [TOOL-14] the same key and input gives the first result and changes nothing", async () => {
    const { ws } = await withTask();
    const first = await call(ws, "tasks_note", note);
    await ok(ws, "tasks_note", { task: "TASK-001", note: "between" });
    const files = tree(`${ws.root}/.coco/tasks`);
    const again = await call(ws, "tasks_note", note);
    expect(again.result).toEqual(first.result);
    expect(again.warnings.map((w) => w.code)).toEqual(["REPLAYED"]);
    expect(tree(`${ws.root}/.coco/tasks`)).toEqual(files);
    expect(notesOf(ws.root)).toEqual(["once", "between"]);
  });

  it("[ENG-2] also when the calls are made at once, and by another process", async () => {
    const { ws } = await withTask();
    const other = openTemp({ root: ws.root });
    const replies = await Promise.all([
      call(ws, "tasks_note", note),
      call(ws, "tasks_note", note),
      call(other, "tasks_note", note),
    ]);
    expect(replies.map((r) => r.error)).toEqual([null, null, null]);
    expect([replies[1]?.result, replies[2]?.result]).toEqual([replies[0]?.result, replies[0]?.result]);
    expect(replies.flatMap((r) => r.warnings.map((w) => w.code))).toEqual(["REPLAYED", "REPLAYED"]);
    expect(notesOf(ws.root)).toEqual(["once"]);
  });

  it("[ENG-2] [TOOL-14] another input, or another tool, under a used key is a conflict", async () => {
    const { ws } = await withTask();
    await ok(ws, "tasks_note", note);
    expect(await code(ws, "tasks_note", { ...note, note: "else" })).toBe("IDEMPOTENCY_CONFLICT");
    expect(await code(ws, "tasks_edit", { task: "TASK-001", priority: "HIGH", idempotency_key: "k" })).toBe(
      "IDEMPOTENCY_CONFLICT",
    );
    const atOnce = await Promise.all(
      ["a", "b"].map((text) => call(ws, "tasks_note", { ...note, note: text, idempotency_key: "k2" })),
    );
    expect(atOnce.map((r) => codes(r.error))).toEqual(["ok", "IDEMPOTENCY_CONFLICT"]);
    expect(notesOf(ws.root)).toEqual(["once", "a"]);
  });

  it("[ENG-2] a key of one entity is free on another", async () => {
    const { ws } = await withTask();
    await newTask(ws, "TASK-002");
    await ok(ws, "tasks_note", note);
    await ok(ws, "tasks_note", { ...note, task: "TASK-002", note: "else" });
    expect(notesOf(ws.root, "TASK-002")).toEqual(["else"]);
  });

  it("[ENG-2] the key of a refused call stays free", async () => {
    const { ws } = await withTask();
    expect(await code(ws, "tasks_note", { ...note, path: "s:9" })).toBe("UNKNOWN_ID");
    await ok(ws, "tasks_note", note);
    expect(notesOf(ws.root)).toEqual(["once"]);
  });

  it("[ENG-2] keys of creating calls count in the whole workspace, also at once and after reopening", async () => {
    const ws = openTemp();
    const input = { kind: "task" as const, title: "Once", idempotency_key: "create" };
    const [first, second] = await Promise.all([ok(ws, "tasks_create", input), ok(ws, "tasks_create", input)]);
    expect(second).toEqual(first);
    await ok(ws, "tasks_create", { kind: "task", title: "Another" });
    expect(await code(ws, "tasks_create", { ...input, title: "Else" })).toBe("IDEMPOTENCY_CONFLICT");
    await ws.close();
    const again = openTemp({ root: ws.root });
    const third = await call(again, "tasks_create", input);
    expect([third.result, third.warnings.map((w) => w.code)]).toEqual([first, ["REPLAYED"]]);
    expect(await code(again, "tasks_create", { ...input, title: "Else" })).toBe("IDEMPOTENCY_CONFLICT");
    const context = await ok(again, "tasks_context", {});
    expect(JSON.stringify(context).match(/TASK-00\d/g)?.length).toBeGreaterThan(0);
    expect(JSON.stringify(context)).not.toContain("TASK-003");
  });
});

describe("expectations", () => {
  it("[ENG-3] [TOOL-4] a stale revision or head is refused and told the present one; the right one is taken", async () => {
    const { ws } = await withTask();
    const first = await ok(ws, "tasks_note", { task: "TASK-001", note: "one", expected_revision: 1 });
    const stale = await call(ws, "tasks_note", { task: "TASK-001", note: "two", expected_revision: 1 });
    expect(stale.error).toMatchObject({ code: "REVISION_MISMATCH", details: { revision: 2, head: first["head"] } });
    expect(await code(ws, "tasks_note", { task: "TASK-001", note: "two", expected_head: "x" })).toBe(
      "REVISION_MISMATCH",
    );
    await ok(ws, "tasks_note", { task: "TASK-001", note: "two", expected_head: first["head"] as string });
    expect(notesOf(ws.root)).toEqual(["one", "two"]);
  });

  it("[TOOL-4] what is to be created is at revision 0 without a head", async () => {
    const ws = openTemp();
    const make = (id: string, expected: object) =>
      call(ws, "tasks_create", { kind: "task", id, title: "T", idempotency_key: "k", ...expected });
    for (const stale of [
      { expected_revision: 1 },
      { expected_head: "x" },
      { expected_revision: 0, expected_head: "x" },
    ]) {
      const { error } = await make("TASK-001", stale);
      expect(error).toMatchObject({ code: "REVISION_MISMATCH", details: { revision: 0, head: "" } });
    }
    expect(ws.verify().entities).toBe(0);
    const right = { expected_revision: 0, expected_head: "" };
    expect((await make("TASK-001", right)).error).toBeNull();
    expect((await make("TASK-001", right)).warnings.map((w) => w.code)).toEqual(["REPLAYED"]);
  });

  it("[TOOL-8] an event is printed alike in the first reply and in a repeated one", async () => {
    const ws = openTemp();
    const plan = {
      kind: "plan" as const,
      title: "P",
      contract_data: { z: [{ y: 1, b: 2 }], 10: 0, 9: 0, a: JSON.parse('{"__proto__":{"q":1,"c":2},"B":0}') },
      idempotency_key: "k",
    };
    const first = await call(ws, "tasks_create", plan);
    const again = await call(ws, "tasks_create", plan);
    expect(again.warnings.map((w) => w.code)).toEqual(["REPLAYED"]);
    expect(JSON.stringify(again.result)).toBe(JSON.stringify(first.result));
    await newTask(ws);
    const items = [{ kind: "run", command: "npm test", stdout: "fine", exit_code: 0 }];
    const capture = { task: "TASK-001", path: "s:0", items, checkpoint: "tests" as const, idempotency_key: "c" };
    const captured = await call(ws, "tasks_evidence_capture", capture);
    expect(captured.error).toBeNull();
    const repeated = await call(ws, "tasks_evidence_capture", capture);
    expect(JSON.stringify(repeated.result)).toBe(JSON.stringify(captured.result));
  });

  it("[ENG-3] of callers at once that expect the same revision one wins", async () => {
    const { ws } = await withTask();
    const other = openTemp({ root: ws.root });
    const all = [ws, ws, other, other, ws];
    const found = await Promise.all(
      all.map((w, i) => code(w, "tasks_note", { task: "TASK-001", note: `note ${i}`, expected_revision: 1 })),
    );
    expect(found.filter((c) => c === undefined)).toHaveLength(1);
    expect(found.filter((c) => c === "REVISION_MISMATCH")).toHaveLength(4);
    expect(notesOf(ws.root)).toHaveLength(1);
  });

  it("[ENG-3] a repeated call is answered before its expectation is compared: it was right when it was made", async () => {
    const { ws } = await withTask();
    const input = { task: "TASK-001", note: "one", expected_revision: 1, idempotency_key: "k" };
    const first = await ok(ws, "tasks_note", input);
    expect(await ok(ws, "tasks_note", input)).toEqual(first);
    expect(await code(ws, "tasks_note", { task: "TASK-001", note: "zero", expected_revision: 0 })).toBe(
      "REVISION_MISMATCH",
    );
  });
});
