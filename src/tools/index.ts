/** Every tool, one line each, in the order of the files; a test holds it to the folder. */
import type { Infer } from "../state/schema.ts";
import type { Tool } from "./define.ts";
import { tasksBlock } from "./tasks_block.ts";
import { tasksCloseStep } from "./tasks_close_step.ts";
import { tasksComplete } from "./tasks_complete.ts";
import { tasksContext } from "./tasks_context.ts";
import { tasksCreate } from "./tasks_create.ts";
import { tasksDecompose } from "./tasks_decompose.ts";
import { tasksDefine } from "./tasks_define.ts";
import { tasksDelete } from "./tasks_delete.ts";
import { tasksDelta } from "./tasks_delta.ts";
import { tasksDone } from "./tasks_done.ts";
import { tasksEdit } from "./tasks_edit.ts";
import { tasksEvidenceCapture } from "./tasks_evidence_capture.ts";
import { tasksFocusClear } from "./tasks_focus_clear.ts";
import { tasksFocusGet } from "./tasks_focus_get.ts";
import { tasksFocusSet } from "./tasks_focus_set.ts";
import { tasksHandoff } from "./tasks_handoff.ts";
import { tasksHistory } from "./tasks_history.ts";
import { tasksNote } from "./tasks_note.ts";
import { tasksProgress } from "./tasks_progress.ts";
import { tasksRadar } from "./tasks_radar.ts";
import { tasksRedo } from "./tasks_redo.ts";
import { tasksUndo } from "./tasks_undo.ts";
import { tasksVerify } from "./tasks_verify.ts";

const tools = {
  tasks_block: tasksBlock,
  tasks_close_step: tasksCloseStep,
  tasks_complete: tasksComplete,
  tasks_context: tasksContext,
  tasks_create: tasksCreate,
  tasks_decompose: tasksDecompose,
  tasks_define: tasksDefine,
  tasks_delete: tasksDelete,
  tasks_delta: tasksDelta,
  tasks_done: tasksDone,
  tasks_edit: tasksEdit,
  tasks_evidence_capture: tasksEvidenceCapture,
  tasks_focus_clear: tasksFocusClear,
  tasks_focus_get: tasksFocusGet,
  tasks_focus_set: tasksFocusSet,
  tasks_handoff: tasksHandoff,
  tasks_history: tasksHistory,
  tasks_note: tasksNote,
  tasks_progress: tasksProgress,
  tasks_radar: tasksRadar,
  tasks_redo: tasksRedo,
  tasks_undo: tasksUndo,
  tasks_verify: tasksVerify,
};

export type ToolName = keyof typeof tools;

/** What a caller writes for a tool: `ToolInput<"tasks_note">`. */
export type ToolInput<N extends ToolName> = Infer<(typeof tools)[N]["input"]>;

/** By name; without a prototype, so that no name but a tool's finds anything. */
export const TOOLS: Record<string, Tool> = Object.assign(Object.create(null) as object, tools);
