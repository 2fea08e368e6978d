import { json, openObject, optional, orNull, text } from "../state/schema.ts";
import { defineEvent } from "./define.ts";
import { message } from "./parts.ts";

export const contractUpdated = defineEvent({
  type: "contract.updated",
  doc: "A plan's contract was set or cleared: its text, its data, or both.",
  payload: openObject({ contract: optional(orNull(text())), contract_data: optional(json()), message }),
  undoable: true,
  undo: "Restores the contract that stood before.",
  apply: (entity, p, _fact, w) => {
    if (p.contract !== undefined) w.write(entity, "contract", p.contract);
    if (p.contract_data !== undefined) w.write(entity, "contract_data", p.contract_data);
  },
});
