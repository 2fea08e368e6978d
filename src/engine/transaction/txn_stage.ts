/** Step 4 of a transaction: every part decided in turn, on the state after those before it; one refusal takes all back. */
import { isTaskfoldError, TaskfoldError } from "../../errors.ts";
import type { Warning } from "../../errors.ts";
import type { TxnStamp } from "../../log/types.ts";
import { listedOf } from "../../state/listed.ts";
import { compareIds } from "../../state/compare_ids.ts";
import type { Subject } from "../../state/entity.ts";
import { refuseExpectations } from "../commit/create.ts";
import type { CheckedCall, Job, Unchanged, WorkspaceLookup } from "../entity/job.ts";
import type { ReadModel } from "../entities/read_model.ts";
import { expectedNow, decideAndSeal } from "../commit/decide.ts";
import type { ExpectedState, StagedJob, BatchHead } from "../commit/decide.ts";
import { unknownId } from "../entities/target.ts";
import type { PlannedPart } from "./txn_plan.ts";
import { atPart, loadedOf } from "./txn_plan.ts";
import type { LogWrite } from "../commit/log_writer.ts";
import type { Appender } from "../commit/shared_writes.ts";
import type { SystemOpParts } from "../commit/system_ops.ts";
import { systemOpsOf } from "../commit/system_ops.ts";
import { refuseAway, refuseDeleted, refuseUnwritable } from "../entity/writable.ts";
import { evidenceOf } from "../../rules/capture_evidence.ts";
import type { CapturedEvidence } from "../../rules/capture_evidence.ts";

export interface StageParts extends ReadModel, SystemOpParts {
  readonly logs: Appender;
}

/** The ops of one transaction for one entity: the engine's own, then the parts. */
export interface TxnEntry extends LogWrite {
  id: string;
  staged: StagedJob[];
}

export interface StagedTxn {
  /** In the order in which the parts meet them: a plan before the task that names it. */
  entries: TxnEntry[];
  /** The parts in order, also those that change nothing. */
  parts: { entry: TxnEntry; staged: StagedJob | Unchanged }[];
  noticed: Warning[];
  undo: () => void;
}

interface Open extends TxnEntry {
  head: BatchHead;
  seen: ExpectedState | undefined;
}

export function stageTxn(
  from: StageParts,
  call: CheckedCall,
  key: Job["key"],
  planned: readonly PlannedPart[],
): StagedTxn {
  const all = planned.map((_part, index) => index);
  const staged = stageOps(from, call, key, planned, all);
  const changing = all.filter((index) => staged.parts[index]!.staged.op);
  if (changing.length === all.length) return staged;
  // A stamp counts the ops of its transaction, and each op is sealed with it.
  staged.undo();
  return stageOps(from, call, key, planned, changing);
}

/** `changing`: the places of the parts that make an op. */
function stageOps(
  from: StageParts,
  call: CheckedCall,
  key: Job["key"],
  planned: readonly PlannedPart[],
  changing: readonly number[],
): StagedTxn {
  const { context, entities } = from;
  const { workspace, caller } = call;
  const entries = new Map<string, Open>();
  const done: StagedTxn = {
    entries: [],
    parts: [],
    noticed: [],
    undo: () => {
      for (const { staged } of done.entries.toReversed()) for (const one of staged.toReversed()) one.undo();
    },
  };
  const around = withMade(entities.around(workspace), workspace, () => done.entries);
  // A refusal takes all parts back, so it names no evidence that only they would have brought (TXN-1).
  const unrecorded = new Set<string>();
  const take = (open: Open, job: Job): StagedJob | Unchanged => {
    const one = decideAndSeal(context, around, open.loaded, open.head, job, open.seen);
    if (!one.op) return one;
    open.head = one.head;
    open.staged.push(one);
    for (const id of evidenceIn(open, one)) unrecorded.add(id);
    return one;
  };
  const open = (part: PlannedPart): Open => {
    const known = entries.get(part.id);
    if (known) return known;
    const entry = part.made ? draft(from, part) : existing(from, part, workspace);
    entries.set(part.id, entry);
    done.entries.push(entry);
    if (part.made) return entry;
    const { jobs: own, warnings } = systemOpsOf(from, entry.loaded, workspace);
    done.noticed.push(...warnings);
    const seen = own.length > 0 ? expectedNow(entry.loaded) : undefined;
    for (const job of own) take(entry, job);
    entry.seen = seen;
    return entry;
  };
  const id = context.newId();
  for (const [index, part] of planned.entries()) {
    try {
      const entry = open(part);
      if (!entry.loaded.entity) refuseExpectations(part);
      else if (part.tool.archive === "from") refuseDeleted(entry.loaded.entity, part.id);
      else refuseAway(entry.loaded.entity, part.id, workspace);
      const { tool, input } = part;
      const job: Job = {
        tool,
        input,
        workspace,
        caller,
        targetFrom: "input",
        key: undefined,
        unrecorded,
        done: nobody,
        fail: nobody,
      };
      if (index === changing[0]) job.key = key;
      if (changing.length > 1 && changing.includes(index)) job.txn = stampOf(id, index, planned, changing, entries);
      const staged = take(entry, job);
      entry.seen = undefined;
      if (staged.op && entry.made && staged.blobs.length + staged.contents.length > 0) throw captured();
      done.parts.push({ entry, staged });
    } catch (e) {
      done.undo();
      const better = isTaskfoldError(e) ? (part.suggest?.(e.code) ?? []) : [];
      throw planned.length > 1 || better.length > 0 ? atPart(e, index, part.tool.name, better) : e;
    }
  }
  dropIdle(done);
  return done;
}

