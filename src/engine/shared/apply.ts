/** Puts what other machines published into the logs of this one: behind their ends where it fits there, else in the order of replay. */
import { pointersIn } from "../entity/no_entity.ts";
import { join } from "node:path";
import { isKnownType } from "../../events/index.ts";
import { LOG_FILE } from "../../files/layout.ts";
import { errnoOf } from "../../files/storage_error.ts";
import { readOps } from "../../log/read_ops.ts";
import { namesOf } from "../../log/repair.ts";
import type { Op } from "../../log/types.ts";
import { isArchivedOrDeleted } from "../../state/archive.ts";
import type { LogWrite, LogWriter, Written } from "../commit/log_writer.ts";
import type { Journal } from "../commit/journal.ts";
import { messageEntry } from "../commit/journal.ts";
import type { StagedJob } from "../commit/decide.ts";
import { acquireAll } from "../core/lock.ts";
import type { EngineContext } from "../core/context.ts";
import { LoadedEntity } from "../entity/loaded_entity.ts";
import type { Job } from "../entity/job.ts";
import type { Store } from "../entity/store.ts";
import { lockNames } from "../transaction/roll_forward.ts";
import type { Rolling } from "../transaction/roll_forward.ts";
import { takeBack } from "./captured.ts";
import { areSameHeads } from "./heads.ts";
import { notReadable } from "./failures.ts";
import { faultOf, syncLog } from "./log_home.ts";
import type { LogTails } from "./log_tails.ts";
import { mergePart } from "./merge_part.ts";
import type { SharedPart } from "./message_codec.ts";

export interface ApplyParts extends Rolling {
  readonly context: EngineContext;
  readonly store: Store;
  readonly journal: Journal;
  readonly logs: LogWriter;
}

/** The ends of logs as they will be once what is gathered is written. */
interface Open {
  write: LogWrite & { staged: StagedJob[] };
  heads: readonly string[];
  ops: number;
  offset: number;
  /** Ops of the log, once they are asked for. */
  there?: Set<string>;
}

/**
 * Applies the parts of messages in their order; adds the ids of those whose logs changed to `ids`, also where it fails midway. Readers
 * see a transaction whole or not at all. Call while no other process of this machine applies messages. With `tails`, lines that go
 * behind the ends of logs are not folded.
 */
export async function applyMessages(
  from: ApplyParts,
  messages: readonly (readonly SharedPart[])[],
  ids: Set<string>,
  tails?: LogTails,
): Promise<void> {
  for (const { parts, isTransaction } of unitsOf(messages)) {
    if (isTransaction) {
      for (const { id } of parts) tails?.forget(id);
      await whereReadable(from, parts, (readable) =>
        readable.length === parts.length ? applyTransaction(from, parts, ids) : applyParts(from, readable, ids),
      );
    } else await applyReadable(from, parts, ids, tails);
  }
}

/** As `takeParts`, without those whose logs cannot be read; gives the others. */
function applyReadable(
  from: ApplyParts,
  parts: readonly SharedPart[],
  ids: Set<string>,
  tails?: LogTails,
): Promise<readonly SharedPart[]> {
  return whereReadable(from, parts, (readable) => applyParts(from, readable, ids, tails));
}

/**
 * Does the work for all parts. If it fails, and logs cannot be read, does it again for the other parts. The lines that are left out are
 * put back once their log can be read (SHARED-12). Gives the parts that the work was done for.
 */
async function whereReadable(
  from: ApplyParts,
  parts: readonly SharedPart[],
  work: (parts: readonly SharedPart[]) => Promise<void>,
): Promise<readonly SharedPart[]> {
  try {
    await work(parts);
    return parts;
  } catch (e) {
    if (errnoOf(e) === undefined) throw e;
    const unreadable = new Map(
      parts.flatMap((part) => {
        const fault = faultOf(from, part);
        // No log here would tell later that this one is missing.
        if (fault && part.made && !isSeen(from, part)) throw e;
        return fault ? [[part.id, fault] as const] : [];
      }),
    );
    if (unreadable.size === 0) throw e;
    for (const [id, fault] of unreadable) from.context.notices.push(notReadable(id, fault));
    const readable = parts.filter(({ id }) => !unreadable.has(id));
    if (readable.length > 0) await work(readable);
    return readable;
  }
}

/** Whether a log that may be the one of the part can at least be seen. */
function isSeen({ context }: ApplyParts, part: SharedPart): boolean {
  const { disk, layout } = context;
  try {
    const folders = namesOf(part).flatMap((name) => [layout.folder(name), layout.archived(name)]);
    return folders.some((folder) => disk.lstat(join(folder, LOG_FILE)));
  } catch (e) {
    if (errnoOf(e) === undefined) throw e;
    return false;
  }
}

interface Unit {
  parts: SharedPart[];
  isTransaction: boolean;
}

