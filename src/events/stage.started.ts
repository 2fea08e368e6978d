import { attemptsOf } from "../state/packet.ts";
import { boolean, integer, list, openObject, optional, orNull, record, text } from "../state/schema.ts";
import { defineEvent } from "./define.ts";
import { asEarlier, changePacket, count, file, judgedBy, longIds, runOf, stage, timeoutMode } from "./packet_parts.ts";
import { message } from "./parts.ts";

export const stageStarted = defineEvent({
  type: "stage.started",
  doc: "A stage of the packet began, with what it ran with; a paid one is paid for from here on.",
  payload: openObject({
    stage,
    /** As its writer counted. Attempts of other branches may come before it: its number is its place (PACKET-130). */
    attempt: integer({ minimum: 1 }),
    model: text(),
    timeout_sec: count,
    timeout_mode: timeoutMode,
    paid: boolean(),
    /** As it was started, its prompt left out; empty where the caller runs the model itself. */
    argv: list(text()),
    /** Names of the environment's variables, never their values. */
    env: list(text()),
    prompt: orNull(file),
    /** How often each pattern, and each forbidden path, was masked in the prompt. */
    redactions: record(count),
    config_sha256: text(),
    /** A dispatcher runs it: if that process is gone, the next one takes the stage over. */
    dispatched: optional(boolean()),
    /**
     * The work tree as the runner saw it at the start. It is the commit, then digests of the files and of what git
     * runs, with blanks between.
     */
    work_tree: optional(text()),
    /** Left out by older versions. */
    judged_by: optional(judgedBy),
    long_ids: longIds,
    message,
  }),
  undoable: false,
  undo: "Cannot be undone: what was paid is paid.",
  apply: (entity, p, fact, w, _foreign, { index }) => {
    changePacket(entity, w, fact, (packet) => ({
      attempts: [
        ...packet.attempts.map((one) => (one.stage === p.stage ? asEarlier(one) : one)),
        {
          run: runOf(packet.attempts, fact.hash, p.long_ids === true),
          stage: p.stage,
          attempt: attemptsOf(packet, p.stage).length + 1,
          model: p.model,
          timeout_sec: p.timeout_sec,
          timeout_mode: p.timeout_mode,
          paid: p.paid,
          prompt_sha256: p.prompt?.sha256 ?? null,
          scope: p.judged_by?.scope ?? packet.manifest.scope,
          ...(p.judged_by
            ? {
                commands: { manifest: p.judged_by.manifest, brief: p.judged_by.brief },
                ops: { start: index, ends: [] },
              }
            : {}),
          started_at: fact.ts,
          by: fact.by,
          ...(p.dispatched ? { dispatched: true as const } : {}),
          ...(p.work_tree === undefined ? {} : { work_tree: p.work_tree }),
        },
      ],
      paid_calls_used: packet.paid_calls_used + (p.paid ? 1 : 0),
    }));
  },
});
