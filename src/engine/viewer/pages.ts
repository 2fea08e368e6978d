/** The page of one plan or task: where it is found, and how it is now. */
import { TaskfoldError } from "../../errors.ts";
import type { Warning } from "../../errors.ts";
import { remedy } from "../../remedy.ts";
import { hasEnded } from "../../state/ended.ts";
import type { Subject } from "../../state/entity.ts";
import type { Listed } from "../../state/listed.ts";
import type { PlanTasksAround } from "../../views/plan_tasks.ts";
import { planTasksOf } from "../../views/plan_tasks.ts";
import type { ApiWarning, BoardRow, EntityAnswer } from "../../views/viewer/api.ts";
import type { OwnRow } from "../../views/viewer/board_row.ts";
import type { PlanRows } from "../../views/viewer/entity_answer.ts";
import { entityAnswer } from "../../views/viewer/entity_answer.ts";
import { entityRef } from "../../views/viewer/refs.ts";
import { lookForDispatcher } from "../entity/packet_holder.ts";
import { isFolderName } from "../entity/folder_name.ts";
import type { Found } from "../entities/entities.ts";
import type { ReadModel } from "../entities/read_model.ts";
import { boundedLine } from "./bounded_line.ts";
import type { LogPast } from "./log_past.ts";
import { pageAround } from "./page_around.ts";

/** A radar opens every open task of its plan. */
const MAX_OPENED = 300;

/** Rows of other entities. */
export interface OtherRows {
  /** Rows of a plan's tasks. */
  tasksOf: (id: string) => BoardRow[];
  /** Rows of those that depend on it. */
  neededBy: (root: string) => OwnRow[];
  ownOf: (id: string) => OwnRow | undefined;
}

/** A live one, else one in the archive, deleted ones too. UNKNOWN_ID where there is none. `workspace`: the id that the root is bound to. */
export function findPage(from: ReadModel, id: string, workspace: string): Found {
  // Another process may have put away what was read as a live one.
  if (from.store.isOpen(id) && !from.store.has(id)) from.store.drop(id);
  const loaded = isFolderName(id) ? (from.store.find(id) ?? from.store.findArchived(id)) : undefined;
  if (!loaded) throw unknown(id);
  return from.entities.look(loaded, workspace);
}

/** Only the present page has rows of others and the addresses of its evidence. */
export interface PresentPage {
  others: OtherRows;
  addresses: LogPast["addresses"] | undefined;
}

export function presentPage(from: ReadModel, found: Found, { others, addresses }: PresentPage): EntityAnswer {
  const { loaded, subject, foreign, warnings } = found;
  const around = pageAround(from, found);
  const needed = others.neededBy(subject.entity.root);
  return entityAnswer(subject, {
    ...around,
    addresses,
    op: foreign ? null : (loaded.report.heads.at(-1) ?? null),
    warnings: warnings.map(apiWarning),
    present: {
      tasks: subject.entity.kind === "plan" ? planRows(subject, others, around) : undefined,
      needed_by: needed.map(({ row, root }) => entityRef({ id: row.id, root }, around.find, around.idOf)),
      dispatcher: subject.entity.packet ? lookForDispatcher(from.context, loaded.id) : undefined,
    },
  });
}

/** A radar of so many tasks that opening them takes seconds does without them. */
function planRows({ id }: Subject, others: OtherRows, around: PlanTasksAround): PlanRows {
  const rows = others.tasksOf(id);
  const open = rows.filter((row) => !hasEnded(row));
  if (open.length > MAX_OPENED) return { of: undefined, rows };
  const listed = rows.flatMap((row) => {
    const own = others.ownOf(row.id);
    return own && !row.archived ? [listedOf(own)] : [];
  });
  return { of: planTasksOf(listed, around), rows };
}

function listedOf({ row, root, parent, depends_on }: OwnRow): Listed {
  const { id, kind, title, status, revision, priority, tags, updated_at, progress } = row;
  const steps = { total: progress.total, completed: progress.done };
  return {
    id,
    root,
    kind,
    title,
    status,
    revision,
    parent,
    priority,
    tags,
    depends_on,
    steps,
    updated_at,
    deleted: false,
  };
}

export function apiWarning({ code, message, recovery }: Warning): ApiWarning {
  return { code, message: boundedLine(message), recovery: recovery ?? null };
}

function unknown(id: string): TaskfoldError {
  return new TaskfoldError(
    "UNKNOWN_ID",
    `Expected the id of a plan or task of this workspace, found ${JSON.stringify(id.slice(0, 80))}.`,
    remedy`${{ tool: "tasks_context", text: "GET /api/v1/board/0.json" }} lists the ids that are there.`,
  );
}
