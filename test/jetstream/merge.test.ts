import { describe, expect, it } from "vitest";
import type { Workspace } from "../../src/engine/workspace.ts";
import { nodeRuntime } from "../../src/node_runtime.ts";
import type { Runtime } from "../../src/runtime.ts";
import type { Which } from "../support/disk_calls.ts";
import { FaultyDisk } from "../support/faulty_disk.ts";
import { filesOf, machine, machines } from "../support/machines.ts";
import { droppingProxy, natsServer } from "../support/nats.ts";
import { call, newTask, notesOf, ok, WORKSPACE } from "../support/workspace.ts";

const MERGE = { log: { mode: "merge", timeoutMs: 500 } } as const;

async function synced(...all: Workspace[]): Promise<void> {
  for (const one of [...all, ...all]) await one.shared.sync(WORKSPACE);
}

describe("machines in mode merge", () => {
  it("[regression SHARED-71] go on, tell the next call and try again if a disk fails in words of its own while no call waits", async () => {
    const server = await natsServer();
    const disk = new FaultyDisk();
    const [a, b] = await machines(server.url, 2, MERGE);
    const c = machine(server.url, { disk, ...MERGE });
    await newTask(a!);
    await synced(b!, c);
    const fails = (which: Which): void =>
      disk.meanwhile(which, () => {
        throw new Error("the tape is torn");
      });
    const told = async (): Promise<string[]> =>
      (await call(c, "tasks_radar", { task: "TASK-001" })).warnings.map((w) => w.code);
    // The publish behind a change.
    fails({ kind: "lstat", path: "shared/position" });
    await ok(c, "tasks_note", { task: "TASK-001", note: "of c" });
    await expect.poll(() => notesOf(b!.root), { timeout: 5000 }).toEqual(["of c"]);
    expect(await told()).toEqual(["SHARED_BEHIND"]);
    // The folding of what was taken in.
    fails({ kind: ["rename", "exchange"], path: /TASK-001/ });
    await ok(b!, "tasks_note", { task: "TASK-001", note: "of b" });
    await expect.poll(told, { timeout: 5000 }).toEqual(["PROJECTION_FAILED"]);
    await ok(c, "tasks_note", { task: "TASK-001", note: "of c, too" });
    await synced(c, b!);
    expect(filesOf(c.root)).toEqual(filesOf(b!.root));
  });

  it("[SHARED-30] publish behind, and have each other's changes without being asked", async () => {
    const server = await natsServer();
    const [a, b] = await machines(server.url, 2, MERGE);
    await newTask(a!);
    await b!.shared.catchUp(WORKSPACE);
    await expect.poll(() => filesOf(b!.root)[".coco/tasks/TASK-001/events.jsonl"], { timeout: 5000 }).toBeTruthy();
    await ok(b!, "tasks_note", { task: "TASK-001", note: "from b" });
    await expect.poll(() => notesOf(a!.root), { timeout: 5000 }).toEqual(["from b"]);
    await synced(a!, b!);
    expect(filesOf(b!.root)).toEqual(filesOf(a!.root));
  });

  it("[SHARED-30] that were apart wrote the same task: in the end all have the same bytes, and nothing is lost", async () => {
    const server = await natsServer();
    const proxy = await droppingProxy(server.port);
    const [a] = await machines(server.url, 1, MERGE);
    await newTask(a!);
    await synced(a!);
    const b = machine(proxy.url, MERGE);
    await synced(b);
    proxy.drop("both");
    for (let i = 0; i < 5; i++) {
      await ok(a!, "tasks_note", { task: "TASK-001", note: `a ${i}` });
      await ok(b, "tasks_note", { task: "TASK-001", note: `b ${i}` });
    }
    await ok(a!, "tasks_create", { kind: "task", id: "TASK-007", title: "Of a" });
    await ok(b, "tasks_create", { kind: "task", id: "TASK-007", title: "Of b" });
    proxy.heal();
    await expect
      .poll(
        () =>
          synced(a!, b).then(
            () => "ok",
            (e: Error) => e.message,
          ),
        { timeout: 20_000 },
      )
      .toBe("ok");
    await synced(a!, b);
    expect(notesOf(a!.root).toSorted()).toEqual([0, 1, 2, 3, 4].flatMap((i) => [`a ${i}`, `b ${i}`]).toSorted());
    expect(filesOf(b.root)).toEqual(filesOf(a!.root));
    expect(Object.keys(filesOf(a!.root)).filter((path) => /TASK-007-[0-9a-f]{6}\/events/.test(path))).toHaveLength(1);
    expect(a!.verify().findings.filter((one) => !one.info)).toEqual([]);
  });

  it("[SHARED-30] go on without a server, also from one process to the next, and publish when it is there", async () => {
    const server = await natsServer();
    const [a] = await machines(server.url, 1, MERGE);
    await newTask(a!);
    await synced(a!);
    await server.kill();
    await ok(a!, "tasks_note", { task: "TASK-001", note: "offline" });
    await a!.close();
    const again = machine(server.url, { root: a!.root, ...MERGE });
    await ok(again, "tasks_note", { task: "TASK-001", note: "offline, too" });
    await again.close();
    await server.start();
    const back = machine(server.url, { root: a!.root, ...MERGE });
    const b = machine(server.url, MERGE);
    await synced(back, b);
    expect(notesOf(b.root)).toEqual(["offline", "offline, too"]);
    expect(filesOf(b.root)).toEqual(filesOf(back.root));
  });

  it("[regression SHARED-65] publish as soon as a server is back, however long the next attempt would have waited", async () => {
    const server = await natsServer();
    // The attempt after this wait would never come.
    const LONG = 4000;
    const asked: number[] = [];
    const after: Runtime["after"] = (ms, call, idle) => {
      asked.push(ms);
      return nodeRuntime.after(ms === LONG ? 2 ** 30 : ms, call, idle);
    };
    const [a, b] = await machines(server.url, 2, { ...MERGE, runtime: { ...nodeRuntime, after } });
    await newTask(a!);
    await synced(a!, b!);
    await server.kill();
    await ok(a!, "tasks_note", { task: "TASK-001", note: "offline" });
    await expect.poll(() => asked.includes(LONG), { timeout: 20_000 }).toBe(true);
    await server.start();
    await expect.poll(() => notesOf(b!.root), { timeout: 20_000 }).toEqual(["offline"]);
  });

  it("[SHARED-32] say of a claim that others do not know it yet", async () => {
    const server = await natsServer();
    const [a] = await machines(server.url, 1, MERGE);
    await newTask(a!);
    const claimed = await call(a!, "tasks_claim", { task: "TASK-001", path: "s:0" });
    expect([claimed.error, claimed.warnings.map((w) => w.code)]).toEqual([null, ["CLAIM_NOT_SHARED"]]);
  });
});
