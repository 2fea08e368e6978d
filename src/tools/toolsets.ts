/** Which tools a host advertises. Every tool stays callable by its name, whichever set is shown. */

/** Enough for a day's work: begin, work, close, look, hand over. */
export const CORE: readonly string[] = [
  "tasks_macro_start",
  "tasks_macro_close_step",
  "tasks_snapshot",
  "tasks_context",
  "tasks_note",
  "tasks_evidence_capture",
  "change_mind",
  "recall_taskdoc",
];

/** One tool for each thing that is done to plans, tasks and steps. */
export const DAILY: readonly string[] = [
  ...CORE,
  "tasks_create",
  "tasks_edit",
  "tasks_focus_set",
  "tasks_decompose",
  "tasks_define",
  "tasks_verify",
  "tasks_done",
  "tasks_close_step",
  "tasks_complete",
  "tasks_claim",
  "tasks_claim_next",
  "tasks_release",
  "tasks_radar",
  "tasks_handoff",
  "tasks_status",
  "tasks_delta",
  "tasks_undo",
];

/** Everything about a task's packet, and the few calls that lead to one. */
export const PACKET: readonly string[] = [
  "tasks_create",
  "tasks_context",
  "tasks_radar",
  "packet_define",
  "packet_patch",
  "packet_show",
  "packet_plan",
  "packet_next",
  "packet_input_set",
  "packet_stage_start",
  "packet_stage_finish",
  "packet_stage_interrupt",
  "packet_stage_reopen",
  "packet_budget_reset",
  "packet_archive",
  "packet_restore",
  "packet_review",
];

export type Toolset = "core" | "daily" | "packet" | "full";

/** The smallest set that holds a tool. */
export function toolsetOf(tool: string): Toolset {
  if (CORE.includes(tool)) return "core";
  return DAILY.includes(tool) ? "daily" : "full";
}
