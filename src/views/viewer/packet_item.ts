/** The packet of a task as the viewer shows it: a lane for each stage, and what it used up. */
import { STAGE_FILES, attemptsOf, openAttempts, stageState } from "../../state/packet.ts";
import type { Attempt, Packet, PlannedStage } from "../../state/packet.ts";
import { isStopped, nextAction, retriesOf } from "../../state/packet_next.ts";
import type { AttemptItem, FailureItem, PacketItem, PacketState, StageItem } from "./api.ts";

/** Newest attempts of a stage; a loop of retries may have left hundreds. */
const MOST_ATTEMPTS = 50;

export function packetItem(packet: Packet): PacketItem {
  const { manifest, plan } = packet;
  const { retry_budget, paid_call_budget, max_wallclock_sec } = manifest.budgets;
  const ran = packet.attempts.reduce((sum, { ended }) => sum + (ended?.duration_sec ?? 0), 0);
  const retries = Object.values(packet.signatures).map(({ count }) => Math.max(0, count - 1));
  const next = nextAction(packet);
  return {
    state: packetState(packet).state,
    goal: manifest.goal,
    intent: manifest.routing.intent,
    archived: packet.archived,
    group: plan.group,
    profile: plan.profile,
    next: { stage: next.stage, action: next.action, allowed: next.allowed, because: next.because },
    budgets: {
      retry: { budget: retry_budget, used: Math.max(0, ...retries) },
      paid_calls: { budget: paid_call_budget, used: packet.paid_calls_used },
      wallclock_sec: { budget: max_wallclock_sec, used: ran },
    },
    scope: { allow: [...manifest.scope.allow], deny: [...manifest.scope.deny] },
    acceptance: {
      commands: [...manifest.acceptance.commands],
      criteria: [...manifest.acceptance.criteria],
      override: packet.override && [...packet.override],
    },
    inputs: packet.inputs.map(({ path, source, text, sha256 }) => ({
      path,
      source,
      bytes: Buffer.byteLength(text),
      sha256,
    })),
    stages: plan.stages.map((stage) => stageItem(packet, stage)),
    updated_at: packet.updated_at,
  };
}

/** How the whole stands, and which stage it stands at. */
export function packetState(packet: Packet): { state: PacketState; stage: string | null } {
  const next = nextAction(packet);
  const { stage } = next;
  if (packet.archived) return { state: "archived", stage };
  if (openAttempts(packet).length > 0) return { state: "running", stage };
  if (stage === null) return { state: "done", stage };
  return { state: isStopped(next) ? "stopped" : stageState(packet, stage), stage };
}

function stageItem(packet: Packet, planned: PlannedStage): StageItem {
  const { stage, tool, role, model, timeout_sec, timeout_mode, paid } = planned;
  return {
    stage,
    tool,
    role,
    model,
    timeout_sec,
    timeout_mode,
    paid,
    state: stageState(packet, stage),
    done_at: Object.hasOwn(packet.done, stage) ? packet.done[stage]! : null,
    attempts: attemptsOf(packet, stage).slice(-MOST_ATTEMPTS).map(attemptItem),
    failure: failureItem(packet, stage),
  };
}

function attemptItem(one: Attempt): AttemptItem {
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
    ended_at: ended ? (ended.end ?? ended.ts) : null,
    how: ended?.how ?? null,
    duration_sec: ended?.duration_sec ?? null,
    exit_code: ended?.exit_code ?? null,
    timed_out: ended?.timed_out ?? false,
    reason: ended?.reason ?? null,
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
      return [{ kind, path, size, sha256, lines, dropped: dropped ?? false }];
    }),
  };
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
    reasons: [...failure.reasons],
    suggested_actions: [...failure.suggested_actions],
    ts: failure.ts,
    retries: retriesOf(packet, failure),
  };
}
