import type { WarningCode } from "../errors.ts";
import { archivedTasks, isArchived, isArchivedOrDeleted } from "./archive.ts";
import { hasEnded } from "./ended.ts";
import type { Entity, Kind, Ref, Status, Subject } from "./entity.ts";
import { AFTER_ALL_TIMES, BEFORE_ALL_TIMES, firstReady } from "./first_ready.ts";
import { allClaims } from "./lease.ts";
import type { StepStanding } from "./step_standing.ts";
import { statusOf } from "./status.ts";
import { preOrder } from "./tree.ts";

/** The members of a plan or task that a list shows: so few that all of them fit in memory, and in an index. */
export interface Listed extends Partial<{ [K in keyof ListedLog]: ListedLog[K] | undefined }> {
  id: string;
  root: string;
  kind: Kind;
  title: string;
  status: Status;
  revision: number;
  parent: Ref | null;
  priority: string;
  tags: readonly string[];
  depends_on: readonly Ref[];
  /** Live steps of a task. */
  steps: { total: number; completed: number };
  updated_at: string;
  /** Deleted, or put away: no list of live ones has it. */
  deleted: boolean;
  /** Put away, and not deleted. */
  archived?: true | undefined;
  /** Of a plan: how many of its tasks were put away, and how many of those are DONE. */
  archived_tasks?: { total: number; done: number } | undefined;
  /** Codes of what every read of it warns of, where its log is not whole. */
  log_warnings?: readonly WarningCode[] | undefined;
  /** Of a task that has not ended, where its log was read; undefined where no step is blocked, waits or is claimed. */
  step_standing?: StepStanding | undefined;
}

/**
 * The members that only the log tells. Its members are undefined, all of them, where the head of task.yaml told the
 * rest.
 */
export interface ListedLog {
  /** Time of the first op, in milliseconds since 1970; undefined where git left two entities in one log. */
  began: number | undefined;
  /** How many events there are for a reader without a cursor. */
  events: number;
  /** Digest of the heads. */
  head: string;
  /**
   * From when on a step can be taken up as far as the task itself goes, "" for at once. It is the end of the first
   * claim that then frees one. Null while it takes a change.
   */
  free_from: string | null;
  /** Digests of the idempotency keys of calls that chose this task themselves. */
  chosen_by: readonly string[];
}

/** Each of these keeps every change out of a log until a person or another release puts it right. */
const SHUT: ReadonlySet<WarningCode> = new Set([
  "LOG_TWO_FOLDERS",
  "LOG_TWO_ROOTS",
  "LOG_INCOMPLETE",
  "LOG_CONFLICT_MARKERS",
  "LOG_LFS_POINTER",
  "LOG_NEWER_VERSION",
]);

/** Whether every change to the entity is refused for its log, so that no list may offer one. */
export function takesNoChange({ log_warnings = [] }: Pick<Listed, "log_warnings">): boolean {
  return log_warnings.some((code) => SHUT.has(code));
}

export function listedOf(subject: Pick<Subject, "id" | "entity">): Listed {
  const { id, entity } = subject;
  const steps = { total: 0, completed: 0 };
  for (const step of preOrder(entity.children)) {
    steps.total++;
    if (step.done) steps.completed++;
  }
  const away = archivedTasks(entity);
  const done = away.filter(([, task]) => task.status === "DONE").length;
  return {
    ...listedFields(entity, { id, status: statusOf(entity), steps, deleted: isArchivedOrDeleted(entity) }),
    ...(isArchived(entity) ? { archived: true } : {}),
    ...(away.length === 0 ? {} : { archived_tasks: { total: away.length, done } }),
  };
}

/** Every member as a value of its own. */
export function plainRow(listed: Listed): Listed {
  const { archived, archived_tasks, log_warnings, step_standing, began, events, head, free_from, chosen_by } = listed;
  return {
    ...listedFields(listed, listed),
    archived,
    archived_tasks,
    log_warnings,
    step_standing,
    began,
    events,
    head,
    free_from,
    chosen_by,
  };
}

/** The row with other values of some members. A spread of a row of the index would lose the others: they are no properties of its own. */
export function changedRow(listed: Listed, members: Partial<Listed>): Listed {
  return { ...plainRow(listed), ...members };
}

/** The members that every entity has. */
type ListedFields = Omit<Listed, keyof ListedLog | "archived" | "archived_tasks" | "log_warnings" | "step_standing">;
type Derived = "id" | "status" | "steps" | "deleted";

function listedFields(
  of: Omit<ListedFields, Derived>,
  { id, status, steps, deleted }: Pick<ListedFields, Derived>,
): ListedFields {
  const { root, kind, title, revision, parent, priority, tags, depends_on, updated_at } = of;
  return { id, root, kind, title, status, revision, parent, priority, tags, depends_on, steps, updated_at, deleted };
}

/** `free_from` of a list, by trying the ends of all claims in turn. */
export function freeFrom(entity: Entity): string | null {
  if (entity.kind !== "task" || hasEnded(entity) || isArchivedOrDeleted(entity)) return null;
  if (firstReady(entity, BEFORE_ALL_TIMES)) return "";
  if (!firstReady(entity, AFTER_ALL_TIMES)) return null;
  const ends = [entity, ...entity.steps.values()].flatMap(allClaims).map(({ expires_at }) => expires_at);
  return ends.toSorted().find((end) => firstReady(entity, end)) ?? null;
}
