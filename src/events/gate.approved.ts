import { openObject, text } from "../state/schema.ts";
import { defineEvent } from "./define.ts";
import { message } from "./parts.ts";

export const gateApproved = defineEvent({
  type: "gate.approved",
  doc: "A gate was passed.",
  payload: openObject({ gateId: text(), message }),
  undoable: true,
  undo: "Restores the gate as it was before.",
  apply: (entity, p, fact, w) => {
    const gate = entity.gates.get(p.gateId);
    if (gate)
      w.put("gates", entity.gates, p.gateId, {
        ...gate,
        state: "approved",
        resolved_at: fact.ts,
        resolved_by: fact.by,
      });
  },
});
