/**
 * Adds facts to a refusal that only the whole workspace tells: a focus that is gone, the kind that a tool takes, a
 * plan's tasks. It also tells which of the calls it offers pass.
 */
import { messageOf, worded } from "../../message.ts";
import type { Suggestion } from "../../errors.ts";
import { withoutHeld, withPassing } from "./offered.ts";
import type { CheckedCall, CallResult, Focus } from "../entity/job.ts";
import type { ReadModel } from "../entities/read_model.ts";
import { isTaskfoldError, TaskfoldError } from "../../errors.ts";
import { hasEnded } from "../../state/ended.ts";
import type { Subject } from "../../state/entity.ts";
import { shownStatus } from "../../state/status.ts";
import type { TargetInput } from "../entities/target.ts";
import { wantedTarget } from "../entities/target.ts";

export function explained(from: ReadModel, call: CheckedCall, e: unknown): unknown {
  try {
    return withPassing(from, call, aboutPlan(from, call, aboutKind(call, aboutFocus(from, call, e))));
  } catch {
    // A disk that fails by now takes nothing from the refusal, which is an answer.
    return e;
  }
}

/** The calls that an answer offers, as its caller may make them now. */
export function offeredBy(from: ReadModel, call: CheckedCall, { suggestions, warnings }: CallResult): Suggestion[] {
  try {
    const isRepeated = warnings.some(({ code }) => code === "REPLAYED");
    return withoutHeld(from, call, suggestions, isRepeated);
  } catch {
    // A disk that fails by now takes nothing from the answer.
    return suggestions;
  }
}

/**
 * The refusal of a kind that the caller said and the entity has not, where the tool takes the other kind alone (ERR-21).
 * Any other error comes back as it is.
 */
function aboutKind({ tool, workspace }: CheckedCall, e: unknown): unknown {
  const [takes, ...others] = tool.kinds ?? [];
  if (!isTaskfoldError(e) || e.code !== "TARGET_CONTRADICTION" || takes === undefined || others.length > 0) return e;
  const kind = e.details?.["kind"];
  if (kind === undefined || kind === takes) return e;
  return new TaskfoldError(e.code, messageOf(e), {
    recovery: `${tool.name} takes a ${takes}: name the id of one.`,
    suggestions: [{ tool: "tasks_context", args: { workspace }, reason: `See which ${takes}s there are.` }],
    details: e.details ?? {},
    cause: e,
  });
}

// The refusal of a plan where a task is needed: which tasks of it are open (ERR-21).
const MOST = 20;

/** Any other error comes back as it is. */
function aboutPlan({ entities, store }: ReadModel, { workspace }: CheckedCall, e: unknown): unknown {
  const id = isTaskfoldError(e) && e.code === "INVALID_INPUT" ? e.details?.["plan"] : undefined;
  if (!isTaskfoldError(e) || typeof id !== "string") return e;
  const root = store.find(id)?.entity?.root;
  const open = root === undefined ? [] : entities.around(workspace).tasksOfPlan(root).filter(isOpen);
  if (open.length === 0) return e;
  const names = open.slice(0, MOST).map((task) => `${task.id} (${task.entity.title})`);
  return new TaskfoldError(e.code, messageOf(e), {
    recovery: `Name one of its open tasks: ${names.join(", ")}.`,
    suggestions: open.slice(0, 3).map((task) => ({
      tool: "tasks_radar",
      args: { workspace, task: task.id },
      reason: `See the steps of ${task.id}.`,
    })),
    details: { ...e.details, open_tasks: open.slice(0, MOST).map(row) },
    cause: e,
  });
}

function isOpen({ entity }: Subject): boolean {
  return !hasEnded(entity);
}

function row(subject: Subject) {
  return { id: subject.id, title: subject.entity.title, status: shownStatus(subject) };
}

/**
 * The refusal of an id that its caller did not give: the focus is still on what was deleted.
 * Says so, and offers to clear it (TOOL-3); any other error comes back as it is.
 */
function aboutFocus({ entities }: ReadModel, { tool, input, workspace, caller }: CheckedCall, e: unknown): unknown {
  if (!isTaskfoldError(e) || !["UNKNOWN_ID", "NOT_CHECKED_OUT"].includes(e.code) || e.details?.["id"] === undefined)
    return e;
  if (tool.target !== "entity" || wantedTarget(input as TargetInput)) return e;
  const focus = focusOf(entities, workspace, caller.by);
  if (focus?.target !== e.details["id"]) return e;
  return new TaskfoldError(e.code, worded`${e} The call names none, and the focus is on that one.`, {
    recovery: "Name a plan or task, or clear the focus.",
    suggestions: [{ tool: "tasks_focus_clear", args: { workspace }, reason: "forget the focus" }, ...e.suggestions],
    details: { ...e.details, target_from: focus!.from },
    cause: e,
  });
}

/** A disk that fails by now takes nothing from the refusal, which is an answer. */
function focusOf(entities: ReadModel["entities"], workspace: string, by: string): Focus | null {
  try {
    return entities.focus(workspace, by);
  } catch (e) {
    if (!isTaskfoldError(e)) throw e;
    return null;
  }
}
