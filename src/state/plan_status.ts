/**
 * The status of a plan in answers: an open plan is ACTIVE once work in a task of it has begun (STEP-78). A file is folded from
 * the plan's own log alone, and goes by that.
 */
import { isAway } from "./archive.ts";
import type { Status, Subject } from "./entity.ts";
import type { Listed } from "./listed.ts";

/** Whether work in a task has begun, as its status tells. A task that was canceled is no work, and an archived one where it is DONE. */
export function isBegunTask({ status, archived }: { status: Status; archived?: boolean | undefined }): boolean {
  return status === "DONE" || (archived !== true && (status === "ACTIVE" || status === "FAILED"));
}

export function planStatus(own: Status, hasBegunTask: boolean): Status {
  return own === "TODO" && hasBegunTask ? "ACTIVE" : own;
}

/** The plan or task with the status that a reader sees. The rows and the head are asked for only where an answer has them. */
export function asShown<S extends Subject>(subject: S, rows: () => readonly Listed[]): S {
  const { entity } = subject;
  if (entity.kind !== "plan" || entity.status !== "TODO" || isAway(entity)) return subject;
  return Object.defineProperties(
    { ...subject },
    {
      head: { enumerable: true, get: () => subject.head },
      status: { enumerable: true, get: () => planStatus(entity.status, hasBegunTask(entity.root, rows())) },
    },
  );
}

function hasBegunTask(plan: string, listed: readonly Listed[]): boolean {
  return listed.some((row) =>
    row.root === plan
      ? (row.archived_tasks?.done ?? 0) > 0
      : row.parent?.root === plan && !row.deleted && isBegunTask(row),
  );
}

const known = new WeakMap<readonly Listed[], readonly Listed[]>();

/** The rows as answers show them. Worked out once for each state of a list. */
export function withPlanStatus(listed: readonly Listed[]): readonly Listed[] {
  const before = known.get(listed);
  if (before) return before;
  const begun = new Set<string>();
  for (const row of listed) if (row.parent && !row.deleted && isBegunTask(row)) begun.add(row.parent.root);
  const hasBegun = ({ root, archived_tasks: away }: Listed): boolean => begun.has(root) || (away?.done ?? 0) > 0;
  const isOther = (row: Listed): boolean => row.kind === "plan" && row.status === "TODO" && hasBegun(row);
  const shown = listed.some(isOther)
    ? listed.map((row) => (isOther(row) ? { ...row, status: "ACTIVE" as const } : row))
    : listed;
  known.set(listed, shown);
  return shown;
}