/** Each message that has a transaction by itself, and between them all others together. */
function unitsOf(messages: readonly (readonly SharedPart[])[]): Unit[] {
  const units: Unit[] = [];
  for (const parts of messages) {
    const isTransaction = parts.length > 1 && parts.some(({ ops }) => ops.some(({ events }) => events[0]!.op.txn));
    const last = units.at(-1);
    if (isTransaction || !last || last.isTransaction) units.push({ parts: [...parts], isTransaction });
    else last.parts.push(...parts);
  }
  return units;
}

/**
 * A message that has a transaction: the journal keeps it together. Where it does not fit behind the ends of its logs, each part is
 * applied by itself. Meanwhile readers count the entry of the journal, and a process that finds it later finishes it.
 */
async function applyTransaction(from: ApplyParts, parts: readonly SharedPart[], ids: Set<string>): Promise<void> {
  const { context, journal, logs } = from;
  const name = messageEntry(parts);
  const lock = await acquireAll(context, lockNames(parts));
  let written: Written | null = null;
  try {
    written = placeTransaction(from, name, parts, ids);
    if (!written) {
      journal.write(name, parts);
      journal.leave(name);
    }
  } finally {
    lock.release();
  }
  if (written) await logs.finish(written, true);
  else {
    const taken = await applyReadable(from, parts, ids);
    if (context.durability !== "os") for (const { id } of taken) syncLog(from, id);
    journal.done(name);
  }
}

/** Null where a part does not go behind what is there. Call while holding the locks of all parts. */
function placeTransaction(
  from: ApplyParts,
  name: string,
  parts: readonly SharedPart[],
  ids: Set<string>,
): Written | null {
  const open = new Map<string, Open>();
  const fitting = foldFirst(from, open, parts);
  const writes = writesOf(open);
  if (fitting < parts.length) {
    unwindAll(open);
    return null;
  }
  if (writes.length === 0) return { logs: [], txn: null };
  for (const { loaded } of writes) ids.add(loaded.id);
  const written = from.logs.append(writes, name);
  if (written !== "moved") return written;
  for (const { loaded } of writes) loaded.forget();
  return null;
}

async function applyParts(
  from: ApplyParts,
  parts: readonly SharedPart[],
  ids: Set<string>,
  tails?: LogTails,
): Promise<void> {
  for (let at = 0; at < parts.length;) {
    if (tails) at += await appendToTails(from, tails, parts.slice(at), ids);
    if (at === parts.length) return;
    const rest = parts.slice(at);
    // Lines that were applied before, or another branch: then each log is read once for all that is left.
    const simple = tails && !isOrdinary(parts[at]!) ? rest.findIndex(isOrdinary) : -1;
    const folded = simple < 0 ? rest : rest.slice(0, simple);
    for (const { id } of folded) tails?.forget(id);
    const taken = await appendTogether(from, folded, ids);
    at += taken;
    const next = taken < folded.length ? parts[at] : undefined;
    if (next) {
      for (const id of await mergePart(from, next)) ids.add(id);
      at++;
    }
  }
}

/** Appends as many of the first parts as go behind the ends of their logs, and folds none; how many these are. */
async function appendToTails(
  from: ApplyParts,
  tails: LogTails,
  parts: readonly SharedPart[],
  ids: Set<string>,
): Promise<number> {
  const until = parts.findIndex((part) => !isOrdinary(part));
  const ordinary = until < 0 ? parts : parts.slice(0, until);
  if (ordinary.length === 0) return 0;
  const { context } = from;
  const lock = await acquireAll(context, lockNames(ordinary));
  try {
    tails.begin();
    const at = ordinary.findIndex((part) => !tails.add(part, () => existing(from, part)?.write.loaded));
    const fitting = at < 0 ? ordinary.length : at;
    for (const { id } of ordinary.slice(0, fitting)) ids.add(id);
    // A later look finds what some logs have by now.
    return tails.write() ? fitting : 0;
  } finally {
    lock.release();
  }
}

/** Whether what follows goes into the same log, whatever the ops say. */
function isOrdinary({ made, ops }: SharedPart): boolean {
  return !made && ops.every((op) => isPlain(op) && op.events.every(({ type }) => !MOVING.has(type)));
}

/** Events after which the log may lie elsewhere, or goes on otherwise than a reader of lines would think. */
const MOVING: ReadonlySet<string> = new Set([
  "task.deleted",
  "task.archived",
  "task.restored",
  "task.rehomed",
  "packet.archived",
  "log.gap",
]);

/** Applies as many of the first parts as fit behind their logs; how many these are. */
async function appendTogether(from: ApplyParts, parts: readonly SharedPart[], ids: Set<string>): Promise<number> {
  const { context, logs } = from;
  const lock = await acquireAll(context, lockNames(parts));
  try {
    const open = new Map<string, Open>();
    const fitting = foldFirst(from, open, parts);
    const writes = writesOf(open);
    for (const { loaded } of writes) ids.add(loaded.id);
    const written = writes.length === 0 ? null : logs.append(writes);
    // The shared log keeps them: they are synced when the caller asks for it.
    if (written === null || (written !== "moved" && logs.isInPlace(written))) return fitting;
    for (const { loaded } of writes) loaded.forget();
    return 0;
  } finally {
    lock.release();
  }
}

