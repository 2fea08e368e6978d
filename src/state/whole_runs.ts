/** Failed runs that keep a plan or task as a whole from being completed: of its checkpoints (PROOF-90), and of deleted steps (PROOF-110). */
import type { Checkpoint, Entity, Step } from "./entity.ts";
import { CHECKPOINTS } from "./entity.ts";
import { isLive } from "./live.ts";
import { acceptanceCommands } from "./packet_next.ts";
import type { RecordedRun } from "./recorded_runs.ts";
import { failingAmong, recordedRuns, seenFailures } from "./recorded_runs.ts";
import { commandKey, isRunOfTest } from "./same_command.ts";

export interface WholeRun extends Omit<RecordedRun, "whole"> {
  checkpoints: readonly Checkpoint[];
  /** The step that asks for the test of a run that a deleted step left behind. */
  step?: Step;
}

/** Newest runs of their commands that failed and were not superseded. */
export function failedOnWhole(entity: Entity): WholeRun[] {
  const runs = recordedRuns(entity).filter(({ whole }) => whole !== undefined);
  const failed = failingAmong(runs).map(({ whole, ...run }) => ({
    ...run,
    checkpoints: CHECKPOINTS.filter((c) => whole!.includes(c)),
  }));
  return [...failed, ...leftBehind(entity)];
}

/**
 * Failures that Taskfold saw of a declared test of a step that is deleted, while a live step asks for that test. `asking`: the one step that
 * asks. A run on a live step, or on the whole, holds by itself.
 */
export function leftBehind(entity: Entity, asking?: Step): WholeRun[] {
  const gone = new Set<string>();
  const standing = new Set<string>();
  for (const step of entity.steps.values()) {
    const { tests } = step.linked;
    if (tests.length === 0) continue;
    const isThere = isLive(step);
    for (const { evidence, command, degree, exit_code } of tests) {
      if (isThere) standing.add(evidence);
      else if (degree !== undefined && exit_code !== 0 && command !== null) gone.add(commandKey(command));
    }
  }
  if (gone.size === 0) return [];
  const live = asking ? [asking] : [...entity.steps.values()].filter(isLive);
  return seenFailures(entity).flatMap(({ whole, ...run }): WholeRun[] => {
    if (whole || standing.has(run.evidence) || !gone.has(commandKey(run.command))) return [];
    const those = live.filter((step) => testsAsked(entity, step).some((test) => isRunOfTest(run, test)));
    const step = those.find(({ done }) => !done) ?? those[0];
    return step ? [{ ...run, checkpoints: ["tests"], step }] : [];
  });
}

/** A step that names the packet asks for its commands, until Taskfold saw each of them pass. */
function testsAsked({ packet }: Entity, step: Step): readonly string[] {
  if (!step.packet) return step.tests;
  return packet && step.accepted !== "captured" ? acceptanceCommands(packet) : [];
}
