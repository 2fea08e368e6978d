/** A row of the index is read as it is asked for; a copy of it is not. */
import type { Listed } from "../state/listed.ts";

/** Every member as a value of its own. */
export function plainRow(listed: Listed): Listed {
  const { id, root, kind, title, status, revision, parent, priority, tags, depends_on, steps, updated_at } = listed;
  const { deleted, archived, archived_tasks, log_warnings, began, events, head, free_from, chosen_by } = listed;
  const told = {
    id,
    root,
    kind,
    title,
    status,
    revision,
    parent,
    priority,
    tags,
    depends_on,
    steps,
    updated_at,
    deleted,
  };
  return { ...told, archived, archived_tasks, log_warnings, began, events, head, free_from, chosen_by };
}
