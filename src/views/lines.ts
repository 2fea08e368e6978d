/** Lines for people that more than one view prints. Every one is bounded, whatever was written into the log. */
import { asIs, phrased } from "../sentence.ts";
import type { Sentence } from "../sentence.ts";
import { toSecond } from "../to_second.ts";
import type { Checkpoint, Claimable, Conflict, Entity, Lease, Link, ProofCheckpoint, Step } from "../state/entity.ts";
import {
  failedRuns,
  hasProof,
  lacksPacket,
  missingCheckpoints,
  missingProofs,
  otherCommands,
  proofMode,
  testsWithoutRun,
  testThatFails,
  weakProofs,
} from "../state/checkpoint.ts";
import { isRequired } from "../state/degree.ts";
import { CHECKPOINTS, PROOF_CHECKPOINTS } from "../state/entity.ts";
import { shorten } from "../state/code_points.ts";
import { isPresence, valueAt } from "../state/fields.ts";
import { BEFORE_ALL_TIMES } from "../state/first_ready.ts";
import { holding } from "../state/lease.ts";
import type { Moved } from "../state/live.ts";
import { fieldLabel, liveConflicts, liveGates, liveMoved, shownIn } from "../state/live.ts";
import { waitsFor } from "../state/step_waits.ts";
import { pathOf, postOrder } from "../state/tree.ts";
import { failedOnWhole } from "../state/whole_runs.ts";

/** Longest piece of a user's text in a line, in code points: a title of full length fits. */
const PIECE = 200;

/** `s:0 Title` */
export function stepName(step: Step): string {
  return `${pathOf(step)} ${piece(step.title)}`;
}

type Demand = { to: "confirm" | "run_again" | "prove"; of: readonly Checkpoint[] } | { to: "let_packet_prove" };

function demandsOf(step: Step): Demand[] {
  const checkpoints = missingCheckpoints(step);
  const missing = missingProofs(step);
  const failed = missing.filter((c) => !lacksPacket(step, c) && failedRuns(step.linked[c]).length > 0);
  const proofs = missing.filter((c) => !lacksPacket(step, c) && !failed.includes(c));
  const demands: Demand[] = [];
  if (checkpoints.length > 0) demands.push({ to: "confirm", of: checkpoints });
  if (failed.length > 0) demands.push({ to: "run_again", of: failed });
  if (proofs.length > 0) demands.push({ to: "prove", of: proofs });
  if (missing.some((c) => lacksPacket(step, c))) demands.push({ to: "let_packet_prove" });
  return demands;
}

/** Returns the demands that closing the step still has, as verbs; empty when it can be closed. */
export function dueOn(step: Step): Sentence[] {
  return demandsOf(step).map((due) => {
    switch (due.to) {
      case "confirm":
        return phrased`confirm ${due.of}`;
      case "run_again":
        return phrased`run again what failed for ${due.of}`;
      case "prove":
        return phrased`attach proof of ${due.of}`;
      case "let_packet_prove":
        return phrased`let a stage of the packet prove tests (packet run --allow-commands)`;
    }
  });
}

/** The same as whole sentences, which name the step. */
export function dueFor(step: Step): Sentence[] {
  const name = stepName(step);
  return demandsOf(step).map((due) => {
    switch (due.to) {
      case "confirm":
        return phrased`Confirm ${due.of} for ${name}`;
      case "run_again":
        return phrased`Run again what failed for ${due.of} for ${name}`;
      case "prove":
        return phrased`Attach proof of ${due.of} for ${name}`;
      case "let_packet_prove":
        return phrased`Let a stage of the packet prove tests (packet run --allow-commands) for ${name}`;
    }
  });
}

/** The blockers of a step in words, of which a line names the first three. */
export function blockersText({ blockers }: Pick<Step, "blockers">): string {
  return bounded(
    blockers.map((blocker) => piece(blocker)),
    3,
  ).join("; ");
}

/** `: reason`, or nothing. */
export function because(reason: string | null): Sentence {
  return reason === null || reason.trim() === "" ? asIs("") : phrased`: ${piece(reason)}`;
}

/** How a host writes a time that a sentence of the engine names; else it is RFC 3339 in UTC to the second (VIEW-4). */
export type TimeText = (time: string) => string;

/** `claimed by agent:ada until ...`. Views know no clock: whether it is over, the reader sees. */
export function claimed({ by, expires_at }: Lease, timeText: TimeText = toSecond): string {
  return `claimed by ${by} until ${timeText(expires_at)}`;
}

