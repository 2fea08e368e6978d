import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { readdirSync } from "node:fs";
import { describe, expect, it, onTestFinished } from "vitest";
import { openWorkspace } from "../../src/testing.ts";
import type { Workspace } from "../../src/engine/workspace.ts";
import { child } from "../support/child.ts";
import { FaultyDisk } from "../support/faulty_disk.ts";
import { gatedLocks } from "../support/gated_locks.ts";
import { filesOf, machine, machines } from "../support/machines.ts";
import { natsServer } from "../support/nats.ts";
import { ROOT } from "../support/source.ts";
import { newTask, notesOf, ok, WORKSPACE } from "../support/workspace.ts";

const TASKS = ["TASK-001", "TASK-002"];

/** Blocks a step of two tasks, both or none. */
async function blockBoth(ws: Workspace): Promise<void> {
  const operations = TASKS.map((task) => ({ tool: "tasks_block", args: { task, path: "s:0", reason: "waits" } }));
  await ok(ws, "tasks_batch", { atomic: true, operations });
}

async function blocked(ws: Workspace): Promise<unknown[]> {
  const radars = await Promise.all(TASKS.map((task) => ok(ws, "tasks_radar", { task })));
  return radars.map(({ steps }) => (steps as { blocked: number }).blocked);
}

function withoutServer(root: string): Workspace {
  const ws = openWorkspace({ root, durability: "os" });
  onTestFinished(() => ws.close());
  return ws;
}

/** A process of that machine that takes in, and is killed once it wrote a line of the transaction to one log. */
function killedBetween(root: string, url: string, mode: string): Promise<unknown> {
  return child(
    root,
    `import fs from "node:fs";
     import { syncBuiltinESMExports } from "node:module";
     import { jetstream } from ${JSON.stringify(pathToFileURL(join(ROOT, "dist/jetstream.js")).href)};
     const kill = (bytes) => {
       const text = Buffer.isBuffer(bytes) ? bytes.toString("latin1") : "";
       if (text.includes('"type":"step.blocked"') && !text.startsWith('{"v":1')) process.kill(process.pid, "SIGKILL");
     };
     for (const name of ["writeSync", "writevSync"]) {
       const real = fs[name];
       fs[name] = (fd, bytes, ...rest) => { const n = real(fd, bytes, ...rest); kill(bytes); return n; };
     }
     syncBuiltinESMExports();
     const shared = jetstream({ servers: ${JSON.stringify(url)}, mode: ${JSON.stringify(mode)} });
     const ws = openWorkspace({ root, shared });
     process.send(await ws.shared.catchUp(${JSON.stringify(WORKSPACE)}));`,
  );
}

async function twoTasks(mode: "strict" | "merge") {
  const server = await natsServer();
  const [a, b] = await machines(server.url, 2, { log: { mode } });
  for (const id of TASKS) await newTask(a!, id);
  await a!.shared.sync();
  await b!.shared.sync(WORKSPACE);
  await b!.close();
  return { server, a: a!, root: b!.root };
}

describe("a transaction of another machine", () => {
  it("[SHARED-1] is seen whole by readers, and finished by the next write, if its process is killed between the logs", async () => {
    const { server, a, root } = await twoTasks("strict");
    await blockBoth(a);
    expect(await killedBetween(root, server.url, "strict")).toBe("exited: null");
    expect(readdirSync(join(root, ".coco/registry/journal"))).toHaveLength(1);
    const reader = withoutServer(root);
    expect(await blocked(reader)).toEqual([1, 1]);
    const b = machine(server.url, { root });
    await b.shared.sync();
    expect(readdirSync(join(root, ".coco/registry/journal"))).toEqual([]);
    expect(await blocked(b)).toEqual([1, 1]);
    await a.shared.sync();
    expect(filesOf(root)).toEqual(filesOf(a.root));
    expect(b.verify().findings).toEqual([]);
  });

  it("[SHARED-1] [SHARED-12] that made an id which this machine has, too, waits for the exchange to name the later one", async () => {
    const { server, a: before, root } = await twoTasks("merge");
    await before.close();
    // What was done without a server goes out in one message.
    const away = withoutServer(before.root);
    await blockBoth(away);
    await ok(away, "tasks_create", { kind: "task", id: "TASK-003", title: "Earlier" });
    await away.close();
    const a = machine(server.url, { root: before.root, log: { mode: "merge" } });
    await a.shared.sync();
    const alone = withoutServer(root);
    await ok(alone, "tasks_create", { kind: "task", id: "TASK-003", title: "Later" });
    await alone.close();
    const disk = new FaultyDisk();
    const log = { mode: "merge" } as const;
    const cut = machine(server.url, { root, log, disk });
    disk.fail({ kind: ["write", "rename"], path: /tasks.TASK-00[23].*events\.jsonl/ }, "ENOSPC", { times: 999 });
    await expect(cut.shared.catchUp(WORKSPACE)).rejects.toMatchObject({ code: "UNKNOWN_OUTCOME" });
    await cut.close();
    expect(readdirSync(join(root, ".coco/registry/journal"))).toHaveLength(1);
    const reader = withoutServer(root);
    await ok(reader, "tasks_note", { task: "TASK-001", note: "a write without a server" });
    expect(((await ok(reader, "tasks_radar", { task: "TASK-002" })).steps as { blocked: number }).blocked).toBe(1);
    await reader.close();
    const b = machine(server.url, { root, log });
    for (const one of [b, a, b]) await one.shared.sync();
    expect(readdirSync(join(root, ".coco/registry/journal"))).toEqual([]);
    expect(readdirSync(join(root, ".coco/tasks/TASK-003"))).toContain("events.jsonl");
    expect(filesOf(root)).toEqual(filesOf(a.root));
    expect((await b.shared.verify()).findings).toEqual([]);
  });

  it("[SHARED-1] is kept together also where a log of this machine went on meanwhile", async () => {
    const { server, a, root } = await twoTasks("merge");
    await blockBoth(a);
    await a.shared.sync();
    const alone = withoutServer(root);
    await ok(alone, "tasks_note", { task: "TASK-002", note: "written here meanwhile" });
    await alone.close();
    expect(await killedBetween(root, server.url, "merge")).toBe("exited: null");
    const reader = withoutServer(root);
    expect(await blocked(reader)).toEqual([1, 1]);
    // A write that knows of no server finishes it, and the exchange puts the lines in order.
    await ok(reader, "tasks_note", { task: "TASK-001", note: "a write without a server" });
    expect(readdirSync(join(root, ".coco/registry/journal"))).toEqual([]);
    await reader.close();
    const b = machine(server.url, { root, log: { mode: "merge" } });
    await b.shared.sync();
    await a.shared.sync();
    await b.shared.sync();
    expect(await blocked(b)).toEqual([1, 1]);
    expect(filesOf(root)).toEqual(filesOf(a.root));
    expect(b.verify().findings).toEqual([]);
    expect((await b.shared.verify()).findings).toEqual([]);
  });
});

