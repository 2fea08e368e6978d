/** Servers that send bytes of no NATS server. */
import type { AddressInfo, Socket } from "node:net";
import { connect, createServer } from "node:net";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { jetstream } from "../../src/hosts/jetstream/jetstream.ts";
import { taskfold } from "../support/taskfold.ts";
import { natsServer } from "../support/nats.ts";
import { newTask, openTemp, WORKSPACE } from "../support/workspace.ts";

const GARBAGE = "\u0000\u0001 no word of NATS\r\n";

async function listening(serve: (socket: Socket) => void): Promise<string> {
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    serve(socket);
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  onTestFinished(() => void server.close());
  return `nats://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe("a server that sends what no client understands", () => {
  it.each([
    [1, ["--json", "shared", "init", "--workspace", WORKSPACE]],
    [2, ["mcp"]],
  ] as const)("[regression SHARED-54] leaves the standard output to the command (%i lines)", async (answers, args) => {
    const url = await listening((socket) => {
      socket.write('INFO {"server_id":"x","version":"2.9.10","max_payload":1048576,"headers":true,"proto":1}\r\n');
      socket.once("data", () => socket.write(GARBAGE));
    });
    const hello = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } };
    const asked = [
      { id: 1, method: "initialize", params: hello },
      {
        id: 2,
        method: "tools/call",
        params: { name: "tasks_note", arguments: { workspace: WORKSPACE, task: "TASK-001", note: "x" } },
      },
    ].map((one) => `${JSON.stringify({ jsonrpc: "2.0", ...one })}\n`);
    const local = openTemp();
    await newTask(local);
    await local.close();
    const env = { TASKFOLD_SHARED: url, TASKFOLD_BY: "human:ann" };
    const { out } = await taskfold(local.root, { env, input: asked.join(""), until: answers }, ...args);
    const lines = out.trim().split("\n");
    expect(lines).toHaveLength(answers);
    expect(lines.map((line) => typeof JSON.parse(line))).toEqual(lines.map(() => "object"));
    expect(out).toContain("SHARED_UNAVAILABLE");
  });

  it("[regression SHARED-54] in the middle of a connection is left, and the next connection works", async () => {
    const server = await natsServer();
    let inject = (): void => undefined;
    const url = await listening((socket) => {
      const there = connect(server.port, "127.0.0.1");
      there.on("error", () => undefined);
      socket.pipe(there).pipe(socket);
      inject = () => void socket.write(GARBAGE);
    });
    const said = vi.spyOn(console, "log");
    const log = await jetstream({ servers: url, stream: "taskfold-garbage", timeoutMs: 1000 }).connect(WORKSPACE);
    onTestFinished(() => log.close());
    await log.create({ workspace: WORKSPACE, ids: "sequential" });
    const { doubts } = log;
    inject();
    await expect.poll(() => log.doubts, { timeout: 5000 }).toBeGreaterThan(doubts);
    await expect.poll(() => log.connected, { timeout: 5000 }).toBe(true);
    expect(await log.state()).toMatchObject({ last: 1 });
    expect(said).not.toHaveBeenCalled();
  });
});
