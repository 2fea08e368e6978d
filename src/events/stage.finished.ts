import type { Attempt } from "../state/packet.ts";
import { boolean, integer, list, oneOf, openObject, optional, orNull, text } from "../state/schema.ts";
import { defineEvent } from "./define.ts";
import { changePacket, count, run, stage, stageFiles, withEnd } from "./packet_parts.ts";
import { message } from "./parts.ts";

const result = openObject({
  command: text(),
  exit_code: integer(),
  timed_out: boolean(),
  duration_sec: count,
  excerpt: text(),
  /** The source of the command. Older versions leave it out, and so does a command that the gate did not ask for. */
  from: optional(oneOf(["brief", "manifest"])),
  /** Whether Taskfold started the command itself; left out where the caller reports the result. */
  captured: optional(boolean()),
});

export const stageFinished = defineEvent({
  type: "stage.finished",
  doc: "The servant of a stage ended, with what it left; whether the stage passed is said beside it.",
  payload: openObject({
    stage,
    run,
    exit_code: integer(),
    timed_out: boolean(),
    start: orNull(text()),
    end: orNull(text()),
    duration_sec: orNull(count),
    files: stageFiles,
    stderr: openObject({ head: list(text()), tail: list(text()) }),
    acceptance: list(result),
    message,
  }),
  undoable: false,
  undo: "Cannot be undone: what ran has run.",
  apply: (entity, p, fact, w, _foreign, { index }) => {
    const { exit_code, timed_out, start, end, duration_sec, files, stderr, acceptance } = p;
    const ended: NonNullable<Attempt["ended"]> = {
      how: "failed",
      ts: fact.ts,
      exit_code,
      timed_out,
      start,
      end,
      duration_sec,
      files,
      stderr,
      acceptance,
      reason: null,
    };
    changePacket(entity, w, fact, ({ attempts }) => ({
      attempts: withEnd(attempts, p.run, ended, index),
    }));
  },
});
