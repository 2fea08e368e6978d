/** Undo and redo (UNDO rules): ops of their own that give fields the values from before or after an earlier op. */
import { TaskfoldError } from "../errors.ts";
import type { Suggestion } from "../errors.ts";
import { remedy, toolName } from "../remedy.ts";
import type { Draft } from "../events/define.ts";
import { changesOf, isReversal, touchedBy } from "../events/history.ts";
import type { PastOp } from "../events/history.ts";
import type { FieldChange } from "../events/writer.ts";
import type { Past, PastOf } from "../events/past.ts";
import { redoApplied } from "../events/redo.applied.ts";
import { undoApplied } from "../events/undo.applied.ts";
import { isPresence } from "../state/fields.ts";
import type { Entity, Step, Subject } from "../state/entity.ts";
import type { Json } from "../state/schema.ts";
import type { Asking } from "./lease.ts";
import { refuseHeld, refuseLeased } from "./lease.ts";
import { callOn } from "./suggest.ts";
import { sentence } from "./phrase.ts";

export interface ReversalResult {
  drafts: Draft[];
  /** The place of the op in replay order. */
  reversed: number;
}

/** Takes back the last op in effect, or the one that `wanted` names (UNDO-1). */
export function undoOp(subject: Subject, pastOf: PastOf, asking: Asking, wanted: string | undefined): ReversalResult {
  refuseWholeHeld(subject, asking);
  const { past, index } = find(pastOf, (p) =>
    wanted === undefined ? p.ops.findLastIndex((op) => op.undoable && !op.undone) : indexOf(p, wanted),
  );
  const op = past.ops[index];
  if (!op) throw nothing(subject, wanted);
  if (op.undone)
    throw new TaskfoldError("NOTHING_TO_UNDO", `Expected an op in effect; ${shown(op)} has been undone already.`);
  if (!op.undoable) {
    throw new TaskfoldError("NOTHING_TO_UNDO", `Expected an op that can be undone; ${shown(op)} (${op.tool}) cannot.`, {
      ...remedy`${toolName("tasks_history")} says which ops can be undone.`,
    });
  }
  const drafts = [
    undoApplied.draft({ op: op.op, fields: fields(past, op, "before"), message: sentence("Undid", op.message) }),
  ];
  refuseLeased(subject, drafts, asking);
  if (wanted === undefined && op.by !== asking.by) throw byAnother(subject, op);
  refuseLater(subject, past, index, "undo");
  return { drafts, reversed: op.revision - 1 };
}

/** Brings the op that was undone last into effect again (UNDO-6). */
export function redoOp(subject: Subject, pastOf: PastOf, asking: Asking): ReversalResult {
  refuseWholeHeld(subject, asking);
  const { past, index } = find(pastOf, (p) => (p.redo.length === 0 ? -1 : indexOf(p, p.redo.at(-1)!)));
  const op = past.ops[index];
  if (!op) {
    throw new TaskfoldError(
      "NOTHING_TO_REDO",
      "Expected an op that was undone and not followed by another change, found none.",
      {
        recovery: "A change after an undo clears what could be redone.",
      },
    );
  }
  const drafts = [
    redoApplied.draft({ op: op.op, fields: fields(past, op, "after"), message: sentence("Redid", op.message) }),
  ];
  refuseLeased(subject, drafts, asking);
  refuseLater(subject, past, index, "redo");
  return { drafts, reversed: op.revision - 1 };
}

/** Before it is known what would be reversed: whatever it is, it is part of the whole (LEASE-4). */
function refuseWholeHeld(subject: Subject, { by, now }: Asking): void {
  refuseHeld(subject, null, { by, now });
}

/** In the last ops if it is there; the whole history costs a replay. */
function find(pastOf: PastOf, at: (past: Past) => number): { past: Past; index: number } {
  const near = pastOf(false);
  const index = at(near);
  if (index >= 0 || near.whole) return { past: near, index };
  const past = pastOf(true);
  return { past, index: at(past) };
}

function indexOf(past: Past, wanted: string): number {
  return past.ops.findIndex((op) => op.op === wanted || op.last === wanted);
}

function fields(past: Past, op: PastOp, which: "before" | "after"): { field: string; value: Json }[] {
  return changesOf(past.entity, op).map((change) => ({
    field: change.field,
    value: which === "after" ? change.after : valueBefore(past, op, change),
  }));
}

/**
 * Returns the value of a field before an op, without what was undone since. Only a merge puts an op upon one that is
 * undone later.
 */
function valueBefore({ ops, entity }: Past, op: PastOp, { field, before }: FieldChange): Json {
  let value = before;
  for (let i = ops.indexOf(op) - 1; i >= 0; i--) {
    const earlier = ops[i]!;
    const change = isReversal(earlier) ? undefined : changesOf(entity, earlier).find((c) => c.field === field);
    if (!change) continue;
    if (!earlier.undone) return value;
    value = change.before;
  }
  return value;
}

