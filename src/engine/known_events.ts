/**
 * The hashes of all events that stand in a log, without replaying it: a tenth of the cost. Whether they are in effect
 * does not matter here: what stood there before somebody began to look has not happened since.
 */
import { HASH_LENGTH } from "../log/envelope.ts";
import { scan } from "../log/scan.ts";
import type { LineView } from "../log/scan.ts";
import type { ByteSource } from "../log/source.ts";
import type { HashSet } from "./hash_set.ts";
import type { SeenLog } from "./unseen.ts";

const BEFORE_BY = Buffer.from('{"by":"');
const BEFORE_HASH = Buffer.from('","hash":"');
const QUOTE = 0x22;

/** Adds them to `known`, and gives the last one as what was seen, for a straight log to be read on from. */
export function learnEvents(source: ByteSource, known: HashSet): SeenLog {
  let last: { hash: string; offset: number } | null = null;
  scan(source, { offset: 0, line: 1 }, (view) => {
    const hash = view.ended && !view.tooLong ? hashOf(view) : null;
    if (hash !== null) {
      known.add(hash);
      last = { hash, offset: view.offset };
    }
    return true;
  });
  const end = last as { hash: string; offset: number } | null;
  return end === null ? { heads: [] } : { heads: [end.hash], at: end.offset };
}

/** Of the line as this engine writes it, where it stands behind `by`; of any other by its value. */
function hashOf({ bytes, start, end }: LineView): string | null {
  const startsAsOurs = bytes.compare(BEFORE_BY, 0, BEFORE_BY.length, start, start + BEFORE_BY.length) === 0;
  const quote = startsAsOurs ? bytes.indexOf(QUOTE, start + BEFORE_BY.length) : -1;
  const at = quote + BEFORE_HASH.length;
  if (quote >= 0 && at + HASH_LENGTH < end && bytes.compare(BEFORE_HASH, 0, BEFORE_HASH.length, quote, at) === 0)
    return bytes.toString("latin1", at, at + HASH_LENGTH);
  try {
    const value = JSON.parse(bytes.toString("utf8", start, end)) as { hash?: unknown } | null;
    const hash = value?.hash;
    return typeof hash === "string" && hash.length === HASH_LENGTH ? hash : null;
  } catch (e) {
    // Not a line of ours: nothing that could be given as an event.
    if (e instanceof SyntaxError) return null;
    throw e;
  }
}
