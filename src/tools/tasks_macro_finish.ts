import { STATUSES } from "../state/entity.ts";
import { integer, object, oneOf, optional, orNull, text } from "../state/schema.ts";
import { maxChars, preconditions, target, workspace } from "./common.ts";
import { shownStatus } from "../state/status.ts";
import { batchTool } from "./batch_tool.ts";
import { fitMacro, HANDOFF } from "./macro_room.ts";
import * as out from "./output.ts";
import { tasksHandoff } from "./tasks_handoff.ts";
import * as view from "./output_views.ts";

export const tasksMacroFinish = batchTool({
  name: "tasks_macro_finish",
  title: "Finish and hand over",
  doc: "Set a plan or task to DONE (or another status) and answer with the shift report.",
  input: object({
    workspace,
    ...target,
    status: optional(oneOf(STATUSES, { default: "DONE", description: "DONE when left out." })),
    handoff_max_chars: maxChars,
    ...preconditions,
  }),
  output: object({
    task: text(),
    kind: out.kind,
    status: out.status,
    revision: integer(),
    event: optional(out.event),
    handoff: orNull(view.handoff),
  }),
  examples: [
    { workspace: "acme/repo", task: "TASK-001" },
    { workspace: "acme/repo", task: "TASK-001", status: "CANCELED", handoff_max_chars: 2000 },
  ],
  target: "entity",
  parts: (input, ctx) => {
    const { id, entity } = ctx.target();
    const { status = "DONE", expected_revision, expected_head, fence } = input;
    // Asked for again, it only reports again; unless the caller expects to find another state.
    const expects = expected_revision !== undefined || expected_head !== undefined;
    if (status === "DONE" && entity.status === "DONE" && !expects) return [];
    return [{ tool: "tasks_complete", args: { target: id, status, expected_revision, expected_head, fence } }];
  },
  reply: (input, ctx) => {
    const { id, entity } = ctx.subject;
    const part = ctx.parts[0];
    const again = { code: "ALREADY_DONE" as const, message: `${id} was DONE before; nothing was changed.` };
    return fitMacro(
      (max_chars) => {
        const handoff = ctx.view(tasksHandoff, { target: id, max_chars });
        return {
          result: {
            task: id,
            kind: entity.kind,
            status: part ? (part.result["status"] ?? null) : shownStatus(ctx.subject),
            revision: entity.revision,
            ...(part ? { event: { ...part.events[0]! } } : {}),
            handoff: handoff.result,
          },
          warnings: [...(part ? [] : [again]), ...(handoff.warnings ?? [])],
          suggestions: handoff.suggestions ?? [],
        };
      },
      input.handoff_max_chars,
      {
        noticed: ctx.noticed,
        view: HANDOFF,
        echoes: [{ cut: "text", at: "event.reason", keep: 200 }],
        spare: [(result) => delete result["event"]],
      },
    );
  },
});
