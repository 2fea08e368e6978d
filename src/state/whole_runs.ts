/** Runs on a plan or task as a whole that were captured for checkpoints: the newest of each command decides, as on a step (PROOF-90). */
import type { Checkpoint, Entity } from "./entity.ts";
import { CHECKPOINTS } from "./entity.ts";

export interface WholeRun {
  evidence: string;
  checkpoints: readonly Checkpoint[];
  command: string;
  cwd: string;
  exit_code: number;
  /** When it was made. */
  at: string;
}

/** Newest runs of their commands that failed and were not superseded. */
export function failedOnWhole({ evidence, facts }: Entity): WholeRun[] {
  const newest = new Map<string, WholeRun>();
  for (const { id, createdAt: at, sources } of evidence) {
    const { whole, superseded } = facts.get(id) ?? {};
    if (!whole || superseded) continue;
    const checkpoints = CHECKPOINTS.filter((c) => whole.includes(c));
    for (const source of sources) {
      if (source.type !== "commandExecution" || source.exitCode === undefined) continue;
      const { command, cwd, exitCode: exit_code } = source;
      const key = JSON.stringify([command, cwd]);
      // Branches are replayed one after the other: the last run in the list may be an earlier one.
      if (at >= (newest.get(key)?.at ?? ""))
        newest.set(key, { evidence: id, checkpoints, command, cwd, exit_code, at });
    }
  }
  return [...newest.values()].filter(({ exit_code }) => exit_code !== 0);
}
