// @ts-check
/** One call at a time between a process and the scheduler, both threads. Each waits while the other works: exactly one of all threads runs. */

const STATE = 0;
const TEXT = 1;
const BYTES = 2;
const ASKED = 1;
const ANSWERED = 2;
const HEAD = 16;
const ROOM = 4 * 1024 * 1024;

/** @typedef {{ text: any, bytes: Buffer }} Message */

export class Wire {
  #state;
  #all;

  /** @param {SharedArrayBuffer} [shared] */
  constructor(shared = new SharedArrayBuffer(ROOM)) {
    this.shared = shared;
    this.#state = new Int32Array(shared, 0, HEAD / 4);
    this.#all = Buffer.from(shared);
  }

  /** @param {unknown} value @param {readonly Uint8Array[]} bytes @param {number} state */
  #put(value, bytes, state) {
    const length = this.#all.write(JSON.stringify(value) ?? "null", HEAD);
    let end = HEAD + length;
    for (const part of bytes) {
      if (end + part.length >= ROOM) throw new Error("the message is too long for the wire");
      this.#all.set(part, end);
      end += part.length;
    }
    this.#state[TEXT] = length;
    this.#state[BYTES] = end - HEAD - length;
    Atomics.store(this.#state, STATE, state);
    Atomics.notify(this.#state, STATE);
  }

  /** @param {number} state @returns {Message} */
  #get(state) {
    while (Atomics.load(this.#state, STATE) !== state)
      Atomics.wait(this.#state, STATE, state === ASKED ? ANSWERED : ASKED);
    const end = HEAD + (this.#state[TEXT] ?? 0);
    const text = JSON.parse(this.#all.toString("utf8", HEAD, end));
    if (text?.ended !== undefined) throw new Error(`a thread of the simulator ended: ${text.ended}`);
    return {
      text,
      bytes: Buffer.from(this.#all.subarray(end, end + (this.#state[BYTES] ?? 0))),
    };
  }

  /** The process asks, and stands still until the scheduler answers. @param {unknown} value @param {readonly Uint8Array[]} [bytes] */
  ask(value, bytes = []) {
    this.#put(value, bytes, ASKED);
    return this.#get(ANSWERED);
  }

  /** The thread ends by a fault of its own: the scheduler, which stands still, would wait for ever. @param {string} why */
  end(why) {
    this.#put({ ended: why }, [], ASKED);
  }

  /** The scheduler lets the process go on, and stands still until it asks again. @param {unknown} value @param {readonly Uint8Array[]} [bytes] */
  answer(value, bytes = []) {
    this.#put(value, bytes, ANSWERED);
    return this.#get(ASKED);
  }

  /** The first question of a process that has just begun. */
  first() {
    while (Atomics.load(this.#state, STATE) !== ASKED) Atomics.wait(this.#state, STATE, 0);
    return this.#get(ASKED);
  }
}
