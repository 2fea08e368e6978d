/**
 * The transport between the SDK and the lines of a client. It refuses what is no request of the protocol. It takes
 * batches apart and puts their answers together. It notices what a client listens to, and bounds the calls under way. A client that
 * asks and does not read its answers is not read either.
 */
import type { JSONRPCMessage, JSONRPCResponse, Transport } from "@modelcontextprotocol/server";
import type { Readable, Writable } from "node:stream";
import { BATCH_REVISION, judgeLine, MAX_UNDER_WAY } from "./jsonrpc.ts";
import type { Judged, Refusal } from "./jsonrpc.ts";

/** These are answered when the client stops to listen. */
const LASTING = "subscriptions/listen";

type Answer = JSONRPCMessage | Refusal;

/** The answers to the messages of one line: written as one list when the last is there. */
interface Batch {
  missing: number;
  answers: Answer[];
}

export class Wire implements Transport {
  heard: (method: string) => void = () => undefined;
  closed: () => void = () => undefined;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #lines: Readable;
  readonly #output: Writable;
  /** Of the requests of each id that are not answered, the batch of each: a client may give one id to many. */
  readonly #underWay = new Map<string | number, (Batch | undefined)[]>();
  #count = 0;
  #hasBatches = false;
  #isClosed = false;

  /** `lines` gives one whole line at a time, as BoundedLines does. */
  constructor(lines: Readable, output: Writable) {
    this.#lines = lines;
    this.#output = output;
  }

  async start(): Promise<void> {
    this.#lines.on("data", this.#take);
    this.#lines.on("error", this.#failed);
    this.#lines.on("end", this.#end);
    this.#lines.on("close", this.#end);
    // This listener stays, because a write can fail after the end, where no caller waits for it.
    this.#output.on("error", (e: Error) => {
      if (this.#isClosed) return;
      this.#failed(e);
      this.#end();
    });
    if (this.#lines.readableEnded || this.#lines.destroyed) setImmediate(this.#end);
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#lines.off("data", this.#take);
    this.#lines.off("error", this.#failed);
    this.#lines.off("end", this.#end);
    this.#lines.off("close", this.#end);
    this.#lines.pause();
    this.onclose?.();
    this.closed();
  }

  /** Ends when the client has room for more. */
  async send(message: JSONRPCMessage): Promise<void> {
    if ("method" in message || message.id === undefined) return this.#write(message);
    const under = this.#underWay.get(message.id);
    const batch = under?.[0];
    try {
      if (batch) await this.#answered(batch, message);
      else await this.#write(message);
    } finally {
      this.#ended(message.id, 1);
    }
  }

  readonly #failed = (e: Error): void => this.onerror?.(e);
  readonly #end = (): void => void this.close();

  readonly #take = (line: Buffer): void => {
    const judged = judgeLine(line, this.#hasBatches);
    if (judged === undefined) return;
    if (!("batch" in judged)) return this.#handle(judged);
    const batch: Batch = { missing: 1, answers: [] };
    for (const one of judged.batch) this.#handle(one, batch);
    // Refusals are answers already. If all are, this call writes the list.
    this.#answered(batch).catch(this.#failed);
  };

  #handle(judged: Judged, batch?: Batch): void {
    if ("passedOver" in judged) return this.#failed(new Error(`passed over ${judged.passedOver}`));
    if ("refusal" in judged) {
      if (batch) batch.answers.push(judged.refusal);
      else this.#write(judged.refusal).catch(this.#failed);
      return;
    }
    const { message } = judged;
    if ("method" in message) {
      this.heard(message.method);
      this.#begun(message, batch);
    }
    this.onmessage?.(message);
  }

  #begun(message: Exclude<JSONRPCMessage, JSONRPCResponse>, batch: Batch | undefined): void {
    if (message.method === "initialize") this.#hasBatches = message.params?.["protocolVersion"] === BATCH_REVISION;
    if (message.method === "notifications/cancelled") {
      const { requestId } = (message.params ?? {}) as { requestId?: string | number };
      // It is not answered any more.
      if (requestId !== undefined) this.#canceled(requestId);
      return;
    }
    if (!("id" in message) || message.method === LASTING) return;
    const others = this.#underWay.get(message.id);
    if (others) others.push(batch);
    else this.#underWay.set(message.id, [batch]);
    if (batch) batch.missing++;
    if (++this.#count >= MAX_UNDER_WAY) this.#lines.pause();
  }

  #canceled(id: string | number): void {
    const under = this.#underWay.get(id) ?? [];
    for (const batch of under) if (batch) this.#answered(batch).catch(this.#failed);
    this.#ended(id, under.length);
  }

  #ended(id: string | number, answers: number): void {
    const under = this.#underWay.get(id) ?? [];
    const ended = under.splice(0, answers).length;
    if (under.length === 0) this.#underWay.delete(id);
    this.#count -= ended;
    if (!this.#isClosed && this.#count < MAX_UNDER_WAY && this.#lines.isPaused()) this.#lines.resume();
  }

  /** One answer of a batch is there, or will not come. Of a batch of notifications nothing is said. */
  async #answered(batch: Batch, answer?: Answer): Promise<void> {
    if (answer) batch.answers.push(answer);
    if (--batch.missing === 0 && batch.answers.length > 0) await this.#write(batch.answers);
  }

  async #write(message: Answer | readonly Answer[]): Promise<void> {
    if (this.#isClosed) throw new Error("The connection is closed.");
    if (this.#output.write(`${JSON.stringify(message)}\n`)) return;
    await new Promise<void>((done, failed) => {
      const drained = (): void => {
        this.#output.off("error", refused);
        done();
      };
      const refused = (e: Error): void => {
        this.#output.off("drain", drained);
        failed(e);
      };
      this.#output.once("drain", drained);
      this.#output.once("error", refused);
    });
  }
}
