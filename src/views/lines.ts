/** Lines for people that more than one view prints. Every one is bounded, whatever was written into the log. */
import { missingCheckpoints, missingProofs } from "../state/checkpoint.ts";
import { shorten } from "../state/code_points.ts";
import type { Conflict, Entity, Status } from "../state/entity.ts";
import { fieldLabel, liveConflicts, liveGates, liveMoved } from "../state/live.ts";
import type { Lease } from "../state/lease.ts";
import type { Step } from "../state/step.ts";
import { waitsFor } from "../state/step_waits.ts";
import { pathOf, postOrder } from "../state/tree.ts";

/** Longest piece of somebody's text in a line, in code points: a title of full length fits. */
const PIECE = 200;

export function isEnded(status: Status): boolean {
  return status === "DONE" || status === "FAILED" || status === "CANCELED";
}

/** `s:0 Title` */
export function stepName(step: Step): string {
  return `${pathOf(step)} ${piece(step.title)}`;
}

/** What closing the step still asks for, as verbs; empty when it can be closed. */
export function dueOn(step: Step): string[] {
  const checkpoints = missingCheckpoints(step);
  const proofs = missingProofs(step);
  const due: string[] = [];
  if (checkpoints.length > 0) due.push(`confirm ${checkpoints.join(", ")}`);
  if (proofs.length > 0) due.push(`attach proof of ${proofs.join(", ")}`);
  return due;
}

/** `: reason`, or nothing. */
export function because(reason: string | null): string {
  return reason === null || reason.trim() === "" ? "" : `: ${piece(reason)}`;
}

/** `claimed by agent:ada until ...`. Views know no clock: whether it is over, the reader sees. */
export function claimed({ by, expires_at }: Lease): string {
  return `claimed by ${by} until ${expires_at}`;
}

/** Lines about what others than `by` have claimed. */
export function* claims(entity: Entity, by: string | undefined): Generator<string> {
  const { lease, kind } = entity;
  if (lease && lease.by !== by) yield `The ${kind} is ${claimed(lease)}`;
  for (const step of postOrder(entity.children)) {
    if (step.lease && step.lease.by !== by) yield `${stepName(step)} is ${claimed(step.lease)}`;
  }
}

/** Lines about open steps that wait for others, each with what it depends on itself. */
export function* stepWaits(entity: Entity): Generator<string> {
  for (const step of postOrder(entity.children)) {
    if (step.done || step.depends_on.length === 0) continue;
    const waits = waitsFor(entity, step);
    if (waits.length > 0) yield `${stepName(step)} waits for ${bounded(waits.map(stepName), 3).join(", ")}`;
  }
}

/** On one line and of bounded length. */
export function piece(text: string, most = PIECE): string {
  return shorten(text.replace(/\s+/g, " ").trim(), most);
}

/**
 * Everything that stands in the way, most urgent first (VIEW-7): conflicts, moved paths, blocked steps, blockers
 * of open steps, gates of other programs, steps that were closed and are open again.
 */
export function* troubles(entity: Entity): Generator<string> {
  for (const conflict of liveConflicts(entity)) yield conflictLine(entity, conflict);
  for (const moved of liveMoved(entity)) {
    yield `A merge moved paths, select by id: ${piece(moved.map(({ id, path }) => `${id} is ${path}`).join(", "))}`;
  }
  const open = [...postOrder(entity.children)].filter((step) => !step.done);
  for (const step of open) if (step.blocked) yield `${stepName(step)} is blocked${because(step.block_reason)}`;
  for (const step of open) for (const blocker of step.blockers) yield `${stepName(step)} waits for: ${piece(blocker)}`;
  for (const gate of liveGates(entity)) {
    // Our own gates are the blocked steps above.
    if (!gate.own && gate.state === "blocked") yield `Gate ${piece(gate.id)} is blocked${because(gate.reason)}`;
  }
  for (const step of open) if (step.reopened !== null) yield `${stepName(step)} is open again${because(step.reopened)}`;
}

function conflictLine(entity: Entity, conflict: Conflict): string {
  const shown = conflict.values.length - 1;
  const from = fromDifference(conflict.values.map(({ value }) => value));
  const values = conflict.values.map(({ value, by }, i) => {
    const text = typeof value === "string" && from > 0 ? `…${value.slice(from)}` : value;
    return `${shorten(JSON.stringify(text), 80)} by ${by}${i === shown ? " (shown)" : ""}`;
  });
  return `Conflict on ${fieldLabel(entity, conflict.field)}: ${values.join(" or ")}; write it again to settle`;
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

/** At most `most` of the lines, then one that counts the rest. */
export function bounded(lines: Iterable<string>, most: number): string[] {
  const kept: string[] = [];
  let rest = 0;
  for (const line of lines) {
    if (kept.length < most) kept.push(line);
    else rest++;
  }
  if (rest > 0) kept.push(`and ${rest} more`);
  return kept;
}
