/**
 * Messages of a shared log. A body is an entry as the journal has it: a line that says which parts follow, then the exact lines of their
 * ops. A body that is too large for a message goes in several, one directly behind the other.
 */
import { sha256 } from "../../log/canonical.ts";
import type { Event } from "../../log/types.ts";
import type { JournalPart, ReadPart } from "../commit/journal.ts";
import { entryOf, partsIn } from "../commit/journal.ts";
import type { OutgoingMessage, SharedMessage } from "../core/shared_log.ts";
import { WORKSPACE_MESSAGE } from "../core/shared_log.ts";

export interface SharedOp {
  hash: string;
  bytes: Buffer;
  events: Event[];
}

/** The ops that a message adds to one entity. */
export interface SharedPart extends JournalPart {
  root: string;
  ops: SharedOp[];
}

/** Topic of a message about several entities. No hash is this word. */
const SEVERAL = "several";
/** No op of ours is larger: 4 MiB, and some of its lines in a second op. */
const MAX_PARTS = 1024;
const PART = /^([1-9]\d{0,3})\/([1-9]\d{0,3})$/;

/** One message, or several where the body is larger than `most` bytes. They go behind message `behind`. */
export function encodeMessages(parts: readonly SharedPart[], most: number, behind: number): OutgoingMessage[] {
  const entry = parts.map(({ id, made, prev, root, ops }) => ({
    id,
    made,
    prev,
    root,
    ops: ops.map(({ hash, bytes }) => ({ hash, bytes })),
  }));
  const body = entryOf(entry);
  const id = sha256(parts.flatMap(({ ops }) => ops.map(({ hash }) => hash)).join(" "));
  const topic = parts.length === 1 ? parts[0]!.root : SEVERAL;
  const headers = {
    "Taskfold-Format": "1",
    "Taskfold-Folders": parts
      .map((part) => part.id)
      .slice(0, 20)
      .join(" "),
  };
  if (body.length <= most) return [{ id, topic, headers, body }];
  const count = Math.ceil(body.length / most);
  return Array.from({ length: count }, (_, i) => ({
    // Of a run that was cut off, the server would take the first message of the next one for a repetition.
    id: `${id}@${behind}.${i + 1}`,
    topic,
    part: `${i + 1}/${count}`,
    headers,
    body: body.subarray(i * most, (i + 1) * most),
  }));
}

/**
 * Stands for a message and all that lie before it: each names the mark of the one before. So one mark tells a log that lost its end and
 * grew again from the one that it was.
 */
export function markOf({ id, behind = "", body }: Pick<SharedMessage, "id" | "behind" | "body">): string {
  return sha256(`${behind} ${id === "" ? sha256(body) : id}`);
}

/** `partial`: more of it follows, unless another message comes first. `none`: it is no message of ours. */
export type Decoded = { kind: "whole"; parts: SharedPart[] } | { kind: "partial" } | { kind: "none" };

/** Puts bodies together that came in several messages. A run that another message interrupts was never published whole, and is dropped. */
export class MessageDecoder {
  #run: { id: string; next: number; count: number; seq: number; bodies: Buffer[] } | null = null;

  decode(message: SharedMessage): Decoded {
    const place = message.part === undefined ? null : PART.exec(message.part);
    const before = this.#run;
    this.#run = null;
    if (message.id === WORKSPACE_MESSAGE) return { kind: "whole", parts: [] };
    if (message.part === undefined) return decodeBody(message.body);
    const [n, count] = [Number(place?.[1]), Number(place?.[2])];
    if (!place || n > count || count > MAX_PARTS) return { kind: "none" };
    const id = message.id.replace(/\.\d+$/, "");
    const follows = before?.id === id && before.next === n && before.count === count && before.seq + 1 === message.seq;
    // The end of a run whose begin was never stored.
    if (n > 1 && !follows) return { kind: "partial" };
    const bodies = [...(n > 1 ? before!.bodies : []), message.body];
    if (n === count) return decodeBody(Buffer.concat(bodies));
    this.#run = { id, next: n + 1, count, seq: message.seq, bodies };
    return { kind: "partial" };
  }

  forget(): void {
    this.#run = null;
  }
}

function decodeBody(body: Buffer): Decoded {
  const parts = partsIn(body)?.map(sharedPart);
  return parts?.every((part) => part !== null) ? { kind: "whole", parts } : { kind: "none" };
}

function sharedPart(part: ReadPart): SharedPart | null {
  const { root, made, ops } = part;
  if (root === undefined || made !== (ops[0]!.hash === root)) return null;
  return { ...part, root };
}
