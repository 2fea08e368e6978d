/** A machine whose time passes only where the engine waits, and whose chance is a seed. */
import { createHash } from "node:crypto";
import { nodeRuntime } from "../../src/node_runtime.ts";
import type { Runtime } from "../../src/runtime.ts";
import { START } from "./workspace.ts";

interface Timer {
  at: number;
  call: () => void;
}

/** The time at which a machine of this kind begins, by its steady clock. */
const BEGAN = 1_000_000;

export class VirtualMachine {
  readonly #seed: string;
  readonly #timers = new Set<Timer>();
  #asked = 0;
  #isPumping = false;
  #passed = 0;

  constructor(seed = "") {
    this.#seed = seed;
  }

  /** Milliseconds that went by. */
  get passed(): number {
    return this.#passed;
  }

  get runtime(): Runtime {
    return {
      ...nodeRuntime,
      now: () => START + Math.trunc(this.#passed),
      uptime: () => BEGAN + this.#passed,
      nap: (ms) => void (this.#passed += ms),
      after: (ms, call) => this.#after(ms, call),
      nextTurn: (call) => void this.#after(0, call),
      randomHex: (digits) => this.#hex(digits),
      threadsBeside: 0,
    };
  }

  #after(ms: number, call: () => void): () => void {
    const timer = { at: this.#passed + ms, call };
    this.#timers.add(timer);
    this.#pump();
    return () => void this.#timers.delete(timer);
  }

  /** The first timer rings once nothing else is ready: all that was under way has its turn before. */
  #pump(): void {
    if (this.#isPumping) return;
    this.#isPumping = true;
    setImmediate(() => {
      this.#isPumping = false;
      const [first] = [...this.#timers].toSorted((a, b) => a.at - b.at);
      if (!first) return;
      this.#timers.delete(first);
      this.#passed = Math.max(this.#passed, first.at);
      first.call();
      if (this.#timers.size > 0) this.#pump();
    });
  }

  #hex(digits: number): string {
    let text = "";
    while (text.length < digits)
      text += createHash("sha256")
        .update(`${this.#seed}:${this.#asked++}`)
        .digest("hex");
    return text.slice(0, digits);
  }
}
