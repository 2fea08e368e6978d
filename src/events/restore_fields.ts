/**
 * The shared part of `undo.applied` and `redo.applied`: setting fields. The fold has put into the payload what each is
 * to be (UNDO-30).
 */
import { hasEnded } from "../state/ended.ts";
import type { Checkpoint, Entity, Gate, Step } from "../state/entity.ts";
import { lacksInLog } from "../state/checkpoint.ts";
import { fieldAt, OF_STATUS } from "../state/fields.ts";
import { json, list, openObject, text } from "../state/schema.ts";
import type { Infer } from "../state/schema.ts";
import { openChildren } from "../state/tree.ts";
import { noteClaimsAbove } from "./claimants.ts";
import { restoreConfirmers } from "./confirmers.ts";
import type { GateThen } from "./gate_then.ts";
import { lacksMoreThan } from "./gate_then.ts";
import { liveStep, message } from "./parts.ts";
import {
  endLease,
  hasOpenSteps,
  NOT_ALL_THERE,
  reopenAbove,
  reopenStep,
  recomputeAccepted,
  recomputeGate,
} from "./recompute.ts";
import { setCard, setNote, setTrace } from "./restore_entries.ts";
import type { Writer } from "./writer.ts";

export const restorePayload = openObject({
  op: text(),
  fields: list(openObject({ field: text(), value: json() })),
  message,
});

const QUIET: ReadonlySet<string> = new Set(["done_at", "done_by", "forced", "reopened", "status_reason", ...OF_STATUS]);

/** With confirmations and proof modes, what says whether a step may be closed. */
const JUDGED: ReadonlySet<string> = new Set(["done", "deleted", "blocked", "packet"]);

/** How a reason names it. */
type Cause = "an undo" | "a redo";

/**
 * The fold adds `gate`, null where what was decided stands until the log is read again. It also adds `namedFields`: each field that is named
 * with effect, with the value that the payload gives it. `fields` are then those that are to be set. `index`: the place of the named op in replay order.
 */
type ReversalPayload = Infer<typeof restorePayload> & {
  gate?: GateThen | null;
  namedFields?: Infer<typeof restorePayload>["fields"];
  index?: number;
};

export function restoreFields(
  entity: Entity,
  { fields, namedFields = fields, gate, index = NOT_KNOWN }: ReversalPayload,
  { cause, by }: { cause: Cause; by: string },
  w: Writer,
): void {
  /** Steps that are to be judged, with what each lacked while it was closed; null where it was open. */
  const steps = new Map<Step, string[] | null>();
  const ended = hasEnded(entity);
  const set = new Map(fields.map(({ field, value }) => [field, value]));
  for (const { field, value } of namedFields) {
    const at = fieldAt(entity, field);
    if (!at?.step || at.node !== at.step.confirmed || !at.kind(value)) continue;
    const to = set.get(field) as boolean | undefined;
    const one = { by, op: index };
    const undo = cause === "an undo";
    restoreConfirmers(at.step, at.key as Checkpoint, { to, confirmed: value === true, undo, one }, w);
  }
  for (const { field, value } of fields) {
    if (field.startsWith("gate.")) setGate(entity, field.slice(5), value, w);
    else if (field.startsWith("note.")) setNote(entity, field.slice(5), value, w);
    else if (field.startsWith("trace.")) setTrace(entity, field.slice(6), value, w);
    else if (field.startsWith("card.")) setCard(entity, field.slice(5), value, w);
    else {
      const at = fieldAt(entity, field);
      if (!at?.kind(value)) continue;
      const { step } = at;
      if (step && !steps.has(step) && (at.node !== step || JUDGED.has(at.key)))
        steps.set(step, step.done ? lacksInLog(step) : null);
      if (QUIET.has(at.key)) w.writeUntracked(at.node, at.key as never, value as never);
      else w.write(at.node, at.key as never, value as never);
    }
  }
  // The rules refuse what a later close rests on; another branch may have closed it all the same (UNDO-31).
  for (const [step, lacked] of steps) {
    recomputeAccepted(entity, step, w);
    const why = step.blocked ? "it was blocked" : openChildren(step).length > 0 ? "there is work left in it" : null;
    if (step.done && step.forced === null && why !== null) {
      const blocked = lacked !== null && set.get(`${step.$}blocked`) === true;
      const did = lacked === null ? "closed it again" : blocked ? "blocked it again" : "changed it";
      const other = blocked ? "it was closed" : why;
      reopenStep(entity, step, `${cause} ${did}, but on another branch ${other}`, w);
    }
    if (lacked !== null) recomputeGate(entity, step, lacked, `${cause} on another branch changed what it rests on`, w);
    else if (step.done && gate && lacksMoreThan(step, gate)) {
      reopenStep(entity, step, `${cause} closed it again, but on another branch ${NOT_ALL_THERE}`, w);
    }
    // A caller may have claimed it while it stood open, or before it was closed.
    if (lacked !== null && !step.done) noteClaimsAbove(entity, step, w);
    if (set.has(`${step.$}done`) && (step.done || lacked !== null)) endLease(step, w);
    // One that was closed by force may stand above open ones.
    const above = closedAbove(step);
    if (!step.done && above?.forced === null && liveStep(entity, step.id)) {
      reopenAbove(entity, above, `${cause} on another branch left a step below it open`, w);
    }
  }
  if (entity.status === "DONE" && entity.kind === "task" && hasOpenSteps(entity)) {
    const reason =
      set.get("status") === "DONE"
        ? "completed it again, but on another branch there is work left"
        : "on another branch left a step open";
    reopenAbove(entity, null, `${cause} ${reason}`, w);
  }
  if (set.has("status") && (ended || hasEnded(entity))) endLease(entity, w);
  // Conflicts go by the values that its caller saw (UNDO-31).
  for (const { field, value } of namedFields) {
    const at = fieldAt(entity, field);
    if (at?.kind(value) && !QUIET.has(at.key)) w.say(field, value);
  }
}

/** Behind every op that is known: what was decided stands until the log is read again. */
const NOT_KNOWN = Number.MAX_SAFE_INTEGER;

function closedAbove({ parent }: Step): Step | null {
  for (let s = parent; s; s = s.parent) if (s.done) return s;
  return null;
}

function setGate(entity: Entity, id: string, value: unknown, w: Writer): void {
  const gate = value as Partial<Gate> | null;
  const before = entity.gates.get(id);
  if (gate === null) {
    if (before) w.put("gates", entity.gates, id, { ...before, state: "approved" });
    return;
  }
  const known = ["open", "blocked", "approved", "rejected"].includes(gate.state as string);
  if (!known || gate.id !== id) return;
  const text = (v: unknown): string | null => (typeof v === "string" ? v : null);
  w.put("gates", entity.gates, id, {
    id,
    own: true,
    state: gate.state!,
    reason: text(gate.reason),
    blocked_at: text(gate.blocked_at),
    resolved_at: text(gate.resolved_at),
    resolved_by: text(gate.resolved_by),
  });
}
