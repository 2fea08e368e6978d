import { refuseAboveHeld } from "./limits.ts";
import { Replay, type ReplayOptions } from "./replay.ts";
import type { LogReport } from "./report.ts";
import type { ByteSource } from "./source.ts";
import type { Op } from "./types.ts";

/** All ops of a log in replay order, and its report: for history and checks, which need them together. */
export function readOps(source: ByteSource, options: ReplayOptions = {}): { ops: Op[]; report: LogReport } {
  refuseAboveHeld(source.size());
  let ops: Op[] = [];
  const sink = {
    reset: (): void => {
      ops = [];
    },
    op: (op: Op): void => {
      ops.push(op);
    },
  };
  const replay = new Replay(sink, options);
  replay.load(source);
  return { ops, report: replay.report };
}