describe("a transaction that waits for its turn", () => {
  /** Two machines with three tasks. A process of the first one waits while `turn` is held. */
  async function waiting() {
    const { url } = await natsServer();
    const [first, b] = await machines(url, 2);
    for (const id of [...TASKS, "TASK-003"]) await newTask(first!, id);
    await b!.shared.sync(WORKSPACE);
    const { root } = first!;
    await first!.close();
    const turn = { isHeld: false };
    const locks = gatedLocks((name) => name === ".shared" && turn.isHeld);
    const a = machine(url, { root, lockTimeoutMs: 5000, lockProvider: locks });
    await ok(a, "tasks_focus_set", { task: "TASK-001" });
    await ok(a, "tasks_note", { task: "TASK-003", note: "before" });
    return { url, root, a, b: b!, turn };
  }

  const wait = (): Promise<unknown> => new Promise((done) => setTimeout(done, 50));
  const blocking = { atomic: true, operations: [{ tool: "tasks_block", args: { path: "s:0", reason: "waits" } }] };

  async function expectEqual(a: Workspace, b: Workspace): Promise<void> {
    await b.shared.sync(WORKSPACE);
    expect(filesOf(b.root)).toEqual(filesOf(a.root));
    for (const one of [a, b]) {
      expect(one.verify().findings).toEqual([]);
      expect((await one.shared.verify()).findings).toEqual([]);
    }
  }

  it("[TXN-10] goes to the task that is in focus by then, and no message has two parts about one task", async () => {
    const { root, a, b, turn } = await waiting();
    turn.isHeld = true;
    const calls = [ok(a, "tasks_note", { task: "TASK-003", note: "in front" })];
    await wait();
    calls.push(ok(a, "tasks_batch", blocking));
    await wait();
    calls.push(ok(a, "tasks_note", { task: "TASK-002", note: "beside" }));
    await wait();
    await ok(a, "tasks_focus_set", { task: "TASK-002" });
    turn.isHeld = false;
    await Promise.all(calls);
    expect(notesOf(root, "TASK-002")).toEqual(["beside"]);
    expect(await blocked(a)).toEqual([0, 1]);
    await expectEqual(a, b);
  });

  it("[TXN-10] publishes first what git brought to the task that is in focus by then", async () => {
    const { root, a, b, turn } = await waiting();
    turn.isHeld = true;
    const batch = ok(a, "tasks_batch", blocking);
    await wait();
    await ok(a, "tasks_focus_set", { task: "TASK-002" });
    await ok(withoutServer(root), "tasks_note", { task: "TASK-002", note: "of git" });
    turn.isHeld = false;
    await batch;
    expect(await blocked(a)).toEqual([0, 1]);
    await expectEqual(a, b);
    expect(notesOf(b.root, "TASK-002")).toEqual(["of git"]);
  });

  it("[TXN-10] gives the next ids if another machine took its own meanwhile, and leaves their locks free", async () => {
    const { url, root, a, b, turn } = await waiting();
    const steps = [{ title: "One", success_criteria: ["it works"], tests: ["npm test"] }];
    turn.isHeld = true;
    const made = ok(a, "tasks_bootstrap", { plan_title: "Of a", task_title: "Of a", steps });
    await wait();
    expect(await ok(b, "tasks_bootstrap", { plan_title: "Of b", task_title: "Of b", steps })).toMatchObject({
      plan: { id: "PLAN-001" },
      task: { id: "TASK-004" },
    });
    turn.isHeld = false;
    expect(await made).toMatchObject({ plan: { id: "PLAN-002" }, task: { id: "TASK-005" } });
    const other = machine(url, { root, lockTimeoutMs: 500 });
    await ok(other, "tasks_note", { task: "TASK-005", note: "of another process" });
    await a.shared.sync(WORKSPACE);
    await expectEqual(a, b);
  });
});
