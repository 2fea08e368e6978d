/** The model's rules of steps: gates, closing, opening again (STEP rules). */
import type { Change, Entity, Value } from "./entity.ts";
import { below, children, parentOf, refuse, steps, upFrom } from "./entity.ts";
import type { Model } from "./model.ts";

export const CHECKPOINTS = ["criteria", "tests", "security", "perf", "docs"] as const;
type Checkpoint = (typeof CHECKPOINTS)[number];
export type Checkpoints = "gate" | "all" | Partial<Record<Checkpoint, boolean>>;

export interface StepBody {
  title: string;
  success_criteria: string[];
  tests?: string[];
  blockers?: string[];
  proof?: Partial<Record<Checkpoint, string>>;
}

/** Entries without blanks at their ends, each once. */
export const clean = (list: readonly string[]): string[] => [...new Set(list.map((one) => one.trim()))].filter(Boolean);

export function missing(entity: Entity, step: string): Checkpoint[] {
  const at = entity.places[step]!;
  return CHECKPOINTS.filter(
    (c) =>
      at[`confirmed.${c}`] !== true &&
      (c === "criteria" || c === "tests" || at[`linked.${c}`] === true || at[`proof.${c}`] === "require"),
  );
}

/** Proof that is required and not there. */
function withoutProof(entity: Entity, step: string): Checkpoint[] {
  const at = entity.places[step]!;
  const isProved = (c: Checkpoint): boolean => at[`proved.${c}`] === true || at[`ran.${c}`] === "passed";
  return CHECKPOINTS.filter((c) => at[`proof.${c}`] === "require" && !isProved(c));
}

/** The same, and what failed when it was run last (PROOF-39). */
export function unproved(entity: Entity, step: string): Checkpoint[] {
  const without = withoutProof(entity, step);
  return CHECKPOINTS.filter((c) => without.includes(c) || hasFailed(entity, step, c));
}

const hasFailed = (entity: Entity, step: string, c: Checkpoint): boolean =>
  entity.places[step]![`ran.${c}`] === "failed";

export const someFailed = (entity: Entity, step: string): boolean =>
  CHECKPOINTS.some((c) => hasFailed(entity, step, c));

/** The refusal for want of proof. */
function refusalOf(entity: Entity, step: string): "PROOF_FAILED" | "PROOF_REQUIRED" {
  return unproved(entity, step).some((c) => hasFailed(entity, step, c)) ? "PROOF_FAILED" : "PROOF_REQUIRED";
}

/** What opens a closed step if a change adds to it: a failed run does not (STEP-15). */
export function lacks(entity: Entity, step: string): string[] {
  return [...missing(entity, step), ...withoutProof(entity, step).map((c) => `proof of ${c}`)];
}

export const gateHolds = (entity: Entity, step: string): boolean =>
  missing(entity, step).length === 0 && unproved(entity, step).length === 0;

const isOpen = (entity: Entity, step: string): boolean => entity.places[step]!["done"] !== true;

export function openChildren(entity: Entity, step: string): string[] {
  return children(entity, step).filter((one) => isOpen(entity, one));
}

export function named(checkpoints: Checkpoints): Partial<Record<Checkpoint, boolean>> {
  if (checkpoints === "all") return Object.fromEntries(CHECKPOINTS.map((c) => [c, true]));
  return checkpoints === "gate" ? { criteria: true, tests: true } : checkpoints;
}

function confirm(change: Change, step: string, said: Partial<Record<Checkpoint, boolean>>): void {
  if (Object.keys(said).length === 0) refuse("INVALID_INPUT");
  for (const [c, value] of Object.entries(said)) change.write(step, `confirmed.${c}`, value);
  change.about(step);
}

export function verify(change: Change, step: string, checkpoints: Checkpoints): void {
  const before = lacks(change.entity, step);
  confirm(change, step, named(checkpoints));
  settle(change, step, before);
}

export interface Closing {
  checkpoints?: Checkpoints;
  force?: boolean;
  reason?: string;
}

export function close(change: Change, step: string, { checkpoints, force = false, reason }: Closing): void {
  const { entity } = change;
  if (!force && reason !== undefined) refuse("INVALID_INPUT");
  const said = checkpoints === undefined ? {} : named(checkpoints);
  if (checkpoints !== undefined && said.criteria === undefined && said.tests === undefined) refuse("INVALID_INPUT");
  if (!isOpen(entity, step)) refuse("ALREADY_DONE");
  const blocked = change.at(step)["blocked"] === true;
  const children = openChildren(entity, step).length > 0;
  if (force && reason === undefined && (blocked || children)) refuse("INVALID_INPUT");
  if (!force && blocked) refuse("STEP_BLOCKED");
  if (!force && children) refuse("CHILDREN_OPEN");
  const refused = Object.values(said).includes(false);
  if (checkpoints !== undefined) confirm(change, step, said);
  if (refused || missing(entity, step).length > 0) refuse("CHECKPOINTS_NOT_CONFIRMED");
  if (unproved(entity, step).length > 0) refuse(refusalOf(entity, step));
  if (blocked) block(change, step, { blocked: false });
  change.write(step, "done", true);
  change.write(step, "forced", reason ?? null);
  change.write(step, "reopened", false);
  delete entity.leases[step];
  change.about(step);
}

export function reopen(change: Change, step: string): void {
  if (isOpen(change.entity, step)) refuse("NOT_DONE");
  open(change, step);
}

function open(change: Change, step: string): void {
  reopened(change, step);
  change.about(step);
  openAbove(change, parentOf(step));
}

function reopened(change: Change, step: string): void {
  change.write(step, "done", false);
  change.write(step, "forced", null);
  change.write(step, "reopened", true);
}

