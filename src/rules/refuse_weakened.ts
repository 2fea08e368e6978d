/** Terms of a step that who works on it would make milder, whichever call does that (PROOF-111). */
import { TaskfoldError } from "../errors.ts";
import type { Suggestion } from "../errors.ts";
import { remedy, toolName } from "../remedy.ts";
import type { Draft } from "../events/define.ts";
import type { PastOp } from "../events/history.ts";
import type { Change } from "../events/writer.ts";
import type { PastOf } from "../events/past.ts";
import { leaseClaimed } from "../events/lease.claimed.ts";
import { packetDefined } from "../events/packet.defined.ts";
import { redoApplied } from "../events/redo.applied.ts";
import { stepDefined } from "../events/step.defined.ts";
import { stepDeleted } from "../events/step.deleted.ts";
import { undoApplied } from "../events/undo.applied.ts";
import { failedRuns, proofMode } from "../state/checkpoint.ts";
import { takesNoClaim } from "../state/degree.ts";
import { CHECKPOINTS, PROOF_CHECKPOINTS, PROOF_MODES } from "../state/entity.ts";
import type { Checkpoint, Entity, Lease, ProofCheckpoint, ProofMode, Step, Subject } from "../state/entity.ts";
import { isLive } from "../state/live.ts";
import { covering } from "../state/lease.ts";
import type { Held } from "../state/lease.ts";
import { holdsMask } from "../state/packet_masks.ts";
import { isSameCommand } from "../state/same_command.ts";
import { scopeOf } from "../state/staleness.ts";
import type { Scope } from "../state/staleness.ts";
import { modesOfNew } from "./default_proof.ts";
import type { StepDefaults } from "./default_proof.ts";
import type { ProofModes } from "../state/proof_modes.ts";
import { cited, listed, nameOf, oneLine } from "./phrase.ts";
import { coversScope } from "./packet/scope.ts";
import { withoutMask } from "./run_line.ts";
import { callOn, supersedeCalls } from "./suggest.ts";

/** The terms of a step that an actor holds, before a change. */
interface Terms {
  step: Step;
  held: Held;
  modes: readonly (readonly [ProofCheckpoint, ProofMode])[];
  /** Checkpoints that another actor confirms. */
  eyes: readonly Checkpoint[];
  /** The packet proves its tests: whatever the mode is, other evidence proves less than the commands of the manifest. */
  packet: boolean;
  /** The files whose change makes its proof stale; undefined where no mode asks for that. */
  scope: Scope | undefined;
  /** Its declared tests, and the runs that failed for them, of which the gate takes note. */
  tests: readonly Judged[];
}

/** A declared test, or a failed run. `command` is what it runs; null where a run has none, or the log has it behind masks alone. */
interface Judged {
  /** The text of the test, or the id of the evidence. */
  id: string;
  command: string | null;
  isRun: boolean;
}

/** Events that set what a step asks for. */
const SETTING: ReadonlySet<string> = new Set([
  stepDefined.type,
  stepDeleted.type,
  packetDefined.type,
  undoApplied.type,
  redoApplied.type,
]);

/** The terms of steps that bind this actor; none where the drafts set none. */
export function termsFor(
  { entity }: Subject,
  drafts: readonly Draft[],
  { by, now }: { by: string; now: string },
): Terms[] {
  if (!drafts.some(({ type }) => SETTING.has(type))) return [];
  const open = [...entity.steps.values()].filter(isLive).map((step) => [step, covering(entity, step, now)] as const);
  const own = open.flatMap(([step, held]) => {
    const mine = held.find(({ lease }) => lease.by === by);
    return mine ? [termsOf(entity, step, mine)] : [];
  });
  // One manifest is that of every step that names it: what its holder may not take out, no other actor may, either.
  const ofOthers = open.flatMap(([step, [first]]): Terms[] => {
    if (!first || !step.packet || step.done || own.some((one) => one.step === step)) return [];
    return [{ ...termsOf(entity, step, first), modes: [], eyes: [], packet: false }];
  });
  return [...own, ...ofOthers];
}

function termsOf(entity: Entity, step: Step, held: Held): Terms {
  const modes = PROOF_CHECKPOINTS.map((c) => [c, proofMode(step, c)] as const);
  const { packet, confirm } = step;
  return {
    step,
    held,
    modes,
    packet,
    eyes: CHECKPOINTS.filter((c) => confirm[c]),
    scope: modes.some(([, mode]) => takesNoClaim(mode)) ? scopeOf(entity, step) : undefined,
    tests: testsJudged(entity, step),
  };
}

