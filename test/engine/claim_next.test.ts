import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { nodeDisk } from "../../src/disk.ts";
import { call, code, logPath, newTask, openTemp } from "../support/workspace.ts";

describe("a task that no caller can write", () => {
  it("[LEASE-8] is passed over by a call that named none, with a warning", async () => {
    const ws = openTemp();
    for (const id of ["TASK-1", "TASK-2"]) await newTask(ws, id, ["First"]);
    const path = logPath(ws.root, "TASK-1");
    const log = readFileSync(path, "utf8");
    writeFileSync(path, `<<<<<<< HEAD\n${log}=======\n>>>>>>> theirs\n`);
    const { result, warnings } = await call(ws, "tasks_claim_next", {});
    expect(result).toMatchObject({ task: "TASK-2" });
    expect(warnings).toContainEqual(
      expect.objectContaining({ code: "LOG_DAMAGED", recovery: "taskfold verify TASK-1" }),
    );
    expect(await code(ws, "tasks_claim_next", { task: "TASK-1" })).toBe("LOG_CONFLICT_MARKERS");
  });
});

describe("a claim that finds nothing to take up", () => {
  it("[regression ENG-82, ENG-83] opens the first three tasks and no other, also with a key", async () => {
    const made = openTemp({ durability: "os" });
    const ids = Array.from({ length: 20 }, (_none, n) => `TASK-${String(n + 1).padStart(3, "0")}`);
    for (const id of ids) {
      await newTask(made, id, ["First", "Second"]);
      await call(made, "tasks_claim", { task: id, ttl_s: 3600 });
    }
    let opened = new Set<string>();
    const seen = (path: string): string => {
      if (path.endsWith("events.jsonl")) opened.add(path);
      return path;
    };
    const disk = {
      ...nodeDisk,
      open: (path: string, flags: Parameters<typeof nodeDisk.open>[1]) => nodeDisk.open(seen(path), flags),
      readFile: (path: string, most?: number) => nodeDisk.readFile(seen(path), most),
    };
    const ws = openTemp({ root: made.root, disk, durability: "os", by: "agent:other", entitiesInMemory: 1 });
    const ask = (key: string) => call(ws, "tasks_claim_next", { idempotency_key: key });
    const first = (await ask("a")).error;
    expect(first).toMatchObject({
      code: "NOTHING_READY",
      details: { open: 40, claimed: 40, waiting: 0, blocked: 0, done: 0 },
    });
    expect(first?.message).toContain("17 more tasks");
    opened = new Set();
    const { details: before, ...words } = first!;
    const again = (await ask("b")).error;
    expect(again).toMatchObject(words);
    // Time goes on between both calls.
    expect(again!.details).toEqual({ ...before, retry_after_ms: again!.details!["retry_after_ms"] });
    expect(opened.size).toBeLessThanOrEqual(3);
    await call(made, "tasks_release", { task: ids[7]!, force: true, reason: "r" });
    expect((await ask("c")).result).toMatchObject({ task: ids[7] });
    opened = new Set();
    expect((await ask("c")).result).toMatchObject({ task: ids[7] });
    expect(opened.size).toBeLessThanOrEqual(3);
  });
});

describe("claims of whole tasks", () => {
  it("[LEASE-8] give each agent a task of its own, and step by step goes what is left", async () => {
    const ws = openTemp();
    for (const id of ["TASK-1", "TASK-2", "TASK-3"]) await newTask(ws, id, ["First", "Second"]);
    const next = async (by: string, more: object = { whole: true }) =>
      (await ws.callTool("tasks_claim_next", { workspace: "acme/repo", ...more }, { by })).result;
    expect(await next("agent:one")).toMatchObject({ task: "TASK-1", step: { path: "s:0" } });
    expect(await next("agent:two", {})).toMatchObject({ task: "TASK-2", step: { path: "s:0" } });
    expect(await next("agent:three")).toMatchObject({ task: "TASK-3" });
    expect(await next("agent:one")).toBeNull();
    expect(await next("agent:four", {})).toMatchObject({ task: "TASK-2", step: { path: "s:1" } });
    const key = { whole: true, idempotency_key: "a" };
    await call(ws, "tasks_release", { task: "TASK-3", force: true, reason: "gone" });
    expect(await next("agent:five", key)).toMatchObject({ task: "TASK-3" });
    expect(await next("agent:five", key)).toMatchObject({ task: "TASK-3" });
  });
});
