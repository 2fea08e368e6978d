/** The public names, one by one. Any other name may change in any release. */
import { TOOLS as tools } from "./tools/index.ts";

export { ERROR_CODES, isRetryable, isTaskfoldError, TaskfoldError, WARNING_CODES } from "./errors.ts";
export type { ErrorCode, ErrorDetails, Suggestion, Warning, WarningCode } from "./errors.ts";
export type { Bytes, Signal } from "./global_types.ts";
export { openReader } from "./engine/open_reader.ts";
export type { WorkspaceReader } from "./engine/open_reader.ts";
export { openWorkspace } from "./engine/workspace.ts";
export type { WorkspacePackets } from "./engine/groups/packets.ts";
export type { WorkspaceRepair } from "./engine/groups/repair.ts";
export type { WorkspaceTaskdoc } from "./engine/groups/taskdoc.ts";
export type { ExportPacketReport } from "./engine/adoption/export_packet.ts";
export type { ImportPacketReport } from "./engine/adoption/import_packet.ts";
export type { PacketConfig } from "./state/packet_config.ts";
export type { InitOptions, InitReport, Workspace } from "./engine/workspace.ts";
export { openWorkspaces } from "./engine/workspaces.ts";
export type { ServedRoot, Workspaces, WorkspacesOptions } from "./engine/workspaces.ts";
export type {
  CallOptions,
  ImpliedInputs,
  ReaderOptions,
  Unbudgeted,
  WorkspaceOptions,
} from "./engine/workspace_options.ts";
export type { AdoptOptions, AdoptReport } from "./engine/adoption/adopt.ts";
export type { AdoptEditsOptions, AdoptEditsReport, TaskdocEdit } from "./engine/adoption/adopt_edits.ts";
export type { ProgressOptions } from "./engine/core/at_once.ts";
export type { IdStyle } from "./engine/core/id_style.ts";
export type { LockKind } from "./engine/locks/machine_locks.ts";
export type { ImportedSection, ImportTaskdocOptions, ImportTaskdocReport } from "./engine/adoption/import_taskdoc.ts";
export type { LogPage, LogQuery } from "./engine/query/history.ts";
export type { RebuildReport } from "./engine/repair/rebuild.ts";
export type { Reply, ReplyError } from "./engine/entity/reply.ts";
export type { SharedLogPort, SharedMode } from "./engine/core/shared_log.ts";
export type { SharedAccess, SharedComparison, SharedFinding, SharedStatus } from "./engine/shared/shared_access.ts";
export { unwrap } from "./engine/entity/unwrap.ts";
export type { GitPort, ResolveOptions, ResolveReport } from "./engine/repair/resolve.ts";
export type {
  EffectiveTaskdocOf,
  EffectiveTaskdocOptions,
  TaskdocAudit,
  TaskdocHistoryPage,
  TaskdocHistoryQuery,
  TaskdocText,
} from "./engine/query/taskdoc.ts";
export type { Finding, VerifyOptions, VerifyReport } from "./engine/repair/verify.ts";
export type { WatchChange, WatchOptions } from "./engine/watch/watch_options.ts";
export type {
  CallOutcome,
  LockWaitOutcome,
  PublishOutcome,
  SyncOf,
  SyncOutcome,
  TelemetryPort,
} from "./engine/core/telemetry/telemetry.ts";
export type { Durability, Projections } from "./engine/core/context.ts";
export { encapsulationError } from "./guard/tsk_denial.ts";
export type { DenialOptions, FileOperation } from "./guard/tsk_denial.ts";
export { findPackagesUnder } from "./guard/tsk_find.ts";
export { filterListing, TSK_EXCLUDE_GLOBS } from "./guard/tsk_listing.ts";
export type { EncapsulatedEntry } from "./guard/tsk_listing.ts";
export { isEncapsulatedPathLexical } from "./state/tsk_name.ts";
export { isEncapsulatedPath } from "./guard/tsk_path.ts";
export type { GuardOptions } from "./guard/tsk_path.ts";
export { taskdocPolicyCopy } from "./state/taskdoc_policy.ts";
export type { Language } from "./state/taskdoc_policy.ts";
export type { TaskfoldEvent } from "./events/generated/event_types.ts";
export type {
  Lease,
  StepInput,
  StepState,
  ToolInputs,
  ToolResults,
  WholeResults,
} from "./tools/generated/tool_types.ts";
export type {
  ChangeMindResult,
  PacketArchiveResult,
  PacketBudgetResetResult,
  PacketDefineResult,
  PacketInputSetResult,
  PacketNextResult,
  PacketPatchResult,
  PacketPlanResult,
  PacketRestoreResult,
  PacketReviewResult,
  PacketShowResult,
  PacketStageFinishResult,
  PacketStageInterruptResult,
  PacketStageReopenResult,
  PacketStageStartResult,
  RecallTaskdocResult,
  TasksArchiveResult,
  TasksBatchResult,
  TasksBlockResult,
  TasksBootstrapResult,
  TasksClaimNextResult,
  TasksClaimResult,
  TasksCloseStepResult,
  TasksCloseTaskResult,
  TasksCompleteResult,
  TasksContextPackResult,
  TasksContextResult,
  TasksContractResult,
  TasksCreateResult,
  TasksDecomposeResult,
  TasksDefineResult,
  TasksDeleteResult,
  TasksDeltaResult,
  TasksDoneResult,
  TasksEditResult,
  TasksEvidenceCaptureResult,
  TasksEvidenceVerifyResult,
  TasksFocusClearResult,
  TasksFocusGetResult,
  TasksFocusSetResult,
  TasksHandoffResult,
  TasksHistoryResult,
  TasksLintResult,
  TasksMacroCloseStepResult,
  TasksMacroCreateDoneResult,
  TasksMacroFinishResult,
  TasksMacroStartResult,
  TasksMirrorResult,
  TasksNoteResult,
  TasksPatchResult,
  TasksPlanResult,
  TasksProgressResult,
  TasksRadarResult,
  TasksRedoResult,
  TasksReleaseResult,
  TasksReportResult,
  TasksRestoreResult,
  TasksResumePackResult,
  TasksResumeResult,
  TasksResumeSuperResult,
  TasksScaffoldResult,
  TasksSnapshotResult,
  TasksStorageResult,
  TasksTaskAddResult,
  TasksTaskDefineResult,
  TasksTaskDeleteResult,
  TasksTemplatesListResult,
  TasksThinkResult,
  TasksUndoResult,
  TasksVerifyResult,
} from "./tools/generated/tool_types.ts";
export type { Json, JsonObject } from "./state/json.ts";
export { BEAR_IN_MIND_SECTIONS, TOP_LEVEL_SECTIONS } from "./state/taskdoc.ts";
export type { SectionChange, TaskdocTarget } from "./state/taskdoc.ts";
export { parseTaskdocTarget } from "./state/taskdoc_target.ts";
export type { GivenTarget } from "./state/taskdoc_target.ts";
export type { ToolInput, ToolName, ToolOutput, WholeOutput } from "./tools/generated/tool_types.ts";
export type { EffectiveSection, EffectiveTaskdoc, IndexedSection, TaskdocViolation } from "./views/taskdoc.ts";
export type { SectionAudit } from "./views/taskdoc_audit.ts";
export type { ConflictingText, SectionBlock } from "./views/taskdoc_sections.ts";

/** The part of a tool that a host needs to know. How the tool decides and answers is the engine's business. */
interface ToolInfo {
  readonly name: string;
  /** At most 40 characters, for tool lists. */
  readonly title: string;
  /** The effect of the tool, for the agent that has to choose. */
  readonly doc: string;
  /** JSON Schema, 2020-12. */
  readonly input: object;
  /** The same of `result` in the answer. */
  readonly output: object;
  /** Inputs that validate. */
  readonly examples: readonly unknown[];
  /** A read changes nothing, a write appends to one log, a create makes one, txn may do both in several, focus moves the focus. */
  readonly effect: "read" | "write" | "create" | "focus" | "txn";
  /** The subject of its calls. */
  readonly target: "entity" | "workspace";
  /** Which kinds of entity it works on; both when left out. */
  readonly kinds?: readonly ("plan" | "task")[];
  /** It takes away what was there. */
  readonly destructive?: boolean;
}

/** Every tool by its name, with the JSON Schemas of its input and of the `result` of its answer. */
const TOOLS: Readonly<Record<string, ToolInfo>> = tools;

export { TOOLS };
export type { ToolInfo };
