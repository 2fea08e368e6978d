/** A host gives the machine that the engine runs on: its time, its chance, its processes. */
import { internalsOf } from "../../src/engine/groups/internals.ts";
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { openWorkspace } from "../support/open.ts";
import { tempFolder } from "../support/temp.ts";
import { VirtualMachine } from "../support/virtual_runtime.ts";
import { call, logPath, newTask, ok, openTemp, START, WORKSPACE } from "../support/workspace.ts";

const NOTE = { task: "TASK-001", note: "n" } as const;

describe("a runtime of a host", () => {
  it("[ENG-105] is waited by: a lock that is not free is refused after lockTimeoutMs of its clock", async () => {
    const { root } = await workspaceWithTask();
    const machine = new VirtualMachine();
    const holder = openTemp({ root, workspace: WORKSPACE });
    const ws = openTemp({ root, runtime: machine.runtime, lockTimeoutMs: 20_000 });
    const hold = await internalsOf(holder).hold("git merge", "0123456789abcdef");
    const { error } = await call(ws, "tasks_note", NOTE);
    expect(error).toMatchObject({ code: "LOCK_TIMEOUT" });
    expect(machine.passed).toBeGreaterThanOrEqual(20_000);
    expect(machine.passed).toBeLessThan(21_000);
    hold.release();
    await ok(ws, "tasks_note", NOTE);
  });

  it("[ENG-105] has its timers taken back: a group of changes is synced after 20 ms of its clock, and not before", async () => {
    const machine = new VirtualMachine();
    const ws = openTemp({ runtime: machine.runtime, durability: "group" });
    await newTask(ws);
    const began = machine.passed;
    await ok(ws, "tasks_note", NOTE);
    expect(machine.passed - began).toBeLessThan(20);
    await expect.poll(() => machine.passed - began).toBeGreaterThanOrEqual(20);
  });

  it("[ENG-105] wakes a watch: it looks by the clock of the runtime, where nothing tells it of a change", async () => {
    const { root } = await workspaceWithTask();
    const machine = new VirtualMachine();
    const ws = openTemp({ root, runtime: machine.runtime });
    const watch = ws.watch();
    const next = watch.next();
    const other = openTemp({ root });
    await ok(other, "tasks_note", NOTE);
    expect((await next).value).toMatchObject({ type: "step_noted" });
    await watch.return?.();
  });

  it("[ENG-105] decides all that is left to chance: the same seed and the same calls make the same bytes", async () => {
    const [one, same, other] = await Promise.all(["a", "a", "b"].map(logOf));
    expect(one).toBe(same);
    expect(one).not.toBe(other);
    expect(one).toContain(new Date(START).toISOString().slice(0, 10));
  });
});

async function workspaceWithTask(): Promise<{ root: string }> {
  const ws = openTemp();
  await newTask(ws);
  return ws;
}

/** The log of a task that was made on a machine of that seed, with times and ids that the workspace's options do not decide. */
async function logOf(seed: string): Promise<string> {
  const root = tempFolder();
  const ws = openWorkspace({ root, runtime: new VirtualMachine(seed).runtime });
  await newTask(ws);
  await ok(ws, "tasks_note", NOTE);
  await ws.close();
  return readFileSync(logPath(root, "TASK-001"), "utf8");
}
