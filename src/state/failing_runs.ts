/** Which runs still fail: of a step's checkpoint, and of a plan or task as a whole (PROOF-31, PROOF-108). */

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
  const newest = new Map<string, { any: T; seen?: T }>();
  for (const one of all) {
    const run = runOf(one);
    const before = newest.get(run.command);
    const isNewer = (other: T | undefined): boolean => other === undefined || run.time >= runOf(other).time;
    const any = isNewer(before?.any) ? one : before!.any;
    const seen = !run.isClaim && isNewer(before?.seen) ? one : before?.seen;
    newest.set(run.command, seen === undefined ? { any } : { any, seen });
  }
  const isFailing = (one: T | undefined): one is T => one !== undefined && runOf(one).isFailed;
  return [...newest.values()].flatMap(({ any, seen }) => [any, seen].find(isFailing) ?? []);
}
