/** Which entity a call means (TOOL rules): one selector, else the focus; never a guess, never a silent correction. */
import { isTaskfoldError, TaskfoldError } from "../../errors.ts";
import type { Suggestion } from "../../errors.ts";
import { remedy, remedyOf, toolName } from "../../remedy.ts";
import { namesOf } from "../../log/repair.ts";
import type { Entity, Kind } from "../../state/entity.ts";
import type { LoadedEntity } from "../entity/loaded_entity.ts";
import type { Focus } from "../entity/job.ts";
import { nearIds } from "../core/input/near.ts";
import { PARTS } from "../core/sparse_checkout.ts";
import type { Store } from "../entity/store.ts";
import { isFolderName } from "../entity/folder_name.ts";
import { archivedError } from "../entity/writable.ts";

export interface TargetInput {
  task?: string;
  plan?: string;
  target?: string | { id: string; kind?: Kind };
}

export interface Wanted {
  id: string;
  /** The kind the caller said it has. */
  kind?: Kind;
  from: TargetFrom;
}

/** Where a call has its target from: the focus may be the caller's own, or the one that was set last in the workspace. */
export type TargetFrom = "input" | Focus["from"];

/** Returns the entity that the input names; undefined when it names none. */
export function wantedTarget(input: TargetInput): Wanted | undefined {
  const { task, plan, target } = input;
  if (
    (task !== undefined && (plan !== undefined || target !== undefined)) ||
    (plan !== undefined && target !== undefined)
  )
    throw contradiction(input);
  if (plan !== undefined) return { id: plan, kind: "plan", from: "input" };
  if (task !== undefined) return { id: task, from: "input" };
  if (target === undefined) return undefined;
  if (typeof target === "string") return { id: target, from: "input" };
  const { id, kind } = target;
  return kind === undefined ? { id, from: "input" } : { id, kind, from: "input" };
}

function contradiction(input: TargetInput): TaskfoldError {
  const given = (["task", "plan", "target"] as const).filter((key) => input[key] !== undefined);
  return new TaskfoldError(
    "TARGET_CONTRADICTION",
    `Expected one of task, plan and target, found ${given.join(" and ")}.`,
    { recovery: "Give one of them." },
  );
}

/** No target and no focus: say which calls would work. */
export function targetRequired(workspace: string, ids: string[]): TaskfoldError {
  const some = ids.toSorted().slice(0, 2);
  const suggestions: Suggestion[] = some.map((id) => ({
    tool: "tasks_focus_set",
    args: { workspace, target: id },
    reason: `focus ${id}`,
  }));
  if (suggestions.length === 0) {
    suggestions.push({
      tool: "tasks_create",
      args: { workspace, title: "First plan" },
      reason: "the workspace is empty",
    });
  }
  return new TaskfoldError(
    "TARGET_REQUIRED",
    "Expected task, plan or target, or a focus to fall back on; found none.",
    {
      ...remedy`Name the entity, or set the focus with ${toolName("tasks_focus_set")}.`,
      suggestions,
    },
  );
}

/**
 * Returns the loaded entity of an id as a caller writes it. That is the folder's name. While only one entity answers, it may be
 * the short form of a suffixed id (`TASK-001` for `TASK-001-k3f9`). It may be the name before a split, too (TOOL-2).
 */
export function findEntity(store: Store, workspace: string, id: string): LoadedEntity {
  const exact = store.find(id);
  if (exact) return exact;
  if (!isFolderName(id)) return unknownId(store, workspace, id);
  const short = new RegExp(`^${id}-(?:[0-9a-z]{4}|[0-9a-f]{6})$`);
  const answering = [...store.ids(), ...store.leftOut("tasks").ids].filter(
    (name) => short.test(name) && (name.length === id.length + 5 || isSplit(store, name, id)),
  );
  if (answering.length === 1) return store.find(answering[0]!) ?? unknownId(store, workspace, answering[0]!);
  if (answering.length > 1) {
    throw new TaskfoldError(
      "TARGET_CONTRADICTION",
      `Expected an id that one entity has; ${id} is short for ${answering.toSorted().join(" and ")}.`,
      {
        recovery: "Give the whole id.",
        details: { candidates: answering.toSorted() },
      },
    );
  }
  return unknownId(store, workspace, id);
}

/** Whether the entity of this name had the id before a split: six hex digits alone may be of an id that a person chose. */
function isSplit(store: Store, name: string, id: string): boolean {
  try {
    const loaded = store.find(name);
    const root = loaded?.catchUp() ? loaded.entity?.root : undefined;
    return root !== undefined && namesOf({ id, root }).includes(name);
  } catch (e) {
    // Another call says why it cannot be read.
    if (!isTaskfoldError(e)) throw e;
    return false;
  }
}

/** The id in a `qualified_id` of this workspace, as answers name one. */
function withoutWorkspace(id: string, workspace: string): string {
  const prefix = `${workspace}:`;
  return id.startsWith(prefix) ? id.slice(prefix.length) : id;
}

/** No such entity, or not a live one; NOT_CHECKED_OUT where a sparse checkout leaves it out. */
export function unknownId(store: Store, workspace: string, id: string): never {
  const shown = JSON.stringify(id.slice(0, 80));
  const archived = store.archivedIds().includes(id);
  const away = archived ? inArchive(store, id)?.entity : undefined;
  if (away && !away.deleted) throw archivedError(away, id, workspace);
  store.refuseLeftOut(id);
  const hidden = archived ? [] : PARTS.flatMap((part) => store.leftOutWarnings(part));
  const gone = store.wentAway.refusalOf(withoutWorkspace(id, workspace));
  const near = archived ? [] : nearIds(withoutWorkspace(id, workspace), store.ids());
  const meant = near.length === 0 ? "" : ` Did you mean ${near.join(" or ")}?`;
  throw new TaskfoldError(
    "UNKNOWN_ID",
    archived
      ? `Expected a live plan or task; ${shown} was deleted and is in the archive.`
      : `Expected the id of a plan or task of this workspace, found ${shown}.${gone.message}${meant}${hidden.map(({ message }) => ` ${message}`).join("")}`,
    {
      ...remedy`${toolName("tasks_context")} lists the ids that are there.`,
      ...remedyOf(gone),
      suggestions: [
        ...near.map((one) => ({ tool: "tasks_radar", args: { workspace, target: one }, reason: `Look at ${one}.` })),
        { tool: "tasks_context", args: { workspace }, reason: "see which plans and tasks there are" },
      ],
      details: { id: id.slice(0, 80), ...(near.length === 0 ? {} : { near }), ...gone.details },
    },
  );
}

/** An entity that lies in the archive and was not deleted: readers find it there. */
export function findArchived(store: Store, id: string): LoadedEntity | undefined {
  const found = inArchive(store, id);
  return found && !found.entity.deleted ? found.loaded : undefined;
}

/** A log there that cannot be read tells nothing: then it is in the archive, and that is all. */
function inArchive(store: Store, id: string): { loaded: LoadedEntity; entity: Entity } | undefined {
  try {
    const loaded = store.findArchived(id);
    return loaded?.catchUp() && loaded.entity ? { loaded, entity: loaded.entity } : undefined;
  } catch (e) {
    if (!isTaskfoldError(e)) throw e;
    return undefined;
  }
}
