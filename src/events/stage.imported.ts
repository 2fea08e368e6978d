import type { Attempt } from "../state/packet.ts";
import { attemptsOf, isUnderWay } from "../state/packet.ts";
import { boolean, integer, openObject, orNull, text } from "../state/schema.ts";
import { defineEvent } from "./define.ts";
import { asEarlier, changePacket, count, longIds, runOf, stage, stageFiles } from "./packet_parts.ts";
import { message } from "./parts.ts";
import { recomputePacket } from "./recompute.ts";

export const stageImported = defineEvent({
  type: "stage.imported",
  doc: "An attempt of a stage that another program ran was taken in from its folder, with its marker if it is done. Nothing is paid.",
  payload: openObject({
    stage,
    /** Text of its marker, as a time; null: it has no marker. */
    done_at: orNull(text()),
    /** Whether the folder told of a run, by its meta.json or its output; if not, there is a marker alone. */
    ran: boolean(),
    exit_code: orNull(integer()),
    model: text(),
    start: orNull(text()),
    end: orNull(text()),
    duration_sec: orNull(count),
    prompt_sha256: orNull(text()),
    files: stageFiles,
    long_ids: longIds,
    message,
  }),
  undoable: false,
  undo: "Cannot be undone: reopen the stage.",
  isHeld: (_payload, packet, at) => isUnderWay(packet, at),
  apply: (entity, p, fact, w) => {
    changePacket(entity, w, fact, (packet) => {
      const { attempts, done } = packet;
      const { [p.stage]: _mended, ...failures } = packet.failures;
      const passed = p.done_at !== null;
      const ended: Attempt["ended"] = {
        how: passed ? "passed" : "failed",
        ts: p.done_at ?? fact.ts,
        exit_code: p.exit_code,
        timed_out: false,
        start: p.start,
        end: p.end,
        duration_sec: p.duration_sec,
        files: p.files,
        stderr: { head: [], tail: [] },
        acceptance: [],
        reason: null,
      };
      const attempt: Attempt = {
        run: runOf(attempts, fact.hash, p.long_ids === true),
        stage: p.stage,
        attempt: attemptsOf(packet, p.stage).length + 1,
        model: p.model,
        timeout_sec: 0,
        timeout_mode: "wait_done",
        paid: false,
        prompt_sha256: p.prompt_sha256,
        started_at: p.start ?? fact.ts,
        by: fact.by,
        ended,
        imported: true,
      };
      const before = attempts.map((one) => (one.stage === p.stage ? asEarlier(one) : one));
      return {
        ...(p.ran ? { attempts: [...before, attempt] } : {}),
        ...(p.done_at === null
          ? {}
          : {
              done: { ...done, [p.stage]: p.done_at },
              failures,
            }),
      };
    });
    recomputePacket(entity, w);
  },
});
