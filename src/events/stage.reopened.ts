import { isUnderWay } from "../state/packet.ts";
import { openObject, text } from "../state/schema.ts";
import { defineEvent } from "./define.ts";
import { changePacket, stage } from "./packet_parts.ts";
import { message } from "./parts.ts";
import { recomputePacket } from "./recompute.ts";

export const stageReopened = defineEvent({
  type: "stage.reopened",
  doc: "A stage that was done has to be done again.",
  payload: openObject({ stage, reason: text(), message }),
  undoable: false,
  undo: "Cannot be undone: run the stage again.",
  isHeld: ({ stage: of }, packet, at) => packet.done[of] === undefined && isUnderWay(packet, at, of),
  apply: (entity, p, fact, w) => {
    changePacket(entity, w, fact, ({ attempts, done }) => {
      const { [p.stage]: _gone, ...left } = done;
      // A stage that another program marks as done later is not the work of this attempt.
      const aside = attempts.map((one) =>
        one.stage === p.stage && one.ended ? { ...one, reopened: true as const } : one,
      );
      return { attempts: aside, done: left };
    });
    recomputePacket(entity, w);
  },
});
