/**
 * Step 5 of a transaction. All lines go into the journal first, synced: with that it is accepted. Then into each log, what is
 * made before what names it. A crash, or a disk that says no after the first log, leaves the journal to the next writer.
 */
import { TaskfoldError } from "../../errors.ts";
import { storageError } from "../../files/storage_error.ts";
import { appendLines } from "../commit/append_lines.ts";
import { writeBlobs } from "../commit/blobs.ts";
import { writeContents } from "../entity/contents.ts";
import { writeLog } from "../commit/create.ts";
import type { LoadedEntity } from "../entity/loaded_entity.ts";
import type { Journal } from "./journal.ts";
import { confirmWritten } from "../commit/read_back.ts";
import type { StagedTxn, TxnEntry } from "./txn_stage.ts";
import { keepUnsynced } from "../commit/unsynced.ts";
import type { EngineContext } from "../core/context.ts";

export interface TxnHooks {
  /** Told before bytes go out, and after. */
  writing: (id: string) => void;
  made: (id: string, key: string | null) => LoadedEntity;
  wrote: (handle: LoadedEntity) => void;
}

/** A log that was appended to, and is not synced yet. */
export interface WrittenLog {
  entry: TxnEntry;
  offset: number;
  bytes: Buffer;
}

/** "moved": a log was replaced since it was looked at; everything is taken back and decided again. */
export function writeTxn(
  world: EngineContext,
  journal: Journal,
  txn: StagedTxn,
  hooks: TxnHooks,
): { written: WrittenLog[]; journalled: string | null } | "moved" {
  const { entries, parts } = txn;
  const first = parts[0]!.staged.op.events[0]!;
  const id = first.op.txn?.id ?? null;
  const written: WrittenLog[] = [];
  let reached = 0;
  try {
    for (const entry of entries) hooks.writing(entry.id);
    for (const { handle, staged } of entries) {
      writeBlobs(
        world,
        handle,
        staged.flatMap((one) => one.blobs),
      );
      writeContents(
        world,
        handle,
        staged.flatMap((one) => one.contents),
      );
    }
    if (id !== null) journal.write(id, entries.map(journalPart));
    for (const entry of entries) {
      const log = entry.made
        ? make(world, entry, entry === entries[0] ? first.op.key : undefined, hooks)
        : append(world, entry);
      if (log === "moved") throw new Moved(`The log of ${entry.id} was replaced.`);
      reached++;
      if (!log) continue;
      written.push(log);
      hooks.wrote(entry.handle);
    }
    return { written, journalled: id };
  } catch (e) {
    if (reached === 0 && takeBack(journal, id)) {
      txn.undo();
      if (!(e instanceof Moved)) throw storageError(e, "write a transaction");
      entries[0]!.handle.forget();
      return "moved";
    }
    throw pending(journal, entries, id, e);
  }
}

class Moved extends Error {}

function journalPart({ id, made, prev, staged }: TxnEntry) {
  return { id, made, prev: [...prev], ops: staged.map(({ op, bytes }) => ({ hash: op.hash, bytes })) };
}

function make(world: EngineContext, entry: TxnEntry, key: string | undefined, { made }: TxnHooks): null {
  writeLog(world, entry.handle, Buffer.concat(entry.staged.map((one) => one.bytes)));
  entry.handle = made(entry.id, key ?? null);
  return null;
}

function append(world: EngineContext, entry: TxnEntry): WrittenLog | "moved" {
  const { handle, staged } = entry;
  const appended = appendLines(
    world,
    handle,
    staged.map((one) => one.bytes),
  );
  if (!appended) return "moved";
  const { offset, bytes, closing } = appended;
  staged.forEach((one, i) => handle.appended(one.op, one.bytes.length + (i === 0 ? closing : 0)));
  return { entry, offset, bytes };
}

/** True when no log and no journal has anything of it: then it never was. */
function takeBack(journal: Journal, id: string | null): boolean {
  if (id === null) return true;
  try {
    journal.takeBack(id);
    return true;
  } catch {
    // Whatever kept it from going, it may still count.
    return false;
  }
}

/** Accepted and not finished: what is in memory is dropped, the next writer puts the lines where they belong. */
function pending(journal: Journal, entries: readonly TxnEntry[], id: string | null, cause: unknown): TaskfoldError {
  if (id !== null) journal.leave(id);
  for (const { handle } of entries) handle.forget();
  return new TaskfoldError(
    "UNKNOWN_OUTCOME",
    "Expected the disk to take every line of the transaction; it took the journal and not all logs.",
    {
      cause,
      recovery:
        "Call again with the same idempotency_key: the next write finishes what was begun, and it is applied once.",
      details: { reason: "TXN_PENDING" },
    },
  );
}

/** Second half, when others may write again: durable, and there by path; only then the journal goes. */
export async function finishTxn(
  world: EngineContext,
  journal: Journal,
  written: readonly WrittenLog[],
  id: string | null,
): Promise<void> {
  try {
    const isSame = await Promise.all(written.map(({ entry, bytes }) => sync(world, entry.handle, bytes)));
    for (const [i, { entry, offset, bytes }] of written.entries())
      if (!isSame[i] || !entry.handle.log.holds(offset, bytes))
        await confirmWritten(world, entry.handle, { offset, bytes }, entry.staged);
  } catch (e) {
    if (id !== null) journal.leave(id);
    throw e;
  }
  if (id !== null) journal.done(id);
}

async function sync(world: EngineContext, handle: LoadedEntity, bytes: Buffer): Promise<boolean> {
  if (world.durability === "os") return true;
  try {
    return await handle.log.sync();
  } catch (e) {
    throw keepUnsynced(world, handle, bytes, e);
  }
}