/** The engine's own ops go on the way of a part's, never by themselves. */
function dropIdle(done: StagedTxn): void {
  const isIdle = (entry: TxnEntry): boolean => !done.parts.some((part) => part.entry === entry && part.staged.op);
  for (const entry of done.entries.filter(isIdle)) for (const one of entry.staged.splice(0).toReversed()) one.undo();
  done.entries = done.entries.filter((entry) => entry.staged.length > 0);
}

/** The first part names every folder; the others name the entity that has the first. */
function stampOf(
  id: string,
  index: number,
  planned: readonly PlannedPart[],
  changing: readonly number[],
  entries: ReadonlyMap<string, Open>,
): TxnStamp {
  const place = changing.indexOf(index);
  const first = planned[changing[0]!]!;
  const root = entries.get(first.id)?.loaded.entity?.root;
  const stamp = { id, n: place + 1, of: changing.length, ...(place === index ? {} : { at: index + 1 }) };
  if (place > 0) return { ...stamp, roots: [root!] };
  const ids = [...new Set(changing.map((at) => planned[at]!.id))];
  return { ...stamp, ids, roots: root === undefined ? [] : [root] };
}

function draft(from: ReadModel, part: PlannedPart): Open {
  const head: BatchHead = { heads: [], seq: 0, ops: 0, offset: 0 };
  return { id: part.id, made: true, loaded: loadedOf(from, part), prev: [], staged: [], head, seen: undefined };
}

function existing(from: StageParts, part: PlannedPart, workspace: string): Open {
  const loaded = loadedOf(from, part);
  if (!loaded.catchUp()) unknownId(from.store, workspace, part.id);
  refuseUnwritable(loaded, from.context.disk.lstat(from.context.layout.tasks));
  const { heads, seq, ops, offset } = loaded.report;
  const head: BatchHead = { heads, seq, ops, offset };
  return { id: part.id, made: false, loaded, prev: heads, staged: [], head, seen: undefined };
}

/** The rest of the workspace, with what this transaction makes. */
function withMade(around: WorkspaceLookup, workspace: string, entries: () => readonly TxnEntry[]): WorkspaceLookup {
  const made = (): Subject[] =>
    entries().flatMap(({ made: isMade, loaded }) => (isMade && loaded.entity ? [loaded.subject(workspace)] : []));
  return {
    ...around,
    rows: () => [...around.rows(), ...made().map(listedOf)].toSorted((a, b) => compareIds(a.id, b.id)),
    find: (ref) => made().find(({ entity }) => entity.root === ref.root) ?? around.find(ref),
    tasksOfPlan: (root) =>
      [...around.tasksOfPlan(root), ...made().filter((one) => isTaskOf(one, root))].toSorted((a, b) =>
        compareIds(a.id, b.id),
      ),
    ref: (text) => {
      const own = made().find(({ id }) => id === text);
      return own ? { id: own.id, root: own.entity.root, kind: own.entity.kind } : around.ref(text);
    },
  };
}

function isTaskOf({ entity }: Subject, plan: string): boolean {
  return entity.kind === "task" && entity.parent?.root === plan;
}

/** Their bytes have to be on disk before the journal, and there is no folder for them yet. */
function captured(): TaskfoldError {
  return new TaskfoldError("INTERNAL", "Expected nothing captured for what is only being made. Nothing was written.");
}

const nobody = (): void => undefined;

function evidenceIn({ loaded: { entity } }: Open, { op }: StagedJob): string[] {
  if (!entity) return [];
  const captured = op.events.filter(({ type }) => type === "evidence.captured");
  return captured.flatMap(({ hash, payload }) =>
    evidenceOf(entity, payload as CapturedEvidence, hash).map(({ id }) => id),
  );
}
