/** Which runs still fail: of a step's checkpoint, and of a plan or task as a whole (PROOF-39, PROOF-108). */

interface Run {
  /** The command and its folder. A run takes back failures of the same command alone. */
  command: string;
  /** When it ran: text that sorts. */
  time: string;
  isFailed: boolean;
  /** Its caller reports it: Taskfold did not start it. */
  isClaim: boolean;
}

/**
 * Returns one run for each command of which the newest failed. A claim takes no failure back that Taskfold saw: then the newest run that
 * Taskfold started decides. `all` are in replay order; branches are replayed one after the other, so the last may be an earlier one.
 */
export function failingRuns<T>(all: readonly T[], runOf: (one: T) => Run): T[] {
  const newest = new Map<string, { any: RunOf<T>; seen?: RunOf<T> }>();
  for (const one of all) {
    const run = runOf(one);
    const before = newest.get(run.command);
    const isNewer = (other: RunOf<T> | undefined): boolean => other === undefined || run.time >= other.run.time;
    const any = isNewer(before?.any) ? { one, run } : before!.any;
    const seen = !run.isClaim && isNewer(before?.seen) ? { one, run } : before?.seen;
    newest.set(run.command, seen === undefined ? { any } : { any, seen });
  }
  // Where both failed, what Taskfold saw is named: no claim takes that back.
  return [...newest.values()].flatMap(({ any, seen }) => [seen, any].find((found) => found?.run.isFailed)?.one ?? []);
}

interface RunOf<T> {
  one: T;
  run: Run;
}
