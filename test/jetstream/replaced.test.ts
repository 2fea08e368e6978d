/** Shared logs that are deleted, made anew, restored or grown again, while processes have them open and while none has. */
import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { describe, expect, it, onTestFinished } from "vitest";
import { gatedLocks } from "../support/gated_locks.ts";
import { natsServer as startServer } from "../support/nats_servers.mjs";
import type { Workspace } from "../../src/engine/workspace.ts";
import { machinePath } from "../support/machine.ts";
import { filesOf, machine, machines } from "../support/machines.ts";
import { natsServer, withStream } from "../support/nats.ts";
import { tempFolder } from "../support/temp.ts";
import { call, newTask, notesOf, ok, WORKSPACE } from "../support/workspace.ts";

const position = (ws: Workspace): string => machinePath(ws.root, "shared", "position");

async function codeOf(ws: Workspace, text: string): Promise<string> {
  return (await call(ws, "tasks_note", { task: "TASK-001", note: text })).error?.code ?? "ok";
}

const lastOf = (url: string): Promise<number> =>
  withStream(url, async (name, { streams }) => (await streams.info(name)).state.last_seq);

/** A machine of its own fills the stream that came in the place of the old one. */
async function madeAnew(url: string, length: number): Promise<Workspace> {
  await withStream(url, async (name, { streams }) => {
    await streams.delete(name);
    await streams.delete(`OBJ_${name}`);
  });
  const other = machine(url);
  await other.shared.init(WORKSPACE);
  for (let i = 1; i < length; i++) await ok(other, "tasks_create", { kind: "task", title: `Other ${i}` });
  return other;
}

describe("a process that has the shared log open", () => {
  it.each([
    ["shorter", 1],
    ["as long as before", 4],
    ["longer", 6],
  ])("[SHARED-13] publishes nothing over one that was made in its place: %s", async (_, length) => {
    const server = await natsServer();
    const [a] = await machines(server.url, 1, { lockTimeoutMs: 2000 });
    await newTask(a!);
    for (const text of ["one", "two"]) await ok(a!, "tasks_note", { task: "TASK-001", note: text });
    expect(await lastOf(server.url)).toBe(4);
    await madeAnew(server.url, length);
    const before = filesOf(a!.root);
    expect(await codeOf(a!, "lost")).toBe("SHARED_REPLACED");
    expect(await codeOf(a!, "lost again")).toBe("SHARED_REPLACED");
    const radar = await call(a!, "tasks_radar", { task: "TASK-001" });
    expect([radar.error, radar.warnings.map(({ code }) => code)]).toEqual([null, ["SHARED_BEHIND"]]);
    expect(await lastOf(server.url)).toBe(length);
    expect(filesOf(a!.root)).toEqual(before);
  });

  it("[SHARED-13] refuses a call that waited for its turn meanwhile, and answers the calls behind it", async () => {
    const server = await natsServer();
    const [first] = await machines(server.url, 1);
    await newTask(first!);
    await first!.close();
    let isHeld = false;
    const a = machine(server.url, {
      root: first!.root,
      lockTimeoutMs: 5000,
      lockProvider: gatedLocks((name) => name === ".shared" && isHeld),
    });
    await ok(a, "tasks_note", { task: "TASK-001", note: "one" });
    isHeld = true;
    const waiting = codeOf(a, "two");
    await madeAnew(server.url, 2);
    await expect(a.shared.status()).rejects.toMatchObject({ code: "SHARED_REPLACED" });
    isHeld = false;
    expect(await waiting).toBe("SHARED_REPLACED");
    expect(await codeOf(a, "three")).toBe("SHARED_REPLACED");
    expect(notesOf(a.root)).toEqual(["one"]);
  });

  it("[SHARED-13] writes no position for the old one after another process has left, and goes on with the new one", async () => {
    const server = await natsServer();
    const [a] = await machines(server.url, 1, { lockTimeoutMs: 2000 });
    await newTask(a!);
    const leaving = machine(server.url, { root: a!.root });
    await ok(leaving, "tasks_note", { task: "TASK-001", note: "one" });
    const other = await madeAnew(server.url, 2);
    await leaving.shared.leave();
    // A process that heard of the new log meanwhile begins anew with this call.
    const first = await codeOf(a!, "not yet");
    expect([first, existsSync(position(a!))]).toEqual(first === "ok" ? ["ok", true] : ["SHARED_REPLACED", false]);
    await machine(server.url, { root: a!.root }).shared.init(WORKSPACE);
    await expect.poll(() => codeOf(a!, "two")).toBe("ok");
    for (const ws of [other, a!, other, a!]) await ws.shared.sync(WORKSPACE);
    expect(filesOf(other.root)).toEqual(filesOf(a!.root));
    expect(Object.values(filesOf(other.root)).join("")).toContain('"two"');
  });
});

