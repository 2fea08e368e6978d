/** Connections that end while the NATS client writes. */
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { Socket } from "node:net";
import { setImmediate } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { jetstream } from "../../src/hosts/jetstream/jetstream.ts";
import { natsServer } from "../support/nats.ts";
import { WORKSPACE } from "../support/workspace.ts";

const OPENED = "net.client.socket";

/** Sockets that this process opens meanwhile. */
function openedSockets(): Socket[] {
  const found: Socket[] = [];
  const note = (message: unknown): void => {
    const { socket } = message as { socket: unknown };
    if (socket instanceof Socket) found.push(socket);
  };
  subscribe(OPENED, note);
  onTestFinished(() => void unsubscribe(OPENED, note));
  return found;
}

function uncaught(): unknown[] {
  const found: unknown[] = [];
  const others = process.listeners("uncaughtException");
  const note = (e: unknown): void => void found.push(e);
  process.removeAllListeners("uncaughtException").on("uncaughtException", note);
  onTestFinished(() => {
    process.off("uncaughtException", note);
    for (const one of others) process.on("uncaughtException", one);
  });
  return found;
}

describe("a write behind the end of the socket", () => {
  it("[regression SHARED-49] fails no process where the client has taken its listeners off, and the next connection works", async () => {
    const server = await natsServer();
    const sockets = openedSockets();
    const failures = uncaught();
    const log = await jetstream({ servers: server.url, stream: "taskfold-sockets", timeoutMs: 500 }).connect(WORKSPACE);
    onTestFinished(() => log.close());
    await log.create({ workspace: WORKSPACE, ids: "sequential" });
    for (let round = 1; round <= 2; round++) {
      const socket = sockets.findLast(({ remotePort }) => remotePort === server.port)!;
      socket.end();
      // What the client does when it closes or replaces a connection.
      socket.write("PING\r\n");
      const closed = new Promise((done) => setTimeout(done, 50));
      const listeners = socket.listeners("close");
      socket.removeAllListeners();
      for (const one of listeners) socket.on("close", one as () => void);
      socket.destroy();
      await closed;
      await setImmediate();
      await expect.poll(() => log.connected, { timeout: 5000 }).toBe(true);
      expect(await log.state()).toMatchObject({ last: 1 });
    }
    expect(failures).toEqual([]);
  });
});