function writesOf(open: ReadonlyMap<string, Open>): Open["write"][] {
  return [...open.values()].map(({ write }) => write).filter(({ staged }) => staged.length > 0);
}

function unwindAll(open: ReadonlyMap<string, Open>): void {
  takeBack([...open.values()].map(({ write }) => write));
}

/** How many of the first parts go behind what is there; their ops are in the state then. */
function foldFirst(from: ApplyParts, open: Map<string, Open>, parts: readonly SharedPart[]): number {
  try {
    const at = parts.findIndex((part) => !foldPart(from, open, part));
    return at < 0 ? parts.length : at;
  } catch (e) {
    unwindAll(open);
    throw e;
  }
}

/** False where the part does not simply go behind what is there. */
function foldPart(from: ApplyParts, open: Map<string, Open>, part: SharedPart): boolean {
  if (!part.ops.every(isPlain)) return false;
  const known = open.get(part.id) ?? (part.made ? making(from, part) : existing(from, part));
  if (!known || known.write.loaded.id !== part.id) return false;
  open.set(part.id, known);
  let { heads } = known;
  for (const { events } of part.ops) {
    if (!areSameHeads(events[0]!.prev, heads)) return isThere(known, part);
    heads = [events.at(-1)!.hash];
  }
  for (const { events, bytes, hash } of part.ops) {
    const op: Op = { hash, last: events.at(-1)!.hash, events, index: known.ops, offset: known.offset };
    known.write.staged.push(staged(known.write.loaded, op, bytes));
    known.heads = [op.last];
    known.ops++;
    known.offset += bytes.length;
  }
  return true;
}

/** Whether the log has all of it in the order of replay, from git or from an earlier reading of the shared log. */
function isThere(known: Open, { ops }: SharedPart): boolean {
  const { loaded, made, staged: gathered } = known.write;
  known.there ??= made ? new Set() : hashesIn(loaded);
  return ops.every(({ hash }) => known.there!.has(hash) || gathered.some(({ op }) => op.hash === hash));
}

/** None where the lines stand in another order than that of replay: then they are put in order. */
function hashesIn(loaded: LoadedEntity): Set<string> {
  const ops = opsIn(loaded);
  const isInOrder = ops.every(({ offset }, i) => i === 0 || offset > ops[i - 1]!.offset);
  return new Set(isInOrder ? ops.map(({ hash }) => hash) : []);
}

function opsIn({ log }: LoadedEntity): Op[] {
  return log.withSource((source) => readOps(source, { isKnownType }).ops);
}

function isPlain({ events }: SharedPart["ops"][number]): boolean {
  return events.every(({ v, type }) => v === 1 && isKnownType(type) && type !== "foreign.adopted");
}

function making({ context, store }: ApplyParts, { id }: SharedPart): Open | undefined {
  if (store.has(id) || store.hasArchived(id)) return undefined;
  const loaded = new LoadedEntity(context, id, context.layout.folder(id));
  return { write: { loaded, made: true, prev: [], staged: [] }, heads: [], ops: 0, offset: 0 };
}

function existing({ store, logs }: ApplyParts, { id, root }: SharedPart): Open | undefined {
  const loaded = store.find(id);
  if (!loaded) return undefined;
  logs.syncs.repair(loaded);
  if (!loaded.catchUp() || loaded.entity?.root !== root || isArchivedOrDeleted(loaded.entity)) return undefined;
  const { heads, ops, offset, held, newer, markers, incomplete, torn, foreign, roots } = loaded.report;
  const isStraight =
    held + markers + pointersIn(loaded.report).pointers + incomplete + foreign.length === 0 && !newer && torn === null;
  if (!isStraight || roots.length !== 1) return undefined;
  return { write: { loaded, made: false, prev: heads, staged: [] }, heads, ops, offset };
}

/** As if it had been decided here. */
function staged(loaded: LoadedEntity, op: Op, bytes: Buffer): StagedJob {
  const unwind = loaded.fold.attempt(op);
  const { key, req, tool } = op.events[0]!.op;
  const isFirst = key !== undefined && req !== undefined && !loaded.keys.has(key);
  if (isFirst) loaded.keys.set(key, { op: op.hash, tool, req });
  const undo = (): void => {
    unwind();
    if (isFirst) loaded.keys.delete(key);
  };
  return { op, bytes, undo, blobs: [], contents: [], ...NO_CALLER };
}

const NO_CALLER: Pick<StagedJob, "job" | "outcome" | "head"> = {
  job: { key: undefined } as Job,
  outcome: { result: {}, warnings: [], suggestions: [] },
  head: { heads: [], seq: 0, ops: 0, offset: 0 },
};
