/** Finds the things in one plan or task that wait for an actor (STATUS-2, STATUS-1 and STATUS-10). */
import { phrased } from "../sentence.ts";
import type { PastOp } from "../events/history.ts";
import { changesOf } from "../events/history.ts";
import type { PastOf } from "../events/past.ts";
import { failedRuns, missingCheckpoints, missingProofs, weakProofs } from "../state/checkpoint.ts";
import { hasEnded } from "../state/ended.ts";
import type { Checkpoint, Claimable, Entity, Gate, Step, Subject } from "../state/entity.ts";
import { CHECKPOINTS } from "../state/entity.ts";
import { HUMAN_FILES } from "../state/human_files.ts";
import { holding } from "../state/lease.ts";
import { liveConflicts, liveGates, liveMoved, partsOf } from "../state/live.ts";
import type { Need } from "../state/need.ts";
import type { Attempt, Packet } from "../state/packet.ts";
import { currentFailure, isStopped, nextAction } from "../state/packet_next.ts";
import type { StalenessOf } from "../state/staleness.ts";
import { dueStep } from "../state/step_waits.ts";
import { postOrder } from "../state/tree.ts";
import { failedOnWhole } from "../state/whole_runs.ts";
import {
  because,
  blockersText,
  conflictLine,
  failedLines,
  movedLine,
  piece,
  proofRisks,
  stepName,
  wholeRunLines,
} from "./lines.ts";
import { staleLine, staleProofs } from "./stale.ts";

/** The facts beside the state: time, files, and the past. */
export interface NeedsAround {
  now: string;
  by?: string | undefined;
  staleness?: StalenessOf | undefined;
  past?: PastOf | undefined;
  /** Folded files that were changed by hand, and files of people that no change has read in. */
  drift: readonly string[];
  unread: readonly string[];
}

/** `complete` is no part of it: a list of rows tells that of plans, too. */
export function* needsOf(subject: Subject, around: NeedsAround): Generator<Need> {
  const { entity } = subject;
  const steps = [...postOrder(entity.children)];
  const writer = writersIn(around.past);
  yield* conflictNeeds(entity, writer);
  const isOver = hasEnded(entity);
  const places = [
    ...proofNeeds(subject, steps, around.staleness),
    ...(isOver ? [] : [...blockedNeeds(entity, steps, writer), ...gateNeeds(entity, steps)]),
  ];
  yield* isOver ? places : withClaims(places, [...claimNeeds(entity, steps, around.now)]);
  if (around.drift.length > 0) {
    const why = phrased`${around.drift} changed by hand`;
    yield { kind: "drift", step: null, why, who: [], since: null };
  }
  if (!isOver) yield* noteNeeds(entity, around);
}

/**
 * A step has one row about why its work stands still. So the row that is there already names the ended claim: claiming
 * the step alone would not end that (STATUS-1).
 */
function* withClaims(places: readonly Need[], claims: readonly Need[]): Generator<Need> {
  const left = new Map(claims.map((need) => [need.step, need]));
  for (const need of places) {
    const claim = need.step && left.get(need.step);
    if (claim) left.delete(need.step);
    const { who: holder = [] } = claim ?? {};
    yield claim
      ? { ...need, why: phrased`${need.why}; the claim of ${holder} ended`, who: actors(...need.who, ...holder) }
      : need;
  }
  yield* left.values();
}

/** The actor that closed the last step, and the time. */
export function lastClosed(entity: Entity): Pick<Need, "who" | "since"> {
  const closed = [...postOrder(entity.children)].filter(({ done_at }) => done_at !== null);
  const last = closed.toSorted((a, b) => (a.done_at! < b.done_at! ? 1 : -1))[0];
  return { who: actors(last?.done_by), since: last?.done_at ?? null };
}

function actors(...names: readonly (string | null | undefined)[]): string[] {
  return [...new Set(names.filter((name) => name !== null && name !== undefined))] as string[];
}

function* conflictNeeds(entity: Entity, writer: WriterOf): Generator<Need> {
  for (const conflict of liveConflicts(entity)) {
    const { field, values } = conflict;
    const { step = null } = partsOf(entity, field);
    const who = actors(...values.map(({ by }) => by));
    const since = values.reduce((latest, { ts }) => (ts > latest ? ts : latest), "");
    yield { kind: "conflict", field, step, why: conflictLine(entity, conflict), who, since: since || null };
  }
  for (const moved of liveMoved(entity)) {
    const added = moved.map(({ id }) => writer((op) => isAdded(op, id)));
    const who = actors(...added.flatMap((one) => one.who));
    const since =
      added
        .flatMap((one) => one.since ?? [])
        .toSorted()
        .at(-1) ?? null;
    yield { kind: "conflict", field: null, step: null, why: movedLine(moved), who, since };
  }
}

