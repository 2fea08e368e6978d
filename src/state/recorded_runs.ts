/** The runs in a task's index of evidence that were not superseded, wherever in the task they were recorded. */
import type { Entity } from "./entity.ts";
import { failingRuns } from "./failing_runs.ts";
import { commandKey } from "./same_command.ts";

export interface RecordedRun {
  evidence: string;
  command: string;
  cwd: string;
  exit_code: number;
  /** When it was made. */
  at: string;
  /** Its caller reported it: Taskfold did not start it. */
  isClaim: boolean;
  /** The checkpoints of the plan or task as a whole that it was captured for. */
  whole?: readonly string[];
}

export function recordedRuns({ evidence, facts }: Pick<Entity, "evidence" | "facts">): RecordedRun[] {
  return evidence.flatMap(({ id, createdAt: at, sources }): RecordedRun[] => {
    const { whole, superseded, captured } = facts.get(id) ?? {};
    if (superseded) return [];
    return sources.flatMap((source) => {
      if (source.type !== "commandExecution" || source.exitCode === undefined) return [];
      const { command, cwd, exitCode: exit_code } = source;
      return { evidence: id, command, cwd, exit_code, at, isClaim: !captured, ...(whole ? { whole } : {}) };
    });
  });
}

/** Those of which the newest of their command failed (PROOF-31, PROOF-108). */
export function failingAmong(runs: readonly RecordedRun[]): RecordedRun[] {
  return failingRuns(runs, ({ command, cwd, at: time, exit_code, isClaim }) => ({
    command: JSON.stringify([commandKey(command), cwd]),
    time,
    isFailed: exit_code !== 0,
    isClaim,
  }));
}

/** Failures that Taskfold saw, and that no newer run of Taskfold took back: no report does, whatever place it is recorded on. */
export function seenFailures(entity: Pick<Entity, "evidence" | "facts">): RecordedRun[] {
  return failingAmong(recordedRuns(entity).filter(({ isClaim }) => !isClaim));
}
