import type { Failure } from "../state/packet.ts";
import { FAILURE_CLASSES, isUnderWay } from "../state/packet.ts";
import { integer, list, oneOf, openObject, orNull, record, text } from "../state/schema.ts";
import { defineEvent } from "./define.ts";
import { changePacket, count, stage } from "./packet_parts.ts";
import { message } from "./parts.ts";

const signatureText = text({ pattern: "^sig:[0-9a-f]{16}$" });

export const packetImported = defineEvent({
  type: "packet.imported",
  doc: "The counts of another program were taken in on request: paid calls, failures by signature, and the last failure.",
  payload: openObject({
    paid_calls_used: orNull(count),
    signatures: orNull(
      record(openObject({ count, class: oneOf(FAILURE_CLASSES), first_seen: text(), last_seen: text() })),
    ),
    last_failure: orNull(
      openObject({
        stage,
        attempt: integer({ minimum: 1 }),
        class: oneOf(FAILURE_CLASSES),
        signature: signatureText,
        exit_code: orNull(integer()),
        gate: oneOf(["passed", "failed", "not_judged"]),
        reasons: list(text()),
        suggested_actions: list(text()),
        ts: text(),
      }),
    ),
    message,
  }),
  undoable: false,
  undo: "Cannot be undone: import the folder again, or reset the budgets.",
  isHeld: (_payload, packet, at) => isUnderWay(packet, at),
  apply: (entity, { paid_calls_used, signatures, last_failure: failure }, fact, w) => {
    changePacket(entity, w, fact, ({ done, failures }) => {
      const taken: Failure | null = failure && { ...failure, normalized: "" };
      return {
        ...(paid_calls_used === null ? {} : { paid_calls_used }),
        ...(signatures === null ? {} : { signatures }),
        ...(taken && done[taken.stage] === undefined ? { failures: { ...failures, [taken.stage]: taken } } : {}),
      };
    });
  },
});
