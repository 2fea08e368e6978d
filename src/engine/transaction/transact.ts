/**
 * A call that is made of several calls, kept together or not at all (TXN rules). It takes the seven steps of the door for many
 * entities at once. Its parts are found first without locks, to know which locks to take, and again under them.
 */
import { worded } from "../../message.ts";
import type { Journal } from "../commit/journal.ts";
import type { Suggestion, Warning } from "../../errors.ts";
import { isTaskfoldError, TaskfoldError } from "../../errors.ts";
import { remedyOf } from "../../remedy.ts";
import type { Kind } from "../../state/entity.ts";
import { asShown } from "../../state/plan_status.ts";
import type { BatchContext, EntityBatchContext, PartDone, ViewAnswer } from "../../tools/calls.ts";
import type { ReadTool } from "../../tools/read_tool.ts";
import { madeOf } from "../../tools/tool.ts";
import type { RootBinding } from "../entity/binding.ts";
import { unreadOutcome } from "../commit/unread_outcome.ts";
import { freeId } from "../commit/create.ts";
import type { WorkspaceIndex } from "../listing/workspace_index.ts";
import { isOrphan } from "../entity/orphan_folder.ts";
import { idFault } from "../../state/ids.ts";
import type { CheckedCall, Job, CallResult } from "../entity/job.ts";
import { MoreLocks, WORKSPACE_LOCK } from "../core/lock.ts";
import { pastOf } from "../entity/past.ts";
import type { HumanFiles } from "../entity/human_files.ts";
import type { ReadModel } from "../entities/read_model.ts";
import { aboutFocus } from "../entities/focus.ts";
import { readAnswer } from "../query/read.ts";
import { printEvent } from "../entity/reply.ts";
import { retentionOf } from "./retention.ts";
import { repeatedTxn } from "./txn_again.ts";
import type { DoneTxn } from "./txn_again.ts";
import type { IdGiver, PlannedPart, TxnPlan } from "./txn_plan.ts";
import { callsOf, planTxn, validateCalls } from "./txn_plan.ts";
import type { StagedTxn, StageParts } from "./txn_stage.ts";
import { stageTxn } from "./txn_stage.ts";
import type { Recovery } from "./recovery.ts";
import type { Written } from "../commit/log_writer.ts";
import type { Appender, SharedWrites } from "../commit/shared_writes.ts";
import type { Restoring } from "../archive/restore.ts";
import { projectEntity } from "../archive/project_entity.ts";
import type { Projector } from "../projection/project.ts";
import type { Store } from "../entity/store.ts";
import { isoTime } from "../core/context.ts";
import type { EngineContext } from "../core/context.ts";
import { storageError } from "../../files/storage_error.ts";

/** A transaction begins anew so often, and longer until `lockTimeoutMs` are over. */
const LEAST_ATTEMPTS = 5;

/** Parts with which a transaction is decided. */
type Deciding = Omit<Transacting, "logs"> & { logs: Appender };

export interface Transacting extends Omit<StageParts, "logs">, Restoring {
  readonly context: EngineContext;
  readonly store: Store;
  readonly people: HumanFiles;
  readonly projector: Projector;
  readonly index: WorkspaceIndex;
  readonly root: RootBinding;
  readonly recovery: Recovery;
  readonly journal: Journal;
  /** Where several machines write. */
  readonly shared: SharedWrites | undefined;
}

/** Whether the tool says that this one is an ordinary call: told at once, so that it keeps its turn among others. */
export function isOrdinary(from: ReadModel, call: CheckedCall): boolean {
  if (call.tool.effect === "txn") return false;
  try {
    return callsOf(from, call, () => "") === null;
  } catch {
    // Refused or not, that is for `transact` to say: a repeated call is answered before anything is refused.
    return false;
  }
}

