/** Parts that the packet's tools share. */
import type { Packet } from "../state/packet.ts";
import { attemptsOf, partsOfStage, stageState } from "../state/packet.ts";
import { boolean, integer, list, object, oneOf, optional, orNull, record, text } from "../state/schema.ts";
import type { JsonObject } from "../state/schema.ts";
import { currentFailure, nextAction } from "../state/packet_next.ts";
import { printed, target, taskBlock, workspace } from "./common.ts";
import type { ReplyContext } from "./reply_context.ts";
import * as out from "./output.ts";

/** A packet is carried by a task, so one name is enough; without it the focus counts. */
export const packetTarget = { workspace, ...target };
export const packetStage = text({ minLength: 1, maxLength: 80 });
/** As packet_stage_start named the attempt: after a merge of branches two may be under way. Left out, the latest, unless that may be another's (PACKET-422). */
export const packetRun = optional(text());
export const reason = text({ minLength: 1, maxLength: 2000 });
const ofState = oneOf(["pending", "running", "done", "failed", "interrupted"]);

/** Where a packet stands, in what a caller needs to go on. */
export const packetBlock = object({
  goal: text(),
  intent: text(),
  profile: text(),
  stages: list(
    object({
      stage: text(),
      tool: text(),
      role: text(),
      model: text(),
      state: ofState,
      attempts: integer(),
      exit_code: orNull(integer()),
      done_at: orNull(text()),
    }),
  ),
  budgets: object({
    paid_calls_used: integer(),
    paid_call_budget: integer(),
    retry_budget: integer(),
    max_wallclock_sec: integer(),
  }),
  last_failure: orNull(
    object({
      stage: text(),
      class: text(),
      signature: text(),
      reasons: list(text()),
      suggested_actions: list(text()),
    }),
  ),
  archived: boolean(),
});
export const packetNext = object({
  stage: orNull(text()),
  action: text(),
  allowed: boolean(),
  because: orNull(oneOf(["retry_budget", "paid_call_budget", "gate", "interrupted", "done"])),
});
export const ofPacket = { ...out.ofTask, packet: packetBlock, next: packetNext, ...out.happened };
export const plannedStages = list(
  object({
    stage: text(),
    tool: text(),
    role: text(),
    model: text(),
    timeout_sec: integer(),
    timeout_mode: text(),
    paid: boolean(),
    transient_exit_codes: list(integer()),
    from: object({ stage: text(), model: text(), timeout_sec: text(), servant: optional(text()) }),
  }),
);

/** Where the values of a plan come from that are no stage's own. */
export const planSources = object({
  profile: text(),
  flags: record(text()),
  options: record(text()),
  removed: list(object({ stage: text(), flag: text(), from: text() })),
});

export function packetReply(ctx: ReplyContext, more: JsonObject = {}): JsonObject {
  const packet = ctx.subject.entity.packet!;
  return { ...taskBlock(ctx.subject), packet: blockOf(packet), next: nextAction(packet), ...more, ...printed(ctx) };
}

export function blockOf(packet: Packet): JsonObject {
  const { manifest, plan } = packet;
  const failure = currentFailure(packet);
  const { paid_call_budget, retry_budget, max_wallclock_sec } = manifest.budgets;
  return {
    goal: manifest.goal,
    intent: manifest.routing.intent,
    profile: plan.profile,
    stages: plan.stages.map(({ stage, model }) => stageBlock(packet, stage, model)),
    budgets: { paid_calls_used: packet.paid_calls_used, paid_call_budget, retry_budget, max_wallclock_sec },
    last_failure: failure && {
      stage: failure.stage,
      class: failure.class,
      signature: failure.signature,
      reasons: failure.reasons,
      suggested_actions: failure.suggested_actions,
    },
    archived: packet.archived,
  };
}

function stageBlock(packet: Packet, stage: string, model: string): JsonObject {
  const attempts = attemptsOf(packet, stage);
  const last = attempts.at(-1);
  const state = stageState(packet, stage);
  const done_at = packet.done[stage] ?? null;
  const exit_code = last?.ended?.exit_code ?? null;
  return { stage, ...partsOfStage(stage), model, state, attempts: attempts.length, exit_code, done_at };
}
