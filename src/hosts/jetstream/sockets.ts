/**
 * Sockets of the NATS client that fail no process. The client takes all listeners off a socket before it destroys it. An error of a write
 * that was under way comes a moment later, and an error event without a listener ends the process.
 */
import type { Socket } from "node:net";
import type { NatsConnection } from "@nats-io/transport-node";

/** The part of the client that is given its socket, after each connect and before the first write. */
interface NodeTransport {
  socket?: Socket;
  setupHandlers?: () => void;
}

const guarded = new WeakSet<object>();

/** For this connection and all that its process opens from now on. Another version of the client may work on without the guard. */
export function guardSockets(connection: NatsConnection): void {
  const { transport } = (connection as { protocol?: { transport?: NodeTransport } }).protocol ?? {};
  if (!transport) return;
  if (transport.socket) guard(transport.socket);
  const client = Object.getPrototypeOf(transport) as NodeTransport;
  const { setupHandlers } = client;
  if (guarded.has(client) || typeof setupHandlers !== "function") return;
  guarded.add(client);
  client.setupHandlers = function (this: NodeTransport) {
    setupHandlers.call(this);
    if (this.socket) guard(this.socket);
  };
}

function guard(socket: Socket): void {
  const removeAll = socket.removeAllListeners.bind(socket);
  socket.removeAllListeners = (event) => {
    removeAll(event);
    // The client learns that the socket has closed, or has closed it itself.
    return socket.on("error", () => undefined);
  };
}