/** TERMS_HELD for terms that are milder now, after the change has been applied. */
export function refuseWeakened(
  subject: Subject,
  terms: readonly Terms[],
  { by, pastOf, defaults }: { by: string; pastOf: PastOf; defaults: () => StepDefaults },
): void {
  for (const one of terms) {
    const { step, modes, eyes, packet, tests, held, scope } = one;
    if (!isLive(step)) {
      if (held.lease.by !== by) continue;
      refuseReplaced(subject, one, { by, ops: pastOf(false).ops, defaults: defaults() });
      continue;
    }
    const judged = testsJudged(subject.entity, step);
    const left = testsOf(subject.entity, step).filter(
      ({ id }) => tests.some((test) => test.id === id) && !judged.some((test) => test.id === id),
    );
    if (left.length > 0) throw passedOver(subject, step, left, { held, by });
    const lost = eyes.filter((c) => !step.confirm[c] && !isOwn(held.lease, pastOf(false).ops, asksFor(step, c)));
    const milder = modes.filter(([c, mode]) => isMilder(proofMode(step, c), mode));
    const isNarrower = scope !== undefined && !coversScope(scopeOf(subject.entity, step), scope);
    const was = [
      ...lost.map((c) => `${c} confirmed by another actor`),
      ...milder.map(([c, mode]) => `${c}=${mode}`),
      ...(packet && !step.packet ? ["packet=true"] : []),
      ...(isNarrower ? [`proof on ${scopeWords(scope)}`] : []),
    ];
    if (was.length === 0) continue;
    const found = [
      ...lost.map((c) => `${c} by any`),
      ...milder.map(([c]) => `${c}=${proofMode(step, c)}`),
      ...(packet && !step.packet ? ["packet=false"] : []),
      ...(isNarrower ? [`proof on ${scopeWords(scopeOf(subject.entity, step))}`] : []),
    ];
    throw termsHeld(subject, step, { held, by }, [
      `${nameOf(step)} to ask for no less than ${listed(was)} while ${held.lease.by} holds it`,
      listed(found),
    ]);
  }
}

/** `src, test without src/generated`. */
function scopeWords(scope: Scope): string {
  if (!scope) return "the whole work tree";
  const { allow, deny } = scope;
  const left = deny.length === 0 ? "" : ` without ${listed(deny.map((path) => oneLine(path)))}`;
  return `${allow.length === 0 ? "no file" : listed(allow.map((path) => oneLine(path)))}${left}`;
}

/**
 * A new step in the place of a deleted one may ask for the least that the workspace takes. If a mode takes no claim, the caller may name fewer files
 * for it, also where the modes are the same. A step that the holder added during the claim is no term of another.
 */
function refuseReplaced(
  subject: Subject,
  { step, held, modes, eyes, packet }: Terms,
  { by, ops, defaults }: { by: string; ops: readonly PastOp[]; defaults: StepDefaults },
): void {
  if (isOwn(held.lease, ops, (one) => one.how === "put" && one.value === step && !one.had)) return;
  const least = modesOfNew(NO_PROOF, defaults);
  const lost = [
    ...eyes
      .filter((c) => defaults.confirm?.[c] === undefined && !isOwn(held.lease, ops, asksFor(step, c)))
      .map((c) => `${c} confirmed by another actor`),
    ...modes
      .filter(([c, mode]) => takesNoClaim(mode) || isMilder(least[c] ?? "off", mode))
      .map(([c, mode]) => `${c}=${mode}`),
    ...(packet ? ["packet=true"] : []),
  ];
  if (lost.length === 0) return;
  throw termsHeld(subject, step, { held, by }, [
    `${nameOf(step)} to stay while ${by} holds it, since it asks for ${listed(lost)}`,
    "a call that deletes it",
  ]);
}

/** Names each checkpoint, so that no default of the workspace comes in. */
const NO_PROOF: ProofModes = { tests: "off", security: "off", perf: "off", docs: "off" };