/** Lines about what others than `by` have claimed: of claims in effect, if a time is given, else of all. */
export function* claims(
  entity: Entity,
  {
    by,
    now = BEFORE_ALL_TIMES,
    timeText = toSecond,
  }: { by?: string | undefined; now?: string | undefined; timeText?: TimeText | undefined },
): Generator<Sentence> {
  const others = (of: Claimable): Lease[] => {
    const lease = holding(of, now);
    return lease === null || lease.by === by ? [] : [lease];
  };
  for (const { by: who, expires_at } of others(entity))
    yield phrased`The ${entity.kind} is claimed by ${who} until ${timeText(expires_at)}`;
  for (const step of postOrder(entity.children))
    for (const { by: who, expires_at } of others(step))
      yield phrased`${stepName(step)} is claimed by ${who} until ${timeText(expires_at)}`;
}

/** Lines about open steps that wait for others, each with what it depends on itself. */
export function* stepWaits(entity: Entity): Generator<Sentence> {
  for (const step of postOrder(entity.children)) {
    if (step.done || step.depends_on.length === 0) continue;
    const waits = waitsFor(entity, step);
    if (waits.length > 0) yield phrased`${stepName(step)} waits for ${listed(waits.map(stepName), 3)}`;
  }
}

/** On one line and of bounded length. */
export function piece(text: string, most = PIECE): string {
  return shorten(text.replace(/\s+/g, " ").trim(), most);
}

/**
 * Returns all obstacles, most urgent first (VIEW-7). They are conflicts, moved paths, blocked steps, blockers of open
 * steps, gates of other programs, and steps that were closed and are open again.
 */
export function* troubles(entity: Entity): Generator<Sentence> {
  yield* conflicts(entity);
  yield* obstacles(entity);
  for (const step of openSteps(entity)) {
    if (step.reopened !== null) yield phrased`${stepName(step)} is open again${because(step.reopened)}`;
  }
}

/** Lines about fields that two branches wrote, and paths that a merge moved. */
export function* conflicts(entity: Entity): Generator<Sentence> {
  for (const conflict of liveConflicts(entity)) yield conflictLine(entity, conflict);
  yield* movedPaths(entity);
}

export function* movedPaths(entity: Entity): Generator<Sentence> {
  for (const moved of liveMoved(entity)) yield movedLine(moved);
}

export function movedLine(moved: readonly Moved[]): Sentence {
  return phrased`A merge moved paths, select by id: ${piece(moved.map(({ id, path }) => `${id} is ${path}`).join(", "))}`;
}

/** Lines about blocked steps, blockers of open steps, and blocked gates of other programs. */
export function* obstacles(entity: Entity): Generator<Sentence> {
  const open = openSteps(entity);
  for (const step of open) if (step.blocked) yield phrased`${stepName(step)} is blocked${because(step.block_reason)}`;
  for (const step of open)
    for (const blocker of step.blockers) yield phrased`${stepName(step)} waits for: ${piece(blocker)}`;
  for (const gate of liveGates(entity)) {
    // Our own gates are the blocked steps above.
    if (!gate.own && gate.state === "blocked") yield phrased`Gate ${piece(gate.id)} is blocked${because(gate.reason)}`;
  }
}

/** Lines about a closing by force, failed runs, and proof that was asked for and is missing or weak. */
export function* stepRisks(step: Step): Generator<Sentence> {
  if (step.forced !== null) yield phrased`${stepName(step)} was closed by force${because(step.forced)}`;
  yield* proofRisks(step);
}

/** Lines about runs of a step that failed and were not made again. */
export function* failedLines(step: Step): Generator<Sentence> {
  for (const c of CHECKPOINTS) for (const run of failedRuns(step.linked[c])) yield failedLine(step, c, run);
}

/** Lines about what the proof of a step lacks. */
export function* proofRisks(step: Step): Generator<Sentence> {
  yield* failedLines(step);
  yield* declaredTestLine(step);
  const isMissing = (c: ProofCheckpoint): boolean =>
    proofMode(step, c) === "warn" || (step.done && isRequired(proofMode(step, c)));
  const unproven = PROOF_CHECKPOINTS.filter((c) => isMissing(c) && !hasProof(step, c));
  if (unproven.length > 0) yield phrased`${stepName(step)} has no proof of ${unproven}, which was asked for`;
  const weak = step.done ? weakProofs(step).filter((c) => hasProof(step, c)) : [];
  if (weak.length > 0) yield phrased`${stepName(step)} has weak proof of ${weak}: a command or a link is missing`;
}

function failedLine(step: Step, checkpoint: Checkpoint, run: Link): Sentence {
  const { evidence, command } = run;
  const exit_code = String(run.exit_code);
  const what = command === null ? "" : phrased` (${piece(command, 80)})`;
  const test = checkpoint === "tests" ? testThatFails(step, run) : undefined;
  return test === undefined
    ? phrased`${stepName(step)}: a run for ${[checkpoint]} failed: evidence:${evidence}${what} ended with exit code ${exit_code}`
    : phrased`${stepName(step)}: the newest run of the test ${piece(test, 80)} failed: evidence:${evidence}${what} ended with exit code ${exit_code}`;
}

