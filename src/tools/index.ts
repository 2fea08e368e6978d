/** Every tool by its name. Generated from the files of this folder by `npm run generate`; do not edit. */
import type { Tool } from "./tool.ts";
import { changeMindTool } from "./change_mind.ts";
import { packetArchive } from "./packet_archive.ts";
import { packetBudgetReset } from "./packet_budget_reset.ts";
import { packetDefine } from "./packet_define.ts";
import { packetInputSet } from "./packet_input_set.ts";
import { packetNext } from "./packet_next.ts";
import { packetPatch } from "./packet_patch.ts";
import { packetPlan } from "./packet_plan.ts";
import { packetRestore } from "./packet_restore.ts";
import { packetReview } from "./packet_review.ts";
import { packetShow } from "./packet_show.ts";
import { packetStageFinish } from "./packet_stage_finish.ts";
import { packetStageInterrupt } from "./packet_stage_interrupt.ts";
import { packetStageReopen } from "./packet_stage_reopen.ts";
import { packetStageStart } from "./packet_stage_start.ts";
import { recallTaskdocTool } from "./recall_taskdoc.ts";
import { tasksArchive } from "./tasks_archive.ts";
import { tasksBatch } from "./tasks_batch.ts";
import { tasksBlock } from "./tasks_block.ts";
import { tasksBootstrap } from "./tasks_bootstrap.ts";
import { tasksClaim } from "./tasks_claim.ts";
import { tasksClaimNext } from "./tasks_claim_next.ts";
import { tasksCloseStep } from "./tasks_close_step.ts";
import { tasksCloseTask } from "./tasks_close_task.ts";
import { tasksComplete } from "./tasks_complete.ts";
import { tasksContext } from "./tasks_context.ts";
import { tasksContextPack } from "./tasks_context_pack.ts";
import { tasksContract } from "./tasks_contract.ts";
import { tasksCreate } from "./tasks_create.ts";
import { tasksDecompose } from "./tasks_decompose.ts";
import { tasksDefine } from "./tasks_define.ts";
import { tasksDelete } from "./tasks_delete.ts";
import { tasksDelta } from "./tasks_delta.ts";
import { tasksDone } from "./tasks_done.ts";
import { tasksEdit } from "./tasks_edit.ts";
import { tasksEvidenceCapture } from "./tasks_evidence_capture.ts";
import { tasksEvidenceVerify } from "./tasks_evidence_verify.ts";
import { tasksFocusClear } from "./tasks_focus_clear.ts";
import { tasksFocusGet } from "./tasks_focus_get.ts";
import { tasksFocusSet } from "./tasks_focus_set.ts";
import { tasksHandoff } from "./tasks_handoff.ts";
import { tasksHistory } from "./tasks_history.ts";
import { tasksLint } from "./tasks_lint.ts";
import { tasksMacroCloseStep } from "./tasks_macro_close_step.ts";
import { tasksMacroCreateDone } from "./tasks_macro_create_done.ts";
import { tasksMacroFinish } from "./tasks_macro_finish.ts";
import { tasksMacroStart } from "./tasks_macro_start.ts";
import { tasksMirror } from "./tasks_mirror.ts";
import { tasksNote } from "./tasks_note.ts";
import { tasksPatch } from "./tasks_patch.ts";
import { tasksPlan } from "./tasks_plan.ts";
import { tasksProgress } from "./tasks_progress.ts";
import { tasksRadar } from "./tasks_radar.ts";
import { tasksRedo } from "./tasks_redo.ts";
import { tasksRelease } from "./tasks_release.ts";
import { tasksReport } from "./tasks_report.ts";
import { tasksRestore } from "./tasks_restore.ts";
import { tasksResume } from "./tasks_resume.ts";
import { tasksResumePack } from "./tasks_resume_pack.ts";
import { tasksResumeSuper } from "./tasks_resume_super.ts";
import { tasksScaffold } from "./tasks_scaffold.ts";
import { tasksSearch } from "./tasks_search.ts";
import { tasksSnapshot } from "./tasks_snapshot.ts";
import { tasksStatus } from "./tasks_status.ts";
import { tasksStorage } from "./tasks_storage.ts";
import { tasksTaskAdd } from "./tasks_task_add.ts";
import { tasksTaskDefine } from "./tasks_task_define.ts";
import { tasksTaskDelete } from "./tasks_task_delete.ts";
import { tasksTemplatesList } from "./tasks_templates_list.ts";
import { tasksThink } from "./tasks_think.ts";
import { tasksUndo } from "./tasks_undo.ts";
import { tasksVerify } from "./tasks_verify.ts";

