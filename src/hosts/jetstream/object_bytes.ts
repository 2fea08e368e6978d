/** Bytes of an object. The client of NATS waits without end for parts that the server does not have, or does not send any more. */
import { setImmediate } from "node:timers/promises";
import type { ObjectStore } from "@nats-io/obj";

/** Undefined where the store lacks the object. Rejects where nothing comes for `idleMs`. */
export async function objectBytes(store: ObjectStore, name: string, idleMs: number): Promise<Buffer | undefined> {
  const found = await store.get(name);
  if (!found) return undefined;
  // The reader below meets the same failure.
  void Promise.allSettled([found.error]);
  const reader = found.data.getReader();
  const parts: Uint8Array[] = [];
  try {
    for (;;) {
      const { done, value } = await within(idleMs, reader.read());
      if (done) break;
      parts.push(value);
    }
    await within(idleMs, found.error);
    return Buffer.concat(parts);
  } catch (e) {
    // Not until it is done: a server that is gone answers nothing. The client unsubscribes in this turn, before a caller can close it.
    void Promise.allSettled([reader.cancel()]);
    await setImmediate();
    throw e;
  }
}

async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  let alarm: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, fail) => {
    alarm = setTimeout(() => fail(new Error(`the object store gave no bytes for ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(alarm);
  }
}
