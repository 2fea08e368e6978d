/** Rows of the board. The part that the log alone tells is kept; the rest is made for each answer. */
import { textOf } from "../../sentence.ts";
import { hasEnded } from "../../state/ended.ts";
import { planStatus } from "../../state/plan_status.ts";
import { isArchivedOrDeleted } from "../../state/archive.ts";
import { isCompletable } from "../../state/completion.ts";
import type { Entity, Ref, Subject } from "../../state/entity.ts";
import { AFTER_ALL_TIMES, BEFORE_ALL_TIMES, firstReady } from "../../state/first_ready.ts";
import { liveConflicts, liveMoved } from "../../state/live.ts";
import { statusOf } from "../../state/status.ts";
import { bounded, obstacles } from "../lines.ts";
import type { BoardRow, StepRef } from "./api.ts";
import { isDispatched, packetState } from "./packet_item.ts";
import type { OwnClaim } from "./refs.ts";
import { claimsAt, claimsOf, progressOf, stepRef } from "./refs.ts";
import { failedProofs } from "./step_items.ts";

const MAX_CLAIMS = 10;
const MAX_REASONS = 3;

/** Which step can be taken up from a time on, as far as the task itself goes. */
interface FreeFrom {
  from: string;
  step: StepRef | null;
}

/** Everything of a row that its log tells, at whatever time it is asked. Plain data: thousands of them are kept. */
export interface OwnRow {
  row: Omit<
    BoardRow,
    "waits_for" | "ready" | "needs_steps" | "workable" | "plan" | "depends_on" | "drift" | "faults" | "claims"
  >;
  claims: OwnClaim[];
  root: string;
  parent: Ref | null;
  depends_on: Ref[];
  free: FreeFrom[];
  /** How its packet stands if no process runs it; null unless a dispatcher began what has no end. */
  lost: BoardRow["packet"];
}

export function ownRow(subject: Subject, source: BoardRow["source"], warnings: readonly string[]): OwnRow {
  const { entity, id, head } = subject;
  const row: OwnRow["row"] = {
    id,
    kind: entity.kind,
    title: entity.title,
    status: statusOf(entity),
    priority: entity.priority,
    tags: [...entity.tags],
    assignee: entity.assignee,
    source,
    blocked: hasEnded(entity) ? [] : bounded([...obstacles(entity)].map(textOf), MAX_REASONS),
    conflicts: liveConflicts(entity).length + liveMoved(entity).length,
    failed_proof: failedProofs(entity),
    to_complete: isToComplete(entity),
    progress: progressOf(entity),
    packet: entity.packet ? packetState(entity.packet) : null,
    created_at: entity.created_at,
    updated_at: entity.updated_at,
    updated_by: [...entity.acted.keys()].at(-1) ?? null,
    revision: entity.revision,
    head,
    warnings: [...warnings],
    ...(isArchivedOrDeleted(entity) ? { archived: true as const } : {}),
    ...(entity.deleted ? { deleted: true as const } : {}),
  };
  const { root, parent, depends_on } = entity;
  return {
    row,
    claims: claimsOf(entity).slice(0, MAX_CLAIMS),
    root,
    parent,
    depends_on: [...depends_on],
    free: freeSteps(entity),
    lost: entity.packet && isDispatched(entity.packet) ? packetState(entity.packet, () => undefined) : null,
  };
}

/** The page of a task says it by the same rule. */
export function isToComplete(entity: Entity): boolean {
  return entity.kind === "task" && !hasEnded(entity) && !isArchivedOrDeleted(entity) && isCompletable(entity);
}

/** Tried at the end of each claim: only then another step can become free without a change. */
function freeSteps(entity: Entity): FreeFrom[] {
  if (entity.kind !== "task" || hasEnded(entity) || isArchivedOrDeleted(entity)) return [];
  const ends = new Set(claimsOf(entity).map(({ expires_at }) => expires_at));
  const free = [BEFORE_ALL_TIMES, ...[...ends].sort()].map((from) => {
    const step = firstReady(entity, from);
    return { from, step: step ? stepRef(step) : null };
  });
  return free.filter(({ step }, i) => i === 0 || step?.id !== free[i - 1]!.step?.id);
}

/** Facts about other rows, by the root of a reference. */
export interface RowsAround {
  /** Present id. */
  idOf: (ref: Ref) => string;
  isDone: (ref: Ref) => boolean;
  /** How the tasks of a plan stand, by its root. */
  tasksOf: (root: string) => BoardRow["progress"] & { hasBegun: boolean };
  now: string;
  /** Whether the dispatcher that began its attempt is gone. */
  isLost: boolean;
  /** Findings of the last check of its folder; undefined before one. */
  checked: { drift: boolean; faults: number } | undefined;
}

/** With members as literal as they are: a spread of many would be the cost of a board. */
export function boardRow({ row, claims, root, parent, depends_on, free, lost }: OwnRow, around: RowsAround): BoardRow {
  const { idOf, isDone, now, checked, isLost } = around;
  const waits = hasEnded(row) ? [] : depends_on.filter((ref) => !isDone(ref));
  const stepAt = (time: string): StepRef | null =>
    waits.length > 0 ? null : (free.findLast(({ from }) => from <= time)?.step ?? null);
  const held = claimsAt(claims, now);
  const isEmpty = lacksSteps(row) && waits.length === 0;
  const tasks = row.kind === "plan" ? around.tasksOf(root) : undefined;
  return Object.assign({}, row, {
    claims: held,
    plan: parent && idOf(parent),
    depends_on: depends_on.map(idOf),
    waits_for: waits.map(idOf),
    ready: stepAt(now),
    needs_steps: isEmpty && !held.some(({ holds }) => holds),
    workable: isEmpty || stepAt(AFTER_ALL_TIMES) !== null,
    status: planStatus(row.status, tasks?.hasBegun === true),
    progress: tasks ? { done: tasks.done, total: tasks.total } : row.progress,
    drift: checked?.drift ?? null,
    faults: checked?.faults ?? null,
    packet: isLost ? lost : row.packet,
  });
}

/** An open task that is given its steps yet. */
function lacksSteps({ kind, status, archived, progress }: OwnRow["row"]): boolean {
  return kind === "task" && !hasEnded({ status }) && archived !== true && progress.total === 0;
}
