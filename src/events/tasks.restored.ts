import { list, openObject, text } from "../state/schema.ts";
import { defineEvent } from "./define.ts";
import { message } from "./parts.ts";

export const tasksRestored = defineEvent({
  type: "tasks.restored",
  doc: "Tasks of the plan are back from the archive; the plan names them no more.",
  payload: openObject({ tasks: list(openObject({ id: text(), root: text() })), message }),
  undoable: false,
  undo: "Cannot be undone: tasks_archive puts a task away again.",
  free: true,
  apply: (entity, { tasks }, _fact, w) => {
    for (const { root } of tasks) {
      const known = entity.archived_tasks.get(root);
      if (known) w.put("archived_tasks", entity.archived_tasks, root, { ...known, restored: true });
    }
  },
});