/** Lines about closed steps whose proof failed, is missing although it was asked for, is weak, or ran another command (STATUS-1). */
export function* unprovedLines(entity: Entity): Generator<Sentence> {
  for (const step of postOrder(entity.children)) if (step.done) yield* proofRisks(step);
  yield* wholeRunLines(entity);
}

/** Lines about runs on the whole that failed (PROOF-90). */
export function* wholeRunLines(entity: Entity): Generator<Sentence> {
  for (const { evidence, checkpoints, command, exit_code, step } of failedOnWhole(entity)) {
    const what = phrased` (${piece(command, 80)})`;
    yield step
      ? phrased`${stepName(step)}: a run for ${checkpoints} failed: evidence:${evidence}${what} ended with exit code ${exit_code}`
      : phrased`The ${entity.kind}: a run for ${checkpoints} failed: evidence:${evidence}${what} ended with exit code ${exit_code}`;
  }
}

/** The demand that the proof of a step leaves open where it ran none of the declared tests (PROOF-52), or not all (PROOF-52). */
export function declaredTestLine(step: Step): Sentence[] {
  const ran = otherCommands(step);
  if (ran.length === 0) return untriedLine(step);
  const named = listed(
    ran.map((command) => piece(command, 80)),
    3,
  );
  return [phrased`${stepName(step)}: tests are proved by another command than the declared test: ${named}`];
}

/** One test that ran hides no other. Where none of them ran, other lines say so. */
function untriedLine(step: Step): Sentence[] {
  const untried = testsWithoutRun(step);
  if (untried.length === 0 || untried.length === step.tests.length) return [];
  const named = listed(
    untried.map((test) => piece(test, 80)),
    3,
  );
  return [phrased`${stepName(step)}: no run of the declared test: ${named}`];
}

function openSteps(entity: Entity): Step[] {
  return [...postOrder(entity.children)].filter((step) => !step.done);
}

export function conflictLine(entity: Entity, conflict: Conflict): Sentence {
  const shown = shownIn(entity, conflict);
  const from = fromDifference(conflict.values.map(({ value }) => value));
  const values = conflict.values.map(({ value, by }, i) => {
    const text = typeof value === "string" && from > 0 ? `…${value.slice(from)}` : value;
    const shownText = shorten(JSON.stringify(text), 80);
    return i === shown ? phrased`${shownText} by ${by} (shown)` : phrased`${shownText} by ${by}`;
  });
  const sides = values.reduce((before, next) => phrased`${before} or ${next}`);
  const other = shown < 0 ? phrased`; ${shorten(JSON.stringify(valueAt(entity, conflict.field)), 80)} is shown` : "";
  const label = fieldLabel(entity, conflict.field);
  return isPresence(conflict.field)
    ? phrased`Conflict on ${label}: ${sides}${other}; work on it or delete it to resolve it`
    : phrased`Conflict on ${label}: ${sides}${other}; write it again to resolve it`;
}

/** Where to begin long texts that begin alike, so that what is shown of each tells it from the others: a little before they differ. */
function fromDifference(values: readonly unknown[]): number {
  const [first, ...others] = values;
  if (typeof first !== "string") return 0;
  let same = first.length;
  for (const other of others) {
    if (typeof other !== "string") return 0;
    let i = 0;
    while (i < same && other[i] === first[i]) i++;
    same = i;
  }
  if (same < 60) return 0;
  const from = same - 20;
  // Not between the halves of one character.
  return /[\uDC00-\uDFFF]/.test(first[from]!) ? from - 1 : from;
}

/** At most `most` of the texts, then one that counts the rest. */
export function bounded(texts: Iterable<string>, most: number): string[] {
  const { kept, rest } = firstOf(texts, most);
  return rest === 0 ? kept : [...kept, moreOf(rest).text];
}

/** The same inside of a sentence. */
function listed(texts: readonly string[], most: number): (string | Sentence)[] {
  const { kept, rest } = firstOf<string | Sentence>(texts, most);
  return rest === 0 ? kept : [...kept, moreOf(rest)];
}

/** The same of sentences. */
export function boundedLines(lines: Iterable<Sentence>, most: number): Sentence[] {
  const { kept, rest } = firstOf(lines, most);
  return rest === 0 ? kept : [...kept, moreOf(rest)];
}

function moreOf(rest: number): Sentence {
  return phrased`and ${rest} more`;
}

function firstOf<T>(lines: Iterable<T>, most: number): { kept: T[]; rest: number } {
  const kept: T[] = [];
  let rest = 0;
  for (const line of lines) {
    if (kept.length < most) kept.push(line);
    else rest++;
  }
  return { kept, rest };
}
