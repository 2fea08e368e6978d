/** A repeated transaction: what its parts said when it was made, from the logs that hold them (TXN rules). */
import type { Warning } from "../../errors.ts";
import { isTaskfoldError, TaskfoldError } from "../../errors.ts";
import { isKnownType } from "../../events/index.ts";
import { idBeforeSplit } from "../../log/repair.ts";
import { readOps } from "../../log/read_ops.ts";
import type { Op, TxnStamp } from "../../log/types.ts";
import type { Subject } from "../../state/entity.ts";
import type { PartDone, ToolCall } from "../../tools/calls.ts";
import { archiveOf, deciderOf, madeOf } from "../../tools/tool.ts";
import { TOOLS } from "../../tools/index.ts";
import type { Journal } from "../commit/journal.ts";
import type { WorkspaceIndex } from "../listing/workspace_index.ts";
import type { Flip } from "../entity/flips.ts";
import { flipsBefore } from "../entity/flips.ts";
import type { LoadedEntity } from "../entity/loaded_entity.ts";
import type { KeyUse } from "../entity/snapshot.ts";
import type { CheckedCall, Job } from "../entity/job.ts";
import { pastOf } from "../entity/past.ts";
import type { ReadModel } from "../entities/read_model.ts";
import { printEvent } from "../entity/reply.ts";
import { answer } from "../commit/decide.ts";
import type { Appender } from "../commit/shared_writes.ts";
import { checkSameInput, syncOps } from "../commit/replayed.ts";
import { stateAfter } from "../entity/state_at.ts";
import { findEntity } from "../entities/target.ts";
import { remedy, TASKFOLD } from "../../remedy.ts";

export interface DoneTxn {
  /** The entity that has the first part; null where there is no part. */
  loaded: LoadedEntity | null;
  parts: PartDone[];
  warnings: Warning[];
  flips: readonly Flip[];
}

interface Again extends ReadModel {
  readonly index: WorkspaceIndex;
  readonly journal: Journal;
  readonly logs: Pick<Appender, "syncs">;
}

/** Undefined while no call used the key. `locked`: the workspace lock is held, so keys of creations can be looked up. */
export function repeatedTxn(
  from: Again,
  call: CheckedCall,
  key: NonNullable<Job["key"]>,
  { locked }: { locked: boolean },
): DoneTxn | undefined {
  const loaded = homeOf(from, call, key.key, locked);
  const use = loaded?.catchUp() ? loaded.keys.get(key.key) : undefined;
  if (!loaded || !use) {
    // One that was left in the journal is accepted, though no log may have its key yet (TXN-5).
    for (const id of from.journal.left()) if (from.journal.hasKey(id, key.key)) throw pending();
    return undefined;
  }
  checkSameInput({ key }, use);
  const warning: Warning = {
    code: "REPLAYED",
    message: `The key ${JSON.stringify(key.key)} was used before with the same input; nothing was changed now.`,
  };
  return { loaded, ...partsOf(from, call, loaded, use), warnings: [warning] };
}

/** The entity whose log has the key, if any has: that of the first part which changed something. */
function homeOf(from: Again, call: CheckedCall, key: string, locked: boolean): LoadedEntity | undefined {
  const { entities, index } = from;
  const { tool, input, workspace } = call;
  const parts = madeOf(tool)?.partsAgain?.(input as never) ?? [];
  const [first] = tool.target === "entity" && parts.length === 0 ? [{ tool: tool.name, args: input }] : parts;
  if (first === undefined && archiveOf(tool) === "to") return entities.listing.chosenWith(key, workspace);
  if (first === undefined || TOOLS[first.tool]!.effect === "create") {
    return locked ? index.createdWith(key) : undefined;
  }
  const homes = (parts.length === 0 ? [first] : parts).map(({ args }) => homeOfPart(from, call, key, args));
  return homes.find((home) => home?.catchUp() && home.keys.has(key)) ?? homes[0];
}

function homeOfPart(
  { store, entities }: Again,
  call: CheckedCall,
  key: string,
  args: Record<string, unknown>,
): LoadedEntity | undefined {
  try {
    const { id } = entities.wanted(call, args);
    return entities.deletedWith(key, id) ?? findEntity(store, call.workspace, id);
  } catch (e) {
    // The plan of the call says which part names it.
    if (isTaskfoldError(e) && ["UNKNOWN_ID", "ARCHIVED", "NOT_CHECKED_OUT"].includes(e.code)) return undefined;
    throw e;
  }
}

