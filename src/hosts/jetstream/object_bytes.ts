/** Bytes of an object. The client of NATS waits without end for parts that the server does not have, or does not send any more. */
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
      if (done) return Buffer.concat(parts);
      parts.push(value);
    }
  } catch (e) {
    // Without a wait: a server that is gone answers nothing.
    void Promise.allSettled([reader.cancel()]);
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
