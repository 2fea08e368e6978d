/** Failed runs that keep a plan or task as a whole from being completed: of its checkpoints (PROOF-90), and of tests that a step asks for (PROOF-108). */
import { failedRuns, isOfPacket } from "./checkpoint.ts";
import type { Checkpoint, Entity, Step } from "./entity.ts";
import { CHECKPOINTS } from "./entity.ts";
import { isLive } from "./live.ts";
import { isMaskedFormOf } from "./packet_masks.ts";
import { acceptanceCommands } from "./packet_next.ts";
import type { RecordedRun } from "./recorded_runs.ts";
import { failingAmong, recordedRuns, seenFailures } from "./recorded_runs.ts";
import { commandKey } from "./same_command.ts";

export interface WholeRun extends Omit<RecordedRun, "whole"> {
  checkpoints: readonly Checkpoint[];
  /** The step that asks for the test of a run that was recorded elsewhere. */
  step?: Step;
}

/** Newest runs of their commands that failed and were not superseded. The runs of a live step hold that step. */
export function failedOnWhole(entity: Entity): WholeRun[] {
  const runs = recordedRuns(entity).filter(({ whole }) => whole !== undefined);
  const failed = failingAmong(runs).map(({ whole, ...run }) => ({
    ...run,
    checkpoints: CHECKPOINTS.filter((c) => whole!.includes(c)),
  }));
  const seen = seenFailures(entity);
  if (seen.length === 0) return failed;
  const live = [...entity.steps.values()].filter(isLive);
  const stillFailing = new Set([...failed.map(({ evidence }) => evidence), ...live.flatMap(failedOnStep)]);
  const asked = seen.flatMap((run) => {
    if (stillFailing.has(run.evidence)) return [];
    const those = live.filter((step) => asksFor(entity, step, run));
    const step = those.find(({ done }) => !done) ?? those[0];
    return step ? [ofStep(run, step)] : [];
  });
  return [...failed, ...asked];
}

/**
 * Failures that Taskfold saw of a test that the step asks for, wherever in the task they were recorded. Those of the step itself are
 * judged with its proof.
 */
export function failedElsewhere(entity: Entity, step: Step): WholeRun[] {
  if (testsAsked(entity, step).length === 0) return [];
  const own = new Set(failedOnStep(step));
  const seen = seenFailures(entity).filter((run) => !own.has(run.evidence) && asksFor(entity, step, run));
  return seen.map((run) => ofStep(run, step));
}

/** Failures that Taskfold saw, each with the place that a newer run of it belongs to: its own step, else the task. */
export function seenOnPlace(entity: Entity): WholeRun[] {
  const live = [...entity.steps.values()].filter(isLive);
  return seenFailures(entity).map(({ whole, ...run }) => {
    const isLinked = (step: Step, c: Checkpoint): boolean =>
      step.linked[c].some(({ evidence }) => evidence === run.evidence);
    const step = live.find((one) => CHECKPOINTS.some((c) => isLinked(one, c)));
    const of = CHECKPOINTS.filter((c) => (step ? isLinked(step, c) : whole?.includes(c)));
    return { ...run, checkpoints: of.length === 0 ? ["tests"] : of, ...(step ? { step } : {}) };
  });
}

function ofStep({ whole: _whole, ...run }: RecordedRun, step: Step): WholeRun {
  return { ...run, checkpoints: ["tests"], step };
}

/** Evidence of the runs that failed on it and are not passed over for what the packet proved. */
function failedOnStep(step: Step): string[] {
  const judged = CHECKPOINTS.filter((c) => !(isOfPacket(step, c) && step.accepted === "captured"));
  return judged.flatMap((c) => failedRuns(step.linked[c]).map(({ evidence }) => evidence));
}

function asksFor(entity: Entity, step: Step, run: RecordedRun): boolean {
  return testsAsked(entity, step).some((test) => isFailureOf(entity, run, test));
}

/**
 * Whether a failure that Taskfold saw is one of this command, in the root folder. The log may have it behind the masks of its day. Then a newer
 * run takes it back that is on record as this very command. A run behind masks takes back what has the same masks alone.
 */
export function isFailureOf(entity: Entity, run: Omit<RecordedRun, "whole">, command: string): boolean {
  if (run.cwd !== ".") return false;
  const [key, asked] = [commandKey(run.command), commandKey(command)];
  if (key === asked) return true;
  if (!isMaskedFormOf(key, asked)) return false;
  const runs = recordedRuns(entity).filter(
    (one) => one.evidence === run.evidence || (!one.isClaim && one.cwd === "." && commandKey(one.command) === asked),
  );
  return runs.reduce((newest, one) => (one.at >= newest.at ? one : newest)).exit_code !== 0;
}

/** A step that names the packet asks for its commands, too, until Taskfold saw each of them pass. */
function testsAsked({ packet }: Entity, step: Step): readonly string[] {
  if (!step.packet) return step.tests;
  if (step.accepted === "captured") return [];
  return packet ? [...acceptanceCommands(packet), ...step.tests] : step.tests;
}
