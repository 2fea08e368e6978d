import { TaskfoldError } from "../errors.ts";
import { nameRestored, restoreTask } from "../rules/archive_task.ts";
import { boolean, list, object, optional } from "../state/schema.ts";
import { restoringParts } from "./archive_parts.ts";
import { entityBlock, entityId, preconditions, printed, target, workspace } from "./common.ts";
import { changeTool } from "./change_tool.ts";
import * as out from "./output.ts";

export const tasksRestore = changeTool({
  name: "tasks_restore",
  title: "Bring a task back from the archive",
  doc: "Bring a task back that was archived. With plan and tasks: let the plan name those no more that a merge brought back.",
  input: object({
    workspace,
    ...target,
    tasks: optional(list(entityId("A task."), { minItems: 1, maxItems: 200 })),
    ...preconditions,
  }),
  output: object({ ...out.ofChange, archived: boolean() }),
  examples: [
    { workspace: "acme/repo", task: "TASK-001" },
    { workspace: "acme/repo", plan: "PLAN-001", tasks: ["TASK-001"] },
  ],
  archive: "from",
  refs: ({ tasks = [] }) => tasks,
  several: { parts: (input, ctx) => restoringParts("tasks_restore", input, ctx.target(), ctx.retention()) },
  decide: ({ tasks }, ctx) => {
    const { id, entity } = ctx.subject;
    if ((entity.kind === "plan") !== (tasks !== undefined))
      throw new TaskfoldError(
        "TARGET_CONTRADICTION",
        entity.kind === "plan"
          ? `Expected an archived task; ${id} is a plan, and plans stay where they are.`
          : `Expected tasks with a plan; ${id} is a task.`,
        { recovery: "Name one archived task, or a plan and tasks of it.", details: { id, kind: entity.kind } },
      );
    return tasks
      ? {
          drafts: nameRestored(
            ctx.subject,
            tasks.flatMap((one) => ctx.find(ctx.refs.get(one)!) ?? []),
          ),
        }
      : { drafts: restoreTask(ctx.subject) };
  },
  reply: (_input, ctx) => ({
    result: { ...entityBlock(ctx.subject), archived: ctx.subject.entity.archived, ...printed(ctx) },
  }),
});