/** There is open work at `place`: every closed step from there up is open again, and a DONE task is ACTIVE. */
export function openAbove(change: Change, place: string): void {
  for (const one of upFrom(place)) {
    if (one === "" || isOpen(change.entity, one)) continue;
    reopened(change, one);
    change.about(one);
  }
  if (change.whole["status"] !== "DONE") return;
  change.write("", "status", "ACTIVE");
  change.about("");
}

/** A closed step of which a change asks more than before is open again. */
export function settle(change: Change, step: string, before: readonly string[]): void {
  if (!isOpen(change.entity, step) && lacks(change.entity, step).some((one) => !before.includes(one)))
    open(change, step);
}

export function define(change: Change, step: string, body: Partial<StepBody>): void {
  const { title, success_criteria, tests, blockers, proof = {} } = body;
  if ([title, success_criteria, tests, blockers, ...Object.values(proof)].every((one) => one === undefined))
    refuse("INVALID_INPUT");
  const before = lacks(change.entity, step);
  if (title !== undefined) change.write(step, "title", titled(title));
  if (blockers !== undefined) change.write(step, "blockers", clean(blockers));
  if (success_criteria !== undefined) {
    change.write(step, "success_criteria", clean(success_criteria));
    change.write(step, "confirmed.criteria", false);
  }
  if (tests !== undefined) {
    change.write(step, "tests", clean(tests));
    change.write(step, "confirmed.tests", false);
  }
  for (const [c, mode] of Object.entries(proof)) change.write(step, `proof.${c}`, mode);
  change.about(step);
  settle(change, step, before);
}

export function titled(title: string): string {
  return title.trim() === "" || title.includes("\n") ? refuse("INVALID_INPUT") : title;
}

export function block(change: Change, step: string, how: { blocked?: boolean; reason?: string }): void {
  const { blocked = true, reason } = how;
  if (blocked && !isOpen(change.entity, step)) refuse("ALREADY_DONE");
  change.write(step, "blocked", blocked);
  change.write(step, "block_reason", blocked ? (reason ?? null) : null);
  change.about(step);
}

/** At the end of the list below `parent`; whatever is closed above is open again. */
export function addSteps(change: Change, parent: string, bodies: readonly StepBody[]): void {
  for (const { title, success_criteria, tests = [], blockers = [], proof = {} } of bodies) {
    const path = `${parent === "" ? "" : `${parent}.`}s:${below(change.entity, parent).length}`;
    const modes = Object.entries(proof).map(([c, mode]): [string, Value] => [`proof.${c}`, mode]);
    change.add(path, {
      title: titled(title),
      success_criteria: clean(success_criteria),
      tests: clean(tests),
      blockers: clean(blockers),
      ...Object.fromEntries(modes),
    });
  }
  change.about(parent);
  openAbove(change, parent);
}

/** Whether any of the receipts is more than something still to be filled in. */
export function saysWhatWasRun(receipts: readonly string[]): boolean {
  return receipts.some((one) => one.trim() !== "" && !one.includes("<fill"));
}

/** The command of every run in a model's calls. */
export const RUN = "make all";

/** `exits`: of its runs, in order. `receipts`: whether some were filled in. */
export function capture(
  change: Change,
  step: string,
  checkpoints: readonly string[],
  { exits, receipts }: { exits: readonly number[]; receipts: boolean },
): void {
  change.undoable = false;
  change.touch(step);
  change.about(step);
  if (step === "") return;
  for (const c of checkpoints) {
    change.at(step)[`linked.${c}`] = true;
    if (receipts) change.at(step)[`proved.${c}`] = true;
    if (exits.length > 0) change.at(step)[`ran.${c}`] = exits.at(-1) === 0 ? "passed" : "failed";
  }
}

export function deleteStep(change: Change, step: string): void {
  change.undoable = false;
  change.write(step, "deleted", true);
  change.about(step, { gone: true });
}

/** The status as it shows: a task is ACTIVE once work in it has begun (STEP-70). */
export function shownStatus(entity: Entity): Value {
  const status = entity.places[""]!["status"]!;
  return status === "TODO" && hasBegun(entity) ? "ACTIVE" : status;
}

export function hasBegun(entity: Entity): boolean {
  const { kind, leases } = entity;
  const begun = (place: string): boolean => {
    const at = entity.places[place]!;
    const marks = CHECKPOINTS.flatMap((c) => [at[`confirmed.${c}`], at[`linked.${c}`]]);
    return leases[place] !== undefined || [at["done"], at["blocked"], at["reopened"], ...marks].includes(true);
  };
  return kind === "task" && ["", ...steps(entity)].some(begun);
}

/** STEP-70: whether work in a task of the plan has begun. */
export function hasBegunTask(plan: Entity, model: Model): boolean {
  return Object.values(model.state.entities).some((task) => {
    const status = shownStatus(task) as string;
    const isWork = task.archived ? status === "DONE" : ["ACTIVE", "DONE", "FAILED"].includes(status);
    return task.parent === plan.id && !task.deleted && isWork;
  });
}

/** Why a plan or task cannot be DONE yet; null when it can. */
export function unmet(entity: Entity): string | null {
  if (entity.places[""]!["status"] === "DONE") return "ALREADY_DONE";
  if (entity.kind === "plan") return null;
  const live = steps(entity);
  if (live.some((step) => isOpen(entity, step))) return "STEPS_OPEN";
  const short = live.find((step) => !gateHolds(entity, step));
  if (short === undefined) return null;
  return missing(entity, short).length > 0 ? "CHECKPOINTS_NOT_CONFIRMED" : refusalOf(entity, short);
}
