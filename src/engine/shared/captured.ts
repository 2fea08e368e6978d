/** Decided ops on their way to the shared log. They are caught before a log has them, and taken back from the state until it may. */
import type { Appender } from "../commit/shared_writes.ts";
import type { LogWrite, LogWriter, Written } from "../commit/log_writer.ts";
import { areSameHeads } from "./heads.ts";
import type { SharedPart } from "./message_codec.ts";

/** One call of `append`. */
interface Captured {
  writes: readonly LogWrite[];
  txn: string | null;
  written: Written;
}

export class Capture {
  readonly #all: Captured[] = [];
  readonly #logs: LogWriter;

  constructor(logs: LogWriter) {
    this.#logs = logs;
  }

  readonly logs: Appender = {
    append: (writes, given) => {
      const txn = given ?? null;
      const written: Written = { logs: [], txn: null };
      this.#all.push({ writes, txn, written });
      return written;
    },
    syncs: {
      repair: (loaded) => this.#logs.syncs.repair(loaded),
      now: (...args) => this.#logs.syncs.now(...args),
    },
  };

  get writes(): readonly LogWrite[] {
    return this.#all.flatMap(({ writes }) => writes);
  }

  /** No reader sees what may yet be lost. */
  undo(): void {
    takeBack(this.writes);
  }

  /**
   * Puts the ops into the state and the logs. Calls whose log is no longer as it was when they were decided are given back: their lines
   * go in as another machine's would.
   */
  append(): LogWrite[] {
    const others: LogWrite[] = [];
    for (const one of this.#all) {
      if (!one.writes.every(isInPlace)) {
        others.push(...one.writes);
        continue;
      }
      for (const write of one.writes) restage(write);
      const written = this.#logs.append(one.writes, one.txn);
      if (written === "moved") others.push(...one.writes);
      else Object.assign(one.written, written);
    }
    return others;
  }
}

/** Takes ops that are in no log back from the state. */
export function takeBack(writes: readonly LogWrite[]): void {
  for (const { loaded, staged } of writes.toReversed()) {
    const { stale } = loaded.fold;
    for (const one of staged.toReversed()) one.undo();
    // An undo of a change far back is judged when the log is read again, which the next attempt would no longer ask for.
    if (stale) loaded.forget();
  }
}

/** Whether the log ends where the ops were decided. */
function isInPlace({ loaded, made, prev, staged }: LogWrite): boolean {
  if (made) return true;
  return (
    loaded.catchUp() && areSameHeads(loaded.report.heads, prev) && loaded.report.offset === (staged[0]?.op.offset ?? -1)
  );
}

function restage({ loaded, staged }: LogWrite): void {
  for (const one of staged) {
    const unwind = loaded.fold.attempt(one.op);
    const { key, tool } = one.job;
    if (key) loaded.keys.set(key.key, { op: one.op.hash, tool: tool.name, req: key.req });
    one.undo = () => {
      unwind();
      if (key) loaded.keys.delete(key.key);
    };
  }
}

export function partOf({ loaded, made, prev, staged }: LogWrite): SharedPart {
  const ops = staged.map(({ op, bytes }) => ({ hash: op.hash, bytes, events: op.events }));
  const root = made ? ops[0]!.hash : loaded.entity!.root;
  return { id: loaded.id, made, prev: [...prev], root, ops };
}
