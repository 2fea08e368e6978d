import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ROTATING } from "../support/sweep.ts";
import { ok, openTemp } from "../support/workspace.ts";
import { json, run } from "./cli_support.ts";

/** A plan with so many DONE tasks. */
async function withDone(count: number): Promise<string> {
  const ws = openTemp();
  await ok(ws, "tasks_create", { title: "Plan" });
  const tasks = Array.from({ length: count }, (_, i) => `T-${i + 1}`);
  for (const id of tasks) await ok(ws, "tasks_create", { parent: "PLAN-001", id, title: `Task ${id}` });
  for (const task of tasks) await ok(ws, "tasks_complete", { task });
  await ws.close();
  return ws.root;
}

const isAway = (cwd: string, id: string): boolean => existsSync(join(cwd, ".coco/archive", id, "events.jsonl"));

describe("taskfold archive", () => {
  it("[ARCHIVE-40] says what would go, what goes and what stays", async () => {
    const cwd = await withDone(3);
    writeFileSync(join(cwd, ".coco/tasks/T-2/README.md"), "mine\n");
    const dry = await run({ cwd }, "archive", "--done-before", "30d", "--dry-run");
    expect([dry.code, isAway(cwd, "T-1")]).toEqual([0, false]);
    expect(dry.out).toMatch(/^T-1 +DONE +Task T-1\nT-3 .*\nT-2 +FILES_EDITED .*\n2 would be archived, 1 stays\n$/);
    const done = await run({ cwd }, "archive", "--plan", "PLAN-001", "--status", "DONE");
    expect([done.code, done.out.trim().split("\n").at(-1)]).toEqual([0, "2 archived, 1 stays"]);
    expect(["T-1", "T-2", "T-3"].map((id) => isAway(cwd, id))).toEqual([true, false, true]);
    expect((await run({ cwd }, "archive")).code).toBe(2);
  });

  it("[ARCHIVE-40] exits with 1 where a named one stays", async () => {
    const cwd = await withDone(2);
    writeFileSync(join(cwd, ".coco/tasks/T-2/README.md"), "mine\n");
    const one = await run({ cwd }, "archive", "T-2");
    expect([one.code, one.err.includes("FILES_EDITED")]).toEqual([1, true]);
    const { code, doc } = await json({ cwd }, "archive", "T-1", "T-2");
    expect([code, doc.result]).toMatchObject([1, { archived: [{ id: "T-1" }], skipped: [{ id: "T-2" }] }]);
  });

  it("[ARCHIVE-40] goes on batch after batch", { ...ROTATING, timeout: 120_000 }, async () => {
    const cwd = await withDone(201);
    const all = await json({ cwd }, "archive", "--done-before", "1d");
    expect([all.code, (all.doc.result as { archived: unknown[] }).archived.length, all.doc.result]).toMatchObject([
      0,
      201,
      { left: 0 },
    ]);
  });

  it("[ARCHIVE-40] [CLI-118] a call that chooses nothing, and one about a plan, name a command that works", async () => {
    const cwd = await withDone(1);
    const none = await run({ cwd }, "archive", "--dry-run");
    expect([none.code, none.err]).toEqual([2, expect.stringContaining("taskfold archive --done-before 30d --dry-run")]);
    const plan = await run({ cwd }, "archive", "PLAN-001");
    expect([plan.code, plan.err]).toEqual([2, expect.stringContaining("try: taskfold archive --plan PLAN-001\n")]);
    expect((await run({ cwd }, "archive", "--plan", "7")).code).toBe(3);
    const short = await run({ cwd }, "archive", "--plan", "plan-1", "--dry-run");
    expect([short.code, short.out]).toEqual([0, expect.stringContaining("1 would be archived\n")]);
    expect(isAway(cwd, "T-1")).toBe(false);
  });

  it("[ARCHIVE-40] an empty archive is told, and an id that it lacks leads to its list", async () => {
    const cwd = await withDone(1);
    const list = await run({ cwd }, "list", "--archived");
    expect([list.code, list.out]).toEqual([0, "Nothing is archived.\n"]);
    expect((await run({ cwd }, "list", "--archived", "-q")).out).toBe("");
    const unknown = await run({ cwd }, "restore", "T-9");
    expect([unknown.code, unknown.err]).toEqual([3, expect.stringContaining("taskfold list --archived")]);
  });

  it("[ARCHIVE-40] restore brings one back, and lists tell of the archive", async () => {
    const cwd = await withDone(2);
    await run({ cwd }, "archive", "T-1");
    expect((await run({ cwd }, "list")).out).toMatch(/T-2.*\n1 archived\n$/s);
    expect((await run({ cwd }, "list", "--archived")).out).toMatch(/^T-1 .*DONE.*\n1 archived\n$/);
    const radar = await run({ cwd }, "radar", "T-1");
    expect([radar.code, radar.err.includes("ARCHIVED")]).toEqual([0, true]);
    expect((await run({ cwd }, "restore", "T-1")).code).toBe(0);
    expect((await run({ cwd }, "list")).out).not.toContain("archived");
    expect(isAway(cwd, "T-1")).toBe(false);
  });
});
