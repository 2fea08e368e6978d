import { FAILURE_CLASSES } from "../state/packet.ts";
import type { Failure } from "../state/packet.ts";
import { either, integer, list, object, optional, oneOf, openObject, orNull, text } from "../state/schema.ts";
import { defineEvent } from "./define.ts";
import { changePacket, run, stage, withAttempt } from "./packet_parts.ts";
import { message } from "./parts.ts";
import { recomputePacket } from "./recompute.ts";

const inner = object({ key: text(), args: list(text()) });
/** A reason without its values, and the values: a page in another language has words for it (PACKET-427). */
const form = object({ key: text(), args: list(either(text(), inner)) });

export const stageFailed = defineEvent({
  type: "stage.failed",
  doc: "An attempt of a stage failed, with its class, its signature and what may be done about it.",
  payload: openObject({
    stage,
    run,
    class: oneOf(FAILURE_CLASSES),
    signature: text({ pattern: "^sig:[0-9a-f]{16}$" }),
    normalized: text(),
    exit_code: orNull(integer()),
    gate: oneOf(["passed", "failed", "not_judged"]),
    reasons: list(text()),
    forms: optional(list(orNull(form))),
    suggested_actions: list(text()),
    message,
  }),
  undoable: false,
  undo: "Cannot be undone: what failed has failed.",
  apply: (entity, p, fact, w) => {
    changePacket(entity, w, fact, ({ attempts, signatures, done, failures }) => {
      const failed = attempts.find((one) => one.run === p.run);
      if (!failed) return {};
      const { stage: name, exit_code, gate, reasons, forms, signature, normalized, suggested_actions } = p;
      const failure: Failure = {
        stage: name,
        attempt: failed.attempt,
        class: p.class,
        signature,
        exit_code,
        gate,
        reasons,
        ...(forms ? { forms } : {}),
        normalized,
        suggested_actions,
        ts: fact.ts,
      };
      const before = signatures[signature];
      const counted = {
        count: (before?.count ?? 0) + 1,
        class: p.class,
        first_seen: before?.first_seen ?? fact.ts,
        last_seen: fact.ts,
      };
      return {
        attempts: withAttempt(attempts, p.run, (one) =>
          one.ended
            ? {
                ...one,
                ended: { ...one.ended, reason: reasons[0] ?? p.class, ...(forms?.[0] ? { form: forms[0] } : {}) },
              }
            : one,
        ),
        signatures: { ...signatures, [signature]: counted },
        // Another branch may have brought the stage to its end since.
        ...(done[name] === undefined ? { failures: { ...failures, [name]: failure } } : {}),
      };
    });
    recomputePacket(entity, w);
  },
});
