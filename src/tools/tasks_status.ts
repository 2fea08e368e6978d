import { NEED_KINDS } from "../state/need.ts";
import type { JsonObject } from "../state/schema.ts";
import { boolean, integer, jsonObject, list, object, oneOf, optional, orNull, text } from "../state/schema.ts";
import { happenedRows } from "../views/happened.ts";
import type { Fitted } from "../views/budget.ts";
import { fitBudget } from "../views/budget.ts";
import { STATUS_CUTS } from "../views/cuts.ts";
import { maxChars, readOnly, workspace } from "./common.ts";
import * as out from "./output.ts";
import { readTool } from "./read_tool.ts";
import type { ReadTool, WorkspaceReadContext } from "./read_tool.ts";
import type { StatusInput } from "./status_look.ts";
import { statusLook } from "./status_look.ts";

/** Hosts import no view. */
export { happenedRows } from "../views/happened.ts";
export type { HappenedChange, HappenedRow } from "../views/happened.ts";

export const tasksStatus = readTool({
  name: "tasks_status",
  title: "What needs you, and what happened",
  doc: "List what needs an actor in the workspace, each with the call that ends it, and what happened, newest first.",
  input: object({
    workspace,
    since: optional(
      text({
        minLength: 1,
        maxLength: 200,
        description: "Changes after it: an ISO time, a cursor, or visit, your own last change (default).",
      }),
    ),
    by: optional(text({ minLength: 1, maxLength: 200, description: "Only of this actor." })),
    all: optional(boolean({ description: "Read every log." })),
    max_chars: maxChars,
    read_only: readOnly,
  }),
  output: out.cuttable({
    workspace: text(),
    as_of: out.asOf,
    now: text(),
    since: orNull(text()),
    needs_you: list(
      object({
        what: oneOf(NEED_KINDS),
        task: text(),
        title: text(),
        step_id: orNull(text()),
        path: orNull(text()),
        why: text(),
        who: list(text()),
        since: orNull(text()),
        held: optional(object({ by: text(), until: text() })),
        call: orNull(object({ tool: text(), input: jsonObject() })),
        command: optional(text()),
      }),
    ),
    happened: list(
      object({
        day: text(),
        by: text(),
        task: text(),
        title: text(),
        since: text(),
        until: text(),
        count: integer(),
        changes: optional(list(object({ ts: text(), message: text() }))),
      }),
    ),
    happened_more: boolean(),
    unseen: object({ plans: integer(), tasks: integer(), ended: integer(), archived: integer() }),
  }),
  examples: [
    { workspace: "acme/repo" },
    { workspace: "acme/repo", since: "2026-01-01T00:00:00.000Z", by: "agent:ada", max_chars: 4000 },
  ],
  target: "workspace",
  reads: ["git_tree", "folded_files"],
  reply: (input, ctx) => {
    const { changes, happened_more, unseen, ...looked } = inTexts(statusLook(input, ctx));
    const happened = happenedRows(changes) as unknown as JsonObject[];
    return fitStatus({ ...looked, happened, happened_more, unseen }, input.max_chars);
  },
});

/** The cuts of its answer (STATUS-10), also where a host adds members of its own. */
export function fitStatus(result: JsonObject, max?: number): Fitted {
  return fitBudget(result, max, STATUS_CUTS);
}

/** The same with each change for itself, for a host that knows the zone of its reader. Not one of the tools that callers see. */
export const statusChanges: ReadTool = {
  ...tasksStatus,
  reply: (input: StatusInput, ctx: WorkspaceReadContext) => ({
    result: inTexts(statusLook(input, ctx)) as unknown as JsonObject,
  }),
};

/** The same with the form of each sentence, for pages in other languages. */
export const statusSentences: ReadTool = {
  ...tasksStatus,
  reply: (input: StatusInput, ctx: WorkspaceReadContext) => ({
    result: statusLook(input, ctx) as unknown as JsonObject,
  }),
};

function inTexts({ needs_you, ...looked }: ReturnType<typeof statusLook>) {
  return { ...looked, needs_you: needs_you.map((need) => ({ ...need, why: need.why.text })) };
}
