/**
 * Reads a line that stands as `sealOp` writes it, byte for byte, by the places of its members. Only the payload goes to
 * the JSON parser. To parse the whole line and then to check its envelope costs half as much again.
 *
 * A usual line is the only event of its op and names the line before it alone. It has none of the keys that may be left
 * out. The result is the same. The text before and behind the payload is JSON with each key once, and its values have
 * been checked. A payload that parses by itself parses there too. Any other line is for the parser and `checkEnvelope`
 * to judge: null says that, and nothing about the line.
 */
import { HASH_LENGTH, isProven, isTime, TIME_LENGTH } from "./envelope.ts";
import { copy, isPlain, Piece, Pieces, plainAt } from "./pieces.ts";
import type { LineView } from "./scan.ts";
import type { Event, Payload } from "./types.ts";

const OPEN_BRACE = 0x7b;
const ZERO = 0x30;
/** More digits may be no safe integer. */
const MOST_DIGITS = 15;
/** Characters of the ids that are usual. */
const LEAST_ID = 8;
const MOST_ID = 64;

/** Pieces around what has been checked before. */
const actors = new Pieces((by) => `{"by":"${by}","hash":"`);
const beforeId = new Piece('","op":{"id":"');
const tools = new Pieces((tool) => `","n":1,"of":1,"tool":"${tool}"},"payload":`);
const BEFORE_PREV = ',"prev":["';
const beforeSeq = new Piece(`${BEFORE_PREV}${"-".repeat(HASH_LENGTH)}"],"seq":`);
const tasks = new Pieces((taskId) => `,"taskId":"${taskId}","ts":"`);
const types = new Pieces((type) => `","type":"${type}","v":1}`);

/** The hash of the line that was read last, and whether it stands in `beforeSeq` too. */
let lastHash: string | null = null;
let placed = false;

/**
 * The new parts of each line are put together here, and become one text that its parts are cut from. A text costs as
 * much to make for one of them as for all. A part that is cut from the text of the chunk would keep that whole.
 */
const HASH_AT = TIME_LENGTH;
const ID_AT = HASH_AT + HASH_LENGTH;
const NEW = Buffer.alloc(ID_AT + MOST_ID);
const NEW_DATA = new DataView(NEW.buffer, NEW.byteOffset, NEW.length);

/**
 * After so many unusual lines more than usual ones, it is not tried for the next so many. A log may have no usual line,
 * and to try in vain costs a fifth.
 */
const PATIENCE = 32;
const REST = 512;
let missed = 0;
let resting = 0;

/** Takes note of an event that the parser gave and that was found valid: what comes next is likely to have the same in it. */
export function learn({ by, hash, op, taskId, type }: Event): void {
  if (resting > 0) return;
  if (++missed > PATIENCE) {
    missed = PATIENCE / 2;
    resting = REST;
    lastHash = null;
    return;
  }
  actors.learn(by);
  tools.learn(op.tool);
  tasks.learn(taskId);
  types.learn(type);
  lastHash = hash;
  placed = false;
}

/** Null for any other line. */
export function usualEvent({ text, data, bytes, start, end }: LineView): Event | null {
  if (resting > 0) resting--;
  if (text === null || lastHash === null || !isProven(lastHash)) return null;
  // Forwards to the payload.
  const actor = actors.at(data, start, end);
  if (actor === null) return null;
  const hashAt = start + actor.length;
  const hashEnd = hashAt + HASH_LENGTH;
  if (!beforeId.at(data, hashEnd, end)) return null;
  const idAt = hashEnd + beforeId.length;
  const idEnd = text.indexOf('"', idAt);
  const idLength = idEnd - idAt;
  if (idLength < LEAST_ID || idLength > MOST_ID) return null;
  const tool = tools.at(data, idEnd, end);
  if (tool === null) return null;
  const payloadAt = idEnd + tool.length;
  if (bytes[payloadAt] !== OPEN_BRACE) return null;

  // Backwards to the payload.
  const type = types.before(data, payloadAt, end);
  if (type === null) return null;
  const tsAt = end - type.length - TIME_LENGTH;
  const task = tasks.before(data, payloadAt, tsAt);
  if (task === null) return null;
  const seqEnd = tsAt - task.length;
  let seqAt = seqEnd;
  while (isDigit(bytes[seqAt - 1]!)) seqAt--;
  if (seqAt === seqEnd || seqEnd - seqAt > MOST_DIGITS || bytes[seqAt] === ZERO) return null;
  const payloadEnd = seqAt - beforeSeq.length;
  if (!placed && !place(lastHash)) return null;
  if (payloadEnd < payloadAt || !beforeSeq.at(data, payloadEnd, seqAt)) return null;

  copy(data, tsAt, TIME_LENGTH, NEW_DATA, 0);
  copy(data, hashAt, HASH_LENGTH, NEW_DATA, HASH_AT);
  copy(data, idAt, idLength, NEW_DATA, ID_AT);
  if (!plainAt(NEW_DATA, HASH_AT, HASH_LENGTH + idLength)) return null;
  const made = NEW.toString("latin1", 0, ID_AT + idLength);
  const ts = made.slice(0, HASH_AT);
  if (!isTime(ts)) return null;
  const payload = payloadOf(text.slice(payloadAt, payloadEnd));
  if (payload === null) return null;
  let seq = 0;
  for (let at = seqAt; at < seqEnd; at++) seq = seq * 10 + bytes[at]! - ZERO;
  const prev = [lastHash];
  const hash = (lastHash = made.slice(HASH_AT, ID_AT));
  beforeSeq.take(NEW_DATA, HASH_AT, HASH_LENGTH, BEFORE_PREV.length);
  if (missed > 0) missed--;
  const op = { id: made.slice(ID_AT), n: 1, of: 1, tool: tool.text };
  return { by: actor.text, hash, op, payload, prev, seq, taskId: task.text, ts, type: type.text, v: 1 };
}

/** Makes `beforeSeq` name this hash, which may be any text that is as long; false when it would not stand there as it is. */
function place(hash: string): boolean {
  if (!isPlain(hash)) return false;
  NEW.write(hash, HASH_AT, "latin1");
  beforeSeq.take(NEW_DATA, HASH_AT, HASH_LENGTH, BEFORE_PREV.length);
  return (placed = true);
}

function isDigit(byte: number): boolean {
  return byte >= ZERO && byte <= ZERO + 9;
}

function payloadOf(text: string): Payload | null {
  try {
    return JSON.parse(text) as Payload;
  } catch {
    return null;
  }
}
