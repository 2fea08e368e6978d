import { hasEnded } from "../state/ended.ts";
import type { Listed } from "../state/listed.ts";

/** Open plans of which every task has ended. A plan without a task is one whose tasks are still to be written. Tasks in the archive have ended. */
export function plansToComplete(live: readonly Listed[]): Listed[] {
  const plansOf = (rows: readonly Listed[]) => new Set(rows.map(({ parent }) => parent?.root));
  const some = plansOf(live);
  const open = plansOf(live.filter((row) => !hasEnded(row)));
  return live.filter(
    ({ kind, root, status, archived_tasks }) =>
      kind === "plan" && !hasEnded({ status }) && (some.has(root) || archived_tasks) && !open.has(root),
  );
}