/** One for each step, whatever its proof lacks: one run ends it, or shows the next. */
function* proofNeeds(subject: Subject, steps: readonly Step[], staleness: StalenessOf | undefined): Generator<Need> {
  const { entity } = subject;
  const stale = staleness && !hasEnded(entity) ? [...staleProofs(subject, staleness)] : [];
  for (const step of steps) {
    const old = stale.filter((one) => one.step === step);
    const lines = [
      ...(step.done ? proofRisks(step) : failedLines(step)),
      ...old.map(({ checkpoint, words }) => staleLine(step, checkpoint, words)),
    ];
    const missing = step.done ? missingProofs(step, step.done_by ?? undefined) : [];
    if (lines.length === 0 && missing.length > 0)
      lines.push(phrased`${stepName(step)} is closed, and proof of ${missing} is missing`);
    if (lines.length === 0) continue;
    const asked: Checkpoint[] = [
      ...missingProofs(step),
      ...(step.done ? weakProofs(step) : []),
      ...old.map(({ checkpoint }) => checkpoint),
    ];
    const checkpoints = CHECKPOINTS.filter((c) => asked.includes(c));
    const runs = checkpoints.flatMap((c) => step.linked[c]).map(({ time }) => time);
    const since = runs.toSorted().at(-1) ?? step.done_at;
    const why = lines.length === 1 ? lines[0]! : phrased`${lines[0]!}, and ${lines.length - 1} more`;
    yield {
      kind: "proof",
      checkpoints: checkpoints.length > 0 ? checkpoints : ["tests"],
      step,
      why,
      who: actors(ranBy(entity, step, old) ?? step.done_by),
      since,
    };
  }
  const [run] = failedOnWhole(entity);
  const [why] = wholeRunLines(entity);
  if (run && why !== undefined)
    yield {
      kind: "proof",
      checkpoints: run.checkpoints,
      step: null,
      why,
      who: actors(entity.facts.get(run.evidence)?.by),
      since: run.at,
    };
}

/** The actor of the newest run that failed, else of the newest proof that is stale. */
function ranBy(entity: Entity, step: Step, old: readonly { checkpoint: Checkpoint }[]): string | null | undefined {
  const failed = CHECKPOINTS.flatMap((c) => failedRuns(step.linked[c]));
  const runs = failed.length > 0 ? failed : old.flatMap(({ checkpoint }) => step.linked[checkpoint]);
  const newest = runs.toSorted((a, b) => (a.time < b.time ? 1 : -1))[0];
  return newest && entity.facts.get(newest.evidence)?.by;
}

/** Claims that ran out, of work that is still open. */
function* claimNeeds(entity: Entity, steps: readonly Step[], now: string): Generator<Need> {
  const open: [Claimable, Step | null][] = [[entity, null]];
  for (const step of steps) if (!step.done) open.push([step, step]);
  for (const [of, step] of open) {
    if (of.lease === null || holding(of, now)) continue;
    const { by, expires_at: since } = of.lease;
    const why = step
      ? phrased`${stepName(step)} is open, and the claim of ${by} ended`
      : phrased`The ${entity.kind} is open, and the claim of ${by} ended`;
    yield { kind: "claim_over", step, why, who: [by], since };
  }
}

function* blockedNeeds(entity: Entity, steps: readonly Step[], writer: WriterOf): Generator<Need> {
  const gates = new Map(liveGates(entity).map((gate) => [gate.id, gate]));
  for (const step of steps) {
    if (step.done) continue;
    if (step.blocked) {
      const { who, since } = writer((op) => isBlocked(entity, step, op));
      const at = gates.get(`gate-${step.id}`)?.blocked_at ?? since;
      const why = phrased`${stepName(step)} is blocked${because(step.block_reason)}`;
      const also = phrased`${why}; it waits for: ${blockersText(step)}`;
      yield { kind: "blocked", step, why: step.blockers.length === 0 ? why : also, who, since: at };
    } else if (step.blockers.length > 0) {
      const why = phrased`${stepName(step)} waits for: ${blockersText(step)}`;
      const written = step.blockers.map((blocker) => writer((op) => isSet(entity, step, blocker, op)));
      const since = written.flatMap((one) => one.since ?? []).toSorted()[0] ?? null;
      yield { kind: "blocked", step, why, who: actors(...written.flatMap(({ who }) => who)), since };
    }
  }
}

