import { BUDGETS, isUnderWay } from "../state/packet.ts";
import { oneOf, openObject, text } from "../state/schema.ts";
import { defineEvent } from "./define.ts";
import { changePacket, count } from "./packet_parts.ts";
import { message } from "./parts.ts";

export const packetBudgetReset = defineEvent({
  type: "packet.budget_reset",
  doc: "A budget was filled up again: no paid call, or no failure of any signature, counts from before.",
  payload: openObject({ kind: oneOf(BUDGETS), used: count, reason: text(), message }),
  undoable: false,
  undo: "Cannot be undone: what was allowed may have been spent.",
  isHeld: (_payload, packet, at) => isUnderWay(packet, at),
  apply: (entity, { kind }, fact, w) => {
    changePacket(entity, w, fact, ({ signatures }) =>
      kind === "paid_call_budget"
        ? { paid_calls_used: 0 }
        : {
            signatures: Object.fromEntries(
              Object.entries(signatures).map(([name, signature]) => [name, { ...signature, count: 0 }]),
            ),
          },
    );
  },
});
