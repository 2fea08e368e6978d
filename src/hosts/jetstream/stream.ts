/** One stream of JetStream behind the port of the engine. */
import { createHash } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import type * as JetStream from "@nats-io/jetstream";
import type * as Objects from "@nats-io/obj";
import type * as Transport from "@nats-io/transport-node";
import type {
  OutgoingMessage,
  Published,
  SharedAbout,
  SharedLog,
  SharedMessage,
  SharedState,
} from "../../engine/core/shared_log.ts";
import { TaskfoldError } from "../../errors.ts";
import type { Access } from "./access.ts";
import { failureOf, isDenial, refusalOf } from "./failure.ts";
import type { StreamLimits } from "./make_stream.ts";
import { makeStream, subjectOf } from "./make_stream.ts";
import type { ObjectsOf } from "./objects.ts";
import { isWhole, objectBytes, putObject } from "./objects.ts";
import type { NatsPackages } from "./packages.ts";

export interface StreamOptions extends StreamLimits {
  workspace: string;
  address: string;
  stream?: string;
  timeoutMs: number;
  servers: string | readonly string[];
}

const ID = "Nats-Msg-Id";
const PART = "Taskfold-Part";
const BEHIND = "Taskfold-Behind";
/** Of a message, for its headers. */
const HEADER_BYTES = 4096;
/** So few are asked for one by one, which takes one round trip. */
const FEW = 16;
const AGAIN_MS = 200;
/** A server that answers nothing for so many questions is left for another one. */
const SILENT = 2;
/** Servers that lose one of them need up to nine seconds to agree on another one for its streams. */
const LEADER_MS = 15_000;
/** Bytes on their way to a reader that is slower than the server, which cuts off a client that leaves 64 MB of them unread. */
const MAX_UNREAD = 4 * 1024 * 1024;
/** A consumer that delivers nothing for so long is made anew. */
const EXPIRES_MS = 5000;
/** Words of a reader about a stream that may be gone, or another one. */
const READER_LOST: ReadonlySet<string> = new Set([
  "consumer_deleted",
  "consumer_not_found",
  "stream_not_found",
  "no_responders",
  "ordered_consumer_recreated",
]);

export function openStream(
  packages: NatsPackages,
  connection: Transport.NatsConnection,
  options: StreamOptions,
  access: Access,
): SharedLog {
  return new StreamLog(packages, connection, options, access);
}

class StreamLog implements SharedLog {
  readonly mostBytes: number;
  readonly #packages: NatsPackages;
  readonly #connection: Transport.NatsConnection;
  readonly #options: StreamOptions;
  readonly #name: string;
  readonly #js: JetStream.JetStreamClient;
  readonly #manager: Promise<JetStream.JetStreamManager>;
  readonly #access: Access;
  #isConnected = true;
  readonly #back = new Set<() => void>();
  #doubts = 0;
  /** Where its messages go: that of the stream which this connection found first. */
  #subject: string | undefined;
  #blobs: Promise<Objects.ObjectStore> | null = null;
  /** Whether several servers keep the stream. */
  #isReplicated = true;
  /** The last message that this machine published. It knew all messages before. */
  #accepted = 0;
  #publishing: Promise<unknown> = Promise.resolve();
  /** Since when neither a publish nor a question about the stream was answered. */
  #unanswered: number | null = null;

  constructor(packages: NatsPackages, connection: Transport.NatsConnection, options: StreamOptions, access: Access) {
    const { timeoutMs: timeout } = options;
    this.#packages = packages;
    this.#connection = connection;
    this.#options = options;
    this.#access = access;
    this.#name = options.stream ?? streamNameOf(options.workspace);
    this.#js = packages.jetStream.jetstream(connection, { timeout });
    this.#manager = packages.jetStream.jetstreamManager(connection, { timeout, checkAPI: false });
    this.mostBytes = (connection.info?.max_payload ?? 1024 * 1024) - HEADER_BYTES;
    this.#watchConnection().catch(() => this.#doubts++);
  }

  get connected(): boolean {
    return this.#isConnected && !this.#connection.isClosed();
  }

  get doubts(): number {
    return this.#doubts;
  }

