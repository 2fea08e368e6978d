/** Which plans and tasks change, as events with the rows that the board shows of them. */
import type { BoardRow, ChangeEvent } from "../../views/viewer/api.ts";
import { BOARD_PAGE } from "../../views/viewer/api.ts";
import type { Journal } from "../commit/journal.ts";
import type { EngineContext } from "../core/context.ts";
import type { Store } from "../entity/store.ts";
import { OtherFiles } from "../watch/other_files.ts";
import type { Board } from "./board.ts";
import { LogHints } from "./log_hints.ts";
import { lookByTheClock } from "./look_by_the_clock.ts";
import type { RowChange } from "./rows.ts";

interface Followed {
  context: EngineContext;
  store: Store;
  journal: Journal;
  board: Board;
  /** Changes of one event that bring their rows. */
  maxRows: number;
  polling: boolean;
  isClosed: () => boolean;
}

/** Several at a time, from the first answer or call on. Ends with `signal`. */
export async function* changesOf(followed: Followed, signal: AbortSignal): AsyncGenerator<ChangeEvent> {
  const { context, store, journal, board, polling, isClosed } = followed;
  const { rows } = board;
  const { runtime } = context;
  const size = (): number => rows.folders.size || store.names().length;
  const hints = new LogHints({ context, store, journal, size, polling });
  const byClock = new Set<string>();
  const files = new OtherFiles(context, { polling, names: () => rows.foreign }, () => hints.tell());
  const endLooks = lookByTheClock(
    runtime,
    rows,
    files,
    () => board.now,
    (ids) => {
      for (const id of ids) byClock.add(id);
      hints.tell();
    },
  );
  const end = (): void => hints.close();
  signal.addEventListener("abort", end);
  rows.onNews(() => hints.tell());
  try {
    while (!signal.aborted && !isClosed()) {
      if (files.isHinted) for (const id of files.look()) byClock.add(id);
      const due = hints.take();
      const began = runtime.uptime();
      await rows.lookAt(due === "all" ? due : [...due, ...rows.keysOf(byClock)]);
      if (due === "all") hints.tookMs(runtime.uptime() - began);
      await hints.begin();
      const changes = [...rows.takeNews(), ...[...byClock].map((id): RowChange => ({ id, what: "changed" }))];
      byClock.clear();
      if (changes.length > 0) yield eventOf(followed, changes);
      else await hints.pause();
    }
  } finally {
    signal.removeEventListener("abort", end);
    endLooks();
    files.close();
    hints.close();
  }
}

function eventOf({ board, maxRows }: Followed, changes: readonly RowChange[]): ChangeEvent {
  const { rows, now } = board;
  const last = new Map(changes.map(({ id, what }) => [id, what]));
  const rowOf = (id: string): BoardRow | null => board.row(id, now) ?? null;
  const others = new Set<string>();
  // A page reads the board again after so many changes: rows in the event would be the same work once more.
  const isFew = last.size <= maxRows;
  if (isFew)
    for (const id of last.keys()) for (const other of rows.affectedBy(id)) if (!last.has(other)) others.add(other);
  return {
    stamp: rows.stamp,
    changes: [...last].map(([id, what]) => {
      const { head = "", revision = 0 } = rows.find(id)?.own?.row ?? {};
      return { id, what, head, revision, row: isFew ? rowOf(id) : null };
    }),
    others: [...others].flatMap((id) => rowOf(id) ?? []).slice(0, BOARD_PAGE),
  };
}
