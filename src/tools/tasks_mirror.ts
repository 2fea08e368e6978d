import { stepToRead } from "../rules/step_of.ts";
import { boolean, either, list, object, optional, orNull, text } from "../state/schema.ts";
import { isDone } from "../state/depends.ts";
import { fitBudget } from "../views/budget.ts";
import { MIRROR_CUTS } from "../views/cuts.ts";
import { mirrorOf } from "../views/mirror.ts";
import { fromFocus, maxChars, page, readOnly, stepSelector, target, workspace } from "./common.ts";
import { readTool } from "./read_tool.ts";
import * as out from "./output.ts";
import * as view from "./output_views.ts";

export const tasksMirror = readTool({
  name: "tasks_mirror",
  title: "Compact slice for other programs",
  doc: "Export a plan with its tasks, or a task's steps (or those below one step) with their task nodes, as flat rows.",
  input: object({
    workspace,
    ...target,
    ...stepSelector,
    ...page,
    max_chars: maxChars,
    read_only: readOnly,
  }),
  output: either(
    out.cuttable({
      workspace: text(),
      scope: object({ id: text(), kind: out.kind }),
      plan: object({
        title: text(),
        status: out.status,
        ...view.ended,
        contract: orNull(text()),
        contract_data: optional(view.value),
        ...out.checklist,
      }),
      tasks: view.mirrorTasks,
      pagination: out.pagination,
    }),
    out.cuttable({
      workspace: text(),
      scope: object({ id: text(), kind: out.kind, path: optional(text()), step_id: optional(text()) }),
      task: optional(object({ title: text(), status: out.status, ...view.ended })),
      steps: list(
        object({
          ...out.named,
          title: text(),
          done: boolean(),
          blocked: boolean(),
          ...view.closed,
          packet: out.namesPacket,
          lease: optional(out.lease),
          block_reason: optional(text()),
          missing_checkpoints: optional(out.checkpointList),
          missing_proofs: optional(out.checkpointList),
          blockers: optional(list(text())),
          depends_on: optional(list(text())),
          waits_for: optional(list(text())),
          task_nodes: view.taskNodes,
        }),
      ),
      pagination: out.pagination,
    }),
  ),
  examples: [
    { workspace: "acme/repo", task: "TASK-001" },
    { workspace: "acme/repo", task: "TASK-001", path: "s:0", limit: 10 },
    { workspace: "acme/repo", plan: "PLAN-001" },
  ],
  target: "entity",
  reply: (input, ctx) => {
    const { subject } = ctx;
    const tasks = () => ctx.tasksOfPlan(subject.entity.root);
    const { result, warnings } = mirrorOf(
      subject,
      stepToRead(subject, input),
      tasks,
      { idOf: ctx.idOf, now: ctx.now, isDone: (ref) => isDone(ctx.find(ref)) },
      input,
    );
    const fitted = fitBudget({ workspace: ctx.workspace, ...fromFocus(ctx), ...result }, input.max_chars, MIRROR_CUTS);
    return { result: fitted.result, warnings: [...warnings, ...fitted.warnings] };
  },
});
