/** The runs in a task's index of evidence that were not superseded, wherever in the task they were recorded. */
import type { Entity } from "./entity.ts";
import type { EvidenceEntry } from "./evidence.ts";
import { failingRuns } from "./failing_runs.ts";
import { commandKey } from "./same_command.ts";

export interface RecordedRun {
  evidence: string;
  command: string;
  cwd: string;
  exit_code: number;
  /** When it ran: never before an earlier run of its command that its op has seen (PROOF-33). */
  at: string;
  /** Its caller reported it: Taskfold did not start it. */
  isClaim: boolean;
  /** The checkpoints of the plan or task as a whole that it was captured for. */
  whole?: readonly string[];
}

export function recordedRuns({ evidence, facts }: Pick<Entity, "evidence" | "facts">): RecordedRun[] {
  return evidence.flatMap((entry): RecordedRun[] => {
    const { whole, superseded, captured, ran_at: at = entry.createdAt } = facts.get(entry.id) ?? {};
    if (superseded) return [];
    const runs = runsIn(entry);
    return runs.map((run) => ({ evidence: entry.id, ...run, at, isClaim: !captured, ...(whole ? { whole } : {}) }));
  });
}

function runsIn({ sources }: EvidenceEntry): Pick<RecordedRun, "command" | "cwd" | "exit_code">[] {
  return sources.flatMap((source) => {
    if (source.type !== "commandExecution" || source.exitCode === undefined) return [];
    const { command, cwd, exitCode: exit_code } = source;
    return { command, cwd, exit_code };
  });
}

/**
 * The time of a run that is not recorded yet (PROOF-33). That is the time of its event, or of the latest earlier run of its command that
 * its op has seen. Spelling and place in the task do not matter.
 */
export function timeOfRun(
  { evidence, facts, updated_at }: Pick<Entity, "evidence" | "facts" | "updated_at">,
  run: EvidenceEntry,
  saw: (op: number) => boolean,
): string {
  // Hardly a clock is wrong, and no run before has a later time than the entity.
  if (run.createdAt >= updated_at) return run.createdAt;
  const own = new Set(runsIn(run).map(keyOf));
  return evidence.reduce((time, entry) => {
    const { op, ran_at = entry.createdAt } = facts.get(entry.id) ?? {};
    const isLater = op !== undefined && ran_at > time && saw(op);
    return isLater && runsIn(entry).some((one) => own.has(keyOf(one))) ? ran_at : time;
  }, run.createdAt);
}

function keyOf({ command, cwd }: Pick<RecordedRun, "command" | "cwd">): string {
  return JSON.stringify([commandKey(command), cwd]);
}

/** Those of which the newest of their command failed (PROOF-39, PROOF-108). */
export function failingAmong(runs: readonly RecordedRun[]): RecordedRun[] {
  return failingRuns(runs, (run) => ({
    command: keyOf(run),
    time: run.at,
    isFailed: run.exit_code !== 0,
    isClaim: run.isClaim,
  }));
}

/** Failures that Taskfold saw, and that no newer run of Taskfold took back: no report does, whatever place it is recorded on. */
export function seenFailures(entity: Pick<Entity, "evidence" | "facts">): RecordedRun[] {
  return failingAmong(recordedRuns(entity).filter(({ isClaim }) => !isClaim));
}
