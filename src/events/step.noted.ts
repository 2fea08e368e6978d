import { LIMITS } from "../state/limits.ts";
import { openObject, orNull, text } from "../state/schema.ts";
import { defineEvent } from "./define.ts";
import { message, stepId } from "./parts.ts";

export const stepNoted = defineEvent({
  type: "step.noted",
  doc: "An actor wrote a progress note, on a step or (step_id null) on the whole.",
  payload: openObject({ step_id: orNull(stepId), note: text(), message }),
  undoable: true,
  undo: "Takes the note out of the views; its text stays in the log.",
  free: true,
  apply: (entity, p, fact, w) => {
    // A deleted one, too: what was said of it is there, whichever branch deleted it (EVENT-50).
    const step = p.step_id === null ? null : entity.steps.get(p.step_id);
    if (step === undefined) return;
    if (step) w.writeUntracked(step, "notes", step.notes + 1);
    const note = { id: fact.hash, ts: fact.ts, by: fact.by, step: p.step_id, text: p.note };
    w.ring(entity, "notes", note, LIMITS.recentNotes);
    w.writeUntracked(entity, "note_count", entity.note_count + 1);
    w.mark("note", note);
  },
});
