/**
 * Bytes that no server of NATS sends. The client writes of them to the standard output, which belongs to the caller (MCP, `--json`). Then it
 * hears nothing more on a connection that it takes for open.
 */
import type { NatsPackages } from "./packages.ts";

/** The part of the client that reads bytes, and the one that it tells. */
interface Parser {
  parse: (bytes: Uint8Array) => void;
  dispatcher?: {
    /** While a connection is being made. */
    connectError?: (e: unknown) => void;
    transport?: { disconnect?: () => void };
  };
}

const guarded = new WeakSet<object>();

/** Such a connection ends, and the client makes another one. Another version of the client may work on without the guard. */
export function guardParser(transport: NatsPackages["transport"]): void {
  const parser = (transport as { Parser?: { prototype: Parser } }).Parser?.prototype;
  if (typeof parser?.parse !== "function" || guarded.has(parser)) return;
  guarded.add(parser);
  const { parse } = parser;
  parser.parse = function (this: Parser, bytes) {
    try {
      parse.call(this, bytes);
    } catch (e) {
      const { connectError, transport: connection } = this.dispatcher ?? {};
      if (connectError) connectError(e);
      else connection?.disconnect?.();
    }
  };
}
