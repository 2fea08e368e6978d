import { STATUSES } from "../state/entity.ts";
import { list, oneOf, openObject, text } from "../state/schema.ts";
import { defineEvent } from "./define.ts";
import { message } from "./parts.ts";

export const tasksArchived = defineEvent({
  type: "tasks.archived",
  doc: "Tasks of the plan were put away; the plan names them from here on.",
  payload: openObject({
    tasks: list(openObject({ id: text(), root: text(), title: text(), status: oneOf(STATUSES) })),
    message,
  }),
  undoable: false,
  undo: "Cannot be undone: tasks_restore brings a task back.",
  free: true,
  apply: (entity, { tasks }, _fact, w) => {
    for (const { root, id, title, status } of tasks)
      w.put("archived_tasks", entity.archived_tasks, root, { id, title, status, restored: false });
  },
});
