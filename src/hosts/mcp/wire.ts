/**
 * The SDK's transport with two additions of ours. One notices what a client listens to, which the SDK keeps to itself.
 * The other bounds the calls under way. A client that asks and does not read its answers is not read either.
 */
import type { JSONRPCMessage, JSONRPCResponse } from "@modelcontextprotocol/server";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import type { Readable, Writable } from "node:stream";

/** Requests whose answers are not written yet, at most. Four times what one group of writes holds. */
export const MOST_UNDER_WAY = 256;

/** These are answered when the client stops to listen. */
const LASTING = "subscriptions/listen";

export class Wire extends StdioServerTransport {
  heard: (method: string) => void = () => undefined;
  closed: () => void = () => undefined;
  readonly #lines: Readable;
  /** How many requests of each id are not answered: a client may give one id to many. */
  readonly #underWay = new Map<string | number, number>();
  #count = 0;

  constructor(lines: Readable, output: Writable, maxBufferSize: number) {
    super(lines, output, { maxBufferSize });
    this.#lines = lines;
  }

  override async start(): Promise<void> {
    const { onmessage, onclose } = this;
    this.onmessage = (message: JSONRPCMessage) => {
      if ("method" in message) {
        this.heard(message.method);
        this.#begun(message);
      }
      onmessage?.(message);
    };
    this.onclose = () => {
      onclose?.();
      this.closed();
    };
    await super.start();
  }

  override async send(message: JSONRPCMessage): Promise<void> {
    try {
      await super.send(message);
    } finally {
      if (!("method" in message) && message.id !== undefined) this.#ended(message.id, 1);
    }
  }

  #begun(message: Exclude<JSONRPCMessage, JSONRPCResponse>): void {
    if (message.method === "notifications/cancelled") {
      const { requestId } = (message.params ?? {}) as { requestId?: string | number };
      // It is not answered any more.
      if (requestId !== undefined) this.#ended(requestId, this.#underWay.get(requestId) ?? 0);
      return;
    }
    if (!("id" in message) || message.method === LASTING) return;
    this.#underWay.set(message.id, (this.#underWay.get(message.id) ?? 0) + 1);
    if (++this.#count >= MOST_UNDER_WAY) this.#lines.pause();
  }

  #ended(id: string | number, answers: number): void {
    const known = this.#underWay.get(id) ?? 0;
    const fewer = Math.min(known, answers);
    if (known > fewer) this.#underWay.set(id, known - fewer);
    else this.#underWay.delete(id);
    this.#count -= fewer;
    if (this.#count < MOST_UNDER_WAY && this.#lines.isPaused()) this.#lines.resume();
  }
}