/** Null: the tool says that this one is an ordinary call. */
export async function transact(from: Transacting, call: CheckedCall, key: Job["key"]): Promise<CallResult | null> {
  const { context, root, recovery, logs } = from;
  const ids = idGiver(from);
  // The transaction under way may be the very call that is repeated here.
  await recovery.recover(call.workspace);
  const began = context.runtime.uptime();
  for (let attempt = 1; ; attempt++) {
    const repeated = key && repeatedTxn(from, call, key, { locked: false });
    if (repeated) return replyOf(from, call, repeated);
    // 1 validate
    const calls = callsOf(from, call, ids.guess);
    if (calls === null) return null;
    // A call that has nothing to do changes nothing, and needs no lock for that.
    if (calls.calls.length === 0) return replyOf(from, call, nothingDone(from, call));
    await validateCalls(call, calls);
    const guess = planTxn(from, call, calls);
    // A refused call makes no workspace.
    if (!root.binding) stageAll(from, call, key, guess.parts).undo();
    const decided = (parts: Deciding, more: MoreLocks): ReturnType<typeof underLocks> => {
      if (guess.locks.includes(WORKSPACE_LOCK)) root.bind(call.workspace);
      return underLocks(parts, call, key, guess, { newId: ids.give, more });
    };
    let done: ReturnType<typeof underLocks>;
    if (from.shared) {
      done = await from.shared.write(
        call.workspace,
        guess.locks,
        (into, more) => decided({ ...from, logs: into }, more),
        call.since,
      );
    } else {
      // 2 lock
      const lock = await recovery.lockRecovered(call.workspace, guess.locks);
      const more = new MoreLocks(context.locks(), guess.locks);
      try {
        done = decided(from, more);
      } finally {
        more.release();
        lock.release();
      }
    }
    if (done === "again") {
      if (attempt >= LEAST_ATTEMPTS && context.runtime.uptime() - began > context.lockTimeoutMs) throw overAndOver();
      continue;
    }
    if ("parts" in done) return replyOf(from, call, done);
    const { txn, written } = done;
    if (written) await logs.finish(written, false);
    const { loaded } = txn.parts[0]!.entry;
    const parts = txn.parts.map(({ entry, staged: { job, op, outcome } }): PartDone => {
      const events = (op?.events ?? []).map((event) => printEvent(event, entry.id));
      const { result, warnings, suggestions } = outcome;
      return { tool: job.tool.name, task: entry.id, events, result, warnings, suggestions };
    });
    // 6 project
    const warnings = [...txn.noticed];
    if (context.projections === "batch")
      for (const entry of txn.entries) warnings.push(...(await projectEntity(from, entry.loaded, call.workspace)));
    // 7 reply
    try {
      const flips = txn.parts.flatMap(({ staged }) => staged.outcome.flips ?? []);
      return replyOf(from, call, { loaded, parts, warnings, flips });
    } catch (e) {
      throw unreadOutcome(loaded.id, e);
    }
  }
}

function overAndOver(): TaskfoldError {
  return new TaskfoldError(
    "STORAGE_FAILED",
    "Expected plans and tasks to stay as they are while they are changed together, but they change over and over.",
    { recovery: "Call again when git or the other programs are done." },
  );
}

function underLocks(
  from: Deciding,
  call: CheckedCall,
  key: Job["key"],
  guess: TxnPlan,
  { newId, more }: { newId: IdGiver; more: MoreLocks },
): { txn: StagedTxn; written: Written | null } | DoneTxn | "again" {
  // Lines that a sync left in doubt may be of the first call with this key.
  const known = guess.parts.flatMap(({ id, made }) => (made ? [] : (from.store.find(id) ?? [])));
  for (const loaded of new Set(known)) from.logs.syncs.repair(loaded);
  const repeated = key && repeatedTxn(from, call, key, { locked: true });
  if (repeated) return repeated;
  // 3 catch up: what the parts follow from may have changed since it was looked at
  const { context, store } = from;
  const creates = guess.parts.some(({ made }) => made);
  context.notices.push(...store.wentAway.look({ live: context.disk.lstat(context.layout.tasks), creates }));
  const calls = callsOf(from, call, newId);
  const plan = calls && planTxn(from, call, calls);
  if (plan === null || plan.digest !== guess.digest) return "again";
  // Only ids of what is made may be others.
  if (!more.tryAdd(plan.locks)) return "again";
  // 4 decide
  const txn = stageAll(from, call, key, plan.parts);
  // 5 append
  const written = append(from.logs, txn);
  return written === "moved" ? "again" : { txn, written };
}

/** One op is an ordinary change; several go through the journal. Null: no part changes anything. */
function append(logs: Appender, { entries }: StagedTxn): Written | "moved" | null {
  const [first] = entries;
  if (!first) return null;
  try {
    return logs.append(entries, first.staged.at(-1)!.op.events[0]!.op.txn?.id);
  } catch (e) {
    throw storageError(e, "write a transaction");
  }
}