/** Undo never discards a later change: an op still in effect that wrote one of the fields is in the way (UNDO-4). */
function refuseLater(subject: Subject, past: Past, index: number, verb: "undo" | "redo"): void {
  const op = past.ops[index]!;
  const changes = changesOf(past.entity, op);
  const wrote = new Set(changes.map((c) => c.field));
  const added = changes
    .filter((c) => c.before === true && c.field.endsWith(".deleted"))
    .map((c) => c.field.split(".")[1]!);
  const closings = closingsOn(past.entity, changes, verb);
  const closes = closedBy(past.entity, changes, verb);
  for (const later of past.ops.slice(index + 1)) {
    if (later.undone || isReversal(later)) continue;
    const field = changesOf(past.entity, later).find(
      (c) =>
        wrote.has(c.field) ||
        (closings.has(c.field) && (c.after === true || c.after === "DONE")) ||
        restsOn(past.entity, closes, c.field),
    )?.field;
    const touched = field === undefined && verb === "undo" && added.length > 0 ? touchedBy(later) : undefined;
    const step = touched && added.find((id) => touched.has(id));
    if (field === undefined && step === undefined) continue;
    throw new TaskfoldError(
      "UNDO_CONFLICT",
      `Expected nothing later that builds on ${shown(op)}; ${shown(later)} by ${later.by} wrote ${field ?? step}.`,
      {
        recovery: `Undo the later op first, or make the change by hand.`,
        suggestions: verb === "undo" && later.undoable ? [undoCall(subject, later)] : [],
        details: { op: op.op, in_the_way: later.op, field: field ?? step },
      },
    );
  }
}

const GATING =
  /^step\.(STEP-[0-9A-F]{8})\.(?:done|deleted|blocked|success_criteria|tests|packet|confirmed\..+|proof\..+)$/;

/**
 * Returns fields by which a caller closed what rests on these changes: the steps concerned, those above them, the
 * whole.
 */
function closingsOn(entity: Entity, changes: readonly FieldChange[], verb: "undo" | "redo"): Set<string> {
  const closings = new Set<string>();
  for (const { field } of changes) {
    const step = entity.steps.get(GATING.exec(field)?.[1] ?? "");
    if (!step) continue;
    const returns = verb === "redo" && isPresence(field);
    // A step that is there returns to nothing, and nothing in one that returns rests on its being away.
    if (returns && !step.deleted) continue;
    for (let s = returns ? step.parent : step; s; s = s.parent) closings.add(`${s.$}done`);
    closings.add("status");
  }
  return closings;
}

/** The parts that an undo or redo would close: these steps, and with `whole` the task. */
interface Closes {
  steps: ReadonlySet<Step>;
  whole: boolean;
}

function closedBy(entity: Entity, changes: readonly FieldChange[], verb: "undo" | "redo"): Closes {
  const steps = new Set<Step>();
  let whole = false;
  for (const change of changes) {
    const value = verb === "undo" ? change.before : change.after;
    if (change.field === "status") whole ||= value === "DONE";
    const step = value === true ? entity.steps.get(/^step\.(.+)\.done$/.exec(change.field)?.[1] ?? "") : undefined;
    if (step) steps.add(step);
  }
  return { steps, whole };
}

/** Whether the gate of something in `closes` is judged by this field: its own, or that of a step below it. */
function restsOn(entity: Entity, { steps, whole }: Closes, field: string): boolean {
  if (steps.size === 0 && !whole) return false;
  const id = GATING.exec(field)?.[1];
  if (id === undefined) return false;
  for (let step = entity.steps.get(id) ?? null; step; step = step.parent) if (steps.has(step)) return true;
  return whole;
}

function nothing(subject: Subject, wanted: string | undefined): TaskfoldError {
  if (wanted === undefined) {
    return new TaskfoldError(
      "NOTHING_TO_UNDO",
      `Expected an op of ${subject.id} that is in effect and can be undone, found none.`,
      {
        ...remedy`${toolName("tasks_history")} lists the ops and which can be undone.`,
      },
    );
  }
  return new TaskfoldError(
    "UNKNOWN_ID",
    `Expected op to name an op of ${subject.id}, found ${JSON.stringify(wanted.slice(0, 80))}.`,
    {
      ...remedy`${toolName("tasks_history")} lists them.`,
      suggestions: [callOn(subject, "tasks_history", {}, "See which ops there are.")],
    },
  );
}

function byAnother(subject: Subject, op: PastOp): TaskfoldError {
  return new TaskfoldError("UNDO_CONFLICT", `Expected the last op to be your own; ${shown(op)} is by ${op.by}.`, {
    recovery: "Name it in op if it is the one to undo.",
    suggestions: [undoCall(subject, op)],
    details: { op: op.op, by: op.by },
  });
}

function undoCall(subject: Subject, op: PastOp): Suggestion {
  return callOn(subject, "tasks_undo", { op: op.op }, `Undo revision ${op.revision}.`);
}

function shown(op: PastOp): string {
  return `revision ${op.revision} (${op.message === "" ? op.tool : op.message})`;
}