function termsHeld(
  subject: Subject,
  step: Step,
  { held, by }: { held: Held; by: string },
  [expected, found]: [string, string],
  other: readonly Suggestion[] = [],
): TaskfoldError {
  const holder = held.lease.by;
  const orSupersede = other.some(({ args }) => args["supersedes"]) ? ", or supersede the failed run with a reason" : "";
  const release = callOn(subject, "tasks_release", held.on ? { step_id: held.on.id } : {}, "Give the claim back.");
  return new TaskfoldError("TERMS_HELD", `Expected ${expected}; found ${found}.`, {
    ...(holder === by
      ? remedy`Give the claim back with ${toolName("tasks_release")} first${orSupersede}. Any actor may ask for more.`
      : remedy`Call again once the claim of ${holder} is over. Any actor may ask for more.`),
    suggestions: holder === by ? [...other, release] : [...other],
    details: { step_id: step.id, by: holder },
  });
}

function testsOf(entity: Entity, step: Step): Judged[] {
  const plain = (command: string): string | null =>
    holdsMask(command) ? (withoutMask(entity, step, command) ?? null) : command;
  const runs = failedRuns(step.linked.tests).map(({ command, evidence }): Judged => ({
    id: evidence,
    command: command === null ? null : plain(command),
    isRun: true,
  }));
  return [...step.tests.map((test): Judged => ({ id: test, command: test, isRun: false })), ...runs];
}

/** If the packet proves the tests, the gate takes note of those alone that the manifest has. */
function testsJudged(entity: Entity, step: Step): Judged[] {
  const commands = entity.packet?.manifest.acceptance.commands ?? [];
  return testsOf(entity, step).filter(
    ({ command }) => !step.packet || (command !== null && commands.some((one) => isSameCommand(one, command))),
  );
}

/** The packet adds to what a step asks for: it does not take the place of tests that its commands leave out. */
function passedOver(
  subject: Subject,
  step: Step,
  left: readonly Judged[],
  who: { held: Held; by: string },
): TaskfoldError {
  const { packet } = subject.entity;
  const missing = [...new Set(left.flatMap(({ command }) => command ?? []))];
  const unnamed = left.filter(({ command }) => command === null);
  const named = listed(missing.map((test) => `"${oneLine(test)}"`));
  const asked = [
    ...(missing.length === 0 ? [] : [`the packet of ${nameOf(step)} to run ${named}`]),
    ...(unnamed.length === 0
      ? []
      : [`no packet to pass over a failed run without a command (${listed(unnamed.map(({ id }) => cited(id)))})`]),
  ];
  const commands = [...(packet?.manifest.acceptance.commands ?? []), ...missing];
  const also = callOn(
    subject,
    "packet_patch",
    { manifest: { acceptance: { commands } } },
    `Let the packet run ${named}, too.`,
  );
  // The caller puts aside no run of a step that another actor holds.
  const holder = who.held.lease.by;
  const failed = holder === who.by ? left.flatMap(({ id, isRun }) => (isRun ? [id] : [])) : [];
  const aside = supersedeCalls(subject, failed, step);
  return termsHeld(
    subject,
    step,
    who,
    [`${asked.join(" and ")} while ${holder} holds it`, packet ? "a manifest without that" : "no packet"],
    [...(packet && missing.length > 0 ? [also] : []), ...aside],
  );
}

/** A signature may be by anyone: it asks for no other actor, as a repeat does. */
function isMilder(mode: ProofMode, was: ProofMode): boolean {
  return PROOF_MODES.indexOf(mode) < PROOF_MODES.indexOf(was) || (was === "repeated" && mode !== "repeated");
}

/** Whether a change asks for other eyes on a checkpoint. */
function asksFor(step: Step, c: Checkpoint): (change: Change) => boolean {
  const asks = (set: unknown): boolean => (set as Step["confirm"])[c] !== undefined;
  return (one) =>
    one.how === "write" && one.node === step && one.key === "confirm" && asks(one.value) && !asks(one.old);
}

/**
 * Whether the holder of the claim made the last such change, and made it since, as far as the last ops say. That is no term of the one who handed
 * it out. The order of the log decides, because two calls may have one millisecond, and a clock may be put back.
 */
function isOwn({ by, claimed_at }: Lease, ops: readonly PastOp[], isIt: (change: Change) => boolean): boolean {
  const made = ops.findLastIndex(({ record }) => record.some(isIt));
  const claimed = ops.findLastIndex(
    (op) => op.types.includes(leaseClaimed.type) && op.ts === claimed_at && op.by === by,
  );
  return made > claimed && ops[made]!.by === by;
}