/** Without a prototype, so that no name but a tool's finds anything. */
export const TOOLS: Record<string, Tool> = Object.assign(Object.create(null) as object, {
  change_mind: changeMindTool,
  packet_archive: packetArchive,
  packet_budget_reset: packetBudgetReset,
  packet_define: packetDefine,
  packet_input_set: packetInputSet,
  packet_next: packetNext,
  packet_patch: packetPatch,
  packet_plan: packetPlan,
  packet_restore: packetRestore,
  packet_review: packetReview,
  packet_show: packetShow,
  packet_stage_finish: packetStageFinish,
  packet_stage_interrupt: packetStageInterrupt,
  packet_stage_reopen: packetStageReopen,
  packet_stage_start: packetStageStart,
  recall_taskdoc: recallTaskdocTool,
  tasks_archive: tasksArchive,
  tasks_batch: tasksBatch,
  tasks_block: tasksBlock,
  tasks_bootstrap: tasksBootstrap,
  tasks_claim: tasksClaim,
  tasks_claim_next: tasksClaimNext,
  tasks_close_step: tasksCloseStep,
  tasks_close_task: tasksCloseTask,
  tasks_complete: tasksComplete,
  tasks_context: tasksContext,
  tasks_context_pack: tasksContextPack,
  tasks_contract: tasksContract,
  tasks_create: tasksCreate,
  tasks_decompose: tasksDecompose,
  tasks_define: tasksDefine,
  tasks_delete: tasksDelete,
  tasks_delta: tasksDelta,
  tasks_done: tasksDone,
  tasks_edit: tasksEdit,
  tasks_evidence_capture: tasksEvidenceCapture,
  tasks_evidence_verify: tasksEvidenceVerify,
  tasks_focus_clear: tasksFocusClear,
  tasks_focus_get: tasksFocusGet,
  tasks_focus_set: tasksFocusSet,
  tasks_handoff: tasksHandoff,
  tasks_history: tasksHistory,
  tasks_lint: tasksLint,
  tasks_macro_close_step: tasksMacroCloseStep,
  tasks_macro_create_done: tasksMacroCreateDone,
  tasks_macro_finish: tasksMacroFinish,
  tasks_macro_start: tasksMacroStart,
  tasks_mirror: tasksMirror,
  tasks_note: tasksNote,
  tasks_patch: tasksPatch,
  tasks_plan: tasksPlan,
  tasks_progress: tasksProgress,
  tasks_radar: tasksRadar,
  tasks_redo: tasksRedo,
  tasks_release: tasksRelease,
  tasks_report: tasksReport,
  tasks_restore: tasksRestore,
  tasks_resume: tasksResume,
  tasks_resume_pack: tasksResumePack,
  tasks_resume_super: tasksResumeSuper,
  tasks_scaffold: tasksScaffold,
  tasks_search: tasksSearch,
  tasks_snapshot: tasksSnapshot,
  tasks_status: tasksStatus,
  tasks_storage: tasksStorage,
  tasks_task_add: tasksTaskAdd,
  tasks_task_define: tasksTaskDefine,
  tasks_task_delete: tasksTaskDelete,
  tasks_templates_list: tasksTemplatesList,
  tasks_think: tasksThink,
  tasks_undo: tasksUndo,
  tasks_verify: tasksVerify,
});
