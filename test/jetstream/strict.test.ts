import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { filesOf, machine, machines } from "../support/machines.ts";
import { natsServer } from "../support/nats.ts";
import { call, logPath, newTask, notesOf, ok, WORKSPACE } from "../support/workspace.ts";

describe("machines on one shared log", () => {
  it("[SHARED-1] have the changes of each other, and in the end the same bytes", async () => {
    const server = await natsServer();
    const [a, b, c] = await machines(server.url, 3);
    const id = await newTask(a!);
    await ok(b!, "tasks_note", { task: id, note: "from b" });
    await ok(c!, "tasks_note", { task: id, note: "from c" });
    await ok(a!, "tasks_note", { task: id, note: "from a" });
    for (const one of [a!, b!, c!]) await one.shared.sync(WORKSPACE);
    expect(notesOf(a!.root)).toEqual(["from b", "from c", "from a"]);
    expect(filesOf(b!.root)).toEqual(filesOf(a!.root));
    expect(filesOf(c!.root)).toEqual(filesOf(a!.root));
    expect(a!.verify().findings).toEqual([]);
    expect(b!.verify().findings).toEqual([]);
  });

  it("[SHARED-2] of racing claims exactly one wins", async () => {
    const server = await natsServer();
    const all = await machines(server.url, 3);
    const id = await newTask(all[0]!, "TASK-001", ["one", "two", "three", "four"]);
    for (const step of [0, 1, 2, 3]) {
      const replies = await Promise.all(
        all.map((one, i) =>
          one.callTool("tasks_claim", { workspace: WORKSPACE, task: id, path: `s:${step}` }, { by: `agent:n${i}` }),
        ),
      );
      expect(replies.map((reply) => reply.error?.code ?? "ok").toSorted()).toEqual(["LEASE_HELD", "LEASE_HELD", "ok"]);
    }
  });

  it("[SHARED-2] of racing creations each gets a number of its own, and calls that race lose nothing", async () => {
    const server = await natsServer();
    const all = await machines(server.url, 3);
    const made = await Promise.all(
      Array.from({ length: 9 }, (_, i) => ok(all[i % 3]!, "tasks_create", { kind: "task", title: `Task ${i}` })),
    );
    const ids = made.map((result) => result["id"] as string);
    expect(new Set(ids).size).toBe(9);
    const notes = Array.from({ length: 30 }, (_, i) => `note ${i}`);
    await Promise.all(notes.map((note, i) => ok(all[i % 3]!, "tasks_note", { task: ids[0]!, note })));
    for (const one of all) await one.shared.sync(WORKSPACE);
    expect(notesOf(all[0]!.root, ids[0]).toSorted()).toEqual(notes.toSorted());
    expect(filesOf(all[1]!.root)).toEqual(filesOf(all[0]!.root));
    expect(filesOf(all[2]!.root)).toEqual(filesOf(all[0]!.root));
    expect(all[1]!.verify().findings).toEqual([]);
  });

  it("[regression SHARED-5] a change and a transaction of one task at the same time go in messages of their own", async () => {
    const server = await natsServer();
    const [a, b] = await machines(server.url, 2);
    const pairs = [0, 2, 4, 6, 8, 10];
    const id = await newTask(
      a!,
      "TASK-001",
      Array.from({ length: 12 }, (_, i) => `Step ${i}`),
    );
    const blocking = (step: number) => ({
      tool: "tasks_block",
      args: { task: id, path: `s:${step}`, reason: "waits" },
    });
    await Promise.all(
      pairs.flatMap((step) => [
        ok(a!, "tasks_note", { task: id, note: `note ${step}` }),
        ok(a!, "tasks_batch", { atomic: true, operations: [blocking(step), blocking(step + 1)] }),
      ]),
    );
    await b!.shared.sync(WORKSPACE);
    expect(notesOf(b!.root, id)).toHaveLength(6);
    expect((await ok(b!, "tasks_radar", { task: id }))["steps"]).toMatchObject({ blocked: 12 });
    expect((await b!.shared.verify(WORKSPACE)).findings).toEqual([]);
  });

  it("[SHARED-12] a machine without any of it begins from nothing", async () => {
    const server = await natsServer();
    const [a] = await machines(server.url, 1);
    const id = await newTask(a!);
    const b = machine(server.url);
    const radar = await call(b, "tasks_radar", { task: id });
    expect(radar.error).toBeNull();
    expect(readFileSync(logPath(b.root))).toEqual(readFileSync(logPath(a!.root)));
  });
});