/** A server whose streams fall back to what they were at a moment before, as with a backup that is put back. */
async function serverWithBackup() {
  const [data, copy] = [tempFolder(), tempFolder()];
  const server = await startServer(data);
  onTestFinished(server.kill);
  const turn = async (work: () => void): Promise<void> => {
    await server.kill();
    work();
    await server.start();
  };
  return {
    server,
    backUp: () => turn(() => cpSync(data, copy, { recursive: true })),
    restore: () =>
      turn(() => {
        rmSync(data, { recursive: true });
        cpSync(copy, data, { recursive: true });
      }),
  };
}

describe("a shared log that lost its end and grew again", () => {
  it.each([
    ["as long as before", "open", 1],
    ["longer", "open", 3],
    ["as long as before", "new", 1],
    ["longer", "new", 3],
  ] as const)("[SHARED-43] is taken for another one, where it is %s and the process is %s", async (_, kind, count) => {
    const { server, backUp, restore } = await serverWithBackup();
    const patient = { lockTimeoutMs: 5000 };
    const [a] = await machines(server.url, 1, patient);
    await newTask(a!);
    await a!.close();
    await backUp();
    const alive = machine(server.url, { root: a!.root, ...patient });
    await ok(alive, "tasks_note", { task: "TASK-001", note: "lost" });
    const last = await lastOf(server.url);
    if (kind === "new") await alive.close();
    await restore();
    const other = machine(server.url, patient);
    for (let i = 1; i <= count; i++) {
      await other.shared.sync(WORKSPACE);
      await ok(other, "tasks_note", { task: "TASK-001", note: `other ${i}` });
    }
    const found = await lastOf(server.url);
    expect(found).toBe(last - 1 + count);
    const asking = kind === "new" ? machine(server.url, { root: a!.root, ...patient }) : alive;
    await expect.poll(() => codeOf(asking, "over it"), { timeout: 10_000 }).not.toBe("SHARED_UNAVAILABLE");
    expect(await codeOf(asking, "over it")).toBe("SHARED_REPLACED");
    expect(await lastOf(server.url)).toBe(found);
    await asking.shared.leave();
    const again = machine(server.url, { root: a!.root });
    for (const ws of [again, other, again]) await ws.shared.sync(WORKSPACE);
    expect(notesOf(other.root)).toContain("lost");
    expect(notesOf(again.root)).toContain("other 1");
    expect(filesOf(other.root)).toEqual(filesOf(again.root));
  });

  it("[SHARED-43] is taken for another one also if its last message is the same as before", async () => {
    const { server, backUp, restore } = await serverWithBackup();
    const [a, b] = await machines(server.url, 2);
    await newTask(a!);
    await b!.shared.sync(WORKSPACE);
    await Promise.all([a!.close(), b!.close()]);
    await backUp();
    const late = machine(server.url, { root: a!.root });
    await ok(late, "tasks_create", { kind: "task", title: "Lost" });
    await ok(late, "tasks_note", { task: "TASK-001", note: "said twice" });
    await late.close();
    // Another machine that has the last message, by git for instance, and not the one before it.
    const line = readFileSync(`${a!.root}/.coco/tasks/TASK-001/events.jsonl`);
    await restore();
    const c = machine(server.url, { root: b!.root });
    await ok(c, "tasks_create", { kind: "task", title: "In its place" });
    writeFileSync(`${b!.root}/.coco/tasks/TASK-001/events.jsonl`, line);
    await c.shared.sync(WORKSPACE);
    expect(await lastOf(server.url)).toBe(4);
    const asking = machine(server.url, { root: a!.root });
    expect(await codeOf(asking, "over it")).toBe("SHARED_REPLACED");
  });

  it("[SHARED-43] a position of an earlier version names no mark, and gets one with the next change", async () => {
    const server = await natsServer();
    const [a] = await machines(server.url, 1);
    await newTask(a!);
    await a!.close();
    const text = readFileSync(position(a!), "latin1");
    expect(text).toMatch(/ @[\w-]{43}/);
    writeFileSync(position(a!), text.replaceAll(/ @[\w-]{43}/g, ""));
    const later = machine(server.url, { root: a!.root });
    expect(await codeOf(later, "one")).toBe("ok");
    await later.close();
    expect(readFileSync(position(a!), "latin1")).toMatch(/^s \d+$|^m \d+ @[\w-]{43} /m);
  });
});
