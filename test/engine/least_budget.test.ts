import { expect, it } from "vitest";
import { TOOLS } from "../../src/tools/index.ts";
import { packetManifest } from "../support/packet_work.ts";
import { ok, openTemp } from "../support/workspace.ts";
import { sampleOf, SWEEP } from "../support/sweep.ts";

const SIZES = sampleOf([1, 2, 100, 200, 249, 250, 251, 255, 256, 257, 300, 1000], 3);

/** Characters that JSON writes as six. */
const long = (count: number): string => '\u0001"\\'.repeat(count);

const propertiesOf = (name: string): object => (TOOLS[name]!.input as unknown as { properties: object }).properties;

it("[BUDGET-1] every tool that takes max_chars keeps to it, or to 256, whatever the task holds", SWEEP, async () => {
  const workspace = `a/${"b".repeat(126)}`;
  const ws = openTemp({ by: `agent:${"x".repeat(64)}`, durability: "os" });
  const [plan, task] = ["P".repeat(64), "T".repeat(64)];
  const title = '"\\'.repeat(100);
  const [category, selector] = ["c".repeat(30), "s".repeat(30)];
  const steps = Array.from({ length: 14 }, (_, n) => ({
    title,
    success_criteria: [long(200)],
    tests: [long(100)],
    // Those behind the first two can be claimed.
    blockers: n < 2 ? [long(90)] : [],
  }));
  await ok(ws, "tasks_create", { workspace, id: plan, title } as never);
  await ok(ws, "tasks_create", { workspace, id: task, parent: plan, title, description: long(500), steps } as never);
  for (let i = 0; i < 12; i++) await ok(ws, "tasks_note", { workspace, task, note: long(300) } as never);
  await ok(ws, "tasks_block", { workspace, task, path: "s:0", reason: long(100) } as never);
  await ok(ws, "change_mind", { workspace, task, category, selector, content: long(900) } as never);
  await ok(ws, "tasks_create", { workspace, id: "TASK-PACKET", kind: "task", title } as never);
  const manifest = packetManifest({ task_id: "TASK-PACKET", goal: long(900) });
  await ok(ws, "packet_define", { workspace, task: "TASK-PACKET", manifest } as never);
  const names = Object.keys(TOOLS).filter((name) => "max_chars" in propertiesOf(name));
  expect(names.length).toBeGreaterThan(8);
  for (const name of names) {
    const properties = propertiesOf(name);
    const input = {
      workspace,
      ...("task" in properties ? { task: name.startsWith("packet_") ? "TASK-PACKET" : task } : {}),
      ...("selector" in properties ? { category, selector } : {}),
      ...("text" in properties ? { text: "a" } : {}),
    };
    for (const max_chars of SIZES) {
      const { result, error } = await ws.callTool(name, { ...input, max_chars });
      expect(error, name).toBeNull();
      expect(Array.from(JSON.stringify(result)).length, `${name} ${max_chars}`).toBeLessThanOrEqual(
        Math.max(max_chars, 256),
      );
    }
  }
});
