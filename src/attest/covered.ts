/** Which ops a set of heads stands for: those ops and all that their writers had seen, to the first. */
import type { LoggedOp } from "./log_facts.ts";

/** Places of the ops. Undefined where a head is no end of an op, or one of the ops before it is not there any more. */
export function coveredBy(ops: readonly LoggedOp[], heads: readonly string[]): ReadonlySet<number> | undefined {
  const places = new Map(ops.map(({ last }, at) => [last, at]));
  const covered = new Set<number>();
  const due = [...heads];
  if (due.length === 0) return undefined;
  for (let hash = due.pop(); hash !== undefined; hash = due.pop()) {
    const at = places.get(hash);
    if (at === undefined) return undefined;
    if (covered.has(at)) continue;
    covered.add(at);
    due.push(...ops[at]!.prev);
  }
  return covered;
}
