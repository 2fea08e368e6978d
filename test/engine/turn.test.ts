import { describe, expect, it, vi } from "vitest";
import { newTask, ok, openTemp } from "../support/workspace.ts";
import type { ToolName } from "../../src/tools/generated/tool_types.ts";
import type { Workspace } from "../../src/engine/workspace.ts";

const ENOUGH = 20_000;

/** Calls in a row, each at once behind the one before it, until a timer has its turn. */
async function untilTimer(ws: Workspace, tool: ToolName, input: object): Promise<boolean> {
  let fired = false;
  const timer = setTimeout(() => (fired = true), 1);
  for (let i = 0; i < ENOUGH && !fired; i++) await ok(ws, tool, input);
  clearTimeout(timer);
  return fired;
}

describe("a loop of calls that wait for nothing", () => {
  it.each<[string, ToolName, object]>([
    ["writes", "tasks_note", { task: "TASK-001", note: "again" }],
    ["reads", "tasks_context", {}],
  ])("[regression ENG-21] that %s lets the timers of its process have their turn", async (_what, tool, input) => {
    const ws = openTemp({ durability: "os", projections: "manual" });
    await newTask(ws);
    expect(await untilTimer(ws, tool, input)).toBe(true);
  });

  it("[regression ENG-21] keeps the order of calls of one tick, whatever time it takes to make them", async () => {
    const ws = openTemp({ durability: "os", projections: "manual" });
    await newTask(ws);
    for (let round = 0; round < 10; round++) {
      const notes: Promise<Record<string, unknown>>[] = [];
      for (let i = 0; i < 8; i++) {
        notes.push(ok(ws, "tasks_note", { task: "TASK-001", note: `${round}.${i}` }));
        const before = performance.now();
        while (performance.now() - before < 3);
      }
      const revisions = (await Promise.all(notes)).map((reply) => Number(reply["revision"]));
      expect(revisions).toEqual(revisions.toSorted((a, b) => a - b));
    }
  });

  it("[regression ENG-21] gets its replies where the timers of its process stand still, and afterwards", async () => {
    const ws = openTemp({ durability: "os", projections: "manual" });
    await newTask(ws);
    vi.useFakeTimers({ toFake: ["setTimeout", "setImmediate"] });
    const replies: Promise<Record<string, unknown>>[] = [];
    try {
      for (let i = 0; i < 3; i++) {
        const before = performance.now();
        replies.push(ok(ws, "tasks_note", { task: "TASK-001", note: `${i}` }));
        while (performance.now() - before < 15);
      }
      expect((await Promise.all(replies)).map((reply) => reply["revision"])).toEqual([2, 3, 4]);
    } finally {
      vi.useRealTimers();
    }
  });

  it("[regression ENG-21] is waited for by close, also where it waits for that turn", async () => {
    const ws = openTemp({ durability: "os", projections: "manual" });
    await newTask(ws);
    const before = performance.now();
    const replies = [ok(ws, "tasks_note", { task: "TASK-001", note: "first" })];
    while (performance.now() - before < 15);
    replies.push(ok(ws, "tasks_note", { task: "TASK-001", note: "second" }));
    await ws.close();
    expect((await Promise.all(replies)).map((reply) => reply["revision"])).toEqual([2, 3]);
  });
});