function partsOf(from: Again, call: CheckedCall, loaded: LoadedEntity, use: KeyUse): Pick<DoneTxn, "parts" | "flips"> {
  const [first] = opsOf(loaded, (op) => op.hash === use.op);
  const txn = first!.events[0]!.op.txn;
  const found = txn ? foundOf(from, loaded, txn) : [{ home: loaded, op: first! }];
  if (txn && found.length < (txn.of ?? 1))
    throw from.journal.pending().includes(txn.id) ? pending() : incomplete(found.length, txn.of ?? 1);
  const placed = found.toSorted((a, b) => (a.op.events[0]!.op.txn?.n ?? 0) - (b.op.events[0]!.op.txn?.n ?? 0));
  // A deleted one may have gone to the archive since.
  for (const home of new Set(placed.map((one) => one.home)))
    syncOps(from, home, () => placed.flatMap((one) => (one.home === home ? [one.op] : [])));
  const calls = madeOf(call.tool)?.partsAgain?.(call.input as never) ?? [];
  const isWhole = placed.length >= calls.length || placed.some(({ op }) => op.events[0]!.op.tool === call.tool.name);
  const flips = placed.flatMap(({ home, op }) => flipsBefore(home, op));
  if (isWhole) return { parts: placed.map(({ home, op }) => partDone(from, call, home, op, calls)), flips };
  const done = new Map(placed.map(({ home, op }) => [placeOf(calls, op), partDone(from, call, home, op, calls)]));
  for (const [place, part] of calls.entries()) if (!done.has(place)) done.set(place, idlePart(from, call, part));
  return { parts: [...done].toSorted(([a], [b]) => a - b).map(([, part]) => part), flips };
}

/** The place of an op's part in its call, from 0. */
function placeOf(calls: readonly ToolCall[], op: Op): number {
  const { tool, txn } = op.events[0]!.op;
  if (txn) return (txn.at ?? txn.n ?? 1) - 1;
  return Math.max(
    0,
    calls.findIndex((one) => one.tool === tool),
  );
}

/** A part that changed nothing has no op: its answer is as of now. */
function idlePart(from: Again, call: CheckedCall, part: ToolCall): PartDone {
  const { workspace } = call;
  const home = findEntity(from.store, workspace, from.entities.wanted(call, part.args).id);
  home.catchUp();
  return answered(from, call, part, home, { subject: home.subject(workspace), events: [] });
}

/** The answer of a part's tool to these events, in the state that the subject shows. */
function answered(
  from: Again,
  { workspace, caller }: CheckedCall,
  { tool: name, args }: ToolCall,
  home: LoadedEntity,
  { subject, events }: { subject: Subject; events: Op["events"] },
): PartDone {
  const job: Job = {
    tool: deciderOf(TOOLS[name]!)!,
    input: { ...args, workspace },
    workspace,
    caller,
    targetFrom: "input",
    key: undefined,
    done: noop,
    fail: noop,
  };
  const outcome = answer(from.entities.around(workspace), job, subject, pastOf(home, subject.entity), events, []);
  return { tool: name, task: home.id, events: events.map((event) => printEvent(event, home.id)), ...outcome };
}

/** The ops of a transaction, wherever they are: an entity that it made may have another name since a merge (RESOLVE-3). */
function foundOf(
  from: Again,
  first: LoadedEntity,
  { id: txn, of = 1, ids = [] }: TxnStamp,
): { home: LoadedEntity; op: Op }[] {
  const opsIn = (homes: readonly LoadedEntity[]) =>
    [...new Set([first, ...homes])].flatMap((home) =>
      home.catchUp() ? opsOf(home, (op) => op.events[0]!.op.txn?.id === txn).map((op) => ({ home, op })) : [],
    );
  const found = opsIn(ids.flatMap((id) => homeNow(from, id) ?? []));
  if (found.length >= of) return found;
  const names = [...from.store.ids(), ...from.store.archivedIds()].filter((id) => ids.includes(idBeforeSplit(id)));
  return opsIn([...new Set([...ids, ...names])].flatMap((id) => homeNow(from, id) ?? []));
}

/** The entity of this id, which may have gone to the archive since it was remembered. */
function homeNow({ store }: Again, id: string): LoadedEntity | undefined {
  return store.has(id) ? store.find(id) : store.findArchived(id);
}

function partDone(from: Again, call: CheckedCall, home: LoadedEntity, op: Op, calls: readonly ToolCall[]): PartDone {
  const { events } = op;
  const args = calls[placeOf(calls, op)]?.args ?? { target: home.id };
  const { subject } = stateAfter(home, call.workspace, op.hash);
  return answered(from, call, { tool: events[0]!.op.tool, args }, home, { subject, events });
}

function opsOf(loaded: LoadedEntity, isIt: (op: Op) => boolean): Op[] {
  return loaded.log.withSource((source) => readOps(source, { isKnownType }).ops.filter(isIt));
}

function incomplete(found: number, of: number): TaskfoldError {
  return new TaskfoldError(
    "LOG_INCOMPLETE",
    `Expected the ${of} parts of the transaction with this key, found ${found}: the others are not on this machine.`,
    remedy`Merge the branch that has them; ${TASKFOLD} verify names what is missing.`,
  );
}

function pending(): TaskfoldError {
  return new TaskfoldError(
    "UNKNOWN_OUTCOME",
    "Expected the transaction with this key to be finished; the system refuses it at present, or a log lacks what the rest builds on. The journal keeps what is left.",
    {
      ...remedy`Call again with the same idempotency_key: the next write finishes what was begun. ${TASKFOLD} verify names a log that lacks something.`,
      details: { reason: "TXN_PENDING" },
    },
  );
}

const noop = (): void => undefined;
