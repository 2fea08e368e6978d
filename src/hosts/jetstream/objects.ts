/**
 * Captured bytes in the object store of a workspace, each object under its SHA-256. The client of NATS takes an entry for its bytes. For
 * parts that the server does not have, or does not send any more, it waits without end.
 */
import { randomUUID } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import type * as JetStream from "@nats-io/jetstream";
import type { ObjectInfo, ObjectStore } from "@nats-io/obj";
import type * as Transport from "@nats-io/transport-node";

/** How the client of NATS names the parts of an object. */
const PARTS = /^[A-Za-z0-9_-]{1,64}$/;
const CORRUPT = /corrupt object/;

export interface ObjectsOf {
  /** Of the stream, and of the bucket of its objects. */
  name: string;
  objects: ObjectStore;
  js: JetStream.JetStreamClient;
  transport: typeof Transport;
}

/** Whether the store has the entry and all parts. Only reading the parts tells whether they are the bytes. */
export async function isWhole(store: ObjectsOf, sha256: string): Promise<boolean> {
  const entry = await entryOf(store, sha256);
  if (!isOf(entry, sha256)) return false;
  const subject = `$O.${store.name}.C.${entry.nuid}`;
  const { streams } = await store.js.jetstreamManager(false);
  const { state } = await streams.info(`OBJ_${store.name}`, { subjects_filter: subject });
  return (state.subjects?.[subject] ?? 0) === entry.chunks;
}

/** Puts the bytes there, whatever is there now. */
export async function putObject(store: ObjectsOf, sha256: string, bytes: Uint8Array): Promise<void> {
  // The client purges the parts that the old entry names, and those may be of another object.
  if ((await entryOf(store, sha256)) !== undefined) await forgetEntry(store, sha256);
  await store.objects.putBlob({ name: sha256 }, bytes);
}

/** Undefined where the store lacks the object, or has other bytes in its place. Rejects where nothing comes for `idleMs`. */
export async function objectBytes(store: ObjectsOf, sha256: string, idleMs: number): Promise<Buffer | undefined> {
  if (!isOf(await entryOf(store, sha256), sha256)) return undefined;
  try {
    return await bytesOf(store.objects, sha256, idleMs);
  } catch (e) {
    if ((e instanceof Error && CORRUPT.test(e.message)) || !(await isWhole(store, sha256))) return undefined;
    throw e;
  }
}

/** Null for an entry that no client of NATS writes. Nothing that it names is followed: neither parts nor another object. */
async function entryOf({ objects }: ObjectsOf, sha256: string): Promise<ObjectInfo | null | undefined> {
  try {
    const entry = await objects.info(sha256);
    if (!entry) return undefined;
    return PARTS.test(String(entry.nuid)) && entry.options?.link === undefined && !entry.deleted ? entry : null;
  } catch (e) {
    if (e instanceof SyntaxError) return null;
    throw e;
  }
}

async function bytesOf(objects: ObjectStore, sha256: string, idleMs: number): Promise<Buffer | undefined> {
  const found = await objects.get(sha256);
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

function isOf(entry: ObjectInfo | null | undefined, sha256: string): entry is ObjectInfo {
  return entry?.digest === `SHA-256=${padded(Buffer.from(sha256, "hex"))}`;
}

/** Puts an entry without parts in its place. */
async function forgetEntry({ name, js, transport }: ObjectsOf, sha256: string): Promise<void> {
  const headers = transport.headers();
  headers.set("Nats-Rollup", "sub");
  const entry = { name: sha256, bucket: name, nuid: randomUUID(), size: 0, chunks: 0, deleted: true };
  await js.publish(`$O.${name}.M.${padded(Buffer.from(sha256))}`, JSON.stringify(entry), { headers });
}

/** As the client of NATS has it: base64url with its padding. */
function padded(bytes: Buffer): string {
  return bytes.toString("base64").replaceAll("+", "-").replaceAll("/", "_");
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
