// @ts-check
/** The port of the engine over the model of a stream: the client's side, in the process that asks. */
import { opened } from "./stream.mjs";

/** @typedef {import("../../dist/engine/core/shared_log.js").SharedLog} SharedLog */
/** @typedef {import("../../dist/engine/core/shared_log.js").SharedMessage} SharedMessage */
/** @typedef {import("../../dist/engine/core/shared_log.js").OutgoingMessage} OutgoingMessage */
/** @typedef {(name: string, args: unknown[], bytes?: Uint8Array) => Promise<any>} Ask */

/** Small, so that little work makes a change of several messages. */
const MAX_BYTES = 16 * 1024;

/** @implements {SharedLog} */
export class StreamLog {
  mostBytes = MAX_BYTES;
  connected = true;
  refusal = undefined;
  doubts = 0;
  /** @type {((message: SharedMessage) => void) | null} */
  #told = null;
  /** @type {Set<() => void>} */
  #back = new Set();
  #ask;

  /** @param {Ask} ask */
  constructor(ask) {
    this.#ask = ask;
  }

  /** @param {import("./stream.mjs").StreamNews} news */
  hear({ connected, back, message }) {
    if (connected !== undefined) {
      this.connected = connected;
      this.doubts++;
    }
    if (message) this.#told?.(opened(message));
    if (back) for (const tell of this.#back) tell();
  }

  state() {
    return this.#ask("state", []);
  }

  /** @param {unknown} about */
  create(about) {
    return this.#ask("create", [about]);
  }

  /** @param {OutgoingMessage} message @param {number} expected */
  async publish({ id, topic, part, behind, body }, expected) {
    const message = { id, topic, part, behind, body: body.toString("base64") };
    const published = await this.#ask("publish", [message, expected]);
    if (published.kind === "absent") this.doubts++;
    return published;
  }

  /** @param {number} after @param {number} upTo @param {"leader"} [from] */
  async *read(after, upTo, from) {
    for (let at = after; at < upTo;)
      for (const message of await this.#ask("read", [at, upTo, from])) {
        at = message.seq;
        yield opened(message);
      }
  }

  /** @param {number} after @param {(message: SharedMessage) => void} tell */
  follow(after, tell) {
    this.#told = tell;
    void this.#ask("follow", [after]).catch(() => undefined);
    return () => {
      this.#told = null;
      void this.#ask("unfollow", []).catch(() => undefined);
    };
  }

  /** @param {() => void} tell */
  whenBack(tell) {
    this.#back.add(tell);
  }

  /** @param {string} sha256 @param {Uint8Array} bytes */
  putBlob(sha256, bytes) {
    return this.#ask("putBlob", [sha256], bytes);
  }

  /** @param {string} sha256 */
  hasBlob(sha256) {
    return this.#ask("hasBlob", [sha256]);
  }

  /** @param {string} sha256 @returns {Promise<Buffer | undefined>} */
  async getBlob(sha256) {
    return (await this.#ask("getBlob", [sha256])) ?? undefined;
  }

  async close() {
    this.connected = false;
    await this.#ask("close", []);
  }
}

/**
 * A connection to servers in the same thread. @param {import("./stream.mjs").Stream} stream @param {import("./stream.mjs").Place} place
 * @param {new (code: "SHARED_UNAVAILABLE", message: string, more: { recovery: string }) => Error} Refusal error class of the engine that asks
 */
export function connect(stream, place, Refusal) {
  /** @type {Ask} */
  const ask = (name, args, sent) =>
    new Promise((done, fail) => {
      // As over a wire.
      stream.ask(link, name, structuredClone(args), Buffer.from(sent ?? []), ({ value, bytes, error }) =>
        error
          ? fail(new Refusal("SHARED_UNAVAILABLE", error.message, { recovery: "Call again." }))
          : done(bytes ?? value),
      );
    });
  const log = new StreamLog(ask);
  const link = stream.link(place, (news) => log.hear(news));
  return log;
}
