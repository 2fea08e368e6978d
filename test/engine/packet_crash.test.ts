// @module-tag long
/** A process that dies while it makes a task with its packet, at every change of the disk. */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Workspace } from "../../src/engine/workspace.ts";
import { MANIFEST } from "../packet/packet_support.ts";
import { FaultyDisk } from "../support/faulty_disk.ts";
import { processIsGone, quick } from "../support/faulty_task.ts";
import { numbersOf, SWEEP, WHOLE } from "../support/sweep.ts";
import { tempFolder } from "../support/temp.ts";
import { call, ok, openTemp, WORKSPACE } from "../support/workspace.ts";

/** A sample stops at every so many changes. */
const STRIDE = 10;
const ID = "read-once";
const HOW = [
  ["the process dies", 0, false],
  ["the process dies in the middle of a write", 37, false],
  ["the power goes", 0, true],
] as const;

/** Dies at each change in turn, and looks at what a new process finds; the number of changes. */
async function eachCrash(
  work: (ws: Workspace) => Promise<unknown>,
  { tear, power }: { tear: number; power: boolean },
  look: (ws: Workspace, where: string) => Promise<void>,
): Promise<number> {
  const numbers = numbersOf(STRIDE);
  for (;;) {
    const n = numbers.next().value;
    const root = tempFolder();
    const before = openTemp({ root, disk: quick });
    await before.init(WORKSPACE);
    await before.close();
    const disk = new FaultyDisk(quick);
    const ws = openTemp({ root, disk });
    disk.stop(n, tear);
    await work(ws).catch(() => undefined);
    const died = disk.dead;
    if (power) disk.losePower();
    else disk.die();
    processIsGone(root);
    const again = openTemp({ root, disk: quick });
    await look(again, `stopped at change ${n}`);
    await again.close();
    if (!died) return n;
  }
}

function foreignFolder(): string {
  const folder = tempFolder();
  const FILES = {
    "manifest.yaml": JSON.stringify({ ...MANIFEST, task_id: ID }),
    "outputs/gemini_brief.gemini.out": "half a brief\n",
    "state/stats.json": '{"paid_calls_used": 3}',
  };
  for (const [path, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

/** Whether the packet is there; a task without it never is. */
async function isMade(ws: Workspace, where: string): Promise<boolean> {
  const { tasks } = (await ok(ws, "tasks_context", {})) as unknown as { tasks: { id: string }[] };
  const made = tasks.some(({ id }) => id === ID);
  const shown = await call(ws, "packet_show", { task: ID });
  expect(shown.error?.code ?? "shown", where).toBe(made ? "shown" : "UNKNOWN_ID");
  return made;
}

describe("a process that dies while it makes a packet", () => {
  const input = {
    create: true,
    manifest: { ...MANIFEST, task_id: ID },
    inputs: { "user_request.md": "Read it once.\n" },
  };

  it.each(HOW)(
    "[PACKET-120] %s: packet_define leaves the task with its packet, or neither",
    SWEEP,
    async (_how, tear, power) => {
      const made: boolean[] = [];
      const work = (ws: Workspace) => ws.call("packet_define", { workspace: WORKSPACE, ...input });
      const count = await eachCrash(work, { tear, power }, async (ws, where) => {
        made.push(await isMade(ws, where));
        if (!made.at(-1)) await ok(ws, "packet_define", input);
        expect(await isMade(ws, where), where).toBe(true);
      });
      expect(count).toBeGreaterThan(5);
      expect([made[0], made.at(-1)]).toEqual([WHOLE ? false : made[0], true]);
    },
  );

  it.each(HOW)(
    "[PACKET-120] %s: an import leaves the task with all it took, or nothing",
    SWEEP,
    async (_how, tear, power) => {
      const made: boolean[] = [];
      const folder = foreignFolder();
      const work = (ws: Workspace) => ws.packets.import(folder);
      const count = await eachCrash(work, { tear, power }, async (ws, where) => {
        made.push(await isMade(ws, where));
        if (!made.at(-1)) await ws.packets.import(folder);
        await ok(ws, "tasks_note", { task: ID, note: "on" });
        expect(await ok(ws, "packet_show", { task: ID }), where).toMatchObject({
          packet: { budgets: { paid_calls_used: 3 } },
        });
        expect(existsSync(join(ws.root, ".coco/tasks", ID, "outputs/gemini_brief.gemini.out")), where).toBe(true);
        expect(
          ws.verify().findings.filter(({ info }) => !info),
          where,
        ).toEqual([]);
      });
      expect(count).toBeGreaterThan(10);
      expect([made[0], made.at(-1)]).toEqual([WHOLE ? false : made[0], true]);
    },
  );
});

describe("packet_define with create", () => {
  it("[PACKET-120] takes task, else task_id, else the next number as the id", async () => {
    const ws = openTemp();
    const made = async (more: object) =>
      (await ok(ws, "packet_define", { create: true, manifest: MANIFEST, ...more }))["task"];
    expect(await made({})).toBe("TASK-001");
    expect(await made({ task: "mine" })).toBe("mine");
    expect(await made({ manifest: { ...MANIFEST, task_id: ID } })).toBe(ID);
    const key = { idempotency_key: "k" };
    expect(await made(key)).toBe(await made(key));
    const taken = await ws.call("packet_define", { workspace: WORKSPACE, create: true, task: ID, manifest: MANIFEST });
    expect(taken.error?.code).toBe("ID_TAKEN");
    const faulty = await ws.call("packet_define", { workspace: WORKSPACE, create: true, manifest: { goal: 7 } });
    expect(faulty.error?.code).toBe("INVALID_INPUT");
    expect((await ok(ws, "tasks_context", {}))["tasks"]).toHaveLength(4);
  });
});
