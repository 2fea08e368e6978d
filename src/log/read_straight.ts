import { scan } from "./scan.ts";
import type { ByteSource } from "./source.ts";
import { Tally } from "./tally.ts";
import { Tip } from "./tip.ts";
import type { Event, Op } from "./types.ts";

/** An op that was read before: its last event, and where its first line is thought to stand. */
export interface ReadBefore {
  last: string;
  offset: number;
}

/**
 * Ops that name exactly the op before them, from the start or behind `after`, at most `most`. Null when a line asks for
 * more than that, and when `after` does not stand where it was thought to: then the log is read as a whole. Costs what
 * is told, not the log.
 */
export function readStraight(source: ByteSource, after: ReadBefore | null, most: number): Op[] | null {
  const tally = new Tally({});
  const ops: Op[] = [];
  let straight = true;
  let tip = after === null ? new Tip(ignore) : null;
  const skip = after === null ? 0 : 1;
  if (after !== null && (after.offset < 0 || after.offset >= source.size())) return null;
  scan(source, { offset: after?.offset ?? 0, line: 1 }, (view) => {
    const event = tally.take(view);
    // Only the first line can show whether the place is right.
    if (event === null) return (straight = tip !== null);
    tip ??= tipBefore(event);
    const step = tip.take(event, view, tally.bytes);
    if (typeof step === "object") {
      ops.push(step);
      if (after !== null && ops.length === 1) straight = step.last === after.last;
    } else straight = step !== "elsewhere";
    return straight && ops.length < most + skip;
  });
  if (!straight || ops.length < skip) return null;
  return ops.slice(skip);
}

/** The end of a log in which the op of this first event comes next. */
function tipBefore(event: Event): Tip {
  return new Tip(ignore, { heads: event.prev, seq: event.seq - 1 });
}

const ignore = (): void => undefined;
