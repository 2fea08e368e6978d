import type { Warning } from "../errors.ts";
import { LIMITS } from "../state/limits.ts";
import type { JsonObject } from "../state/schema.ts";
import { integer, list, object, optional, text } from "../state/schema.ts";
import { deltaOf } from "../views/delta.ts";
import { limitClamped } from "../views/page.ts";
import { asOf, maxChars, readOnly, target, workspace } from "./common.ts";
import { readTool } from "./read_tool.ts";
import * as out from "./output.ts";

const DEFAULT_LIMIT = 50;

export const tasksDelta = readTool({
  name: "tasks_delta",
  title: "Changes since a cursor",
  doc: "List changes in the workspace, or in one plan or task, since a cursor. They are events of whole operations, oldest first, with the cursor to go on from.",
  input: object({
    workspace,
    since: optional(
      text({
        minLength: 1,
        description:
          "The cursor of an earlier answer, an event_id, or a time (RFC 3339); from the beginning when left out.",
      }),
    ),
    limit: optional(
      integer({
        minimum: 1,
        description: `How many events, ${DEFAULT_LIMIT} by default, at most ${LIMITS.listPage}. Only max_chars cuts an operation in two.`,
      }),
    ),
    ...target,
    max_chars: maxChars,
    read_only: readOnly,
  }),
  output: out.cuttable({
    workspace: text(),
    as_of: out.asOf,
    cursor: text(),
    next: integer(),
    limit: integer(),
    events: list(out.cutEvent),
  }),
  examples: [{ workspace: "acme/repo" }, { workspace: "acme/repo", task: "TASK-001", limit: 20, max_chars: 4000 }],
  target: "workspace",
  reply: (input, ctx) => {
    const asked = input.limit ?? DEFAULT_LIMIT;
    const limit = Math.min(asked, LIMITS.listPage);
    const page = ctx.delta({ limit, ...(input.since === undefined ? {} : { since: input.since }) });
    const inFirst = page.ops[0]?.length ?? 0;
    const { result, warnings } = deltaOf({ workspace: ctx.workspace, ...asOf(ctx) }, page, limit, input.max_chars);
    const given = (result["events"] as JsonObject[] | undefined)?.length ?? 0;
    const whole = inFirst > limit && given >= inFirst ? [opWhole(inFirst, limit)] : [];
    const clamped = asked > limit ? [limitClamped("limit", { asked, limit })] : [];
    return { result, warnings: [...clamped, ...whole, ...page.warnings, ...warnings] };
  },
});

function opWhole(events: number, limit: number): Warning {
  const message = `The first operation has ${events} events, above the limit of ${limit}; it stands whole.`;
  return { code: "OP_WHOLE", message, recovery: "max_chars cuts an operation in two; its cursor goes on inside it." };
}
