/**
 * The status of a plan in answers: an open plan is ACTIVE once work in a task of it has begun (STEP-70). A file is folded from
 * the plan's own log alone, and goes by that.
 */
import { isArchivedOrDeleted } from "./archive.ts";
import type { Status, Subject } from "./entity.ts";
import { changedRow } from "./listed.ts";
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
  if (entity.kind !== "plan" || entity.status !== "TODO" || isArchivedOrDeleted(entity)) return subject;
  return Object.defineProperties(
    { ...subject },
    {
      head: { enumerable: true, get: () => subject.head },
      status: { enumerable: true, get: () => planStatus(entity.status, begunPlans(rows()).has(entity.root)) },
    },
  );
}

/** Whether work in a task of the plan has begun, whatever the plan's own status is. */
export function hasBegunTask(root: string, listed: readonly Listed[]): boolean {
  return begunPlans(listed).has(root);
}

const begunIn = new WeakMap<readonly Listed[], ReadonlySet<string>>();
const shownAs = new WeakMap<readonly Listed[], readonly Listed[]>();

/** Roots of the plans in a task of which work has begun. Worked out once for each state of a list. */
function begunPlans(listed: readonly Listed[]): ReadonlySet<string> {
  const before = begunIn.get(listed);
  if (before) return before;
  const begun = new Set<string>();
  for (const row of listed) {
    if (row.parent && !row.deleted && isBegunTask(row)) begun.add(row.parent.root);
    if ((row.archived_tasks?.done ?? 0) > 0) begun.add(row.root);
  }
  begunIn.set(listed, begun);
  return begun;
}

/** The rows as answers show them. Worked out once for each state of a list. */
export function withPlanStatus(listed: readonly Listed[]): readonly Listed[] {
  const before = shownAs.get(listed);
  if (before) return before;
  const begun = begunPlans(listed);
  const isOther = (row: Listed): boolean => row.kind === "plan" && row.status === "TODO" && begun.has(row.root);
  const shown = listed.some(isOther)
    ? listed.map((row) => (isOther(row) ? changedRow(row, { status: "ACTIVE" }) : row))
    : listed;
  shownAs.set(listed, shown);
  return shown;
}
