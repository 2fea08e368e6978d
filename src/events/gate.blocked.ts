import { openObject, optional, text } from "../state/schema.ts";
import { defineEvent } from "./define.ts";
import { message } from "./parts.ts";

export const gateBlocked = defineEvent({
  type: "gate.blocked",
  doc: "A gate waits for a person; other programs that share the folder know it by gateId.",
  payload: openObject({ gateId: text(), reason: optional(text()), message }),
  undoable: true,
  undo: "Restores the gate as it was before.",
  apply: (entity, p, fact, w) =>
    w.put("gates", entity.gates, p.gateId, {
      id: p.gateId,
      own: true,
      state: "blocked",
      reason: p.reason ?? null,
      blocked_at: fact.ts,
      resolved_at: null,
      resolved_by: null,
    }),
});
