/** Which ended tasks a sweep puts away, the longest untouched first, and which it leaves and why (ARCHIVE-5). */
import { isTaskfoldError, TaskfoldError } from "../errors.ts";
import { compareIds } from "../state/compare_ids.ts";
import type { Find } from "../state/depends.ts";
import { hasEnded } from "../state/ended.ts";
import type { Status, Subject } from "../state/entity.ts";
import { listedOf } from "../state/listed.ts";
import type { Listed } from "../state/listed.ts";
import type { LookForDispatcher } from "../state/packet_next.ts";
import { archiveTask } from "./archive_task.ts";
import { refuseLeased } from "./lease.ts";
import { listed as someOf } from "./phrase.ts";
import { remedy, TASKFOLD } from "../remedy.ts";

/** The facts that a sweep looks at besides its input. */
export interface Retention {
  now: string;
  /** `now` and so many seconds. */
  inSeconds: (seconds: number) => string;
  by: string;
  /** Every live plan and task as a list shows it. */
  rows: () => readonly Listed[];
  find: Find;
  /** The plan or task of that id, put away or not, as a writer finds it: throws what keeps it from being changed. */
  open: (id: string) => Subject;
  /** The process that runs its packet, if one does. */
  dispatcher: (id: string) => ReturnType<LookForDispatcher>;
  /** Files of its folder that were edited by hand and not taken in. Costs a look at each. */
  edited: (id: string) => readonly string[];
}

export interface Wanted {
  /** These alone. */
  ids?: readonly string[];
  /** Root of their plan. */
  plan?: string;
  status?: Status;
  /** Nothing was done to them since. */
  before?: string;
}

export interface Skipped {
  id: string;
  code: string;
  message: string;
}

export interface Sweep {
  chosen: Subject[];
  skipped: Skipped[];
  /** Further ones of the kind, which were not looked at for whether they can go. */
  left: number;
}

/** Chooses at most `limit`; looks at no more than it needs for that. */
export function sweep(wanted: Wanted, limit: number, from: Retention): Sweep {
  const all = candidates(wanted, from);
  const done: Sweep = { chosen: [], skipped: [], left: 0 };
  for (const [i, { id }] of all.entries()) {
    const judged = judge(id, from);
    if ("code" in judged) done.skipped.push(judged);
    else if (done.chosen.length < limit) done.chosen.push(judged);
    else return { ...done, left: all.length - i };
  }
  return done;
}

/** The plan that names the task once it is away; undefined where it has none, or that was deleted. */
export function planOf({ entity: { parent } }: Subject, { find }: Pick<Retention, "find">): Subject | undefined {
  const plan = parent === null ? undefined : find(parent);
  return plan && !plan.entity.deleted ? plan : undefined;
}

/** Throws what keeps a task from being put away. */
export function refuseKept(task: Subject, from: Retention): void {
  refuseLeased(
    task,
    archiveTask(task, () => from.dispatcher(task.id)),
    { by: from.by, now: from.now, fence: undefined },
  );
  const plan = planOf(task, from);
  if (plan) from.open(plan.id);
  const edited = from.edited(task.id);
  if (edited.length === 0) return;
  throw new TaskfoldError(
    "FILES_EDITED",
    `Expected the files of ${task.id} as its log has them; edited by hand: ${someOf(edited)}.`,
    {
      ...remedy`${TASKFOLD} taskdoc adopt-edits ${task.id} takes edits of the Taskdoc in; ${TASKFOLD} rebuild ${task.id} sets others aside.`,
      details: { id: task.id, files: edited.slice(0, 20) },
    },
  );
}

function judge(id: string, from: Retention): Subject | Skipped {
  try {
    const task = from.open(id);
    refuseKept(task, from);
    return task;
  } catch (e) {
    // An id that no task has is the caller's mistake, and no task that stays.
    if (!isTaskfoldError(e) || e.code === "UNKNOWN_ID") throw e;
    return { id, code: e.code, message: e.message };
  }
}

/** By the time of their last change, then by id. */
function candidates({ ids, plan, status, before }: Wanted, { rows, open }: Retention): Listed[] {
  const among = ids ? [...new Set(ids)].map((id) => listedOf(open(id))) : rows().filter((row) => !row.deleted);
  return among
    .filter((row) => ids !== undefined || (row.kind === "task" && hasEnded(row)))
    .filter((row) => plan === undefined || row.parent?.root === plan)
    .filter((row) => status === undefined || row.status === status)
    .filter((row) => before === undefined || row.updated_at < before)
    .toSorted((a, b) => (a.updated_at < b.updated_at ? -1 : a.updated_at > b.updated_at ? 1 : compareIds(a.id, b.id)));
}
