/**
 * Messages that the leader of the shared log has. Many are read from the copy of one server, and after a cut such a copy may keep
 * messages that never counted. Each message names the mark of the one before it. So where the leader has the last one, it has all.
 */
import type { SharedLog, SharedLogPort, SharedMessage } from "../core/shared_log.ts";
import { unavailable } from "./failures.ts";
import { markOf } from "./message_codec.ts";

/** Most messages, and most bytes of them, that are applied under one hold of the locks. */
const MAX_TOGETHER = { messages: 200, bytes: 4 * 1024 * 1024 };

export interface VerifiedBatch {
  messages: readonly SharedMessage[];
  /** By sequence number. */
  marks: ReadonlyMap<number, string>;
  /** Sequence numbers at which the copy that was read has other messages. */
  differing: readonly number[];
}

interface Reading {
  log: SharedLog;
  port: SharedLogPort;
  /** Compares the message that the first one follows, if there is one. Fails where the leader has another one. */
  verify?: () => Promise<void>;
}

/** Messages behind `after`, which has this mark; empty where it is not known. */
export async function* readVerified(
  reading: Reading,
  { after, upTo, mark }: { after: number; upTo: number; mark: string },
): AsyncGenerator<VerifiedBatch> {
  let run: SharedMessage[] = [];
  let bytes = 0;
  let before = mark;
  const confirmedRun = async (): Promise<VerifiedBatch> => {
    const { seq } = run.at(-1)!;
    const [last] = await fromLeader(reading.log, seq, seq);
    const found = await verifyBatch(reading, run, before, last);
    before = found.marks.get(seq)!;
    run = [];
    bytes = 0;
    return found;
  };
  for await (const message of reading.log.read(after, upTo)) {
    run.push(message);
    bytes += message.body.length;
    if (run.length >= MAX_TOGETHER.messages || bytes >= MAX_TOGETHER.bytes) yield await confirmedRun();
  }
  if (run.length > 0) yield await confirmedRun();
}

/**
 * Where they are no chain, the leader is asked for all of them. `last`: what the leader has in the place of the last one; left out, they
 * came from the leader.
 */
export async function verifyBatch(
  { log, port, verify }: Reading,
  messages: readonly SharedMessage[],
  mark: string,
  last = messages.at(-1),
): Promise<VerifiedBatch> {
  const { marks, isChain } = marksOf(messages, mark);
  const [first, end] = [messages[0]!.seq, messages.at(-1)!.seq];
  if (isChain && last !== undefined && marks.get(end) === markOf(last)) return { messages, marks, differing: [] };
  await verify?.();
  const there = await fromLeader(log, first, end);
  const theirs = marksOf(there, mark);
  const differing = differingIn(there, messages);
  // A sender may have named a wrong mark. Else a server that has ceased to lead has answered: another one says otherwise.
  if (!theirs.isChain && differing.length > 0) {
    await verify?.();
    if (differingIn(there, await fromLeader(log, first, end)).length > 0)
      throw unavailable(port, "it changed while it was read");
  }
  return { messages: there, marks: theirs.marks, differing: differing.map(({ seq }) => seq) };
}

async function fromLeader(log: SharedLog, first: number, last: number): Promise<SharedMessage[]> {
  const there: SharedMessage[] = [];
  for await (const message of log.read(first - 1, last, "leader")) there.push(message);
  return there;
}

function differingIn(there: readonly SharedMessage[], messages: readonly SharedMessage[]): SharedMessage[] {
  return there.filter((one, at) => one.id !== messages[at]?.id || !one.body.equals(messages[at].body));
}

/** `isChain`: each one names the mark of the one before it; the first one, if it names one and that mark is known. */
function marksOf(
  messages: readonly SharedMessage[],
  mark: string,
): { marks: ReadonlyMap<number, string>; isChain: boolean } {
  const marks = new Map<number, string>();
  let before: string | undefined = mark === "" ? undefined : mark;
  let isChain = true;
  for (const [at, message] of messages.entries()) {
    const { behind = at === 0 ? before : undefined } = message;
    if (before !== undefined && behind !== before) isChain = false;
    before = markOf(message);
    marks.set(message.seq, before);
  }
  return { marks, isChain };
}