/** Without the parts that may be left out, where those are what is refused. */
function stageAll(from: StageParts, call: CheckedCall, key: Job["key"], parts: readonly PlannedPart[]): StagedTxn {
  try {
    return stageTxn(from, call, key, parts);
  } catch (e) {
    const index = isTaskfoldError(e) ? (e.details?.["index"] as number | undefined) : undefined;
    const otherwise = index === undefined ? undefined : parts[index]?.otherwise;
    if (!isTaskfoldError(e) || otherwise === undefined || e.code === "INVALID_INPUT") throw e;
    const txn = stageAll(
      from,
      call,
      key,
      parts.filter((_part, at) => at !== index),
    );
    txn.noticed.push({
      code: otherwise,
      ...worded`${e.code}: ${e}`,
      ...remedyOf(e),
    });
    return txn;
  }
}

/** The subject of the reply to a call with no parts: its target, as it is. */
function nothingDone({ entities }: Transacting, call: CheckedCall): DoneTxn {
  const { tool, workspace } = call;
  if (tool.target === "workspace") return { loaded: null, parts: [], warnings: [], flips: [] };
  const { loaded } = entities.find(workspace, entities.wanted(call));
  return { loaded, parts: [], warnings: [], flips: [] };
}

/** Ids for what is made: a guess without the lock, and the same again under it unless another process took it meanwhile. */
function idGiver({ context, store, index, root }: Transacting) {
  const given = new Map<Kind, string>();
  const isFree = (id: string | undefined): id is string =>
    id !== undefined && !store.has(id) && !store.hasArchived(id) && !store.wentAway.reported().includes(id);
  const next = (kind: Kind, make: () => string): string => {
    const before = given.get(kind);
    const id = isFree(before) ? before : make();
    given.set(kind, id);
    return id;
  };
  const guess: IdGiver = (kind, wanted) =>
    next(kind, () => {
      // Under the lock it is set aside.
      if (wanted !== undefined && idFault(wanted) === null && isOrphan(context, wanted)) return wanted;
      index.lookForId(wanted);
      return index.newId(kind, root.ids, wanted);
    });
  const give: IdGiver = (kind, wanted) => next(kind, () => freeId({ context, store, index }, kind, root.ids, wanted));
  return { guess, give };
}

function replyOf(from: Transacting, call: CheckedCall, { loaded, parts, warnings, flips }: DoneTxn): CallResult {
  const { tool, input, workspace, caller } = call;
  const around = from.entities.around(workspace);
  const view = (reading: ReadTool, args: Record<string, unknown>): ViewAnswer => {
    try {
      return readAnswer(from, from.people, { tool: reading, input: { ...args, workspace }, workspace, caller });
    } catch (e) {
      // Deleted since: what the call did is told all the same.
      if (isTaskfoldError(e) && e.code === "UNKNOWN_ID") return { result: null };
      throw e;
    }
  };
  const focus = around.focus({ caller } as Job);
  const { notices } = from.context;
  // The engine's own count, too: a macro leaves room for them.
  const noticed = aboutFocus(call, [...notices, ...warnings, ...parts.flatMap((part) => part.warnings ?? [])]);
  const context: BatchContext = {
    workspace,
    events: parts.flatMap((part) => part.events),
    focus,
    by: caller.by,
    now: isoTime(from.context.now()),
    idOf: around.idOf,
    find: around.find,
    retention: () => retentionOf(from, call),
    parts,
    noticed,
    view,
  };
  // The target of a call about an entity is loaded: at least the first part goes there.
  if (loaded)
    Object.assign(context, {
      subject: asShown(loaded.subject(workspace), around.rows),
      past: pastOf(loaded, loaded.entity!),
    });
  const reply = madeOf(tool)!.reply(input as never, context as EntityBatchContext);
  const suggestions: Suggestion[] = reply.suggestions ?? [];
  notices.splice(0);
  return { result: reply.result, warnings: eachOnce([...noticed, ...(reply.warnings ?? [])]), suggestions, flips };
}

/** Two parts may say the same: what a capture lacks, closing lacks. */
function eachOnce(warnings: readonly Warning[]): Warning[] {
  const isSame = (a: Warning, b: Warning): boolean => a.code === b.code && a.message === b.message;
  return warnings.filter((one, at) => warnings.findIndex((other) => isSame(one, other)) === at);
}
