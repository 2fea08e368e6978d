/** Publishes ops behind everything that this machine has applied. Call alone among the processes of this machine, caught up. */
import type { TaskfoldError } from "../../errors.ts";
import { isTaskfoldError } from "../../errors.ts";
import type { OutgoingMessage, Published, SharedLog } from "../core/shared_log.ts";
import type { EngineParts } from "../parts.ts";
import type { NamedBytes } from "./blob_store.ts";
import { isUnreachable } from "./failures.ts";
import type { Consumer, Stored } from "./consumer.ts";
import type { Limit } from "./limit.ts";
import type { SharedPart } from "./message_codec.ts";
import { markOf, encodeMessages } from "./message_codec.ts";
import { lackingParts } from "./divergence.ts";
import { applyMessages } from "./apply.ts";

/** Room for what goes out together when entities are published whole. */
const MAX_PUBLISHED = 512 * 1024;

const NOT_ALLOWED = "the servers do not let this user ask any more";
const OTHER_LOG = "the shared log is another one now, or has lost its end";
const NO_ANSWER = "no server says what became of it";

/** The last message; null where another machine was faster, and nothing of it counts. */
export async function publish(
  log: SharedLog,
  consumer: Consumer,
  limit: Limit,
  { parts, blobs = [] }: { parts: readonly SharedPart[]; blobs?: readonly NamedBytes[] },
): Promise<Stored | null> {
  for (const { sha256, bytes } of blobs) if (!(await log.hasBlob(sha256))) await log.putBlob(sha256, bytes);
  let last: Stored | null = { seq: consumer.seen, mark: consumer.mark };
  for (const message of encodeMessages(parts, log.mostBytes, consumer.seen)) {
    last = await publishOne(log, consumer, limit, message, last);
    if (last === null) return null;
  }
  return last;
}

async function publishOne(
  log: SharedLog,
  consumer: Consumer,
  limit: Limit,
  own: OutgoingMessage,
  behind: Stored,
): Promise<Stored | null> {
  const message = behind.mark === "" ? own : { ...own, behind: behind.mark };
  let isDoubtful = false;
  for (let round = 0; ; round++) {
    if (!log.connected && !isDoubtful) throw limit.disconnected(log);
    // No server would say what became of it.
    if (log.refusal !== undefined) throw limit.notConfirmed(NOT_ALLOWED, log.refusal);
    const doubt: { isDoubtful: boolean; limit: Limit } = { isDoubtful, limit };
    const published: Published = await askServers(
      () => publishSurely(log, consumer, limit, message, behind.seq),
      doubt,
    );
    if (published.kind === "accepted") {
      // It may have reached the log that came in the place of ours meanwhile.
      await askServers(() => consumer.assure(log), { isDoubtful: true, limit });
      if (published.seq > behind.seq) return { seq: published.seq, mark: markOf(message) };
      // Stored before, among what was read.
      await consumer.verify(log);
      return behind;
    }
    if (published.kind === "lost") {
      consumer.knows(published.last);
      if (published.last < behind.seq) await askServers(() => consumer.verify(log), doubt);
      // Where an answer was missing, the message that was stored may be this one.
      if (!isDoubtful) return null;
      return askServers(() => find(log, message.id, behind.seq, published.last), doubt);
    }
    isDoubtful ||= published.kind === "unknown";
    limit.checkPublished(isDoubtful, published.why);
    await limit.pause(round + 3);
  }
}

/** Publishes where the shared log is the one of which this machine has the messages, also after the connection was lost. */
async function publishSurely(
  log: SharedLog,
  consumer: Consumer,
  limit: Limit,
  message: OutgoingMessage,
  behind: number,
): Promise<Published> {
  await assured(log, consumer, limit);
  return consumer.isSure(log) ? log.publish(message, behind) : { kind: "absent", why: "the connection is lost" };
}

