import { list, openObject, text } from "../state/schema.ts";
import { defineEvent } from "./define.ts";
import { changePacket, run, stage, withAttempt } from "./packet_parts.ts";
import { message } from "./parts.ts";
import { recomputePacket } from "./recompute.ts";

export const stagePassed = defineEvent({
  type: "stage.passed",
  doc: "The gate of a stage let its output through: the stage is done.",
  payload: openObject({ stage, run, checks: list(text()), message }),
  undoable: false,
  undo: "Cannot be undone: reopen the stage.",
  apply: (entity, p, fact, w) => {
    changePacket(entity, w, fact, ({ attempts, done, failures: { [p.stage]: _mended, ...failures } }) => ({
      attempts: withAttempt(attempts, p.run, (one) =>
        one.ended?.how === "failed" ? { ...one, ended: { ...one.ended, how: "passed" } } : one,
      ),
      done: { ...done, [p.stage]: fact.ts },
      failures,
    }));
    recomputePacket(entity, w);
  },
});
