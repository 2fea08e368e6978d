import type { BeforeAny, OpPosition } from "./ancestry.ts";
import { beforeAnyInLine } from "./ancestry.ts";
import { refuseAboveHeld } from "./limits.ts";
import type { ReplayOptions } from "./replay.ts";
import { Replay } from "./replay.ts";
import type { LogReport } from "./report.ts";
import type { ByteSource } from "./source.ts";
import type { Op } from "./types.ts";

export interface ReadOps {
  ops: Op[];
  report: LogReport;
  /** Which ops are ancestors of any of these, by `index`. */
  beforeAny: BeforeAny;
}

/** All ops of a log in replay order, how they lie to each other, and its report: history and checks need them together. */
export function readOps(source: ByteSource, options: ReplayOptions = {}): ReadOps {
  refuseAboveHeld(source.size());
  let ops: Op[] = [];
  let beforeAny = beforeAnyInLine;
  const sink = {
    reset: (): void => {
      ops = [];
      beforeAny = beforeAnyInLine;
    },
    op: (op: Op, { ancestry }: OpPosition): void => {
      ops.push(op);
      if (ancestry) beforeAny = (indexes) => ancestry.beforeAny(indexes);
    },
  };
  const replay = new Replay(sink, options);
  replay.load(source);
  return { ops, report: replay.report, beforeAny };
}