/** Waits for servers that are about to agree on a leader. Ends also where the connection is lost. */
export async function assured(log: SharedLog, consumer: Consumer, limit: Limit): Promise<void> {
  for (let round = 0; log.connected; round++)
    try {
      return await consumer.assure(log);
    } catch (e) {
      if (!isTaskfoldError(e) || e.code !== "SHARED_UNAVAILABLE" || limit.isOver) throw e;
      await limit.pause(round + 3);
    }
}

/** A message whose answer was missing may be stored, whatever the servers say now. */
async function askServers<T>(
  ask: () => Promise<T>,
  { isDoubtful, limit }: { isDoubtful: boolean; limit: Limit },
): Promise<T> {
  try {
    return await ask();
  } catch (e) {
    if (!isDoubtful || !isTaskfoldError(e)) throw e;
    if (e.code === "SHARED_REPLACED") throw limit.notConfirmed(OTHER_LOG, e);
    throw isUnreachable(e) ? limit.notConfirmed(e.code === "SHARED_DENIED" ? NOT_ALLOWED : NO_ANSWER, e) : e;
  }
}

/** Only the next message can be this machine's: an equal one further on is another machine's, behind what was not read. */
async function find(log: SharedLog, id: string, behind: number, last: number): Promise<Stored | null> {
  for await (const message of log.read(behind, Math.min(behind + 1, last)))
    if (message.id === id) return { seq: message.seq, mark: markOf(message) };
  return null;
}

/**
 * Publishes what logs here have and the shared log lacks, as it is: work from before, or that git brought. Gives the refusals of those
 * whose logs cannot be read, by id.
 */
export async function publishLacking(
  parts: EngineParts,
  { log, consumer, limit }: { log: SharedLog; consumer: Consumer; limit: Limit },
  ids: readonly string[],
): Promise<ReadonlyMap<string, TaskfoldError>> {
  const unread = new Map<string, TaskfoldError>();
  let due: SharedPart[] = [];
  let bytes = 0;
  const tell = (back: readonly SharedPart[]): void => consumer.blobs.wanted(log, back);
  const lackingOf = (id: string): Promise<SharedPart[]> =>
    consumer.foldingAfter((changed) =>
      lackingParts(parts, consumer.checkpoint, id, {
        messages: () => consumer.messages(log, consumer.seen),
        changed,
        tell,
      }),
    );
  const send = async (): Promise<void> => {
    if (due.length > 0) await publishWhole(parts, { log, consumer, limit }, due, lackingOf);
    due = [];
    bytes = 0;
  };
  for (const id of ids) {
    const lacking = await lackingOf(id).catch((e: unknown) => {
      if (!isTaskfoldError(e) || e.code !== "LOG_UNREADABLE") throw e;
      unread.set(id, e);
    });
    for (const part of lacking ?? []) {
      const size = part.ops.reduce((sum, op) => sum + op.bytes.length, 0);
      // An entry has each entity once.
      if (bytes + size > MAX_PUBLISHED || due.some((one) => one.id === part.id)) await send();
      due.push(part);
      bytes += size;
    }
  }
  await send();
  return unread;
}

async function publishWhole(
  engine: EngineParts,
  { log, consumer, limit }: { log: SharedLog; consumer: Consumer; limit: Limit },
  given: readonly SharedPart[],
  lackingOf: (id: string) => Promise<SharedPart[]>,
): Promise<void> {
  let parts = given;
  for (let round = 0; parts.length > 0; round++) {
    // Parts of a later round may name bytes that were captured meanwhile (SHARED-19).
    await consumer.blobs.upload(log, parts);
    const stored = await publish(log, consumer, limit, { parts });
    if (stored) {
      // Of a log with branches each machine has the lines in the order of replay.
      await consumer.foldingAfter((changed) => applyMessages(engine, [parts], changed));
      consumer.applied(stored, parts);
      return;
    }
    limit.check(round);
    await limit.pause(round);
    await consumer.catchUp(log);
    // Another machine may have published the same lines, which git brought to both.
    const due: SharedPart[] = [];
    for (const { id } of parts) due.push(...(await lackingOf(id)).slice(0, 1));
    parts = due;
  }
}
