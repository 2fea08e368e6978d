/** Changes of one process that wait behind each other for servers that do not answer. */
import { expect, it } from "vitest";
import { filesOf, machine, machines } from "../support/machines.ts";
import { droppingProxy, natsServer } from "../support/nats.ts";
import { call, newTask, ok } from "../support/workspace.ts";

it("[SHARED-8] callers that wait together hear together that no server answers, and only the first is in doubt", async () => {
  const server = await natsServer();
  const proxy = await droppingProxy(server.port);
  const [a] = await machines(server.url, 1);
  await newTask(a!);
  const b = machine(proxy.url, { lockTimeoutMs: 600, log: { timeoutMs: 300 } });
  await ok(b, "tasks_note", { task: "TASK-001", note: "before" });
  const before = filesOf(b.root);
  proxy.drop("answers");
  // Each creation has a message of its own.
  const waiting = Array.from({ length: 8 }, (_, i) => call(b, "tasks_create", { kind: "task", title: `Task ${i}` }));
  const codes = (await Promise.all(waiting)).map(({ error }) => error?.code);
  expect(codes[0]).toBe("UNKNOWN_OUTCOME");
  // One that began to wait a moment later may still try.
  expect(new Set(codes.slice(2))).toEqual(new Set(["SHARED_UNAVAILABLE"]));
  expect(filesOf(b.root)).toEqual(before);
});
