/** A task whose log has notes, for tests of what happens to that log. */
import { join } from "node:path";
import { logPath, newTask, ok, openTemp } from "./workspace.ts";

const TASK = "TASK-001";

/** Input of `tasks_note` on the task. */
export const note = (text: string) => ({ task: TASK, note: text });

export async function withNotes(...texts: string[]) {
  const ws = openTemp();
  await newTask(ws);
  for (const text of texts) await ok(ws, "tasks_note", note(text));
  return { ws, log: logPath(ws.root), folder: join(ws.root, ".coco/tasks", TASK) };
}
