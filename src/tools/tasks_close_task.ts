import { refuseHeld } from "../rules/lease.ts";
import { closeTask, outlook } from "../rules/close_task.ts";
import { refsOfPatch } from "../rules/patch.ts";
import { besideClaims, callOn, nextCalls } from "../rules/suggest.ts";
import { warnOfCircle } from "../rules/warn_of_circle.ts";
import { boolean, either, list, object, openObject, optional, orNull, text } from "../state/schema.ts";
import { askingOf, entityBlock, patchFields, preconditions, printed, target, workspace } from "./common.ts";
import { shownStatus } from "../state/status.ts";
import { changeTool } from "./change_tool.ts";
import * as out from "./output.ts";
import * as view from "./output_views.ts";

export const tasksCloseTask = changeTool({
  name: "tasks_close_task",
  title: "Patch and complete in one",
  doc: "Complete a plan or task after last patches, all or nothing; without apply it only tells what would change and what is unmet.",
  input: object({
    workspace,
    ...target,
    apply: optional(boolean({ default: false, description: "false: a dry run, which changes nothing." })),
    patches: optional(
      list(object(patchFields), { maxItems: 50, description: "Bodies of tasks_patch, applied in order before." }),
    ),
    ...preconditions,
  }),
  output: either(
    object({
      ...out.ofEntity,
      apply: boolean({ const: false }),
      ready: boolean(),
      diff: list(object({ target: text(), field: text(), before: view.value, after: view.value })),
      unmet: list(openObject({ code: text(), message: text() })),
      open_steps: list(
        object({
          ...out.named,
          title: text(),
          missing_checkpoints: out.checkpointList,
          missing_proofs: out.checkpointList,
        }),
      ),
    }),
    object({ ...out.ofChange, apply: boolean({ const: true }), status: out.status, status_reason: orNull(text()) }),
  ),
  examples: [
    { workspace: "acme/repo", task: "TASK-001" },
    {
      workspace: "acme/repo",
      task: "TASK-001",
      apply: true,
      patches: [{ ops: [{ op: "append", field: "tags", value: "shipped" }] }],
      expected_revision: 9,
    },
  ],
  refs: (input) => (input.patches ?? []).flatMap(refsOfPatch),
  preview: {
    when: (input) => input.apply !== true,
    answer: (input, ctx) => {
      const { diff, unmet, open_steps } = outlook(ctx.subject, input.patches ?? [], ctx);
      const unmetItems = unmet.map(({ code, message, details }) => ({ code, message, ...details }));
      const ready = unmet.length === 0;
      const { workspace: _workspace, ...args } = input;
      const apply = callOn(ctx.subject, "tasks_close_task", withoutTarget({ ...args, apply: true }), "Do it.");
      return {
        result: { ...entityBlock(ctx.subject), apply: false, ready, diff, unmet: unmetItems as never, open_steps },
        suggestions: besideClaims(ctx.subject, ready ? [apply] : unmet[0]!.suggestions.slice(0, 1), ctx),
      };
    },
  },
  decide: (input, ctx) => {
    refuseHeld(ctx.subject, null, askingOf(input, ctx));
    return closeTask(ctx.subject, input.patches ?? [], ctx);
  },
  reply: (_input, ctx) => {
    const status = shownStatus(ctx.subject);
    const { status_reason } = ctx.subject.entity;
    return {
      result: { ...entityBlock(ctx.subject), apply: true, status, status_reason, ...printed(ctx) },
      warnings: warnOfCircle(ctx),
      suggestions: nextCalls(ctx.subject, ctx),
    };
  },
});

/** The call that is offered names its target by itself. */
function withoutTarget(args: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(args).filter(([key]) => !["task", "plan", "target"].includes(key)));
}
