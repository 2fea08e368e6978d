/**
 * Messages that the leader of the shared log has. Many are read from the copy of one server, and after a cut such a copy may keep a
 * message that never counted. Each message names the mark of the one before it, so the next one tells.
 */
import type { SharedLog, SharedLogPort, SharedMessage } from "../core/shared_log.ts";
import { unavailable } from "./failures.ts";
import { markOf } from "./message.ts";

/** Most messages, and most bytes of them, that are taken in under one hold of the locks. */
const MOST_TOGETHER = { messages: 200, bytes: 4 * 1024 * 1024 };

export interface Confirmed {
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
export async function* readConfirmed(
  reading: Reading,
  { after, upTo, mark }: { after: number; upTo: number; mark: string },
): AsyncGenerator<Confirmed> {
  let run: SharedMessage[] = [];
  let bytes = 0;
  let before = mark;
  const confirmedRun = async (messages: readonly SharedMessage[], next?: SharedMessage): Promise<Confirmed> => {
    const found = await confirmed(reading, messages, before, next);
    before = found.marks.get(found.messages.at(-1)!.seq)!;
    return found;
  };
  for await (const message of reading.log.read(after, upTo)) {
    run.push(message);
    bytes += message.body.length;
    if (run.length < 2 || (run.length < MOST_TOGETHER.messages && bytes < MOST_TOGETHER.bytes)) continue;
    const newest = run.pop()!;
    yield await confirmedRun(run, newest);
    run = [newest];
    bytes = newest.body.length;
  }
  if (run.length > 0) yield await confirmedRun(run);
}

/**
 * Where one of them follows another message than the one before it, the leader is asked for all of them. `next`: the one behind them,
 * which tells of the last one.
 */
export async function confirmed(
  { log, port, verify }: Reading,
  messages: readonly SharedMessage[],
  mark: string,
  next?: SharedMessage,
): Promise<Confirmed> {
  const { marks, isChain } = marksOf(messages, mark);
  const last = marks.get(messages.at(-1)!.seq)!;
  if (isChain && (next?.behind ?? last) === last) return { messages, marks, differing: [] };
  await verify?.();
  const there: SharedMessage[] = [];
  for await (const message of log.read(messages[0]!.seq - 1, messages.at(-1)!.seq, "leader")) there.push(message);
  const theirs = marksOf(there, mark);
  const differing = there.filter((one, at) => one.id !== messages[at]?.id || !one.body.equals(messages[at].body));
  // If they are the same, a sender named a wrong mark.
  if (!theirs.isChain && differing.length > 0) throw unavailable(port, "it changed while it was read");
  return { messages: there, marks: theirs.marks, differing: differing.map(({ seq }) => seq) };
}

/** `isChain`: each one names the mark of the one before it, as far as it names one. */
function marksOf(
  messages: readonly SharedMessage[],
  mark: string,
): { marks: ReadonlyMap<number, string>; isChain: boolean } {
  const marks = new Map<number, string>();
  let before = mark;
  let isChain = true;
  for (const message of messages) {
    const { seq, behind = before } = message;
    if (before !== "" && behind !== before) isChain = false;
    before = markOf(message);
    marks.set(seq, before);
  }
  return { marks, isChain };
}
