/**
 * The shared part of `undo.applied` and `redo.applied`: setting fields. The fold has put into the payload what each is
 * to be (UNDO-30).
 */
import type { Entity, Gate, Step } from "../state/entity.ts";
import { lacksInLog } from "../state/checkpoint.ts";
import { fieldAt } from "../state/fields.ts";
import { json, list, openObject, text } from "../state/schema.ts";
import type { Infer } from "../state/schema.ts";
import { openChildren } from "../state/tree.ts";
import type { GateThen } from "./gate_then.ts";
import { lacksMoreThan } from "./gate_then.ts";
import { liveStep, message } from "./parts.ts";
import { hasOpenSteps, reopenAbove, reopenStep, recomputeAccepted, recomputeGate } from "./recompute.ts";
import { setCard, setNote, setTrace } from "./restore_entries.ts";
import type { Writer } from "./writer.ts";

export const restorePayload = openObject({
  op: text(),
  fields: list(openObject({ field: text(), value: json() })),
  message,
});

const QUIET: ReadonlySet<string> = new Set(["done_at", "done_by", "forced", "reopened", "status_reason"]);

/** With confirmations and proof modes, what says whether a step may be closed. */
const JUDGED: ReadonlySet<string> = new Set(["done", "deleted", "blocked", "packet"]);

/** `gate`: from the fold; null where what was decided stands until the log is read again. */
type TurnPayload = Infer<typeof restorePayload> & { gate?: GateThen | null };

export function restoreFields(entity: Entity, { fields, gate }: TurnPayload, w: Writer): void {
  /** Steps that are to be judged, with what each lacked while it was closed; null where it was open. */
  const steps = new Map<Step, string[] | null>();
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
  // The rules refuse what a later close rests on; another branch may have closed it all the same (UNDO-8).
  for (const [step, lacked] of steps) {
    recomputeAccepted(entity, step, w);
    const blocked = step.done && step.forced === null && (step.blocked || openChildren(step).length > 0);
    if (blocked) reopenStep(entity, step, "an undo closed it again, but on another branch there is work left in it", w);
    const reason = "what it rested on was undone on another branch";
    if (lacked !== null) recomputeGate(entity, step, lacked, reason, w);
    else if (step.done && gate && lacksMoreThan(step, gate)) reopenStep(entity, step, reason, w);
    // A caller may have claimed it while it stood open.
    if (step.done && step.lease) w.write(step, "lease", null);
    // One that was closed by force may stand above open ones.
    const above = closedAbove(step);
    if (!step.done && above?.forced === null && liveStep(entity, step.id)) {
      reopenAbove(entity, above, "an undo on another branch left a step below it open", w);
    }
  }
  if (entity.status === "DONE" && entity.kind === "task" && hasOpenSteps(entity)) {
    reopenAbove(entity, null, "an undo completed it again, but on another branch there is work left", w);
  }
}

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