  get refusal(): unknown {
    const { denial } = this.#access;
    return denial ? this.#refusal(denial) : undefined;
  }

  async state(): Promise<SharedState | null> {
    const asked = performance.now();
    for (;;) {
      try {
        const { streams } = await this.#manager;
        const info = await streams.info(this.#name);
        this.#unanswered = null;
        this.#subject ??= subjectOf(this.#name, info.config);
        this.#isReplicated = info.config.num_replicas > 1;
        return stateOf(info);
      } catch (e) {
        const { kind } = failureOf(this.#packages, e);
        if (!this.#mayPass(e)) this.#unanswered = null;
        if (kind === "no stream") return null;
        const isOver = performance.now() - asked > this.#options.timeoutMs;
        if (kind !== "absent" || isOver || !this.connected) {
          if (this.#mayPass(e)) this.#leaveSilentServer();
          throw this.#refusal(e);
        }
      }
      await wait(AGAIN_MS);
    }
  }

  async create(about: SharedAbout): Promise<SharedState> {
    // Waits for servers that are about to agree on a leader, and finds a stream that is none of ours.
    await this.state();
    try {
      const making = { ...this.#options, name: this.#name, js: this.#js, manager: await this.#manager };
      await makeStream(this.#packages, making, about);
    } catch (e) {
      throw this.#refusal(e);
    }
    const made = await this.state();
    if (!made) throw this.#refusal(new Error("the stream that was made is not there"));
    return made;
  }

  publish(message: OutgoingMessage, expected: number): Promise<Published> {
    const published = this.#publish(message, expected);
    this.#publishing = Promise.allSettled([published]);
    return published;
  }

  async #publish({ id, topic, part, behind, headers, body }: OutgoingMessage, expected: number): Promise<Published> {
    // The client would keep it and send it later.
    if (!this.connected) return { kind: "absent", why: "the connection is lost" };
    if (this.#subject === undefined) await this.state();
    const { transport } = this.#packages;
    const sent = transport.headers();
    for (const [name, value] of Object.entries(headers)) sent.set(name, value);
    if (part !== undefined) sent.set(PART, part);
    if (behind !== undefined) sent.set(BEHIND, behind);
    try {
      const { seq, duplicate } = await this.#js.publish(`${this.#subject}.${topic}`, body, {
        msgID: id,
        headers: sent,
        timeout: this.#options.timeoutMs,
        expect: { streamName: this.#name, lastSequence: expected },
      });
      this.#unanswered = null;
      // The server has the same lines already, and answers with that message. Those before it were not read yet.
      if (seq > expected && duplicate) return { kind: "lost", last: seq };
      if (seq <= expected) return { kind: "accepted", seq: expected };
      this.#accepted = Math.max(this.#accepted, seq);
      return { kind: "accepted", seq };
    } catch (e) {
      const failure = failureOf(this.#packages, e);
      if (this.#mayPass(e)) this.#leaveSilentServer();
      else this.#unanswered = null;
      if (failure.kind === "lost") return { kind: "lost", last: failure.last ?? (await this.state())?.last ?? 0 };
      if (failure.kind === "absent") this.#doubts++;
      if (failure.kind === "absent" || failure.kind === "unknown") return failure;
      throw this.#refusal(e);
    }
  }

  async *read(after: number, upTo: number, from?: "leader"): AsyncGenerator<SharedMessage> {
    let at = after;
    let asked = performance.now();
    while (at < upTo) {
      let failed: unknown = new Error(`it gave nothing behind message ${at}`);
      try {
        for await (const message of this.#stretch(at, upTo, from)) {
          // A copy that has lost some gives the next ones that it has.
          if (message.seq !== at + 1) throw new Error(`it gave message ${message.seq} behind message ${at}`);
          at = message.seq;
          yield message;
          asked = performance.now();
        }
      } catch (e) {
        failed = e;
      }
      if (at >= upTo) return;
      const patience = this.connected ? LEADER_MS : this.#options.timeoutMs;
      if (!this.#mayPass(failed) || performance.now() - asked > patience) throw this.#refusal(failed);
      await wait(AGAIN_MS);
    }
  }

  /** The messages behind `after`, perhaps not all of them. The last ones come from the leader where there are several servers. */
  #stretch(after: number, upTo: number, from?: "leader"): AsyncGenerator<SharedMessage> {
    if (from === "leader" || upTo - after <= FEW) return this.#eachFew(after, upTo);
    return this.#many(after, this.#isReplicated ? upTo - FEW : upTo);
  }

  async *#eachFew(after: number, upTo: number): AsyncGenerator<SharedMessage> {
    for (let at = after; at < upTo; at += FEW) yield* this.#few(at, Math.min(at + FEW, upTo));
  }

  /** From the leader. */
  async *#few(after: number, upTo: number): AsyncGenerator<SharedMessage> {
    const { streams } = await this.#manager;
    const seqs = Array.from({ length: Math.max(0, upTo - after) }, (_, i) => after + 1 + i);
    const stored = await Promise.all(seqs.map((seq) => streams.getMessage(this.#name, { seq })));
    for (const [i, one] of stored.entries()) {
      if (!one) throw new Error(`message ${seqs[i]} is not there`);
      yield messageOf(one.seq, one.header, one.data);
    }
  }

  /** From the copy of one server. Ends early where it gives nothing for as long as a question may take. */
  async *#many(after: number, upTo: number): AsyncGenerator<SharedMessage> {
    const messages = await this.#consume(after);
    const alarm = setTimeout(() => messages.stop(), this.#options.timeoutMs);
    try {
      for await (const message of messages) {
        yield messageOf(message.seq, message.headers, message.data);
        if (message.seq >= upTo) return;
        alarm.refresh();
      }
    } finally {
      clearTimeout(alarm);
      messages.stop();
    }
  }

  /** A server that is cut off from the others answers no publish, and its clients do not notice. Another one may. */
  #leaveSilentServer(): void {
    const { servers, timeoutMs } = this.#options;
    const now = performance.now();
    this.#unanswered ??= now;
    if ([servers].flat().length < 2 || now - this.#unanswered < SILENT * timeoutMs) return;
    this.#unanswered = null;
    // The workspace may have been closed while the question was under way. Else the next question finds no connection.
    void Promise.allSettled([this.#connection.reconnect()]);
  }

  /** Whether the same question may be answered a little later. */
  #mayPass(e: unknown): boolean {
    const { kind } = failureOf(this.#packages, e);
    return kind === "absent" || kind === "unknown";
  }

  follow(after: number, tell: (message: SharedMessage) => void): () => void {
    let messages: JetStream.ConsumerMessages | undefined;
    let isOver = false;
    let at = after;
    const run = async (): Promise<void> => {
      while (!isOver && !this.#connection.isClosed()) {
        let pauseMs = AGAIN_MS;
        try {
          messages = await this.#consume(at);
          this.#watchReader(messages).catch(() => this.#doubts++);
          if (isOver) messages.stop();
          for await (const message of messages) {
            const { seq } = message;
            // Its answer may come behind the message itself. Of its own messages the machine knows.
            await this.#publishing;
            if (seq <= this.#accepted) {
              at = seq;
              continue;
            }
            if (!this.#isReplicated) tell(messageOf(seq, message.headers, message.data));
            else if (message.info.pending > 0 && seq - at < FEW) continue;
            else await this.#tellFromLeader(at, seq, tell);
            at = seq;
          }
        } catch (e) {
          // The next change reads what was missed meanwhile. A server that refuses for good is asked less often.
          if (!this.#mayPass(e)) pauseMs = EXPIRES_MS;
        }
        if (!isOver) await wait(pauseMs);
      }
    };
    run().catch(() => this.#doubts++);
    return () => {
      isOver = true;
      messages?.stop();
    };
  }

  async #watchReader(messages: JetStream.ConsumerMessages): Promise<void> {
    for await (const { type } of messages.status()) if (READER_LOST.has(type)) this.#doubts++;
  }

  /**
   * A server that was cut off may show a message that the others never kept, until it has caught up. So what its copy tells is only that
   * there is news.
   */
  async #tellFromLeader(after: number, upTo: number, tell: (message: SharedMessage) => void): Promise<void> {
    for await (const message of this.#few(Math.max(after, this.#accepted), upTo)) tell(message);
  }

  async #consume(after: number): Promise<JetStream.ConsumerMessages> {
    const { DeliverPolicy } = this.#packages.jetStream;
    const consumer = await this.#js.consumers.get(this.#name, {
      deliver_policy: DeliverPolicy.StartSequence,
      opt_start_seq: after + 1,
    });
    // No message is larger than half of it: one that does not fit would never come.
    const most = Math.max(MAX_UNREAD, 2 * (this.mostBytes + HEADER_BYTES));
    return consumer.consume({ max_bytes: most, expires: EXPIRES_MS });
  }

  whenBack(tell: () => void): void {
    this.#back.add(tell);
  }

  putBlob(sha256: string, bytes: Uint8Array): Promise<void> {
    return this.#withObjects((store) => putObject(store, sha256, bytes));
  }

  hasBlob(sha256: string): Promise<boolean> {
    return this.#withObjects((store) => isWhole(store, sha256));
  }

  getBlob(sha256: string): Promise<Buffer | undefined> {
    return this.#withObjects((store) => objectBytes(store, sha256, this.#options.timeoutMs));
  }

  async close(): Promise<void> {
    // The client may have more to send. A write to a socket that has ended fails the process.
    if (this.connected)
      await Promise.race([Promise.allSettled([this.#connection.flush()]), wait(AGAIN_MS, undefined, { ref: false })]);
    await this.#connection.close();
  }

  async #withObjects<T>(work: (store: ObjectsOf) => Promise<T>): Promise<T> {
    const [js, name] = [this.#js, this.#name];
    try {
      this.#blobs ??= new this.#packages.objects.Objm(js).open(name).catch((e: unknown) => {
        this.#blobs = null;
        throw e;
      });
      return await work({ name, js, objects: await this.#blobs, transport: this.#packages.transport });
    } catch (e) {
      throw this.#refusal(e);
    }
  }

  async #watchConnection(): Promise<void> {
    for await (const status of this.#connection.status()) {
      const { type } = status;
      if (type === "disconnect" || type === "staleConnection") this.#isConnected = false;
      if (type === "disconnect" || type === "reconnect") this.#doubts++;
      if (type === "reconnect") {
        this.#isConnected = true;
        this.#access.denial = null;
        for (const tell of this.#back) tell();
      }
      if (type === "error" && isTurnedAway(this.#packages, status.error)) {
        this.#isConnected = false;
        this.#access.denial = status.error;
      }
    }
    this.#isConnected = false;
  }

  #refusal(e: unknown): unknown {
    return refusalOf(this.#packages, this.#options.address, e);
  }
}

/** Unlike a refusal of one subject. */
function isTurnedAway({ transport }: NatsPackages, e: Error): boolean {
  return isDenial(transport, e) && !(e instanceof transport.errors.PermissionViolationError);
}

/** A name that JetStream takes: letters, digits, `_` and `-`, told apart by a digest. */
function streamNameOf(workspace: string): string {
  const digest = createHash("sha256").update(workspace).digest("hex").slice(0, 8);
  return `taskfold-${workspace.replaceAll(/[^A-Za-z0-9_-]/g, "_")}-${digest}`;
}

function stateOf({ config, created, state }: JetStream.StreamInfo): SharedState {
  const identity = createHash("sha256").update(`${config.name} ${created}`).digest("base64url");
  return { identity, about: aboutIn(config.description ?? ""), first: state.first_seq, last: state.last_seq };
}

function aboutIn(description: string): SharedAbout {
  try {
    const { workspace, ids } = JSON.parse(description) as Partial<SharedAbout>;
    if (typeof workspace === "string" && (ids === "sequential" || ids === "suffixed")) return { workspace, ids };
  } catch (e) {
    if (!(e instanceof SyntaxError)) throw e;
  }
  throw new TaskfoldError("SHARED_REPLACED", "Expected a stream that taskfold made, found another one of that name.", {
    recovery: "Name another stream.",
  });
}

function messageOf(seq: number, headers: Transport.MsgHdrs | undefined, data: Uint8Array): SharedMessage {
  const given = (name: string): string | undefined => headers?.get(name) || undefined;
  return { seq, id: given(ID) ?? "", part: given(PART), behind: given(BEHIND), body: Buffer.from(data) };
}
