/**
 * Replays one whole log into a state. A fold that cannot judge an op without the rest of the log asks for another reading (LOG-23). That
 * answer stays in here, and what a caller gathered is begun anew with each reading: no caller can forget either.
 */
import type { OpPosition } from "./log/ancestry.ts";
import { Fold } from "./events/fold.ts";
import { isKnownType } from "./events/index.ts";
import type { ReplayOptions } from "./log/replay.ts";
import { Replay } from "./log/replay.ts";
import type { LogReport } from "./log/report.ts";
import type { ByteSource } from "./log/source.ts";
import type { Op } from "./log/types.ts";
import type { Entity } from "./state/entity.ts";

interface FoldOptions<T> extends Pick<ReplayOptions, "checkHash"> {
  /** How many past ops the fold keeps in detail; all of them with Infinity. */
  ring?: number;
  /** Whether the fold keeps notes and trace to the first. */
  whole?: boolean;
  /** Ops that later ones, of which this log does not know yet, undo or redo. */
  want?: readonly string[];
  /** The op behind which the state stays: those after it only tell what they say of the ops before. */
  until?: (op: Op) => boolean;
  /** Begins what `before` and `each` gather. */
  start?: () => T;
  /** Called before an op is folded. */
  before?: (op: Op, fold: Fold, gathered: T) => void;
  /** Called after an op is folded, and not for one that asks for another reading. */
  each?: (op: Op, fold: Fold, gathered: T) => void;
}

export interface FoldedLog<T> {
  fold: Fold;
  /** Null where the log holds no entity. */
  entity: Entity | null;
  report: LogReport;
  /** The op that `until` named; undefined where there is none. */
  last: Op | undefined;
  gathered: T;
}

export function foldLog<T = undefined>(source: ByteSource, options: FoldOptions<T> = {}): FoldedLog<T> {
  const { ring, whole, want = [], until, before, each, checkHash } = options;
  // Without `start` there is nothing to gather, and T is undefined.
  const start = options.start ?? ((): T => undefined as T);
  const fold = new Fold(ring, whole);
  for (const op of want) fold.want(op);
  let gathered = start();
  let last: Op | undefined;
  const reset = (): void => {
    fold.reset();
    gathered = start();
    last = undefined;
  };
  const take = (op: Op, place: OpPosition): "again" | undefined => {
    if (last) return fold.lookAhead(op, place);
    before?.(op, fold, gathered);
    const again = fold.op(op, place);
    if (until?.(op)) last = op;
    if (again === undefined) each?.(op, fold, gathered);
    return again;
  };
  const replay = new Replay({ reset, op: take }, { isKnownType, ...(checkHash === undefined ? {} : { checkHash }) });
  replay.load(source);
  return { fold, entity: fold.entity, report: replay.report, last, gathered };
}