/** Finds the newest op of this kind: its actor, and its time. No op tells who wrote what another program left before the log began. */
type WriterOf = (isIt: (op: PastOp) => boolean) => Pick<Need, "who" | "since">;

/** Memory seldom holds the ops in a new process. Then the rows of a log are worth one replay of it, however many there are. */
function writersIn(past: PastOf | undefined): WriterOf {
  let all: readonly PastOp[] | undefined;
  return (isIt) => {
    const op = past && (past(false).ops.findLast(isIt) ?? (all ??= past(true).ops).findLast(isIt));
    const isKnown = op && !op.types.some((type) => type === "task.adopted" || type === "task.readopted");
    return isKnown ? { who: [op.by], since: op.ts } : { who: [], since: null };
  };
}

function isBlocked(entity: Entity, { $ }: Step, op: PastOp): boolean {
  const field = `${$}blocked`;
  return op.types.includes("step.blocked") && changesOf(entity, op).some((change) => change.field === field);
}

/** Whether the op wrote this blocker: into the list of the step, or with the step. */
function isSet(entity: Entity, { id, $ }: Step, blocker: string, op: PastOp): boolean {
  const field = `${$}blockers`;
  const has = (list: unknown): boolean => Array.isArray(list) && list.includes(blocker);
  return (
    isAdded(op, id) ||
    changesOf(entity, op).some(({ field: name, before, after }) => name === field && has(after) && !has(before))
  );
}

/** Whether the op added the step or task node. */
function isAdded({ record }: PastOp, id: string): boolean {
  return record.some((one) => one.how === "put" && (one.of === "steps" || one.of === "nodes") && one.key === id);
}

function* gateNeeds(entity: Entity, steps: readonly Step[]): Generator<Need> {
  for (const step of steps) {
    const missing = missingCheckpoints(step);
    const { confirm, claimants = [], done_by, done_at: since } = step;
    const gate = { kind: "gate", waits: "confirm", checkpoints: missing, step } as const;
    if (step.done && missing.length > 0) {
      const why = phrased`${stepName(step)} is closed, and ${missing} not confirmed`;
      yield { ...gate, why, who: actors(done_by), since };
    }
    const isOthers = missing.length > 0 && claimants.length > 0 && missing.every((c) => confirm[c] !== undefined);
    if (step.done || !isOthers || step.blocked || missingProofs(step).length > 0) continue;
    const why = phrased`${stepName(step)} waits for another actor to confirm ${missing}`;
    yield { ...gate, why, who: claimants, since: null };
  }
  for (const gate of liveGates(entity)) if (isWaiting(gate)) yield gateNeed(gate);
  const { packet } = entity;
  const next = packet && nextAction(packet);
  if (!packet || !next || !isStopped(next)) return;
  const waits = next.because as "retry_budget" | "paid_call_budget";
  const why = phrased`Packet stops at ${String(next.stage)}: ${waits} is used up`;
  const spent = spender(packet, waits);
  const since = (waits === "retry_budget" ? currentFailure(packet)?.ts : spent?.started_at) ?? null;
  yield { kind: "gate", waits, checkpoints: [], step: dueStep(entity) ?? null, why, who: actors(spent?.by), since };
}

/** The attempt that used up the budget: the one that failed last, or the last one that was paid for. */
function spender(packet: Packet, waits: "retry_budget" | "paid_call_budget"): Attempt | undefined {
  if (waits === "paid_call_budget") return packet.attempts.findLast(({ paid }) => paid);
  const failure = currentFailure(packet);
  return packet.attempts.findLast(({ stage, attempt }) => stage === failure?.stage && attempt === failure.attempt);
}

/** Our own gates are the blocked steps. */
function isWaiting({ own, state }: Gate): boolean {
  return !own && state === "blocked";
}

function gateNeed({ id, reason, blocked_at: since }: Gate): Need {
  const why = phrased`Gate ${piece(id)} is blocked${because(reason)}`;
  return { kind: "gate", waits: "other_program", checkpoints: [], step: null, why, who: [], since };
}

/** As `toRead` finds them: the op that went with the reading in was decided without the text. */
function* noteNeeds(entity: Entity, { by, unread }: NeedsAround): Generator<Need> {
  const seen = ((by !== undefined && entity.acted.get(by)) || 0) - 1;
  for (const file of HUMAN_FILES) {
    const { revision, ts } = entity.people[file];
    if (unread.includes(file))
      yield { kind: "note", step: null, why: phrased`A person changed ${file}`, who: ["human"], since: null };
    else if (revision > 0 && revision >= seen)
      yield { kind: "note", step: null, why: phrased`A person changed ${file}`, who: ["human"], since: ts };
  }
}
