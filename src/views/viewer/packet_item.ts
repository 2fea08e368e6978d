/** The packet of a task as the viewer shows it: a lane for each stage, and what it used up. */
import { keptSentence } from "../../sentence.ts";
import { STAGE_FILES, attemptsOf, openAttempts, runningAttempt, stageState } from "../../state/packet.ts";
import type { Attempt, Packet, PlannedStage } from "../../state/packet.ts";
import type { LookForDispatcher } from "../../state/packet_next.ts";
import { isStopped, nextStep, retriesOf } from "../../state/packet_next.ts";
import type { AttemptItem, BlobRef, FailureItem, PacketItem, PacketState, StageItem, StageState } from "./api.ts";

/** A file of the packet as a page reads it. */
export type OutputOf = (sha256: string) => BlobRef;

/** Newest attempts of a stage; a loop of retries may have left hundreds. */
const MAX_ATTEMPTS = 50;

/** `dispatcher`: which process runs it, where the answer is about the present and this machine tells. */
export function packetItem(packet: Packet, outputOf: OutputOf, dispatcher?: LookForDispatcher): PacketItem {
  const { manifest, plan } = packet;
  const { retry_budget, paid_call_budget, max_wallclock_sec } = manifest.budgets;
  const longest = Math.max(0, ...packet.attempts.map(({ ended }) => ended?.duration_sec ?? 0));
  const retries = Object.values(packet.signatures).map(({ count }) => Math.max(0, count - 1));
  const next = nextStep(packet, dispatcher);
  return {
    state: packetState(packet, dispatcher).state,
    goal: manifest.goal,
    intent: manifest.routing.intent,
    archived: packet.archived,
    group: plan.group,
    profile: plan.profile,
    next: { stage: next.stage, action: next.action, allowed: next.allowed, because: next.because },
    budgets: {
      retry: { budget: retry_budget, used: Math.max(0, ...retries) },
      paid_calls: { budget: paid_call_budget, used: packet.paid_calls_used },
      wallclock_sec: { budget: max_wallclock_sec, used: longest },
    },
    scope: { allow: [...manifest.scope.allow], deny: [...manifest.scope.deny] },
    acceptance: {
      commands: [...manifest.acceptance.commands],
      criteria: [...manifest.acceptance.criteria],
      override: packet.override && [...packet.override],
    },
    settings: {
      digest_policy: manifest.context.digest_policy,
      forbidden_paths: [...(manifest.security?.forbidden_paths ?? [])],
      redaction_patterns: [...(manifest.security?.redaction_patterns ?? [])],
      flags: { ...plan.flags },
      options: { ...plan.options },
      config_sha256: plan.config_sha256,
    },
    inputs: packet.inputs.map(({ path, source, text, sha256 }) => ({
      path,
      source,
      bytes: Buffer.byteLength(text),
      sha256,
    })),
    stages: plan.stages.map((stage) => stageItem(packet, stage, outputOf, dispatcher)),
    updated_at: packet.updated_at,
  };
}

/** How the whole stands, and which stage it stands at. */
export function packetState(
  packet: Packet,
  dispatcher?: LookForDispatcher,
): { state: PacketState; stage: string | null } {
  const next = nextStep(packet, dispatcher);
  const { stage } = next;
  if (packet.archived) return { state: "archived", stage };
  if (openAttempts(packet).some((one) => !isLost(one, dispatcher))) return { state: "running", stage };
  if (stage === null) return { state: "done", stage };
  return { state: isStopped(next) ? "stopped" : shownState(packet, stage, dispatcher), stage };
}

/** Whether a dispatcher began an attempt that has no end. Which process runs it, no log tells. */
export function isDispatched(packet: Packet): boolean {
  return openAttempts(packet).some(({ dispatched }) => dispatched === true);
}

/** No process runs it, and none wrote down its end (PACKET-143). */
function isLost({ ended, dispatched }: Attempt, dispatcher: LookForDispatcher | undefined): boolean {
  return !ended && dispatched === true && dispatcher !== undefined && dispatcher() === undefined;
}

function shownState(packet: Packet, stage: string, dispatcher: LookForDispatcher | undefined): StageState {
  const running = runningAttempt(packet, stage);
  return running && isLost(running, dispatcher) ? "interrupted" : stageState(packet, stage);
}

function stageItem(
  packet: Packet,
  planned: PlannedStage,
  outputOf: OutputOf,
  dispatcher: LookForDispatcher | undefined,
): StageItem {
  const { stage, tool, role, model, timeout_sec, timeout_mode, paid } = planned;
  const attempts = attemptsOf(packet, stage);
  return {
    stage,
    tool,
    role,
    model,
    timeout_sec,
    timeout_mode,
    paid,
    state: shownState(packet, stage, dispatcher),
    done_at: Object.hasOwn(packet.done, stage) ? packet.done[stage]! : null,
    attempts: attempts.slice(-MAX_ATTEMPTS).map((one) => attemptItem(one, outputOf, isLost(one, dispatcher))),
    attempts_total: attempts.length,
    failure: failureItem(packet, stage),
  };
}

function attemptItem(one: Attempt, outputOf: OutputOf, lost: boolean): AttemptItem {
  const { ended } = one;
  return {
    attempt: one.attempt,
    run: one.run,
    model: one.model,
    by: one.by,
    paid: one.paid,
    imported: one.imported ?? false,
    reopened: one.reopened ?? false,
    started_at: one.started_at,
    ended_at: endOf(one),
    how: ended?.how ?? null,
    lost,
    duration_sec: ended?.duration_sec ?? null,
    exit_code: ended?.exit_code ?? null,
    timed_out: ended?.timed_out ?? false,
    reason: ended && ended.reason !== null ? keptSentence(ended.reason, ended.form) : null,
    acceptance: (ended?.acceptance ?? []).map(({ command, exit_code, timed_out, duration_sec, excerpt }) => ({
      command,
      exit_code,
      timed_out,
      duration_sec,
      excerpt,
    })),
    stderr: { head: [...(ended?.stderr.head ?? [])], tail: [...(ended?.stderr.tail ?? [])] },
    files: STAGE_FILES.flatMap((kind) => {
      const file = ended?.files[kind];
      if (!file) return [];
      const { path, size, sha256, lines, dropped } = file;
      const blob = size > 0 && dropped !== true ? outputOf(sha256) : null;
      return [{ kind, path, size, sha256, lines, dropped: dropped ?? false, blob }];
    }),
  };
}

/** `end` has whole seconds. Within a second of it, or of the begin, the time of the event is nearer. No end is before its begin. */
export function endOf({ started_at, ended }: Attempt): string | null {
  if (!ended) return null;
  const { end, ts } = ended;
  const later = end === null ? 0 : Date.parse(ts) - Math.max(Date.parse(end), Date.parse(started_at));
  const endedAt = later >= 0 && later < 1000 ? ts : end!;
  return Date.parse(endedAt) < Date.parse(started_at) ? started_at : endedAt;
}

function failureItem(packet: Packet, stage: string): FailureItem | null {
  const failure = Object.hasOwn(packet.failures, stage) ? packet.failures[stage] : undefined;
  if (!failure) return null;
  return {
    attempt: failure.attempt,
    class: failure.class,
    signature: failure.signature,
    exit_code: failure.exit_code,
    gate: failure.gate,
    reasons: failure.reasons.map((reason, i) => keptSentence(reason, failure.forms?.[i])),
    suggested_actions: [...failure.suggested_actions],
    ts: failure.ts,
    retries: retriesOf(packet, failure),
  };
}
