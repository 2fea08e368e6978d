/** Runs on a plan or task as a whole that were captured for checkpoints: the newest of each command decides, as on a step (PROOF-90). */
import type { Checkpoint, Entity } from "./entity.ts";
import { CHECKPOINTS } from "./entity.ts";
import { failingRuns } from "./failing_runs.ts";
import { commandKey } from "./same_command.ts";

export interface WholeRun {
  evidence: string;
  checkpoints: readonly Checkpoint[];
  command: string;
  cwd: string;
  exit_code: number;
  /** When it was made. */
  at: string;
  /** Its caller reported it: Taskfold did not start it. */
  isClaim: boolean;
}

/** Newest runs of their commands that failed and were not superseded. */
export function failedOnWhole({ evidence, facts }: Entity): WholeRun[] {
  const runs = evidence.flatMap(({ id, createdAt: at, sources }): WholeRun[] => {
    const { whole, superseded, captured } = facts.get(id) ?? {};
    if (!whole || superseded) return [];
    const checkpoints = CHECKPOINTS.filter((c) => whole.includes(c));
    return sources.flatMap((source) => {
      if (source.type !== "commandExecution" || source.exitCode === undefined) return [];
      const { command, cwd, exitCode: exit_code } = source;
      return { evidence: id, checkpoints, command, cwd, exit_code, at, isClaim: captured === undefined };
    });
  });
  return failingRuns(runs, ({ command, cwd, at: time, exit_code, isClaim }) => ({
    command: JSON.stringify([commandKey(command), cwd]),
    time,
    isFailed: exit_code !== 0,
    isClaim,
  }));
}
