import { openObject, optional, text } from "../state/schema.ts";
import { defineEvent } from "./define.ts";
import { changePacket, run, stage, stageFiles, withEnd } from "./packet_parts.ts";
import { message } from "./parts.ts";

export const stageInterrupted = defineEvent({
  type: "stage.interrupted",
  doc: "An attempt ended without a word: its dispatcher was killed, or its caller gave it up. A payment that it made stays paid.",
  payload: openObject({
    stage,
    run,
    reason: text(),
    /** The files that it left until then. */
    files: optional(stageFiles),
    message,
  }),
  undoable: false,
  undo: "Cannot be undone: start the stage again.",
  apply: (entity, p, fact, w, _foreign, { index }) => {
    changePacket(entity, w, fact, ({ attempts }) => ({
      attempts: withEnd(
        attempts,
        p.run,
        {
          how: "interrupted",
          ts: fact.ts,
          exit_code: null,
          timed_out: false,
          start: null,
          end: null,
          duration_sec: null,
          files: p.files ?? {},
          stderr: { head: [], tail: [] },
          acceptance: [],
          reason: p.reason,
        },
        index,
      ),
    }));
  },
});
