/** Types of the platform that published types name. A project that has Node's types sees those, and no project needs them (TOOL-104). */

/** Node's Buffer. */
export type Bytes = typeof globalThis extends { Buffer: { isBuffer: (value: unknown) => value is infer B } }
  ? B
  : PlainBytes;

/** The AbortSignal of Node or of a browser. */
export type Signal = typeof globalThis extends { AbortSignal: { prototype: infer S } } ? S : PlainSignal;

/** The parts of a Buffer that a project without Node's types knows. */
interface PlainBytes extends Uint8Array {
  equals(other: Uint8Array): boolean;
  subarray(start?: number, end?: number): PlainBytes;
  toString(encoding?: "utf8" | "latin1" | "hex" | "base64"): string;
}

interface PlainSignal {
  readonly aborted: boolean;
  readonly reason: unknown;
  addEventListener(type: "abort", listener: () => void, options?: { once?: boolean }): void;
  removeEventListener(type: "abort", listener: () => void): void;
  throwIfAborted(): void;
}
