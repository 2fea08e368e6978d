/** Generated from the schemas by `npm run generate`; do not edit. */
import type { TaskfoldEvent } from "../../events/generated/event_types.ts";
import type { Json, JsonObject } from "../../state/json.ts";

/** Input of `change_mind`. Replace exactly one section of the Taskdoc of a plan or task, whole; it starts nothing else and all see it at once. */
export interface ChangeMindInput extends ExpectedInput, SelectedInput {
  /** goals, constraints or progress without category; contracts, acceptance, grants, runbook, decisions or risks in bearinmind; else a name of your own. */
  selector: string;
  /** bearinmind, or a name of your own such as ux.checklists: letters, digits, _ - and single dots. */
  category?: string;
  /** The whole new text, kept exactly; at most 256 KiB. Required unless clear. */
  content?: string;
  /** true empties the section on purpose; then without content. */
  clear?: boolean;
  /** Refuse unless the section still has this SHA-256 (hex), as an earlier answer gave it. */
  previous_content_hash?: string;
  /** Number of your claim: refuse when it is over. */
  fence?: number;
}

/** Target input. */
export interface TargetInput {
  /** Id. */
  id: string;
  /** Its kind. */
  kind?: "plan" | "task";
}

/** Expectations of a change. */
export interface ExpectedInput {
  /** Refuse unless the revision is this one. */
  expected_revision?: number;
  /** Refuse unless the head is this one; exact also between branches. */
  expected_head?: string;
  /** The same key with the same input gives the first call's result and changes nothing. */
  idempotency_key?: string;
}

/** The plan or task that a call is about. */
export interface SelectedInput {
  /** Id of the workspace. */
  workspace: string;
  /** Id of the task (or plan). */
  task?: string;
  /** Id of the plan. */
  plan?: string;
  /** The plan or task. */
  target?: string | TargetInput;
}

/** Answer of `change_mind` when it succeeds. */
export interface ChangeMindResult extends ChangedResult {
  /** Id of the plan or task. */
  task: string;
  /** Its kind. */
  kind: "plan" | "task";
  /** Category of the section; null for a section at the top. */
  category: string | null;
  /** Name of the section. */
  selector: string;
  /** Path of the section's file. */
  path: string;
  /** Size in bytes of UTF-8. */
  bytes: number;
  /** SHA-256 of the bytes, in hexadecimal digits. */
  sha256: string;
  /** SHA-256 of the text before; null without one. */
  previous_sha256: string;
  /** The event of the change. */
  event: TaskfoldEvent;
}

/** The answer of a change of one plan or task. */
export interface ChangedResult {
  /** Number of changes that were applied. */
  revision: number;
  /** Digest of the log's heads, for `expected_head`. */
  head: string;
  /** Set when the focus named the plan or task. */
  target_from?: "focus" | "workspace_focus";
}

/** Input of `packet_archive`. Move a task and its packet to the archive, outputs included or left out by size; packet_restore brings it back. */
export interface PacketArchiveInput extends ExpectedInput, SelectedInput {
  /** `drop` leaves outputs out, a number those with more bytes. Default `keep`. */
  outputs?: "keep" | "drop" | number;
  /** Number of your claim: refuse when it is over. */
  fence?: number;
}

/** Answer of `packet_archive` when it succeeds. */
export interface PacketArchiveResult extends ChangedResult {
  /** Its id. */
  id: string;
  /** Its kind. */
  kind: "plan" | "task";
  /** Its title. */
  title: string;
  /** The event of the change. */
  event?: TaskfoldEvent;
  /** Events, in order. */
  events?: TaskfoldEvent[];
  /** Whether it is in the archive, how many are, or which went there. */
  archived: boolean;
  /** Folder that it lies in now, from the root. */
  folder: string;
  /** Outputs that were left out, by their paths in the folder. */
  dropped: string[];
}

/** Input of `packet_budget_reset`. Let paid calls, or retries of every failure, count from zero again. */
export interface PacketBudgetResetInput extends ExpectedInput, SelectedInput {
  /** Its kind. */
  kind: "retry_budget" | "paid_call_budget";
  /** Why. */
  reason: string;
  /** Number of your claim: refuse when it is over. */
  fence?: number;
}

/** Answer of `packet_budget_reset` when it succeeds. */
export interface PacketBudgetResetResult extends ChangedResult {
  /** Id of the plan or task. */
  task: string;
  /** Its kind. */
  kind: "plan" | "task";
  /** Where the packet stands. */
  packet: PacketBudgetResetPacket;
  /** Next action. */
  next: PacketNext;
  /** The event of the change. */
  event?: TaskfoldEvent;
  /** Events, in order. */
  events?: TaskfoldEvent[];
}

/** Packet budget reset packet. */
export interface PacketBudgetResetPacket {
  /** Goal of the manifest. */
  goal: string;
  /** Name of the tool. */
  intent: string;
  /** Profile that was chosen. */
  profile: string;
  /** Stages in order. */
  stages: PacketBudgetResetPacketStage[];
  /** Amounts used of those allowed. */
  budgets: PacketBudgetResetPacketBudgets;
  /** Failure of a stage that is not done since. */
  last_failure: PacketBudgetResetPacketLastFailure | null;
  /** Whether it is in the archive. */
  archived: boolean;
}

/** Packet budget reset packet stage. */
export interface PacketBudgetResetPacketStage {
  /** Stage of the card. */
  stage: string;
  /** Name of the tool. */
  tool: string;
  /** Role, the second part of the stage's name. */
  role: string;
  /** Model that it runs with. */
  model: string;
  /** State, in the words of the other program. */
  state: "pending" | "running" | "done" | "failed" | "interrupted";
  /** How often it was tried. */
  attempts: number;
  /** Exit code of the command. */
  exit_code: number | null;
  /** When it was closed. */
  done_at: string | null;
}

/** Packet budget reset packet budgets. */
export interface PacketBudgetResetPacketBudgets {
  /** Paid calls since the last reset. */
  paid_calls_used: number;
  /** Most paid calls. */
  paid_call_budget: number;
  /** Most retries of one failure. */
  retry_budget: number;
  /** Most seconds of one run. */
  max_wallclock_sec: number;
}

/** Packet budget reset packet last failure. */
export interface PacketBudgetResetPacketLastFailure {
  /** Stage of the card. */
  stage: string;
  /** Kind of failure. */
  class: string;
  /** Name of failures of this kind. */
  signature: string;
  /** Why it failed. */
  reasons: string[];
  /** Possible actions. */
  suggested_actions: string[];
}

/** Packet next. */
export interface PacketNext {
  /** Stage of the card. */
  stage: string | null;
  /** The call that comes next; null when there is none. */
  action: string;
  /** Whether the budgets let it start. */
  allowed: boolean;
  /** Obstacle, or event that happened. */
  because: "retry_budget" | "paid_call_budget" | "gate" | "interrupted" | "done" | null;
}

/** Input of `packet_define`. Set the whole manifest of a task's packet, and its inputs; task_id is the task's id and may be left out. */
export interface PacketDefineInput extends ExpectedInput, SelectedInput {
  /** Fields as in schemas/packet/manifest.json. */
  manifest: JsonObject;
  /** Texts by path: user_request.md, context_pack.md, attachments/<name>. */
  inputs?: Record<string, string>;
  /** Make the task, too. */
  create?: boolean;
  /** Number of your claim: refuse when it is over. */
  fence?: number;
}

/** Answer of `packet_define` when it succeeds. */
export type PacketDefineResult = PacketBudgetResetResult;

/** Input of `packet_input_set`. Set user_request.md, context_pack.md or an attachment, whole, or take it away; secrets are masked before they reach the log. */
export interface PacketInputSetInput extends ExpectedInput, SelectedInput {
  /** user_request.md, context_pack.md or attachments/<name>. */
  path: string;
  /** The text. */
  text: string | null;
  /** Number of your claim: refuse when it is over. */
  fence?: number;
}

/** Answer of `packet_input_set` when it succeeds. */
export type PacketInputSetResult = PacketBudgetResetResult;

/** Input of `packet_next`. The stage that is due, what to do with it, whether that is allowed, and what stands in the way. */
export interface PacketNextInput extends SelectedInput {
  /** Default true. */
  read_only?: boolean;
}

/** Answer of `packet_next` when it succeeds. */
export interface PacketNextResult {
  /** Stage of the card. */
  stage: string | null;
  /** The call that comes next; null when there is none. */
  action: string;
  /** Whether the budgets let it start. */
  allowed: boolean;
  /** Obstacle, or event that happened. */
  because: "retry_budget" | "paid_call_budget" | "gate" | "interrupted" | "done" | null;
  /** Set when the focus named the plan or task. */
  target_from?: "focus" | "workspace_focus";
}

/** Input of `packet_patch`. Set members of the manifest and leave the others: an object goes into the object there, null takes a member away. */
export interface PacketPatchInput extends ExpectedInput, SelectedInput {
  /** The members to set. */
  manifest: JsonObject;
  /** Number of your claim: refuse when it is over. */
  fence?: number;
}

/** Answer of `packet_patch` when it succeeds. */
export type PacketPatchResult = PacketBudgetResetResult;

/** Input of `packet_plan`. The stages that the manifest resolves to, with model and time limit, and where each value comes from. */
export interface PacketPlanInput extends SelectedInput {
  /** The result fits max(max_chars, 256) characters of compact JSON. */
  max_chars?: number;
  /** Default true. */
  read_only?: boolean;
}

/** Answer of `packet_plan` when it succeeds. */
export interface PacketPlanResult {
  /** Id of the plan or task. */
  task?: string;
  /** Its kind. */
  kind?: "plan" | "task";
  /** Number of changes that were applied. */
  revision?: number;
  /** Digest of the log's heads, for `expected_head`. */
  head?: string;
  /** Pipeline group. */
  group?: string;
  /** Profile that was chosen. */
  profile?: string;
  /** Flags in effect. */
  flags?: Record<string, boolean>;
  /** Options in effect. */
  options?: Record<string, string>;
  /** Stages in order. */
  stages?: PacketPlanStage[];
  /** Id before the change. */
  from?: PacketPlanFrom;
  /** Hex SHA-256 of the configuration. */
  config_sha256?: string;
  /** Folder of the configuration, from the root on; null: not known. Left out: the built-in one. */
  config_folder?: string | null;
  /** Parts that were cut to fit `max_chars`. */
  budget?: BudgetReport;
  /** Set when the focus named the plan or task. */
  target_from?: "focus" | "workspace_focus";
}

/** Packet plan stage. */
export interface PacketPlanStage {
  /** Stage of the card. */
  stage: string;
  /** Name of the tool. */
  tool: string;
  /** Role, the second part of the stage's name. */
  role: string;
  /** Model that it runs with. */
  model: string;
  /** Seconds after which it is ended. */
  timeout_sec: number;
  /** Which limit holds. */
  timeout_mode: string;
  /** Whether a start is a paid call. */
  paid: boolean;
  /** Exit codes after which a second try may succeed. */
  transient_exit_codes: number[];
  /** Id before the change. */
  from: PacketPlanStageFrom;
}

/** Packet plan stage from. */
export interface PacketPlanStageFrom {
  /** Stage of the card. */
  stage: string;
  /** Where the model comes from. */
  model: string;
  /** Where the limit comes from. */
  timeout_sec: string;
  /** Where `paid` and `transient_exit_codes` come from. */
  servant?: string;
}

/** Packet plan from. */
export interface PacketPlanFrom {
  /** Where the profile comes from. */
  profile: string;
  /** Where each flag comes from. */
  flags: Record<string, string>;
  /** Where each option comes from. */
  options: Record<string, string>;
  /** Stages that a flag leaves out. */
  removed: PacketPlanFromRemoved[];
}

/** Packet plan from removed. */
export interface PacketPlanFromRemoved {
  /** Stage of the card. */
  stage: string;
  /** Flag that leaves it out. */
  flag: string;
  /** Id before the change. */
  from: string;
}

/** Budget report. */
export interface BudgetReport {
  /** Characters that the answer may have. */
  max_chars: number;
  /** Characters of the answer. */
  used_chars: number;
  /** Characters of the answer without the cut. */
  full_chars: number;
  /** Parts that were cut. */
  truncated: string[];
  /** How many items were left out, by part. */
  omitted: Record<string, number>;
}

/** Input of `packet_restore`. Bring a task back that packet_archive put away; outputs that were dropped stay away. */
export interface PacketRestoreInput extends ExpectedInput, SelectedInput {
  /** Number of your claim: refuse when it is over. */
  fence?: number;
}

/** Answer of `packet_restore` when it succeeds. */
export type PacketRestoreResult = PacketBudgetResetResult;

/** Input of `packet_review`. Make a task with a post_impl_review packet from a context pack and an implementation report. */
export interface PacketReviewInput extends ExpectedInput {
  /** Id of the workspace. */
  workspace: string;
  /** Id of the task; left out, the next number is taken. */
  id?: string;
  /** Subject of the review. Default: the goal of the context pack. */
  goal?: string;
  /** Planned work, as the stages of the implementation had it. */
  context_pack: string;
  /** Finished work. */
  impl_report: string;
  /** Paths of which the review may propose changes. */
  allow?: string[];
}

/** Answer of `packet_review` when it succeeds. */
export type PacketReviewResult = PacketBudgetResetResult;

/** Input of `packet_show`. The manifest, the stages with their state, the budgets, the last failure and what comes next. */
export type PacketShowInput = PacketPlanInput;

/** Answer of `packet_show` when it succeeds. */
export interface PacketShowResult {
  /** Id of the plan or task. */
  task?: string;
  /** Its kind. */
  kind?: "plan" | "task";
  /** Number of changes that were applied. */
  revision?: number;
  /** Digest of the log's heads, for `expected_head`. */
  head?: string;
  /** Where the packet stands. */
  packet?: PacketBudgetResetPacket;
  /** Next action. */
  next?: PacketNext;
  /** The whole manifest. */
  manifest?: JsonObject;
  /** Inputs that are set. */
  inputs?: PacketShowInput2[];
  /** Commands that the brief named; null: those of the manifest count. */
  override?: string[] | null;
  /** Parts that were cut to fit `max_chars`. */
  budget?: BudgetReport;
  /** Set when the focus named the plan or task. */
  target_from?: "focus" | "workspace_focus";
}

/** Packet show input2. */
export interface PacketShowInput2 {
  /** Path of the step or task node. */
  path: string;
  /** SHA-256 of the bytes, in hexadecimal digits. */
  sha256: string;
  /** Where the text comes from. */
  source: string;
}

/** Input of `packet_stage_finish`. End the attempt that runs: its output is kept and its gate judged; the stage is done or failed. */
export interface PacketStageFinishInput extends ExpectedInput, SelectedInput {
  /** Stage such as gemini_brief. */
  stage: string;
  /** The attempt, as `packet_stage_start` named it. Default: the latest. */
  run?: string;
  /** Exit code of the command. */
  exit_code: number;
  /** Whether its time ran out. */
  timed_out?: boolean;
  /** When it began, UTC, whole seconds. */
  start?: string;
  /** When it ended. */
  end?: string;
  /** Whole seconds. */
  duration_sec?: number;
  /** The model's answer; default: the file outputs/<stage>.<tool>.out. */
  out?: string;
  /** Output on stderr. */
  err?: string;
  /** Results of the acceptance commands, in order. */
  acceptance?: PacketStageFinishAcceptance[];
  /** Whose commands had to run. */
  commands?: "brief" | "manifest" | "both";
  /** All that changed. Left out, no change is judged. */
  changed_paths?: string[];
  /** Answer of git about the diff. */
  applies?: "applies" | "applied" | "neither" | "no_git";
  /** Why an earlier call of this kind was refused: the attempt fails by it. */
  refused?: string;
  /** Number of your claim: refuse when it is over. */
  fence?: number;
}

/** Packet stage finish acceptance. */
export interface PacketStageFinishAcceptance {
  /** The command that was run. */
  command: string;
  /** Exit code of the command. */
  exit_code: number;
  /** Whether its time ran out. */
  timed_out?: boolean;
  /** Whole seconds. */
  duration_sec?: number;
  /** Output of the command on stdout. */
  stdout?: string;
  /** Output of the command on stderr. */
  stderr?: string;
}

/** Answer of `packet_stage_finish` when it succeeds. */
export interface PacketStageFinishResult extends ChangedResult {
  /** Id of the plan or task. */
  task: string;
  /** Its kind. */
  kind: "plan" | "task";
  /** Where the packet stands. */
  packet: PacketBudgetResetPacket;
  /** Next action. */
  next: PacketNext;
  /** The event of the change. */
  event?: TaskfoldEvent;
  /** Events, in order. */
  events?: TaskfoldEvent[];
  /** Whether the gate let it through. */
  passed: boolean;
  /** Why not. */
  reasons: string[];
}

/** Input of `packet_stage_interrupt`. End an attempt whose dispatcher was killed; its cost stays paid. */
export interface PacketStageInterruptInput extends ExpectedInput, SelectedInput {
  /** Stage such as gemini_brief. */
  stage: string;
  /** The attempt, as `packet_stage_start` named it. Default: the latest. */
  run?: string;
  /** Why. */
  reason: string;
  /** Number of your claim: refuse when it is over. */
  fence?: number;
}

/** Answer of `packet_stage_interrupt` when it succeeds. */
export type PacketStageInterruptResult = PacketBudgetResetResult;

/** Input of `packet_stage_reopen`. Open a stage again: its marker goes, its outputs stay until it runs again. */
export interface PacketStageReopenInput extends ExpectedInput, SelectedInput {
  /** Stage such as gemini_brief. */
  stage: string;
  /** Why. */
  reason: string;
  /** Number of your claim: refuse when it is over. */
  fence?: number;
}

/** Answer of `packet_stage_reopen` when it succeeds. */
export type PacketStageReopenResult = PacketBudgetResetResult;

/** Input of `packet_stage_start`. Begin an attempt of a stage: its prompt is written, and a paid one is paid for; end its run with packet_stage_finish. */
export interface PacketStageStartInput extends ExpectedInput, SelectedInput {
  /** Stage such as gemini_brief. */
  stage: string;
  /** Default: the plan's. */
  model?: string;
  /** The command, without the prompt. */
  argv?: string[];
  /** Names of environment variables. */
  env?: string[];
  /** For packet run. */
  dispatched?: boolean;
  /** For packet run. */
  work_tree?: string;
  /** A longer prompt is refused. */
  max_prompt_bytes?: number;
  /** Number of your claim: refuse when it is over. */
  fence?: number;
}

/** Answer of `packet_stage_start` when it succeeds. */
export interface PacketStageStartResult extends ChangedResult {
  /** Id of the plan or task. */
  task: string;
  /** Its kind. */
  kind: "plan" | "task";
  /** Where the packet stands. */
  packet: PacketBudgetResetPacket;
  /** Next action. */
  next: PacketNext;
  /** The event of the change. */
  event?: TaskfoldEvent;
  /** Events, in order. */
  events?: TaskfoldEvent[];
  /** Name of the attempt. */
  run: string;
  /** Counted from 1 for each stage. */
  attempt: number;
  /** The composed prompt, from the task's folder on. */
  prompt: PacketStageStartPrompt;
}

/** Packet stage start prompt. */
export interface PacketStageStartPrompt {
  /** Path of the step or task node. */
  path: string;
  /** SHA-256 of the bytes, in hexadecimal digits. */
  sha256: string;
}

/** Input of `recall_taskdoc`. Read one section of the Taskdoc of a plan or task that stands in a category; goals, constraints and progress are in the context already. */
export interface RecallTaskdocInput extends SelectedInput {
  /** bearinmind, or the category of an extra section. */
  category: string;
  /** Name of the section in it. */
  selector: string;
  /** The result fits max(max_chars, 256) characters of compact JSON. */
  max_chars?: number;
  /** Default true. */
  read_only?: boolean;
}

/** Answer of `recall_taskdoc` when it succeeds. */
export interface RecallTaskdocResult {
  /** Id of the plan or task. */
  task?: string;
  /** Its kind. */
  kind?: "plan" | "task";
  /** Number of changes that were applied. */
  revision?: number;
  /** Digest of the log's heads, for `expected_head`. */
  head?: string;
  /** Category of the section; null for a section at the top. */
  category?: string | null;
  /** Name of the section. */
  selector?: string;
  /** Path of the section's file. */
  path?: string;
  /** The text. */
  content?: string;
  /** Size in bytes of UTF-8. */
  bytes?: number;
  /** SHA-256 of the bytes, in hexadecimal digits. */
  sha256?: string;
  /** When it was changed last. */
  updated_at?: string | null;
  /** Actor of the last change. */
  updated_by?: string | null;
  /** Revision at which it was changed last. */
  updated_revision?: number | null;
  /** Every text that concurrent changes wrote; empty without a conflict. */
  conflict?: RecallTaskdocConflict[];
  /** Parts that were cut to fit `max_chars`. */
  budget?: BudgetReport;
  /** Set when the focus named the plan or task. */
  target_from?: "focus" | "workspace_focus";
}

/** Recall taskdoc conflict. */
export interface RecallTaskdocConflict {
  /** The text. */
  content: string;
  /** Actor of the change. */
  by: string;
  /** When, in UTC with milliseconds. */
  ts: string;
  /** Id of the change: the id of its first event. */
  op: string;
}

/** Input of `tasks_archive`. Move ended tasks to the archive, named ones or the longest unchanged: they leave the lists, stay readable, and tasks_restore brings them back. */
export interface TasksArchiveInput extends ExpectedInput {
  /** Id of the workspace. */
  workspace: string;
  /** One task. */
  task?: string;
  /** The tasks. */
  tasks?: string[];
  /** Only tasks of this plan. */
  plan?: string;
  /** Its status. */
  status?: "DONE" | "FAILED" | "CANCELED";
  /** Unchanged since: 30d, 12h, or a date or time in UTC. */
  done_before?: string;
  /** Most tasks of one call, 100 by default. */
  limit?: number;
  /** True: nothing is changed, and the answer says what would be. */
  dry_run?: boolean;
  /** Number of your claim: refuse when it is over. */
  fence?: number;
}

/** Answer of `tasks_archive` when it succeeds. */
export interface TasksArchiveResult {
  /** Whether it is in the archive, how many are, or which went there. */
  archived: TasksArchiveArchived[];
  /** Those that stay, and why. */
  skipped: TasksArchiveSkipped[];
  /** How many more of the kind there are; a further call goes on with them. */
  left: number;
  /** True: nothing is changed, and the answer says what would be. */
  dry_run?: true;
  /** Set when the focus named the plan or task. */
  target_from?: "focus" | "workspace_focus";
}

/** Tasks archive archived. */
export interface TasksArchiveArchived {
  /** Its id. */
  id: string;
  /** Its title. */
  title: string;
  /** Its status. */
  status: "TODO" | "ACTIVE" | "DONE" | "FAILED" | "CANCELED";
  /** Folder in the archive, from the root. */
  folder: string;
}

/** Tasks archive skipped. */
export interface TasksArchiveSkipped {
  /** Its id. */
  id: string;
  /** Code of the problem. */
  code: string;
  /** One sentence for people. */
  message: string;
}

/** Input of `tasks_batch`. Make several calls in order, up to the first that is refused. With atomic all or none: then only tasks_block, tasks_patch, tasks_progress, tasks_task_define. */
export interface TasksBatchInput {
  /** Id of the workspace. */
  workspace: string;
  /** The operations, in order. */
  operations: TasksBatchOperation[];
  /** Keep all or none. Default false: each stands by itself. */
  atomic?: boolean;
  /** Without atomic: whether calls after a refused one are made. Default stop. */
  on_error?: "stop" | "continue";
  /** Of each only whether it succeeded, and why not. Default false. */
  compact?: boolean;
  /** The same key with the same input makes no operation twice. */
  idempotency_key?: string;
}

/** Tasks batch operation. */
export interface TasksBatchOperation {
  /** Name of the tool. */
  tool?: string;
  /** Its input; workspace may be left out. */
  args?: JsonObject;
  /** Another name for tool. */
  name?: string;
  /** Another name for args. */
  arguments?: JsonObject;
}

/** Answer of `tasks_batch` when it succeeds. */
export interface TasksBatchResult {
  /** Id of the workspace. */
  workspace: string;
  /** Whether all operations were kept together. */
  atomic: boolean;
  /** Whether the answers of the operations are left out. */
  compact: boolean;
  /** How many operations were refused. */
  failed: number;
  /** The operations, in order. */
  operations: TasksBatchOperation2[];
  /** Set when the focus named the plan or task. */
  target_from?: "focus" | "workspace_focus";
}

/** Tasks batch operation2. */
export interface TasksBatchOperation2 {
  /** Position in the list, counted from 0. */
  index: number;
  /** Name of the tool. */
  tool: string;
  /** The whole answer of the operation. */
  response?: TasksBatchOperation2Response;
  /** Whether the call succeeded. */
  success?: boolean;
  /** Code of the problem. */
  code?: string | null;
  /** One sentence for people. */
  message?: string | null;
  /** Id of the plan or task. */
  task?: string;
  /** Number of changes that were applied. */
  revision?: number;
  /** Set when the focus named the plan or task. */
  target_from?: "focus" | "workspace_focus";
  /** False if the operation changed nothing. */
  changed?: boolean;
  /** Their codes. */
  warnings?: string[];
}

/** Tasks batch operation2response. */
export interface TasksBatchOperation2Response {
  /** Whether the call succeeded. */
  success: boolean;
  /** Name of the tool. */
  intent: string;
  /** Answer of the tool; null after a refusal. */
  result: JsonObject | null;
  /** Facts that the caller should know. */
  warnings: TasksBatchOperation2ResponseWarning[];
  /** Calls that would work, or that come next. */
  suggestions: TasksBatchOperation2ResponseSuggestion[];
  /** Refused call and the reason; null after success. */
  error: TasksBatchOperation2ResponseError | null;
}

/** Tasks batch operation2response warning. */
export interface TasksBatchOperation2ResponseWarning {
  /** Code of the problem. */
  code: string;
  /** One sentence for people. */
  message: string;
  /** Action that resolves it. */
  recovery?: string;
}

/** Tasks batch operation2response suggestion. */
export interface TasksBatchOperation2ResponseSuggestion {
  /** Name of the tool. */
  tool: string;
  /** Input of the call. */
  args: JsonObject;
  /** Why. */
  reason: string;
}

/** Tasks batch operation2response error. */
export interface TasksBatchOperation2ResponseError {
  /** Code of the problem. */
  code: string;
  /** One sentence for people. */
  message: string;
  /** Action that resolves it. */
  recovery?: string;
  /** Particulars of the refusal, for programs. */
  details?: JsonObject;
}

/** Input of `tasks_block`. Mark a step as blocked, so that it does not close until it is unblocked, or unblock it. */
export interface TasksBlockInput extends ExpectedInput, SelectedInput, SelectedStepInput {
  /** false unblocks the step. */
  blocked?: boolean;
  /** Why it waits. */
  reason?: string;
  /** Number of your claim: refuse when it is over. */
  fence?: number;
}

/** The step that a call is about. */
export interface SelectedStepInput {
  /** Stable id of the step. */
  step_id?: string;
  /** Path of the step, such as s:0.s:2. */
  path?: string;
}

/** Answer of `tasks_block` when it succeeds. */
export interface TasksBlockResult extends ChangedResult {
  /** Id of the plan or task. */
  task: string;
  /** Its kind. */
  kind: "plan" | "task";
  /** The step; null when the call was about the whole. */
  step: StepState | null;
  /** The event of the change. */
  event?: TaskfoldEvent;
  /** Events, in order. */
  events?: TaskfoldEvent[];
  /** Whether the step is blocked. */
  blocked: boolean;
  /** Why. */
  reason: string | null;
}

/** Step state. */
export interface StepState {
  /** Stable id of the step. */
  step_id: string;
  /** Path of the step or task node. */
  path: string;
  /** Its title. */
  title: string;
  /** Whether the step is closed. */
  done: boolean;
  /** Whether the step is blocked. */
  blocked: boolean;
  /** Whether it names the packet of its task; left out if not. */
  packet?: boolean;
  /** Checkpoints that are not confirmed. */
  missing_checkpoints: ("criteria" | "tests" | "security" | "perf" | "docs")[];
  /** Checkpoints that need proof and have none. */
  missing_proofs: ("criteria" | "tests" | "security" | "perf" | "docs")[];
}

/** Input of `tasks_bootstrap`. Make a task with its steps and first thoughts, and the plan for it if need be; all of it or nothing. */
export interface TasksBootstrapInput extends ExpectedInput {
  /** Id of the workspace. */
  workspace: string;
  /** Id of its plan. */
  plan?: string;
  /** Another name for plan. */
  parent?: string;
  /** Makes a plan of this title. */
  plan_title?: string;
  /** Template for the plan that plan_title makes. */
  plan_template?: string;
  /** One line, 1 to 200 characters. */
  task_title: string;
  /** Purpose and scope. */
  description?: string;
  /** Its priority, in words. */
  priority?: string;
  /** Its tags. */
  tags?: string[];
  /** Ids to be DONE first. */
  depends_on?: string[];
  /** Template for the task, in place of steps. */
  template?: string;
  /** Steps in order. */
  steps?: TestedStepInput[];
  /** Whether each step waits for the one before it. */
  ordered?: boolean;
  /** Whether closing the last step completes the task, and the end of the last task its plan; null, or left out: as its plan says. */
  complete_when_done?: boolean;
  /** Cards of reasoning, each supporting the one before it, and a note of the decision. */
  think?: ThinkInput;
}

/** Tested step input. */
export interface TestedStepInput {
  /** One line, 1 to 200 characters. */
  title: string;
  /** When it counts as done; at least one. */
  success_criteria: string[];
  /** How that is checked; at least one. */
  tests: string[];
  /** Obstacles. */
  blockers?: string[];
  /** Close these first. */
  depends_on?: string[];
  /** Proof modes. */
  proof?: ProofModes;
  /** Whether it names the packet of its task. */
  packet?: boolean;
}

/** Proof modes. */
export interface ProofModes {
  /** Whether tests need attached proof. */
  tests?: "off" | "warn" | "require" | "captured" | "repeated" | "attested";
  /** Whether security needs attached proof. */
  security?: "off" | "warn" | "require" | "captured" | "repeated" | "attested";
  /** Whether performance needs attached proof. */
  perf?: "off" | "warn" | "require" | "captured" | "repeated" | "attested";
  /** Whether documentation needs attached proof. */
  docs?: "off" | "warn" | "require" | "captured" | "repeated" | "attested";
}

/** Cards of reasoning, each supporting the one before it, and a note of the decision. */
export interface ThinkInput {
  /** A card that says what the question is. */
  frame?: string | CardInput;
  /** A card that says what is assumed. */
  hypothesis?: string | CardInput;
  /** A card that says how the hypothesis is tested. */
  test?: string | CardInput;
  /** A card about what was seen. */
  evidence?: string | CardInput;
  /** The decision. */
  decision?: string | CardInput;
  /** A word on each card; open when left out. */
  status?: CardStatuses;
  /** Also write the decision down as a note. */
  note_decision?: boolean;
  /** Heads that note; "Decision" when left out. */
  note_title?: string;
  /** Of that note. Default text. */
  note_format?: "text" | "markdown";
}

/** Card input. */
export interface CardInput {
  /** Default: from text. */
  title?: string;
  /** The text. */
  text?: string;
  /** Its tags. */
  tags?: string[];
  /** Default: the card before. */
  supports?: string[];
}

/** A word on each card; open when left out. */
export interface CardStatuses {
  /** A card that says what the question is. */
  frame?: string;
  /** A card that says what is assumed. */
  hypothesis?: string;
  /** A card that says how the hypothesis is tested. */
  test?: string;
  /** Status of the evidence card. */
  evidence?: string;
  /** The decision. */
  decision?: string;
}

/** Answer of `tasks_bootstrap` when it succeeds. */
export interface TasksBootstrapResult {
  /** Id of the workspace. */
  workspace: string;
  /** The plan. */
  plan: TasksBootstrapPlan;
  /** The task. */
  task: TasksBootstrapTask;
  /** The steps. */
  steps: StepReference[];
  /** Events, in order. */
  events: TaskfoldEvent[];
  /** The cards that were laid down. */
  think_pipeline?: ThinkPipeline;
  /** Set when the focus named the plan or task. */
  target_from?: "focus" | "workspace_focus";
}

/** Tasks bootstrap plan. */
export interface TasksBootstrapPlan {
  /** Its id. */
  id: string;
  /** Its id, with the workspace before it. */
  qualified_id: string;
  /** Whether the call created it. */
  created: boolean;
}

/** Tasks bootstrap task. */
export interface TasksBootstrapTask {
  /** Its id. */
  id: string;
  /** Its id, with the workspace before it. */
  qualified_id: string;
  /** Number of changes that were applied. */
  revision: number;
}

/** Step reference. */
export interface StepReference {
  /** Stable id of the step. */
  step_id: string;
  /** Path of the step or task node. */
  path: string;
}

/** Think pipeline. */
export interface ThinkPipeline {
  /** Branch of the reasoning. */
  branch: string;
  /** Names of the documents of the reasoning. */
  docs: ReasoningDocuments;
  /** Cards of the reasoning. */
  cards: ThinkPipelineCard[];
  /** Path of the file that holds the decision; null without one. */
  decision_note: string | null;
}

/** Reasoning documents. */
export interface ReasoningDocuments {
  /** Name of the document with the notes. */
  notes: string;
  /** Name of the document with the graph. */
  graph: string;
  /** Name of the document with the trace. */
  trace: string;
}

/** Think pipeline card. */
export interface ThinkPipelineCard {
  /** Stage of the card. */
  stage: "frame" | "hypothesis" | "test" | "evidence" | "decision";
  /** Id of the card. */
  card_id: string;
  /** Its title. */
  title: string;
  /** Ids of the cards that it supports. */
  supports: string[];
}

/** Input of `tasks_claim`. Take a step, or (without one) a whole task, to work on: until the claim expires, others cannot change it. A claim on a plan does not cover its tasks. */
export interface TasksClaimInput extends ExpectedInput, SelectedInput, SelectedStepInput {
  /** Seconds until it expires; call again with fence before then to keep it. */
  ttl_s?: number;
  /** Number of your claim: refuse when it is over. */
  fence?: number;
}

/** Answer of `tasks_claim` when it succeeds. */
export interface TasksClaimResult extends ChangedResult {
  /** Id of the plan or task. */
  task: string;
  /** Its kind. */
  kind: "plan" | "task";
  /** The step; null when the call was about the whole. */
  step: StepState | null;
  /** The event of the change. */
  event?: TaskfoldEvent;
  /** Events, in order. */
  events?: TaskfoldEvent[];
  /** The claim; null without one. */
  lease: Lease | null;
}

/** Lease. */
export interface Lease {
  /** Holder of the claim. */
  by: string;
  /** When the claim began. */
  claimed_at: string;
  /** When the claim ends. */
  expires_at: string;
  /** Number of the claim. */
  fence: number;
}

/** Input of `tasks_claim_next`. Find the first step that can be taken up (of a task, of a plan's tasks, or of all), and claim it. Answers with all that its work needs. */
export interface TasksClaimNextInput extends ExpectedInput, SelectedInput {
  /** Seconds until it expires. */
  ttl_s?: number;
  /** Claim all of its task. */
  whole?: boolean;
  /** The result fits max(max_chars, 256) characters of compact JSON. */
  max_chars?: number;
}

/** Answer of `tasks_claim_next` when it succeeds. */
export interface TasksClaimNextResult {
  /** Id of the plan or task. */
  task?: string;
  /** Its kind. */
  kind?: "plan" | "task";
  /** Number of changes that were applied. */
  revision?: number;
  /** Digest of the log's heads, for `expected_head`. */
  head?: string;
  /** The step; null when the call was about the whole. */
  step?: StepState | null;
  /** The event of the change. */
  event?: TaskfoldEvent;
  /** Events, in order. */
  events?: TaskfoldEvent[];
  /** The claim; null without one. */
  lease?: Lease | null;
  /** All that the work on the step needs. */
  work?: TasksClaimNextWork;
  /** Parts that were cut to fit `max_chars`. */
  budget?: BudgetReport;
  /** Set when the focus named the plan or task. */
  target_from?: "focus" | "workspace_focus";
}

/** Tasks claim next work. */
export interface TasksClaimNextWork {
  /** Title of the task. */
  task_title: string;
  /** Why that is so. */
  why?: string;
  /** When it counts as done. */
  success_criteria?: string[];
  /** How it is checked. */
  tests?: string[];
  /** Which checkpoints need attached proof. */
  proof?: Record<string, string>;
  /** Notes. */
  notes?: TasksClaimNextWorkNote[];
}

/** Tasks claim next work note. */
export interface TasksClaimNextWorkNote {
  /** When, in UTC with milliseconds. */
  ts: string;
  /** Actor of the change. */
  by: string;
  /** Path of the step or task node. */
  path: string | null;
  /** The text. */
  text: string;
}

/** Input of `tasks_close_step`. Confirm checkpoints of a step and close it, both or neither; every checkpoint named is required for it. */
export interface TasksCloseStepInput extends ExpectedInput, SelectedInput, SelectedStepInput {
  /** Checkpoints, by name. */
  checkpoints: "gate" | "all" | CheckpointsInput;
  /** Number of your claim: refuse when it is over. */
  fence?: number;
}

/** By name: true confirms, false takes back. */
export interface CheckpointsInput {
  /** Whether the success criteria are confirmed. */
  criteria?: boolean | Confirmation;
  /** Whether the tests are confirmed. */
  tests?: boolean | Confirmation;
  /** Whether security is confirmed. */
  security?: boolean | Confirmation;
  /** Whether performance is confirmed. */
  perf?: boolean | Confirmation;
  /** Whether the documentation is confirmed. */
  docs?: boolean | Confirmation;
}

/** Confirmation. */
export interface Confirmation {
  /** Whether the checkpoint is confirmed. */
  confirmed: boolean;
}

/** Answer of `tasks_close_step` when it succeeds. */
export interface TasksCloseStepResult extends ChangedResult {
  /** Id of the plan or task. */
  task: string;
  /** Its kind. */
  kind: "plan" | "task";
  /** The step; null when the call was about the whole. */
  step: StepState | null;
  /** Its status. */
  status: "TODO" | "ACTIVE" | "DONE" | "FAILED" | "CANCELED";
  /** Counts of the task's steps. */
  steps: StepCounts;
  /** The event of the change. */
  event?: TaskfoldEvent;
  /** Events, in order. */
  events?: TaskfoldEvent[];
}

/** Counts of the task's steps. */
export interface StepCounts {
  /** How many there are in all. */
  total: number;
  /** How many are open. */
  open: number;
  /** How many of them the caller can go on with. */
  ready: number;
}

/** Input of `tasks_close_task`. Complete a plan or task after last patches, all or nothing; without apply it only tells what would change and what is unmet. */
export interface TasksCloseTaskInput extends ExpectedInput, SelectedInput {
  /** false: a dry run, which changes nothing. */
  apply?: boolean;
  /** Bodies of tasks_patch, applied in order before. */
  patches?: PatchInput[];
  /** Number of your claim: refuse when it is over. */
  fence?: number;
}

/** Patch input. */
export interface PatchInput {
  /** task_detail: the plan or task itself; task: a task node. Left out, what is named says it. */
  kind?: "task_detail" | "step" | "task";
  /** Path of the step, or of the task node (s:0.t:1). */
  path?: string;
  /** Stable id of the step. */
  step_id?: string;
  /** Stable id of the task node. */
  task_node_id?: string;
  /** In order. */
  ops: PatchOperation[];
}

/** Patch operation. */
export interface PatchOperation {
  /** Operation on the field. */
  op: "set" | "unset" | "append" | "remove";
  /** Name of the field. */
  field: string;
  /** A text, or a list of texts for lists; nothing with unset. */
  value?: Json;
}

/** Tasks close task result form. */
export interface TasksCloseTaskResultForm extends ChangedResult {
  /** Its id. */
  id: string;
  /** Its kind. */
  kind: "plan" | "task";
  /** Its title. */
  title: string;
  /** Whether the changes were made; false after a dry run. */
  apply: false;
  /** Whether it could be completed now. */
  ready: boolean;
  /** Changes, field by field. */
  diff: TasksCloseTaskResultFormDiff[];
  /** Conditions that keep it from being completed. */
  unmet: TasksCloseTaskResultFormUnmet[];
  /** Steps that are open. */
  open_steps: TasksCloseTaskResultFormOpenStep[];
}

/** Tasks close task result form diff. */
export interface TasksCloseTaskResultFormDiff {
  /** The plan or task. */
  target: string;
  /** Name of the field. */
  field: string;
  /** The value before the change. */
  before: Json;
  /** The value after the change. */
  after: Json;
}

/** Tasks close task result form unmet. */
export interface TasksCloseTaskResultFormUnmet {
  /** Code of the problem. */
  code: string;
  /** One sentence for people. */
  message: string;
}

/** Tasks close task result form open step. */
export interface TasksCloseTaskResultFormOpenStep {
  /** Stable id of the step. */
  step_id: string;
  /** Path of the step or task node. */
  path: string;
  /** Its title. */
  title: string;
  /** Checkpoints that are not confirmed. */
  missing_checkpoints: ("criteria" | "tests" | "security" | "perf" | "docs")[];
  /** Checkpoints that need proof and have none. */
  missing_proofs: ("criteria" | "tests" | "security" | "perf" | "docs")[];
}

/** Tasks close task result form2. */
export interface TasksCloseTaskResultForm2 extends ChangedResult {
  /** Its id. */
  id: string;
  /** Its kind. */
  kind: "plan" | "task";
  /** Its title. */
  title: string;
  /** The event of the change. */
  event?: TaskfoldEvent;
  /** Events, in order. */
  events?: TaskfoldEvent[];
  /** Whether the changes were made; false after a dry run. */
  apply: true;
  /** Its status. */
  status: "TODO" | "ACTIVE" | "DONE" | "FAILED" | "CANCELED";
  /** Why it has this status; null without a reason. */
  status_reason: string | null;
}

/** Answer of `tasks_close_task` when it succeeds. */
export type TasksCloseTaskResult = TasksCloseTaskResultForm | TasksCloseTaskResultForm2;

/** Input of `tasks_complete`. Set a plan or task to DONE, which a task with open steps refuses, or to another status. */
export interface TasksCompleteInput extends ExpectedInput, SelectedInput {
  /** DONE when left out. */
  status?: "TODO" | "ACTIVE" | "DONE" | "FAILED" | "CANCELED";
  /** Why. */
  reason?: string;
  /** Number of your claim: refuse when it is over. */
  fence?: number;
}

/** Answer of `tasks_complete` when it succeeds. */
export interface TasksCompleteResult extends ChangedResult {
  /** Its id. */
  id: string;
  /** Its kind. */
  kind: "plan" | "task";
  /** Its title. */
  title: string;
  /** The event of the change. */
  event?: TaskfoldEvent;
  /** Events, in order. */
  events?: TaskfoldEvent[];
  /** Its status. */
  status: "TODO" | "ACTIVE" | "DONE" | "FAILED" | "CANCELED";
  /** Why it has this status; null without a reason. */
  status_reason: string | null;
}

/** Input of `tasks_context`. List the plans and tasks of the workspace with their status and progress, and count them by status. */
export interface TasksContextInput {
  /** Id of the workspace. */
  workspace: string;
  /** How many plans, 50 by default, at most 200. */
  plans_limit?: number;
  /** next_cursor of plans_pagination of the call before. */
  plans_cursor?: number;
  /** How many tasks, 50 by default, at most 200. */
  tasks_limit?: number;
  /** next_cursor of tasks_pagination of the call before. */
  tasks_cursor?: number;
  /** List what lies in the archive instead, as tasks. */
  archived?: boolean;
  /** The result fits max(max_chars, 256) characters of compact JSON. */
  max_chars?: number;
  /** Default true. */
  read_only?: boolean;
}

/** Answer of `tasks_context` when it succeeds. */
export interface TasksContextResult {
  /** Id of the workspace. */
  workspace?: string;
  /** Later writes of other programs may be missing; left out where nothing can be. */
  as_of?: string;
  /** Id of the plan or task in focus; null without one. */
  focus?: string | null;
  /** How many there are of each kind. */
  counts?: TasksContextCounts;
  /** How many plans and tasks there are, by status. */
  by_status?: Record<string, number>;
  /** Whether it is in the archive, how many are, or which went there. */
  archived?: number;
  /** The plans. */
  plans?: PlanRow[];
  /** The tasks. */
  tasks?: TaskRow[];
  /** Which page of the plans this is. */
  plans_pagination?: Pagination;
  /** Which page of the tasks this is. */
  tasks_pagination?: Pagination;
  /** Parts that were cut to fit `max_chars`. */
  budget?: BudgetReport;
}

/** Tasks context counts. */
export interface TasksContextCounts {
  /** How many plans there are. */
  plans: number;
  /** How many tasks there are. */
  tasks: number;
}

/** Plan row. */
export interface PlanRow {
  /** Its id. */
  id: string;
  /** Its kind. */
  kind: "plan" | "task";
  /** Its title. */
  title: string;
  /** Its status. */
  status: "TODO" | "ACTIVE" | "DONE" | "FAILED" | "CANCELED";
  /** Number of changes that were applied. */
  revision: number;
  /** Id of what it belongs to; null without one. */
  parent: string | null;
  /** Its priority, in words. */
  priority?: string;
  /** Its tags. */
  tags?: string[];
  /** Tasks that have to be DONE before. */
  depends_on?: string[];
  /** Tasks that it waits for. */
  waits_for?: string[];
  /** How many steps there are, and how many are closed. */
  steps: PlanRowSteps;
  /** Whether every step is closed and the task is not ended. */
  ready_to_complete?: true;
  /** Closed steps, or DONE tasks, in percent. */
  progress: number;
  /** When it was changed last. */
  updated_at: string;
  /** Codes of what each read of it warns of, where its log is not whole. */
  log_warnings?: string[];
  /** Whether it was deleted. */
  deleted?: true;
  /** How many tasks the plan has, and how many are DONE. */
  tasks: PlanRowTasks;
}

/** Plan row steps. */
export interface PlanRowSteps {
  /** How many there are in all. */
  total: number;
  /** How many steps are closed. */
  completed: number;
}

/** Plan row tasks. */
export interface PlanRowTasks {
  /** How many there are in all. */
  total: number;
  /** How many tasks are DONE. */
  done: number;
  /** How many of them are in the archive. */
  archived?: number;
}

/** Task row. */
export interface TaskRow {
  /** Its id. */
  id: string;
  /** Its kind. */
  kind: "plan" | "task";
  /** Its title. */
  title: string;
  /** Its status. */
  status: "TODO" | "ACTIVE" | "DONE" | "FAILED" | "CANCELED";
  /** Number of changes that were applied. */
  revision: number;
  /** Id of what it belongs to; null without one. */
  parent: string | null;
  /** Its priority, in words. */
  priority?: string;
  /** Its tags. */
  tags?: string[];
  /** Tasks that have to be DONE before. */
  depends_on?: string[];
  /** Tasks that it waits for. */
  waits_for?: string[];
  /** How many steps there are, and how many are closed. */
  steps: PlanRowSteps;
  /** Whether every step is closed and the task is not ended. */
  ready_to_complete?: true;
  /** Closed steps, or DONE tasks, in percent. */
  progress: number;
  /** When it was changed last. */
  updated_at: string;
  /** Codes of what each read of it warns of, where its log is not whole. */
  log_warnings?: string[];
  /** Whether it was deleted. */
  deleted?: true;
}

/** Pagination. */
export interface Pagination {
  /** Where this page begins, or where the next call goes on. */
  cursor: number;
  /** Where the next page begins; null at the end. */
  next_cursor: number | null;
  /** How many there are in all. */
  total: number;
  /** Items on this page. */
  count: number;
  /** Most items on a page. */
  limit: number;
}

/** Input of `tasks_context_pack`. Show the radar of a plan or task and its last events, with the cursor from which tasks_delta goes on. */
export interface TasksContextPackInput extends SelectedInput {
  /** How many of the last events, 50 by default, at most 200. */
  delta_limit?: number;
  /** The result fits max(max_chars, 256) characters of compact JSON. */
  max_chars?: number;
  /** Default true. */
  read_only?: boolean;
}

/** Answer of `tasks_context_pack` when it succeeds. */
export interface TasksContextPackResult {
  /** Id of the workspace. */
  workspace?: string;
  /** The plan or task. */
  target?: TargetState;
  /** Id of the plan or task in focus; null without one. */
  focus?: string | null;
  /** The call moved the focus to its target. */
  focus_restored?: true;
  /** Id of the focus before the call; null without one. */
  focus_previous?: string | null;
  /** One screen: now, why, verify, next, blockers. */
  radar?: Radar;
  /** The steps. */
  steps?: TasksContextPackSteps;
  /** The tasks. */
  tasks?: TasksContextPackTasks;
  /** The last events. */
  delta?: Timeline;
  /** Parts that were cut to fit `max_chars`. */
  budget?: BudgetReport;
  /** Set when the focus named the plan or task. */
  target_from?: "focus" | "workspace_focus";
}

/** Target state. */
export interface TargetState {
  /** Its id. */
  id: string;
  /** Its kind. */
  kind: "plan" | "task";
  /** Its id, with the workspace before it. */
  qualified_id: string;
  /** Its title. */
  title: string;
  /** Its status. */
  status: "TODO" | "ACTIVE" | "DONE" | "FAILED" | "CANCELED";
  /** When it became DONE, FAILED or CANCELED. */
  ended_at?: string | null;
  /** Actor that ended it. */
  ended_by?: string | null;
  /** Number of changes that were applied. */
  revision: number;
  /** Digest of the log's heads, for `expected_head`. */
  head: string;
  /** Id of what it belongs to; null without one. */
  parent: string | null;
}

/** Radar. */
export interface Radar {
  /** Current work. */
  now: string;
  /** Why that is so. */
  why: string;
  /** Things to check. */
  verify: string[];
  /** Next action. */
  next: string[];
  /** Obstacles to it. */
  blockers: string[];
}

/** Tasks context pack steps. */
export interface TasksContextPackSteps {
  /** How many there are in all. */
  total: number;
  /** How many are open. */
  open: number;
  /** How many steps are closed. */
  completed: number;
  /** How many steps are blocked. */
  blocked: number;
  /** Open steps whose criteria are not confirmed. */
  missing_criteria: number;
  /** Open steps whose tests are not confirmed. */
  missing_tests: number;
  /** Open steps whose security is not confirmed. */
  missing_security: number;
  /** Open steps whose performance is not confirmed. */
  missing_perf: number;
  /** Open steps whose documentation is not confirmed. */
  missing_docs: number;
  /** Open steps without the required proof of tests. */
  missing_proof_tests: number;
  /** Open steps without the required proof of security. */
  missing_proof_security: number;
  /** Open steps without the required proof of performance. */
  missing_proof_perf: number;
  /** Open steps without the required proof of documentation. */
  missing_proof_docs: number;
  /** The first open step; null when every step is closed. */
  first_open: FirstOpenStep | null;
}

/** First open step. */
export interface FirstOpenStep {
  /** Stable id of the step. */
  step_id: string;
  /** Path of the step or task node. */
  path: string;
  /** Its title. */
  title: string;
  /** Checkpoints that are not confirmed. */
  missing_checkpoints: ("criteria" | "tests" | "security" | "perf" | "docs")[];
  /** Checkpoints that need proof and have none. */
  missing_proofs: ("criteria" | "tests" | "security" | "perf" | "docs")[];
  /** Whether the step is blocked. */
  blocked: boolean;
  /** Whether tests need attached proof. */
  proof_tests_mode?: "off" | "warn" | "require" | "captured" | "repeated" | "attested";
  /** Whether security needs attached proof. */
  proof_security_mode?: "off" | "warn" | "require" | "captured" | "repeated" | "attested";
  /** Whether performance needs attached proof. */
  proof_perf_mode?: "off" | "warn" | "require" | "captured" | "repeated" | "attested";
  /** Whether documentation needs attached proof. */
  proof_docs_mode?: "off" | "warn" | "require" | "captured" | "repeated" | "attested";
  /** Whether proof of tests is attached. */
  proof_tests_present?: boolean;
  /** Whether proof of security is attached. */
  proof_security_present?: boolean;
  /** Whether proof of performance is attached. */
  proof_perf_present?: boolean;
  /** Whether proof of documentation is attached. */
  proof_docs_present?: boolean;
  /** Highest degree of the proof of tests; absent for a claim. */
  proof_tests_degree?: "claimed" | "captured" | "repeated" | "attested";
  /** Highest degree of the proof of security; absent for a claim. */
  proof_security_degree?: "claimed" | "captured" | "repeated" | "attested";
  /** Highest degree of the proof of perf; absent for a claim. */
  proof_perf_degree?: "claimed" | "captured" | "repeated" | "attested";
  /** Highest degree of the proof of docs; absent for a claim. */
  proof_docs_degree?: "claimed" | "captured" | "repeated" | "attested";
}

/** Tasks context pack tasks. */
export interface TasksContextPackTasks {
  /** How many there are in all. */
  total: number;
  /** How many plans and tasks there are, by status. */
  by_status: TasksContextPackTasksByStatus;
  /** How many of them are in the archive. */
  archived?: number;
  /** How many there are of each kind. */
  counts?: TasksContextPackTasksCounts;
  /** Next action. */
  next: TasksContextPackTasksNext | null;
  /** Whether it could be completed now. */
  ready?: TasksContextPackTasksReady[];
  /** Tasks with a claim, and the name of its holder. */
  claimed?: TasksContextPackTasksClaimed[];
  /** Whether the step is blocked. */
  blocked?: TasksContextPackTasksBlocked[];
  /** Tasks that failed, or whose proof is weak or failed. */
  at_risk?: TasksContextPackTasksBlocked[];
  /** Tasks in which two branches wrote one field. */
  in_conflict?: TasksContextPackTasksBlocked[];
  /** Whether every step is closed and the task is not ended. */
  ready_to_complete?: TasksContextPackTasksReadyToComplete[];
}

/** Tasks context pack tasks by status. */
export interface TasksContextPackTasksByStatus {
  /** How many are TODO. */
  TODO: number;
  /** How many are ACTIVE. */
  ACTIVE: number;
  /** How many are DONE. */
  DONE: number;
  /** How many are FAILED. */
  FAILED: number;
  /** How many are CANCELED. */
  CANCELED: number;
}

/** Tasks context pack tasks counts. */
export interface TasksContextPackTasksCounts {
  /** Whether it could be completed now. */
  ready: number;
  /** How many tasks have a claim. */
  claimed: number;
  /** Whether the step is blocked. */
  blocked: number;
  /** How many tasks are at risk. */
  at_risk: number;
  /** How many tasks are in conflict. */
  in_conflict: number;
  /** Whether every step is closed and the task is not ended. */
  ready_to_complete: number;
}

/** Tasks context pack tasks next. */
export interface TasksContextPackTasksNext {
  /** Name of the tool. */
  tool: string;
  /** Purpose of the call. */
  purpose: string;
  /** Input of the call. */
  args: JsonObject;
}

/** Tasks context pack tasks ready. */
export interface TasksContextPackTasksReady {
  /** Its id. */
  id: string;
  /** Its title. */
  title?: string;
  /** Path of the step or task node. */
  path: string;
  /** The step; null when the call was about the whole. */
  step?: string;
}

/** Tasks context pack tasks claimed. */
export interface TasksContextPackTasksClaimed {
  /** Its id. */
  id: string;
  /** Its title. */
  title?: string;
  /** Path of the step or task node. */
  path: string | null;
  /** Actor of the change. */
  by: string;
  /** When the claim ends. */
  expires_at: string;
}

/** Tasks context pack tasks blocked. */
export interface TasksContextPackTasksBlocked {
  /** Its id. */
  id: string;
  /** Its title. */
  title?: string;
  /** Why that is so. */
  why?: string[];
}

/** Tasks context pack tasks ready to complete. */
export interface TasksContextPackTasksReadyToComplete {
  /** Its id. */
  id: string;
  /** Its title. */
  title?: string;
}

/** Timeline. */
export interface Timeline {
  /** Events, in order. */
  events: ShortEvent[];
  /** How many events came before these. */
  earlier: number;
  /** Where this page begins, or where the next call goes on. */
  cursor: string;
  /** Most items on a page. */
  limit: number;
}

/** Short event. */
export interface ShortEvent {
  /** Hash of the event: its id. */
  event_id: string;
  /** Which event it is. */
  type: string;
  /** When, in UTC with milliseconds. */
  ts?: string;
  /** Id of the plan or task. */
  task?: string;
  /** Actor of the change. */
  by?: string;
}

/** Input of `tasks_contract`. Set what a plan promises, as text, as data or both; fields that are not given stay. clear removes both. */
export interface TasksContractInput extends ExpectedInput, SelectedInput {
  /** The whole text of the contract; left out, the call only reads it. */
  current?: string | null;
  /** The same as data. */
  contract_data?: Json;
  /** Removes text and data. */
  clear?: boolean;
  /** Number of your claim: refuse when it is over. */
  fence?: number;
}

/** Answer of `tasks_contract` when it succeeds. */
export interface TasksContractResult {
  /** The plan. */
  plan: TasksContractPlan;
  /** The event of the change. */
  event?: TaskfoldEvent;
  /** Events, in order. */
  events?: TaskfoldEvent[];
  /** Set when the focus named the plan or task. */
  target_from?: "focus" | "workspace_focus";
}

/** Tasks contract plan. */
export interface TasksContractPlan {
  /** Its id. */
  id: string;
  /** Its kind. */
  kind: "plan" | "task";
  /** Number of changes that were applied. */
  revision: number;
  /** Digest of the log's heads, for `expected_head`. */
  head: string;
  /** Its title. */
  title: string;
  /** The contract: what the work has to fulfil. */
  contract: string | null;
  /** The contract as data. */
  contract_data: Json;
}

/** Input of `tasks_create`. Create a plan, or a task under a plan or on its own, with its steps in one call. */
export interface TasksCreateInput extends ExpectedInput {
  /** Id of the workspace. */
  workspace: string;
  /** Default: task when parent is given, else plan. */
  kind?: "plan" | "task";
  /** Id of the plan that a task belongs to. */
  parent?: string;
  /** Id of your own; left out, the next number is taken. */
  id?: string;
  /** One line, 1 to 200 characters. */
  title: string;
  /** Purpose and scope. */
  description?: string;
  /** The contract: what the work has to fulfil. */
  contract?: string | null;
  /** The same as data (plans only). */
  contract_data?: Json;
  /** For steps of its tasks (plans only). */
  proof?: ProofModes;
  /** How agents work on it. Default squad. */
  topology?: "swarm" | "squad";
  /** Its priority, in words. */
  priority?: string;
  /** Its tags. */
  tags?: string[];
  /** Ids to be DONE first. */
  depends_on?: string[];
  /** Steps in order (tasks only). */
  steps?: StepInput[];
  /** Each step waits for the one before. */
  ordered?: boolean;
  /** Whether closing the last step completes the task, and the end of the last task its plan; null, or left out: as its plan says. */
  complete_when_done?: boolean;
}

/** Step input. */
export interface StepInput {
  /** One line, 1 to 200 characters. */
  title: string;
  /** When it counts as done. */
  success_criteria: string[];
  /** How that is checked. */
  tests?: string[];
  /** Obstacles. */
  blockers?: string[];
  /** Close these first. */
  depends_on?: string[];
  /** Whether it names the packet of its task; left out if not. */
  packet?: boolean;
  /** Proof modes. */
  proof?: ProofModes;
  /** Checkpoints that another actor than its claimants confirms. */
  confirm?: string[];
  /** Files that were read. */
  files?: string[];
}

/** Answer of `tasks_create` when it succeeds. */
export interface TasksCreateResult {
  /** Its id. */
  id: string;
  /** Its kind. */
  kind: "plan" | "task";
  /** Number of changes that were applied. */
  revision: number;
  /** Digest of the log's heads, for `expected_head`. */
  head: string;
  /** Its title. */
  title: string;
  /** Its id, with the workspace before it. */
  qualified_id: string;
  /** Id of what it belongs to; null without one. */
  parent: string | null;
  /** The steps. */
  steps: StepReference[];
  /** Events, in order. */
  events: TaskfoldEvent[];
}

/** Input of `tasks_decompose`. Add steps to a task, at the top or under a step; closed steps above them are open again. */
export interface TasksDecomposeInput extends ExpectedInput, SelectedInput {
  /** Path or id of the step to add them under. */
  parent?: string;
  /** Steps in order. */
  steps: StepInput[];
  /** Whether each step waits for the one before it. */
  ordered?: boolean;
  /** Number of your claim: refuse when it is over. */
  fence?: number;
}

/** Answer of `tasks_decompose` when it succeeds. */
export interface TasksDecomposeResult extends ChangedResult {
  /** Id of the plan or task. */
  task: string;
  /** Its kind. */
  kind: "plan" | "task";
  /** The steps. */
  steps: StepReference[];
  /** The event of the change. */
  event?: TaskfoldEvent;
  /** Events, in order. */
  events?: TaskfoldEvent[];
}

/** Input of `tasks_define`. Set what a step asks for; new criteria and tests have to be confirmed again. */
export interface TasksDefineInput extends ExpectedInput, SelectedInput, SelectedStepInput {
  /** One line, 1 to 200 characters. */
  title?: string;
  /** Replaces the criteria. */
  success_criteria?: string[];
  /** Replaces the tests. */
  tests?: string[];
  /** Replaces the blockers. */
  blockers?: string[];
  /** Close these first. */
  depends_on?: string[];
  /** Only the task's packet proves its tests. */
  packet?: boolean;
  /** Proof modes: off, warn, require, captured, repeated or attested. */
  proof?: ProofModes;
  /** Checkpoints that another actor confirms. */
  confirm?: string[];
  /** Paths it is about: changes make proof stale. */
  files?: string[];
  /** Number of your claim: refuse when it is over. */
  fence?: number;
}

/** Answer of `tasks_define` when it succeeds. */
export interface TasksDefineResult extends ChangedResult {
  /** Id of the plan or task. */
  task: string;
  /** Its kind. */
  kind: "plan" | "task";
  /** The step; null when the call was about the whole. */
  step: StepState | null;
  /** The event of the change. */
  event?: TaskfoldEvent;
  /** Events, in order. */
  events?: TaskfoldEvent[];
}

/** Input of `tasks_delete`. Delete a step with all below it, or (without one) the task, or the plan with all its tasks; their folders go to the archive. */
export interface TasksDeleteInput extends ExpectedInput, SelectedInput, SelectedStepInput {
  /** Number of your claim: refuse when it is over. */
  fence?: number;
}

/** Tasks delete result form. */
export interface TasksDeleteResultForm extends ChangedResult {
  /** Its id. */
  id: string;
  /** Its kind. */
  kind: "plan" | "task";
  /** Its title. */
  title: string;
  /** The event of the change. */
  event?: TaskfoldEvent;
  /** Events, in order. */
  events?: TaskfoldEvent[];
  /** Whether it was deleted. */
  deleted: boolean;
  /** Ids of the tasks that were deleted. */
  deleted_tasks?: string[];
}

/** Tasks delete result form2. */
export interface TasksDeleteResultForm2 extends ChangedResult {
  /** Id of the plan or task. */
  task: string;
  /** Its kind. */
  kind: "plan" | "task";
  /** The step; null when the call was about the whole. */
  step: TasksDeleteResultForm2Step;
  /** How many steps were deleted. */
  deleted_steps: number;
  /** The event of the change. */
  event?: TaskfoldEvent;
  /** Events, in order. */
  events?: TaskfoldEvent[];
}

/** Tasks delete result form2step. */
export interface TasksDeleteResultForm2Step {
  /** Stable id of the step. */
  step_id: string;
  /** Path of the step or task node. */
  path: string;
  /** Its title. */
  title: string;
}

/** Answer of `tasks_delete` when it succeeds. */
export type TasksDeleteResult = TasksDeleteResultForm | TasksDeleteResultForm2;

/** Input of `tasks_delta`. List changes in the workspace, or in one plan or task, since a cursor. They are events of whole operations, oldest first, with the cursor to go on from. */
export interface TasksDeltaInput extends SelectedInput {
  /** The cursor of an earlier answer, an event_id, or a time (RFC 3339); from the beginning when left out. */
  since?: string;
  /** How many events, 50 by default, at most 200. Only max_chars cuts an operation in two. */
  limit?: number;
  /** The result fits max(max_chars, 256) characters of compact JSON. */
  max_chars?: number;
  /** Default true. */
  read_only?: boolean;
}

/** Answer of `tasks_delta` when it succeeds. */
export interface TasksDeltaResult {
  /** Id of the workspace. */
  workspace?: string;
  /** Later writes of other programs may be missing; left out where nothing can be. */
  as_of?: string;
  /** Where this page begins, or where the next call goes on. */
  cursor?: string;
  /** Next action. */
  next?: number;
  /** Most items on a page. */
  limit?: number;
  /** Events, in order. */
  events?: ShortEvent[];
  /** Parts that were cut to fit `max_chars`. */
  budget?: BudgetReport;
}

/** Input of `tasks_done`. Close a step whose required checkpoints are confirmed and whose required proofs are attached. */
export type TasksDoneInput = TasksDeleteInput;

/** Answer of `tasks_done` when it succeeds. */
export type TasksDoneResult = TasksCloseStepResult;

/** Input of `tasks_edit`. Set fields of a plan or task itself, all in one event; null clears a field and a list replaces the list. */
export interface TasksEditInput extends ExpectedInput, SelectedInput {
  /** One line, 1 to 200 characters. */
  title?: string;
  /** Its subject. */
  description?: string | null;
  /** Knowledge that an agent needs to take over. */
  context?: string | null;
  /** Free text; new entities have MEDIUM. */
  priority?: string;
  /** Replaces the tags. */
  tags?: string[];
  /** Prerequisites. Replaces the list. */
  depends_on?: string[];
  /** Whether closing the last step completes the task, and the end of the last task its plan; null, or left out: as its plan says. */
  complete_when_done?: boolean | null;
  /** Domain that it belongs to. */
  new_domain?: string | null;
  /** The contract: what the work has to fulfil. */
  contract?: string | null;
  /** The same as data (plans only). */
  contract_data?: Json;
  /** For steps of its tasks (plans only). */
  proof?: ProofModes;
  /** Number of your claim: refuse when it is over. */
  fence?: number;
}

/** Answer of `tasks_edit` when it succeeds. */
export interface TasksEditResult extends ChangedResult {
  /** Its id. */
  id: string;
  /** Its kind. */
  kind: "plan" | "task";
  /** Its title. */
  title: string;
  /** The event of the change. */
  event?: TaskfoldEvent;
  /** Events, in order. */
  events?: TaskfoldEvent[];
}

/** Input of `tasks_evidence_capture`. Record what was run, read or produced, on a step or on the whole, and link it to checkpoints; closes nothing. */
export interface TasksEvidenceCaptureInput extends ExpectedInput, SelectedInput, SelectedStepInput {
  /** Of the only piece. */
  evidence_id?: string;
  /** Commands with output, files, links, texts. */
  items?: EvidenceInput[];
  /** Another name for items. */
  artifacts?: EvidenceInput[];
  /** Receipts: CMD: and a command, LINK: and an address. A sentence is no proof. */
  checks?: string[];
  /** Files in the task folder, or URLs. */
  attachments?: string[];
  /** Checkpoint that the evidence proves. */
  checkpoint?: "criteria" | "tests" | "security" | "perf" | "docs" | ("criteria" | "tests" | "security" | "perf" | "docs")[];
  /** Ids that no longer count. */
  supersedes?: string[];
  /** Why; stays on record. */
  reason?: string;
  /** Lowers the limit of 20 pieces. */
  max_items?: number;
  /** Lowers the limit of 256000 bytes a piece. */
  max_artifact_bytes?: number;
  /** Number of your claim: refuse when it is over. */
  fence?: number;
}

/** Evidence input. */
export interface EvidenceInput {
  /** Kebab-case. */
  evidence_id?: string;
  /** Your name for it, such as test-run. */
  kind: string;
  /** Default: what it names. */
  title?: string;
  /** The finding. */
  summary?: string;
  /** That was run. */
  command?: string;
  /** Where. */
  cwd?: string;
  /** Output of the command on stdout. */
  stdout?: string;
  /** Output of the command on stderr. */
  stderr?: string;
  /** Exit code of the command. */
  exit_code?: number;
  /** Text of a difference. */
  diff?: string;
  /** The text. */
  content?: string;
  /** Address on the web. */
  url?: string;
  /** Another name for url. */
  external_uri?: string;
  /** File of the repository, or .jsonl of the task. */
  path?: string;
  /** Commit that has or shows it. */
  commit?: string;
  /** From 1. */
  start_line?: number;
  /** Default: start_line. */
  end_line?: number;
  /** Anything else. */
  meta?: JsonObject;
  /** A card that says how the hypothesis is tested. */
  test?: string | number;
}

/** Answer of `tasks_evidence_capture` when it succeeds. */
export interface TasksEvidenceCaptureResult extends ChangedResult {
  /** Id of the plan or task. */
  task: string;
  /** Its kind. */
  kind: "plan" | "task";
  /** The step; null when the call was about the whole. */
  step: StepState | null;
  /** The event of the change. */
  event?: TaskfoldEvent;
  /** Events, in order. */
  events?: TaskfoldEvent[];
  /** Evidence. */
  evidence: TasksEvidenceCaptureEvidence[];
  /** How texts cite the evidence. */
  cite: string[];
  /** Ids of the evidence that no longer counts. */
  superseded?: string[];
}

/** Tasks evidence capture evidence. */
export interface TasksEvidenceCaptureEvidence {
  /** Its id. */
  id: string;
  /** Its kind. */
  kind: string;
  /** Its title. */
  title: string;
}

/** Input of `tasks_evidence_verify`. Look again at what evidence points at (lines of files, captured output, attached files, commits) and tell which of it no longer holds. */
export interface TasksEvidenceVerifyInput extends SelectedInput, SelectedStepInput {
  /** Only these ids; all when left out. */
  evidence?: string[];
  /** Rows, 50 by default, at most 200. */
  limit?: number;
  /** next_cursor of the pagination of the call before. */
  cursor?: number;
  /** The result fits max(max_chars, 256) characters of compact JSON. */
  max_chars?: number;
  /** Default true. */
  read_only?: boolean;
}

/** Answer of `tasks_evidence_verify` when it succeeds. */
export interface TasksEvidenceVerifyResult {
  /** Id of the workspace. */
  workspace?: string;
  /** The plan or task. */
  target?: TargetState;
  /** In short. */
  summary?: TasksEvidenceVerifySummary;
  /** Evidence. */
  evidence?: TasksEvidenceVerifyEvidence[];
  /** Which page this is. */
  pagination?: Pagination;
  /** Parts that were cut to fit `max_chars`. */
  budget?: BudgetReport;
  /** Set when the focus named the plan or task. */
  target_from?: "focus" | "workspace_focus";
}

/** Tasks evidence verify summary. */
export interface TasksEvidenceVerifySummary {
  /** How many there are in all. */
  total: number;
  /** How many pieces of evidence still hold. */
  holds: number;
  /** How many pieces of evidence no longer hold. */
  broken: number;
  /** How many pieces of evidence cannot be checked. */
  unverifiable: number;
  /** How many are of other files than those of now. */
  stale: number;
}

/** Tasks evidence verify evidence. */
export interface TasksEvidenceVerifyEvidence {
  /** Its id. */
  id: string;
  /** Its kind. */
  kind: string;
  /** Its title. */
  title: string;
  /** Whether the evidence still holds. */
  status: "holds" | "broken" | "unverifiable";
  /** Why that is so. */
  why?: string[];
  /** How far it can be trusted. */
  degree: "claimed" | "captured" | "repeated" | "attested";
  /** Files that changed since the run, if any did. */
  stale?: TasksEvidenceVerifyEvidenceStale;
  /** Steps and checkpoints that the evidence proves. */
  proves?: ProvenCheckpoints[];
}

/** Tasks evidence verify evidence stale. */
export interface TasksEvidenceVerifyEvidenceStale {
  /** Why that is so. */
  why: string;
  /** The first of these files, from the root. */
  paths: string[];
  /** The commit. */
  commit: string | null;
}

/** Proven checkpoints. */
export interface ProvenCheckpoints {
  /** Stable id of the step. */
  step_id: string;
  /** Path of the step or task node. */
  path: string;
  /** Checkpoints that the evidence proves. */
  checkpoints: ("criteria" | "tests" | "security" | "perf" | "docs")[];
}

/** Input of `tasks_focus_clear`. Forget the caller's focus and the one set last in the workspace, so that calls have to name their target. */
export interface TasksFocusClearInput {
  /** Id of the workspace. */
  workspace: string;
}

/** Answer of `tasks_focus_clear` when it succeeds. */
export interface TasksFocusClearResult {
  /** Id of the workspace. */
  workspace: string;
  /** Focus before; null without a focus. */
  previous: string | null;
  /** Whether there was a focus to clear. */
  cleared: boolean;
}

/** Input of `tasks_focus_get`. Tell which plan or task calls without a target mean, and whose focus that is; null when there is none. */
export interface TasksFocusGetInput {
  /** Id of the workspace. */
  workspace: string;
  /** Default true. */
  read_only?: boolean;
}

/** Answer of `tasks_focus_get` when it succeeds. */
export interface TasksFocusGetResult {
  /** Id of the workspace. */
  workspace: string;
  /** Id of the plan or task in focus; null without one. */
  focus: string | null;
  /** Set when the focus named the plan or task. */
  target_from?: "focus" | "workspace_focus";
}

/** Input of `tasks_focus_set`. Set the plan or task that this caller's calls without a target mean, and those of callers without a focus. */
export interface TasksFocusSetInput extends SelectedInput {

}

/** Answer of `tasks_focus_set` when it succeeds. */
export interface TasksFocusSetResult {
  /** Id of the workspace. */
  workspace: string;
  /** Focus before; null without a focus. */
  previous: string | null;
  /** Id of the plan or task in focus; null without one. */
  focus: string | null;
  /** Set when the focus named the plan or task. */
  target_from?: "focus" | "workspace_focus";
}

/** Input of `tasks_handoff`. Report what is done, what remains and what may go wrong, with the radar, for the next actor. */
export interface TasksHandoffInput extends SelectedInput {
  /** Lines in each list, 50 by default, at most 200. */
  limit?: number;
  /** The moment that the answer is about: a revision or an event id. */
  at?: number | string;
  /** The result fits max(max_chars, 256) characters of compact JSON. */
  max_chars?: number;
  /** Default true. */
  read_only?: boolean;
}

/** Answer of `tasks_handoff` when it succeeds. */
export interface TasksHandoffResult {
  /** Id of the workspace. */
  workspace?: string;
  /** The plan or task. */
  target?: TargetState;
  /** The moment that the answer is about: a revision or an event id. */
  at?: number | string;
  /** Finished work, remaining work and risks. */
  handoff?: TasksHandoffHandoff;
  /** One screen: now, why, verify, next, blockers. */
  radar?: Radar;
  /** The steps. */
  steps?: TasksContextPackSteps;
  /** The tasks. */
  tasks?: TasksContextPackTasks;
  /** Parts that were cut to fit `max_chars`. */
  budget?: BudgetReport;
  /** Set when the focus named the plan or task. */
  target_from?: "focus" | "workspace_focus";
}

/** Tasks handoff handoff. */
export interface TasksHandoffHandoff {
  /** Finished work. */
  done: string[];
  /** Remaining work. */
  remaining: string[];
  /** Risks. */
  risks: string[];
  /** Notes. */
  notes: TasksClaimNextWorkNote[];
  /** Only where `notes` has not all of them whole. */
  notes_left_out?: TasksHandoffHandoffNotesLeftOut;
}

/** Only where `notes` has not all of them whole. */
export interface TasksHandoffHandoffNotesLeftOut {
  /** Notes before those that are shown. */
  earlier: number;
  /** Notes of which only the beginning is shown. */
  cut: number;
  /** The command that prints all of them. */
  whole: string;
}

/** Input of `tasks_history`. List the operations of a plan or task, or (without target and focus) of the workspace, newest first. Each has actor, time, changed fields, and whether it can be undone. */
export interface TasksHistoryInput extends SelectedInput {
  /** At most 200; 50 when left out. */
  limit?: number;
  /** Only operations before this: the `next_before` of an earlier page. */
  before?: number | string;
  /** Only operations after it. */
  since?: string;
  /** Only operations not after it. */
  until?: string;
  /** The result fits max(max_chars, 256) characters of compact JSON. */
  max_chars?: number;
  /** Default true. */
  read_only?: boolean;
}

/** Answer of `tasks_history` when it succeeds. */
export interface TasksHistoryResult {
  /** Id of the workspace. */
  workspace?: string;
  /** The plan or task. */
  target?: TargetState | null;
  /** The operations, in order. */
  operations?: TasksHistoryOperation[];
  /** Revision to go on from; null at the end. */
  next_before?: number | string | null;
  /** Parts that were cut to fit `max_chars`. */
  budget?: BudgetReport;
  /** Set when the focus named the plan or task. */
  target_from?: "focus" | "workspace_focus";
}

/** Tasks history operation. */
export interface TasksHistoryOperation {
  /** Id of the plan or task. */
  task?: string;
  /** Number of changes that were applied. */
  revision: number;
  /** Id of the change: the id of its first event. */
  op: string;
  /** When, in UTC with milliseconds. */
  ts: string;
  /** Actor of the change. */
  by: string;
  /** Name of the tool. */
  tool: string;
  /** One sentence for people. */
  message: string;
  /** Types of the events of the change. */
  events?: string[];
  /** Whether the change can be undone. */
  undoable: boolean;
  /** Whether the change was undone. */
  undone: boolean;
  /** Whether the change can be brought back. */
  redoable?: boolean;
  /** Fields that the change wrote. */
  changes?: TasksHistoryOperationChange[];
}

/** Tasks history operation change. */
export interface TasksHistoryOperationChange {
  /** Name of the field. */
  field: string;
  /** The value before the change. */
  before: Json;
  /** The value after the change. */
  after: Json;
}

/** Input of `tasks_lint`. Check a plan or task for what is missing, contradictory or dangling, and whether others could take over. */
export type TasksLintInput = PacketPlanInput;

/** Answer of `tasks_lint` when it succeeds. */
export interface TasksLintResult {
  /** Id of the workspace. */
  workspace?: string;
  /** The plan or task. */
  target?: TargetState;
  /** In short. */
  summary?: TasksLintSummary;
  /** Findings. */
  issues?: TasksLintIssue[];
  /** Whether an agent could take over from what is written down. */
  context_health?: TasksLintContextHealth;
  /** Parts that were cut to fit `max_chars`. */
  budget?: BudgetReport;
  /** Set when the focus named the plan or task. */
  target_from?: "focus" | "workspace_focus";
}

/** Tasks lint summary. */
export interface TasksLintSummary {
  /** How many errors there are. */
  errors: number;
  /** How many warnings there are. */
  warnings: number;
  /** How many there are in all. */
  total: number;
}

/** Tasks lint issue. */
export interface TasksLintIssue {
  /** How bad it is. */
  severity: "error" | "warning";
  /** Code of the problem. */
  code: string;
  /** One sentence for people. */
  message: string;
  /** Action that resolves it. */
  recovery: string;
}

/** Tasks lint context health. */
export interface TasksLintContextHealth {
  /** Whether anything is missing. */
  status: "ok" | "warn";
  /** How many there are. */
  stats: TasksLintContextHealthStats;
  /** Findings. */
  issues: TasksLintContextHealthIssue[];
}

/** Tasks lint context health stats. */
export interface TasksLintContextHealthStats {
  /** Whether there is a description. */
  description: boolean;
  /** Whether there is a context. */
  context: boolean;
  /** Whether there is a contract. */
  contract: boolean;
  /** Which sections at the top of the Taskdoc say something. */
  taskdoc: ("goals" | "constraints" | "progress")[];
  /** How many notes there are. */
  notes: number;
  /** How many lines the trace has. */
  trace: number;
  /** How many cards there are. */
  cards: number;
  /** How many pieces of evidence there are. */
  evidence: number;
}

/** Tasks lint context health issue. */
export interface TasksLintContextHealthIssue {
  /** Code of the problem. */
  code: string;
  /** One sentence for people. */
  message: string;
  /** Action that resolves it. */
  recovery: string;
}

/** Input of `tasks_macro_close_step`. Close a step (the first open one when none is named), with a note and proof if given. Answers with everything to go on from. With no open step left it finishes the task. All or nothing. */
export interface TasksMacroCloseStepInput extends ExpectedInput, SelectedInput, SelectedStepInput {
  /** Checkpoints, by name. */
  checkpoints?: "gate" | "all" | CheckpointsInput;
  /** Progress, noted on the step before it closes. */
  note?: string;
  /** Evidence that is captured before the step closes. */
  proof?: string | string[] | TasksMacroCloseStepProof;
  /** The result fits max(max_chars, 256) characters of compact JSON. */
  resume_max_chars?: number;
  /** Number of your claim: refuse when it is over. */
  fence?: number;
}

/** As tasks_evidence_capture takes it; proof of tests when it names no checkpoint. */
export interface TasksMacroCloseStepProof {
  /** Of the only piece. */
  evidence_id?: string;
  /** Commands with output, files, links, texts. */
  items?: EvidenceInput[];
  /** Another name for items. */
  artifacts?: EvidenceInput[];
  /** Receipts: CMD: and a command, LINK: and an address. A sentence is no proof. */
  checks?: string[];
  /** Files in the task folder, or URLs. */
  attachments?: string[];
  /** Checkpoint that the evidence proves. */
  checkpoint?: "criteria" | "tests" | "security" | "perf" | "docs" | ("criteria" | "tests" | "security" | "perf" | "docs")[];
  /** Ids that no longer count. */
  supersedes?: string[];
  /** Why; stays on record. */
  reason?: string;
  /** Lowers the limit of 20 pieces. */
  max_items?: number;
  /** Lowers the limit of 256000 bytes a piece. */
  max_artifact_bytes?: number;
}

/** Answer of `tasks_macro_close_step` when it succeeds. */
export interface TasksMacroCloseStepResult extends ChangedResult {
  /** Id of the plan or task. */
  task: string;
  /** Its status. */
  status: "TODO" | "ACTIVE" | "DONE" | "FAILED" | "CANCELED";
  /** The step; null when the call was about the whole. */
  step: StepState | null;
  /** Counts of the task's steps. */
  steps: StepCounts;
  /** The event of the note. */
  note_event: TaskfoldEvent | null;
  /** The event of the evidence. */
  evidence_event: TaskfoldEvent | null;
  /** Events, in order. */
  events: TaskfoldEvent[];
  /** Everything that an agent needs to go on. */
  resume: SuperResume | null;
}

/** Super resume. */
export interface SuperResume {
  /** Id of the workspace. */
  workspace?: string;
  /** The plan or task. */
  target?: TargetState;
  /** Id of the plan or task in focus; null without one. */
  focus?: string | null;
  /** The call moved the focus to its target. */
  focus_restored?: true;
  /** Id of the focus before the call; null without one. */
  focus_previous?: string | null;
  /** One screen: now, why, verify, next, blockers. */
  radar?: Radar;
  /** The steps. */
  steps?: SuperResumeSteps;
  /** The tasks. */
  tasks?: TasksContextPackTasks;
  /** Task nodes. */
  task_nodes?: SuperResumeTaskNodes;
  /** Where the reasoning stands. */
  reasoning_ref?: SuperResumeReasoningRef;
  /** Everything that an agent needs to take over, in short. */
  capsule?: SuperResumeCapsule;
  /** Blockers, decisions and evidence. */
  signals?: SuperResumeSignals;
  /** Notes, trace and cards, newest first. */
  memory?: SuperResumeMemory;
  /** The last events. */
  timeline?: Timeline;
  /** How the reasoning differs from the base branch of git. */
  graph_diff?: SuperResumeCapsuleGraphDiff | SuperResumeGraphDiff;
  /** Parts that this answer lacks. */
  degradation?: SuperResumeDegradation;
  /** Parts that were cut to fit `max_chars`. */
  budget?: BudgetReport;
}

/** Super resume steps. */
export interface SuperResumeSteps {
  /** How many there are in all. */
  total: number;
  /** How many are open. */
  open: number;
  /** How many steps are closed. */
  completed: number;
  /** How many steps are blocked. */
  blocked: number;
  /** Open steps whose criteria are not confirmed. */
  missing_criteria?: number;
  /** Open steps whose tests are not confirmed. */
  missing_tests?: number;
  /** Open steps whose security is not confirmed. */
  missing_security?: number;
  /** Open steps whose performance is not confirmed. */
  missing_perf?: number;
  /** Open steps whose documentation is not confirmed. */
  missing_docs?: number;
  /** Open steps without the required proof of tests. */
  missing_proof_tests?: number;
  /** Open steps without the required proof of security. */
  missing_proof_security?: number;
  /** Open steps without the required proof of performance. */
  missing_proof_perf?: number;
  /** Open steps without the required proof of documentation. */
  missing_proof_docs?: number;
  /** The first open step; null when every step is closed. */
  first_open?: FirstOpenStep | null;
}

/** Super resume task nodes. */
export interface SuperResumeTaskNodes {
  /** The items of this page. */
  entries: TaskNodeState[];
  /** How many are open. */
  open: number;
  /** How many there are in all. */
  total: number;
}

/** Task node state. */
export interface TaskNodeState {
  /** Stable id of the task node. */
  task_node_id: string;
  /** Path of the step or task node. */
  path: string;
  /** Its title. */
  title: string;
  /** Its status. */
  status: "TODO" | "ACTIVE" | "DONE" | "FAILED" | "CANCELED";
  /** Its priority, in words. */
  priority?: string;
  /** Its subject. */
  description?: string;
  /** Knowledge that an agent needs to take over. */
  context?: string;
  /** When it counts as done. */
  success_criteria?: string[];
  /** Next actions in it. */
  next_steps?: string[];
  /** Obstacles to it. */
  blockers?: string[];
  /** Its prerequisites, in words. */
  dependencies?: string[];
  /** Faults. */
  problems?: string[];
  /** Risks. */
  risks?: string[];
}

/** Super resume reasoning ref. */
export interface SuperResumeReasoningRef {
  /** Branch of the reasoning. */
  branch: string;
  /** Names of the documents of the reasoning. */
  docs: ReasoningDocuments;
}

/** Super resume capsule. */
export interface SuperResumeCapsule {
  /** Kind of the capsule. */
  type: "handoff_capsule";
  /** Version of the form. */
  version: number;
  /** Id of the workspace. */
  workspace: string;
  /** The plan or task. */
  target?: TargetState;
  /** Id of the plan or task in focus; null without one. */
  focus: string | null;
  /** Where the reasoning stands. */
  reasoning_ref?: SuperResumeReasoningRef;
  /** One screen: now, why, verify, next, blockers. */
  radar?: Radar;
  /** Finished work, remaining work and risks. */
  handoff?: SuperResumeCapsuleHandoff;
  /** How many there are of each kind. */
  counts?: SuperResumeCapsuleCounts;
  /** The last event; null without one. */
  last_event?: SuperResumeCapsuleLastEvent | null;
  /** How the reasoning differs from the base branch of git. */
  graph_diff?: SuperResumeCapsuleGraphDiff | SuperResumeCapsuleGraphDiff2;
  /** The call that comes next; null when there is none. */
  action: SuperResumeCapsuleAction | null;
  /** Toolset and tool that would help further; null when none is needed. */
  escalation: SuperResumeCapsuleEscalation | null;
}

/** Super resume capsule handoff. */
export interface SuperResumeCapsuleHandoff {
  /** Finished work. */
  done: string[];
  /** Remaining work. */
  remaining: string[];
  /** Risks. */
  risks: string[];
}

/** Super resume capsule counts. */
export interface SuperResumeCapsuleCounts {
  /** How many steps there are. */
  steps: number;
  /** How many are open. */
  open: number;
  /** How many pieces of evidence there are. */
  evidence: number;
  /** How many notes there are. */
  notes: number;
  /** How many cards there are. */
  cards: number;
  /** How many decisions there are. */
  decisions: number;
  /** How many tasks there are. */
  tasks?: number;
  /** How many tasks are open. */
  open_tasks?: number;
}

/** Super resume capsule last event. */
export interface SuperResumeCapsuleLastEvent {
  /** When, in UTC with milliseconds. */
  ts: string;
  /** Actor of the change. */
  by: string;
  /** Name of the tool. */
  tool: string;
  /** One sentence for people. */
  message: string;
}

/** Super resume capsule graph diff. */
export interface SuperResumeCapsuleGraphDiff {
  /** Whether there is something to compare with. */
  available: false;
  /** Why. */
  reason: string;
}

/** Super resume capsule graph diff2. */
export interface SuperResumeCapsuleGraphDiff2 {
  /** Whether there is something to compare with. */
  available: true;
  /** Commit or branch that was compared with. */
  base: string;
  /** How many nodes of the graph differ. */
  nodes_changed: number;
  /** How many edges of the graph differ. */
  edges_changed: number;
  /** How many there are in all. */
  total: number;
  /** Whether only a part was compared. */
  partial: boolean;
}

/** Super resume capsule action. */
export interface SuperResumeCapsuleAction {
  /** Name of the tool. */
  tool: string;
  /** Purpose of the call. */
  purpose: string;
  /** Input of the call. */
  args?: JsonObject;
  /** Fields that the caller has to add to the input. */
  args_hint?: JsonObject;
}

/** Super resume capsule escalation. */
export interface SuperResumeCapsuleEscalation {
  /** Name of the toolset. */
  toolset: string;
  /** Name of the tool. */
  tool: string;
}

/** Super resume signals. */
export interface SuperResumeSignals {
  /** Obstacles to it. */
  blockers: string[];
  /** Decisions. */
  decisions: SuperResumeSignalsDecision[];
  /** Evidence. */
  evidence: SuperResumeSignalsEvidence[];
  /** How many there are. */
  stats: SuperResumeSignalsStats;
}

/** Super resume signals decision. */
export interface SuperResumeSignalsDecision {
  /** Id of the card. */
  card_id: string;
  /** Its title. */
  title: string;
  /** Its status. */
  status: string;
  /** When, in UTC with milliseconds. */
  ts: string;
  /** Actor of the change. */
  by: string;
}

/** Super resume signals evidence. */
export interface SuperResumeSignalsEvidence {
  /** Its id. */
  id: string;
  /** Its kind. */
  kind: string;
  /** Its title. */
  title: string;
  /** When, in UTC with milliseconds. */
  ts: string;
  /** How texts cite the evidence. */
  cite: string;
}

/** Super resume signals stats. */
export interface SuperResumeSignalsStats {
  /** How many blockers there are. */
  blockers: number;
  /** How many decisions there are. */
  decisions: number;
  /** How many pieces of evidence there are. */
  evidence: number;
}

/** Super resume memory. */
export interface SuperResumeMemory {
  /** Notes. */
  notes: SuperResumeMemoryNotes;
  /** Lines of the trace. */
  trace: SuperResumeMemoryTrace;
  /** Cards of the reasoning. */
  cards: SuperResumeMemoryCards;
  /** How many there are. */
  stats?: SuperResumeMemoryStats;
}

/** Super resume memory notes. */
export interface SuperResumeMemoryNotes {
  /** The items of this page. */
  entries: SuperResumeMemoryNotesEntry[];
  /** Which page this is. */
  pagination: BackwardPagination;
}

/** Super resume memory notes entry. */
export interface SuperResumeMemoryNotesEntry {
  /** Hash of the event: its id. */
  event_id: string;
  /** When, in UTC with milliseconds. */
  ts: string;
  /** Actor of the change. */
  by: string;
  /** The text. */
  text: string;
  /** Path of the step or task node. */
  path: string | null;
}

/** Backward pagination. */
export interface BackwardPagination {
  /** Where this page begins, or where the next call goes on. */
  cursor: string | null;
  /** Where the next page begins; null at the end. */
  next_cursor: string | null;
  /** Whether another page follows. */
  has_more: boolean;
  /** Most items on a page. */
  limit: number;
  /** Items on this page. */
  count: number;
  /** How many there are in all. */
  total: number;
}

/** Super resume memory trace. */
export interface SuperResumeMemoryTrace {
  /** The items of this page. */
  entries: SuperResumeMemoryTraceEntry[];
  /** Which page this is. */
  pagination: BackwardPagination;
}

/** Super resume memory trace entry. */
export interface SuperResumeMemoryTraceEntry {
  /** Its id. */
  id: string;
  /** When, in UTC with milliseconds. */
  ts: string;
  /** Actor of the change. */
  by: string;
  /** The text. */
  text: string;
  /** Its kind. */
  kind: string;
}

/** Super resume memory cards. */
export interface SuperResumeMemoryCards {
  /** The items of this page. */
  entries: SuperResumeMemoryCardsEntry[];
  /** Which page this is. */
  pagination: BackwardPagination;
}

/** Super resume memory cards entry. */
export interface SuperResumeMemoryCardsEntry {
  /** Id of the card. */
  card_id: string;
  /** Stage of the card. */
  stage: "frame" | "hypothesis" | "test" | "evidence" | "decision";
  /** Its title. */
  title: string;
  /** When, in UTC with milliseconds. */
  ts: string;
  /** Actor of the change. */
  by: string;
  /** The text. */
  text: string;
  /** Its status. */
  status: string;
  /** Its tags. */
  tags: string[];
  /** Ids of the cards that it supports. */
  supports: string[];
}

/** Super resume memory stats. */
export interface SuperResumeMemoryStats {
  /** How many notes there are. */
  notes: number;
  /** How many lines the trace has. */
  trace: number;
  /** How many cards there are. */
  cards: number;
  /** How many cards there are, by stage. */
  by_stage: Record<string, number>;
}

/** Super resume graph diff. */
export interface SuperResumeGraphDiff {
  /** Whether there is something to compare with. */
  available: true;
  /** Commit or branch that was compared with. */
  base: string;
  /** Branch of git that is checked out. */
  branch: string | null;
  /** Where the base branch comes from. */
  base_source: string;
  /** Name of the document. */
  doc: string;
  /** In short. */
  summary: SuperResumeGraphDiffSummary;
  /** What changed. */
  changes: SuperResumeGraphDiffChange[];
  /** Which page this is. */
  pagination: BackwardPagination;
}

/** Super resume graph diff summary. */
export interface SuperResumeGraphDiffSummary {
  /** How many nodes of the graph differ. */
  nodes_changed: number;
  /** How many edges of the graph differ. */
  edges_changed: number;
  /** How many there are in all. */
  total: number;
  /** Whether only a part was compared. */
  partial: boolean;
}

/** Super resume graph diff change. */
export interface SuperResumeGraphDiffChange {
  /** Its id. */
  id: string;
  /** Its kind. */
  kind: "node" | "edge";
  /** Content of the difference. */
  change: "added" | "missing" | "changed";
  /** Id of the card. */
  card_id: string;
  /** Ids of the cards that it supports. */
  supports?: string;
  /** Stage of the card. */
  stage?: "frame" | "hypothesis" | "test" | "evidence" | "decision";
  /** Its title. */
  title?: string;
  /** Its status. */
  status?: string;
}

/** Super resume degradation. */
export interface SuperResumeDegradation {
  /** Codes of what is missing. */
  signals: string[];
  /** Parts that were cut. */
  truncated_fields: string[];
}

/** Input of `tasks_macro_create_done`. Make a task of exactly one step, confirm and close the step, and finish the task: for work that is already done. */
export interface TasksMacroCreateDoneInput extends ExpectedInput {
  /** Id of the workspace. */
  workspace: string;
  /** Id of its plan. */
  plan?: string;
  /** Another name for plan. */
  parent?: string;
  /** Makes a plan of this title. */
  plan_title?: string;
  /** One line, 1 to 200 characters. */
  task_title: string;
  /** Purpose and scope. */
  description?: string;
  /** Its priority, in words. */
  priority?: string;
  /** Its tags. */
  tags?: string[];
  /** Ids to be DONE first. */
  depends_on?: string[];
  /** Exactly one. */
  steps: TasksMacroCreateDoneStep[];
}

/** Tasks macro create done step. */
export interface TasksMacroCreateDoneStep {
  /** One line, 1 to 200 characters. */
  title: string;
  /** When it counts as done; at least one. */
  success_criteria: string[];
  /** How that is checked; at least one. */
  tests: string[];
  /** Obstacles. */
  blockers?: string[];
  /** Close these first. */
  depends_on?: string[];
  /** Proof modes. */
  proof?: ProofModes;
}

/** Answer of `tasks_macro_create_done` when it succeeds. */
export interface TasksMacroCreateDoneResult {
  /** Id of the workspace. */
  workspace: string;
  /** Created entities. */
  bootstrap: TasksMacroCreateDoneBootstrap;
  /** The steps that were closed. */
  close: TasksCloseStepResult;
  /** The completion of the task. */
  complete: TasksCompleteResult;
  /** Set when the focus named the plan or task. */
  target_from?: "focus" | "workspace_focus";
}

/** Tasks macro create done bootstrap. */
export interface TasksMacroCreateDoneBootstrap {
  /** Id of the workspace. */
  workspace: string;
  /** The plan. */
  plan: TasksBootstrapPlan;
  /** The task. */
  task: TasksBootstrapTask;
  /** The steps. */
  steps: StepReference[];
  /** Events, in order. */
  events: TaskfoldEvent[];
  /** The cards that were laid down. */
  think_pipeline?: ThinkPipeline;
}

/** Input of `tasks_macro_finish`. Set a plan or task to DONE (or another status) and answer with the shift report. */
export interface TasksMacroFinishInput extends ExpectedInput, SelectedInput {
  /** DONE when left out. */
  status?: "TODO" | "ACTIVE" | "DONE" | "FAILED" | "CANCELED";
  /** The result fits max(max_chars, 256) characters of compact JSON. */
  handoff_max_chars?: number;
  /** Number of your claim: refuse when it is over. */
  fence?: number;
}

/** Answer of `tasks_macro_finish` when it succeeds. */
export interface TasksMacroFinishResult {
  /** Id of the plan or task. */
  task: string;
  /** Its kind. */
  kind: "plan" | "task";
  /** Its status. */
  status: "TODO" | "ACTIVE" | "DONE" | "FAILED" | "CANCELED";
  /** Number of changes that were applied. */
  revision: number;
  /** The event of the change. */
  event?: TaskfoldEvent;
  /** Finished work, remaining work and risks. */
  handoff: TasksMacroFinishHandoff | null;
  /** Set when the focus named the plan or task. */
  target_from?: "focus" | "workspace_focus";
}

/** Tasks macro finish handoff. */
export interface TasksMacroFinishHandoff {
  /** Id of the workspace. */
  workspace?: string;
  /** The plan or task. */
  target?: TargetState;
  /** The moment that the answer is about: a revision or an event id. */
  at?: number | string;
  /** Finished work, remaining work and risks. */
  handoff?: TasksHandoffHandoff;
  /** One screen: now, why, verify, next, blockers. */
  radar?: Radar;
  /** The steps. */
  steps?: TasksContextPackSteps;
  /** The tasks. */
  tasks?: TasksContextPackTasks;
  /** Parts that were cut to fit `max_chars`. */
  budget?: BudgetReport;
}

/** Input of `tasks_macro_start`. Start work: make a task with steps (or from a template), focus it, and answer with everything to begin from. Without a plan it goes to the focused one, else to Inbox. */
export interface TasksMacroStartInput extends ExpectedInput {
  /** Id of the workspace. */
  workspace: string;
  /** Id of its plan. */
  plan?: string;
  /** Another name for plan. */
  parent?: string;
  /** Makes a plan of this title. */
  plan_title?: string;
  /** Template for the plan that plan_title makes. */
  plan_template?: string;
  /** One line, 1 to 200 characters. */
  task_title: string;
  /** Purpose and scope. */
  description?: string;
  /** Its priority, in words. */
  priority?: string;
  /** Its tags. */
  tags?: string[];
  /** Ids to be DONE first. */
  depends_on?: string[];
  /** Template for the task, in place of steps. */
  template?: string;
  /** Steps in order. */
  steps?: TestedStepInput[];
  /** Whether each step waits for the one before it. */
  ordered?: boolean;
  /** Whether closing the last step completes the task, and the end of the last task its plan; null, or left out: as its plan says. */
  complete_when_done?: boolean;
  /** Cards of reasoning, each supporting the one before it, and a note of the decision. */
  think?: ThinkInput;
  /** The result fits max(max_chars, 256) characters of compact JSON. */
  resume_max_chars?: number;
}

/** Answer of `tasks_macro_start` when it succeeds. */
export interface TasksMacroStartResult {
  /** Id of the task. */
  task_id: string;
  /** Id of the task, with the workspace before it. */
  task_qualified_id: string;
  /** Id of the plan. */
  plan_id: string;
  /** Id of the plan, with the workspace before it. */
  plan_qualified_id: string;
  /** Whether the call created the plan. */
  plan_created: boolean;
  /** The steps. */
  steps: StepReference[];
  /** The cards that were laid down. */
  think_pipeline?: ThinkPipeline;
  /** The call moved the focus to its target. */
  focus_restored: boolean;
  /** Id of the focus before the call; null without one. */
  focus_previous: string | null;
  /** Everything that an agent needs to go on. */
  resume: SuperResume | null;
  /** Set when the focus named the plan or task. */
  target_from?: "focus" | "workspace_focus";
}

/** Input of `tasks_mirror`. Export a plan with its tasks, or a task's steps (or those below one step) with their task nodes, as flat rows. */
export interface TasksMirrorInput extends SelectedInput, SelectedStepInput {
  /** Rows, 50 by default, at most 200. */
  limit?: number;
  /** next_cursor of the pagination of the call before. */
  cursor?: number;
  /** The result fits max(max_chars, 256) characters of compact JSON. */
  max_chars?: number;
  /** Default true. */
  read_only?: boolean;
}

/** Tasks mirror result form. */
export interface TasksMirrorResultForm {
  /** Id of the workspace. */
  workspace?: string;
  /** Subject of the rows. */
  scope?: TasksMirrorResultFormScope;
  /** The plan. */
  plan?: TasksMirrorResultFormPlan;
  /** The tasks. */
  tasks?: TasksMirrorResultFormTask[];
  /** Which page this is. */
  pagination?: Pagination;
  /** Parts that were cut to fit `max_chars`. */
  budget?: BudgetReport;
  /** Set when the focus named the plan or task. */
  target_from?: "focus" | "workspace_focus";
}

/** Tasks mirror result form scope. */
export interface TasksMirrorResultFormScope {
  /** Its id. */
  id: string;
  /** Its kind. */
  kind: "plan" | "task";
}

/** Tasks mirror result form plan. */
export interface TasksMirrorResultFormPlan {
  /** Its title. */
  title: string;
  /** Its status. */
  status: "TODO" | "ACTIVE" | "DONE" | "FAILED" | "CANCELED";
  /** When it became DONE, FAILED or CANCELED. */
  ended_at?: string | null;
  /** Actor that ended it. */
  ended_by?: string | null;
  /** The contract: what the work has to fulfil. */
  contract: string | null;
  /** The contract as data. */
  contract_data?: Json;
  /** The checklist of the plan. */
  checklist: Checklist;
  /** How far the plan is, in words. */
  plan_progress: string;
}

/** Checklist. */
export interface Checklist {
  /** Name of the document. */
  doc: string;
  /** Position in the checklist, counted from 0. */
  current: number;
  /** Lines of the checklist. */
  steps: string[];
}

/** Tasks mirror result form task. */
export interface TasksMirrorResultFormTask {
  /** Its id. */
  id: string;
  /** Its kind. */
  kind: "plan" | "task";
  /** Its title. */
  title: string;
  /** Its status. */
  status: "TODO" | "ACTIVE" | "DONE" | "FAILED" | "CANCELED";
  /** Number of changes that were applied. */
  revision: number;
  /** Id of what it belongs to; null without one. */
  parent: string | null;
  /** Its priority, in words. */
  priority?: string;
  /** Its tags. */
  tags?: string[];
  /** Tasks that have to be DONE before. */
  depends_on?: string[];
  /** Tasks that it waits for. */
  waits_for?: string[];
  /** How many steps there are, and how many are closed. */
  steps: PlanRowSteps;
  /** Whether every step is closed and the task is not ended. */
  ready_to_complete?: true;
  /** Closed steps, or DONE tasks, in percent. */
  progress: number;
  /** When it was changed last. */
  updated_at: string;
  /** Codes of what each read of it warns of, where its log is not whole. */
  log_warnings?: string[];
  /** Whether it was deleted. */
  deleted?: true;
  /** When it became DONE, FAILED or CANCELED. */
  ended_at?: string | null;
  /** Actor that ended it. */
  ended_by?: string | null;
}

/** Tasks mirror result form2. */
export interface TasksMirrorResultForm2 {
  /** Id of the workspace. */
  workspace?: string;
  /** Subject of the rows. */
  scope?: TasksMirrorResultForm2Scope;
  /** Id of the plan or task. */
  task?: TasksMirrorResultForm2Task;
  /** The steps. */
  steps?: TasksMirrorResultForm2Step[];
  /** Which page this is. */
  pagination?: Pagination;
  /** Parts that were cut to fit `max_chars`. */
  budget?: BudgetReport;
  /** Set when the focus named the plan or task. */
  target_from?: "focus" | "workspace_focus";
}

/** Tasks mirror result form2scope. */
export interface TasksMirrorResultForm2Scope {
  /** Its id. */
  id: string;
  /** Its kind. */
  kind: "plan" | "task";
  /** Path of the step or task node. */
  path?: string;
  /** Stable id of the step. */
  step_id?: string;
}

/** Tasks mirror result form2task. */
export interface TasksMirrorResultForm2Task {
  /** Its title. */
  title: string;
  /** Its status. */
  status: "TODO" | "ACTIVE" | "DONE" | "FAILED" | "CANCELED";
  /** When it became DONE, FAILED or CANCELED. */
  ended_at?: string | null;
  /** Actor that ended it. */
  ended_by?: string | null;
}

/** Tasks mirror result form2step. */
export interface TasksMirrorResultForm2Step {
  /** Stable id of the step. */
  step_id: string;
  /** Path of the step or task node. */
  path: string;
  /** Its title. */
  title: string;
  /** Whether the step is closed. */
  done: boolean;
  /** How many steps are blocked. */
  blocked: boolean;
  /** When it was closed. */
  done_at?: string | null;
  /** Actor that closed it. */
  done_by?: string | null;
  /** Whether it names the packet of its task. */
  packet?: boolean;
  /** The claim; null without one. */
  lease?: Lease;
  /** Why the step is blocked. */
  block_reason?: string;
  /** Checkpoints that are not confirmed. */
  missing_checkpoints?: ("criteria" | "tests" | "security" | "perf" | "docs")[];
  /** Checkpoints that need proof and have none. */
  missing_proofs?: ("criteria" | "tests" | "security" | "perf" | "docs")[];
  /** Obstacles to it. */
  blockers?: string[];
  /** Tasks that have to be DONE before. */
  depends_on?: string[];
  /** Tasks that it waits for. */
  waits_for?: string[];
  /** Task nodes. */
  task_nodes?: TaskNodeState[];
}

/** Answer of `tasks_mirror` when it succeeds. */
export type TasksMirrorResult = TasksMirrorResultForm | TasksMirrorResultForm2;

/** Input of `tasks_note`. Write down progress, a finding or a decision, on a step or (without one) on the plan or task. */
export interface TasksNoteInput extends ExpectedInput, SelectedInput, SelectedStepInput {
  /** Kept whole in the log. */
  note: string;
  /** Number of your claim: refuse when it is over. */
  fence?: number;
}

/** Answer of `tasks_note` when it succeeds. */
export type TasksNoteResult = TasksDefineResult;

/** Input of `tasks_patch`. Set, unset, append to or remove from fields of a plan or task, of a step or of a task node, all ops or none. */
export interface TasksPatchInput extends ExpectedInput, SelectedInput {
  /** task_detail: the plan or task itself; task: a task node. Left out, what is named says it. */
  kind?: "task_detail" | "step" | "task";
  /** Path of the step, or of the task node (s:0.t:1). */
  path?: string;
  /** Stable id of the step. */
  step_id?: string;
  /** Stable id of the task node. */
  task_node_id?: string;
  /** In order. */
  ops: PatchOperation[];
  /** Number of your claim: refuse when it is over. */
  fence?: number;
}

/** Tasks patch result form. */
export interface TasksPatchResultForm extends ChangedResult {
  /** Its id. */
  id: string;
  /** Its kind. */
  kind: "plan" | "task";
  /** Its title. */
  title: string;
  /** The event of the change. */
  event?: TaskfoldEvent;
  /** Events, in order. */
  events?: TaskfoldEvent[];
  /** Whether the ops changed anything; if not, no event was written. */
  changed: boolean;
}

/** Tasks patch result form2. */
export interface TasksPatchResultForm2 extends ChangedResult {
  /** Id of the plan or task. */
  task: string;
  /** Its kind. */
  kind: "plan" | "task";
  /** The step; null when the call was about the whole. */
  step: StepState | null;
  /** The event of the change. */
  event?: TaskfoldEvent;
  /** Events, in order. */
  events?: TaskfoldEvent[];
  /** Whether the ops changed anything; if not, no event was written. */
  changed: boolean;
}

/** Tasks patch result form3. */
export interface TasksPatchResultForm3 extends ChangedResult {
  /** Id of the plan or task. */
  task: string;
  /** Its kind. */
  kind: "plan" | "task";
  /** The task node; null without one. */
  task_node: TaskNodeReference | null;
  /** The event of the change. */
  event?: TaskfoldEvent;
  /** Events, in order. */
  events?: TaskfoldEvent[];
  /** Whether the ops changed anything; if not, no event was written. */
  changed: boolean;
}

/** Task node reference. */
export interface TaskNodeReference {
  /** Stable id of the task node. */
  task_node_id: string;
  /** Path of the step or task node. */
  path: string;
  /** Stable id of the step. */
  step_id: string;
  /** Its title. */
  title: string;
  /** Its status. */
  status: "TODO" | "ACTIVE" | "DONE" | "FAILED" | "CANCELED";
}

/** Answer of `tasks_patch` when it succeeds. */
export type TasksPatchResult = TasksPatchResultForm | TasksPatchResultForm2 | TasksPatchResultForm3;

/** Input of `tasks_plan`. Replace the checklist of a plan, say how many of its items are behind, or go on to the next one. */
export interface TasksPlanInput extends ExpectedInput, SelectedInput {
  /** Replaces the checklist. */
  steps?: string[];
  /** How many items are behind. */
  current?: number;
  /** One line, 1 to 200 characters. */
  doc?: string;
  /** One more item is behind. */
  advance?: boolean;
  /** Number of your claim: refuse when it is over. */
  fence?: number;
}

/** Answer of `tasks_plan` when it succeeds. */
export interface TasksPlanResult {
  /** The plan. */
  plan: TasksPlanPlan;
  /** The event of the change. */
  event?: TaskfoldEvent;
  /** Events, in order. */
  events?: TaskfoldEvent[];
  /** Set when the focus named the plan or task. */
  target_from?: "focus" | "workspace_focus";
}

/** Tasks plan plan. */
export interface TasksPlanPlan {
  /** Its id. */
  id: string;
  /** Its kind. */
  kind: "plan" | "task";
  /** Number of changes that were applied. */
  revision: number;
  /** Digest of the log's heads, for `expected_head`. */
  head: string;
  /** Its title. */
  title: string;
  /** The checklist of the plan. */
  checklist: Checklist;
  /** How far the plan is, in words. */
  plan_progress: string;
}

/** Input of `tasks_progress`. Close a step like tasks_done, if need be by force past a block or open steps below it, or reopen it. */
export interface TasksProgressInput extends ExpectedInput, SelectedInput, SelectedStepInput {
  /** false reopens the step. */
  completed?: boolean;
  /** Pass a block, steps waited for or open steps below; never a checkpoint or a proof. */
  force?: boolean;
  /** Why it is forced (required where force passes something), or why it is reopened. */
  reason?: string;
  /** Number of your claim: refuse when it is over. */
  fence?: number;
}

/** Answer of `tasks_progress` when it succeeds. */
export interface TasksProgressResult extends ChangedResult {
  /** Id of the plan or task. */
  task: string;
  /** Its kind. */
  kind: "plan" | "task";
  /** The step; null when the call was about the whole. */
  step: StepState | null;
  /** Its status. */
  status: "TODO" | "ACTIVE" | "DONE" | "FAILED" | "CANCELED";
  /** Counts of the task's steps. */
  steps: StepCounts;
  /** The event of the change. */
  event?: TaskfoldEvent;
  /** Events, in order. */
  events?: TaskfoldEvent[];
  /** How many steps are closed. */
  completed: boolean;
}

/** Input of `tasks_radar`. Show on one screen where a plan or task stands: now, why, what to verify, what is next, what stands in the way. */
export interface TasksRadarInput extends SelectedInput {
  /** The moment that the answer is about: a revision or an event id. */
  at?: number | string;
  /** The result fits max(max_chars, 256) characters of compact JSON. */
  max_chars?: number;
  /** Default true. */
  read_only?: boolean;
}

/** Answer of `tasks_radar` when it succeeds. */
export interface TasksRadarResult {
  /** Id of the workspace. */
  workspace?: string;
  /** The plan or task. */
  target?: TargetState;
  /** The moment that the answer is about: a revision or an event id. */
  at?: number | string;
  /** Id of the plan or task in focus; null without one. */
  focus?: string | null;
  /** One screen: now, why, verify, next, blockers. */
  radar?: Radar;
  /** The steps. */
  steps?: TasksContextPackSteps;
  /** The tasks. */
  tasks?: TasksContextPackTasks;
  /** Parts that were cut to fit `max_chars`. */
  budget?: BudgetReport;
  /** Set when the focus named the plan or task. */
  target_from?: "focus" | "workspace_focus";
}

/** Input of `tasks_redo`. Bring the change that was undone last into effect again. Any other change since then rules it out. */
export type TasksRedoInput = PacketRestoreInput;

/** Answer of `tasks_redo` when it succeeds. */
export interface TasksRedoResult extends ChangedResult {
  /** Id of the plan or task. */
  task: string;
  /** Its kind. */
  kind: "plan" | "task";
  /** Id of the change: the id of its first event. */
  op: string | null;
  /** The fields that were written. */
  fields: string[];
  /** The event of the change. */
  event?: TaskfoldEvent;
  /** Events, in order. */
  events?: TaskfoldEvent[];
}

/** Input of `tasks_release`. Give a claim on a step, plan or task back, or end another's by force and with a reason. */
export interface TasksReleaseInput extends ExpectedInput, SelectedInput, SelectedStepInput {
  /** Ends another caller's claim before it expires. */
  force?: boolean;
  /** Why; required with force. */
  reason?: string;
  /** Number of your claim: refuse when it is over. */
  fence?: number;
}

/** Answer of `tasks_release` when it succeeds. */
export type TasksReleaseResult = TasksClaimResult;

/** Input of `tasks_report`. Report the outcome of a plan or task, agent by agent, into shared/reports/joined-summary.md. Parts that are not given come from the steps closed, the proof and the decisions. */
export interface TasksReportInput extends ExpectedInput, SelectedInput {
  /** One line, 1 to 200 characters. */
  title?: string;
  /** The outcome in all. */
  summary?: string;
  /** Replaces, member by member, what is known of an agent. */
  agents?: TasksReportAgent[];
  /** Number of your claim: refuse when it is over. */
  fence?: number;
}

/** Tasks report agent. */
export interface TasksReportAgent {
  /** Name of the agent, such as w1 for agent:w1. */
  instance: string;
  /** Its status. */
  status?: "success" | "working" | "blocked" | "failed";
  /** In short. */
  summary?: string;
  /** With the evidence they rest on. */
  conclusions?: (string | TasksReportAgentConclusion)[];
  /** Open questions. */
  questions?: string[];
  /** Next actions. */
  next_actions?: string[];
}

/** Tasks report agent conclusion. */
export interface TasksReportAgentConclusion {
  /** The text. */
  text: string;
  /** Evidence that the conclusion cites. */
  evidence?: string[];
}

/** Answer of `tasks_report` when it succeeds. */
export interface TasksReportResult extends ChangedResult {
  /** Id of the plan or task. */
  task: string;
  /** Its kind. */
  kind: "plan" | "task";
  /** Name of the file. */
  file: string;
  /** The event of the change. */
  event?: TaskfoldEvent;
  /** Events, in order. */
  events?: TaskfoldEvent[];
}

/** Input of `tasks_restore`. Bring a task back that was archived. With plan and tasks: let the plan name those no more that a merge brought back. */
export interface TasksRestoreInput extends ExpectedInput, SelectedInput {
  /** The tasks. */
  tasks?: string[];
  /** Number of your claim: refuse when it is over. */
  fence?: number;
}

/** Answer of `tasks_restore` when it succeeds. */
export interface TasksRestoreResult extends ChangedResult {
  /** Its id. */
  id: string;
  /** Its kind. */
  kind: "plan" | "task";
  /** Its title. */
  title: string;
  /** The event of the change. */
  event?: TaskfoldEvent;
  /** Events, in order. */
  events?: TaskfoldEvent[];
  /** Whether it is in the archive, how many are, or which went there. */
  archived: boolean;
}

/** Input of `tasks_resume`. Load a plan or task whole: its fields, its steps one by one, its radar, and what happened last. */
export interface TasksResumeInput extends SelectedInput {
  /** How many of the last events, 20 by default, at most 200. */
  events_limit?: number;
  /** The result fits max(max_chars, 256) characters of compact JSON. */
  max_chars?: number;
  /** Default true. */
  read_only?: boolean;
}

/** Answer of `tasks_resume` when it succeeds. */
export interface TasksResumeResult {
  /** Id of the workspace. */
  workspace?: string;
  /** The plan or task. */
  target?: TargetState;
  /** Id of the plan or task in focus; null without one. */
  focus?: string | null;
  /** The call moved the focus to its target. */
  focus_restored?: true;
  /** Id of the focus before the call; null without one. */
  focus_previous?: string | null;
  /** One screen: now, why, verify, next, blockers. */
  radar?: Radar;
  /** The steps. */
  steps?: TasksContextPackSteps;
  /** The tasks. */
  tasks?: TasksContextPackTasks;
  /** The fields of the plan or task. */
  detail?: TasksResumeDetail;
  /** The steps, one by one. */
  step_list?: TasksResumeStepList[];
  /** The last events. */
  timeline?: Timeline;
  /** Parts that were cut to fit `max_chars`. */
  budget?: BudgetReport;
  /** Set when the focus named the plan or task. */
  target_from?: "focus" | "workspace_focus";
}

/** Tasks resume detail. */
export interface TasksResumeDetail {
  /** Its subject. */
  description?: string;
  /** Knowledge that an agent needs to take over. */
  context?: string | null;
  /** The contract: what the work has to fulfil. */
  contract?: string | null;
  /** The contract as data. */
  contract_data?: Json;
  /** Its priority, in words. */
  priority: string;
  /** Its tags. */
  tags: string[];
  /** Tasks that have to be DONE before. */
  depends_on: string[];
  /** Whether closing the last step completes the task, and the end of the last task its plan; null, or left out: as its plan says. */
  complete_when_done?: boolean;
}

/** Tasks resume step list. */
export interface TasksResumeStepList {
  /** Stable id of the step. */
  step_id: string;
  /** Path of the step or task node. */
  path: string;
  /** Its title. */
  title: string;
  /** Whether the step is closed. */
  done: boolean;
  /** Whether the step is blocked. */
  blocked: boolean;
  /** When it was closed. */
  done_at?: string | null;
  /** Actor that closed it. */
  done_by?: string | null;
  /** Whether it names the packet of its task; left out if not. */
  packet?: boolean;
  /** Why the step is blocked. */
  block_reason?: string | null;
  /** When it counts as done. */
  success_criteria?: string[];
  /** How it is checked. */
  tests?: string[];
  /** Obstacles to it. */
  blockers?: string[];
  /** Tasks that have to be DONE before. */
  depends_on?: string[];
  /** Tasks that it waits for. */
  waits_for?: string[];
  /** Files that were read. */
  files?: string[];
  /** Checkpoints that another actor confirms; left out if there are none. */
  confirm?: string[];
  /** Checkpoints that are confirmed. */
  confirmed?: ("criteria" | "tests" | "security" | "perf" | "docs")[];
  /** Checkpoints that are not confirmed. */
  missing_checkpoints: ("criteria" | "tests" | "security" | "perf" | "docs")[];
  /** Checkpoints that need proof and have none. */
  missing_proofs: ("criteria" | "tests" | "security" | "perf" | "docs")[];
  /** Whether tests need attached proof. */
  proof_tests_mode?: "off" | "warn" | "require" | "captured" | "repeated" | "attested";
  /** Whether security needs attached proof. */
  proof_security_mode?: "off" | "warn" | "require" | "captured" | "repeated" | "attested";
  /** Whether performance needs attached proof. */
  proof_perf_mode?: "off" | "warn" | "require" | "captured" | "repeated" | "attested";
  /** Whether documentation needs attached proof. */
  proof_docs_mode?: "off" | "warn" | "require" | "captured" | "repeated" | "attested";
  /** Whether proof of tests is attached. */
  proof_tests_present?: boolean;
  /** Whether proof of security is attached. */
  proof_security_present?: boolean;
  /** Whether proof of performance is attached. */
  proof_perf_present?: boolean;
  /** Whether proof of documentation is attached. */
  proof_docs_present?: boolean;
  /** Highest degree of the proof of tests; absent for a claim. */
  proof_tests_degree?: "claimed" | "captured" | "repeated" | "attested";
  /** Highest degree of the proof of security; absent for a claim. */
  proof_security_degree?: "claimed" | "captured" | "repeated" | "attested";
  /** Highest degree of the proof of perf; absent for a claim. */
  proof_perf_degree?: "claimed" | "captured" | "repeated" | "attested";
  /** Highest degree of the proof of docs; absent for a claim. */
  proof_docs_degree?: "claimed" | "captured" | "repeated" | "attested";
  /** Task nodes. */
  task_nodes?: TaskNodeState[];
}

/** Input of `tasks_resume_pack`. Take up a plan or task again: its radar, what happened last, what was decided and seen, what stands in the way. */
export interface TasksResumePackInput extends SelectedInput {
  /** How many of the last events, 20 by default, at most 200. */
  events_limit?: number;
  /** How many of the last decisions, 5 by default, at most 200. */
  decisions_limit?: number;
  /** How many of the last evidence entries, 5 by default, at most 200. */
  evidence_limit?: number;
  /** The result fits max(max_chars, 256) characters of compact JSON. */
  max_chars?: number;
  /** Default true. */
  read_only?: boolean;
}

/** Answer of `tasks_resume_pack` when it succeeds. */
export interface TasksResumePackResult {
  /** Id of the workspace. */
  workspace?: string;
  /** The plan or task. */
  target?: TargetState;
  /** Id of the plan or task in focus; null without one. */
  focus?: string | null;
  /** The call moved the focus to its target. */
  focus_restored?: true;
  /** Id of the focus before the call; null without one. */
  focus_previous?: string | null;
  /** One screen: now, why, verify, next, blockers. */
  radar?: Radar;
  /** The steps. */
  steps?: TasksContextPackSteps;
  /** The tasks. */
  tasks?: TasksContextPackTasks;
  /** Task nodes. */
  task_nodes?: SuperResumeTaskNodes;
  /** The last events. */
  timeline?: Timeline;
  /** Blockers, decisions and evidence. */
  signals?: SuperResumeSignals;
  /** Parts that were cut to fit `max_chars`. */
  budget?: BudgetReport;
  /** Set when the focus named the plan or task. */
  target_from?: "focus" | "workspace_focus";
}

/** Input of `tasks_resume_super`. Take up a plan or task again with everything: radar, steps, capsule, signals, notes, trace, cards, last events, and what is missing of it. */
export interface TasksResumeSuperInput extends SelectedInput {
  /** How many of the last events, 20 by default, at most 200. */
  events_limit?: number;
  /** How many of the last decisions, 5 by default, at most 200. */
  decisions_limit?: number;
  /** How many of the last evidence entries, 5 by default, at most 200. */
  evidence_limit?: number;
  /** How many lines on what stands in the way, 5 by default, at most 200. */
  blockers_limit?: number;
  /** How many notes, 10 by default, at most 200. */
  notes_limit?: number;
  /** How many lines of the trace, 20 by default, at most 200. */
  trace_limit?: number;
  /** How many cards, 20 by default, at most 200. */
  cards_limit?: number;
  /** next_cursor of memory.notes of an earlier answer. */
  notes_cursor?: string;
  /** next_cursor of memory.trace of an earlier answer. */
  trace_cursor?: string;
  /** next_cursor of memory.cards of an earlier answer. */
  cards_cursor?: string;
  /** next_cursor of graph_diff of an earlier answer. */
  graph_diff_cursor?: string;
  /** How many changes of the graph, 50 by default, at most 200. */
  graph_diff_limit?: number;
  /** The result fits max(max_chars, 256) characters of compact JSON. */
  max_chars?: number;
  /** Default true. */
  read_only?: boolean;
  /** Also compare the cards with those in the base branch of git. */
  graph_diff?: boolean;
}

/** Answer of `tasks_resume_super` when it succeeds. */
export interface TasksResumeSuperResult {
  /** Id of the workspace. */
  workspace?: string;
  /** The plan or task. */
  target?: TargetState;
  /** Id of the plan or task in focus; null without one. */
  focus?: string | null;
  /** The call moved the focus to its target. */
  focus_restored?: true;
  /** Id of the focus before the call; null without one. */
  focus_previous?: string | null;
  /** One screen: now, why, verify, next, blockers. */
  radar?: Radar;
  /** The steps. */
  steps?: SuperResumeSteps;
  /** The tasks. */
  tasks?: TasksContextPackTasks;
  /** Task nodes. */
  task_nodes?: SuperResumeTaskNodes;
  /** Where the reasoning stands. */
  reasoning_ref?: SuperResumeReasoningRef;
  /** Everything that an agent needs to take over, in short. */
  capsule?: SuperResumeCapsule;
  /** Blockers, decisions and evidence. */
  signals?: SuperResumeSignals;
  /** Notes, trace and cards, newest first. */
  memory?: SuperResumeMemory;
  /** The last events. */
  timeline?: Timeline;
  /** How the reasoning differs from the base branch of git. */
  graph_diff?: SuperResumeCapsuleGraphDiff | SuperResumeGraphDiff;
  /** Parts that this answer lacks. */
  degradation?: SuperResumeDegradation;
  /** Parts that were cut to fit `max_chars`. */
  budget?: BudgetReport;
  /** Set when the focus named the plan or task. */
  target_from?: "focus" | "workspace_focus";
}

/** Input of `tasks_scaffold`. Create a plan with a template's checklist, or a task with a template's steps; tasks_templates_list shows them. */
export interface TasksScaffoldInput extends ExpectedInput {
  /** Id of the workspace. */
  workspace: string;
  /** Id of the template, such as basic-task. */
  template: string;
  /** Default: that of the template. */
  kind?: "plan" | "task";
  /** One line, 1 to 200 characters. */
  title: string;
  /** Id of your own; left out, the next number is taken. */
  id?: string;
  /** Id of the plan that a task belongs to. */
  parent?: string;
  /** Makes a plan of this title for the task. */
  plan_title?: string;
  /** Purpose and scope. */
  description?: string;
  /** Its priority, in words. */
  priority?: string;
  /** Its tags. */
  tags?: string[];
  /** Ids to be DONE first. */
  depends_on?: string[];
  /** Whether each step waits for the one before it. */
  ordered?: boolean;
  /** Whether closing the last step completes the task, and the end of the last task its plan; null, or left out: as its plan says. */
  complete_when_done?: boolean;
}

/** Tasks scaffold result form. */
export interface TasksScaffoldResultForm {
  /** The template. */
  template: TasksMirrorResultFormScope;
  /** The plan. */
  plan: TasksScaffoldResultFormPlan;
  /** The checklist of the plan. */
  checklist: Checklist;
  /** How far the plan is, in words. */
  plan_progress: string;
  /** Events, in order. */
  events: TaskfoldEvent[];
  /** Set when the focus named the plan or task. */
  target_from?: "focus" | "workspace_focus";
}

/** Tasks scaffold result form plan. */
export interface TasksScaffoldResultFormPlan {
  /** Its id. */
  id: string;
  /** Its kind. */
  kind: "plan" | "task";
  /** Number of changes that were applied. */
  revision: number;
  /** Digest of the log's heads, for `expected_head`. */
  head: string;
  /** Its title. */
  title: string;
  /** Its id, with the workspace before it. */
  qualified_id: string;
}

/** Tasks scaffold result form2. */
export interface TasksScaffoldResultForm2 {
  /** The template. */
  template: TasksMirrorResultFormScope;
  /** The plan. */
  plan: TasksScaffoldResultForm2Plan | null;
  /** Id of the plan or task. */
  task: TasksScaffoldResultFormPlan;
  /** The steps. */
  steps: StepReference[];
  /** Events, in order. */
  events: TaskfoldEvent[];
  /** Set when the focus named the plan or task. */
  target_from?: "focus" | "workspace_focus";
}

/** Tasks scaffold result form2plan. */
export interface TasksScaffoldResultForm2Plan {
  /** Its id. */
  id: string;
}

/** Answer of `tasks_scaffold` when it succeeds. */
export type TasksScaffoldResult = TasksScaffoldResultForm | TasksScaffoldResultForm2;

/** Input of `tasks_search`. Find the plans and tasks that say a text in their fields, steps, notes or evidence, in any case. */
export interface TasksSearchInput {
  /** Id of the workspace. */
  workspace: string;
  /** The text. */
  text: string;
  /** Of what lies in the archive instead. */
  archived?: boolean;
  /** Rows, 50 by default, at most 200. */
  limit?: number;
  /** next_cursor of the pagination of the call before. */
  cursor?: number;
  /** The result fits max(max_chars, 256) characters of compact JSON. */
  max_chars?: number;
  /** Default true. */
  read_only?: boolean;
}

/** Answer of `tasks_search` when it succeeds. */
export interface TasksSearchResult {
  /** Id of the workspace. */
  workspace?: string;
  /** Later writes of other programs may be missing; left out where nothing can be. */
  as_of?: string;
  /** Plans and tasks in the archive. */
  archived?: number;
  /** Of each plan and task the last notes are searched. */
  notes_not_searched?: number;
  /** The tasks. */
  tasks?: TasksSearchTask[];
  /** Which page this is. */
  pagination?: Pagination;
  /** Parts that were cut to fit `max_chars`. */
  budget?: BudgetReport;
}

/** Tasks search task. */
export interface TasksSearchTask {
  /** Its id. */
  id: string;
  /** Its title. */
  title: string;
  /** Its status. */
  status: "TODO" | "ACTIVE" | "DONE" | "FAILED" | "CANCELED";
  /** Whether it was deleted. */
  deleted?: boolean;
  /** The first five places, each with some text around. */
  found: TasksSearchTaskFound[];
  /** It says the text in more places. */
  more?: boolean;
}

/** Tasks search task found. */
export interface TasksSearchTaskFound {
  /** A field, or the path of a step or note. */
  where: string;
  /** The text. */
  text: string;
}

/** Input of `tasks_snapshot`. Show a plan or task as the next actor needs it: the capsule and everything of tasks_resume_super. Also shows how the cards differ from the base branch of git. */
export interface TasksSnapshotInput extends SelectedInput {
  /** How many of the last events, 20 by default, at most 200. */
  events_limit?: number;
  /** How many of the last decisions, 5 by default, at most 200. */
  decisions_limit?: number;
  /** How many of the last evidence entries, 5 by default, at most 200. */
  evidence_limit?: number;
  /** How many lines on what stands in the way, 5 by default, at most 200. */
  blockers_limit?: number;
  /** How many notes, 10 by default, at most 200. */
  notes_limit?: number;
  /** How many lines of the trace, 20 by default, at most 200. */
  trace_limit?: number;
  /** How many cards, 20 by default, at most 200. */
  cards_limit?: number;
  /** next_cursor of memory.notes of an earlier answer. */
  notes_cursor?: string;
  /** next_cursor of memory.trace of an earlier answer. */
  trace_cursor?: string;
  /** next_cursor of memory.cards of an earlier answer. */
  cards_cursor?: string;
  /** next_cursor of graph_diff of an earlier answer. */
  graph_diff_cursor?: string;
  /** How many changes of the graph, 50 by default, at most 200. */
  graph_diff_limit?: number;
  /** The result fits max(max_chars, 256) characters of compact JSON. */
  max_chars?: number;
  /** Default true. */
  read_only?: boolean;
}

/** Answer of `tasks_snapshot` when it succeeds. */
export type TasksSnapshotResult = TasksResumeSuperResult;

/** Input of `tasks_status`. List what needs an actor in the workspace, each with the call that ends it, and what happened, newest first. */
export interface TasksStatusInput {
  /** Id of the workspace. */
  workspace: string;
  /** Changes after it: an ISO time, a cursor, or visit, your own last change (default). */
  since?: string;
  /** Only of this actor. */
  by?: string;
  /** Read every log. */
  all?: boolean;
  /** The result fits max(max_chars, 256) characters of compact JSON. */
  max_chars?: number;
  /** Default true. */
  read_only?: boolean;
}

/** Answer of `tasks_status` when it succeeds. */
export interface TasksStatusResult {
  /** Id of the workspace. */
  workspace?: string;
  /** Later writes of other programs may be missing; left out where nothing can be. */
  as_of?: string;
  /** Current work. */
  now?: string;
  /** Changes after this moment are told; null where that is no moment. */
  since?: string | null;
  /** Rows of what waits for an actor, by kind, then by id. */
  needs_you?: TasksStatusNeedsYou[];
  /** Changes by day, actor and task, newest first. */
  happened?: TasksStatusHappened[];
  /** Whether there were other changes before these. */
  happened_more?: boolean;
  /** How many were not read. */
  unseen?: TasksStatusUnseen;
  /** Parts that were cut to fit `max_chars`. */
  budget?: BudgetReport;
}

/** Tasks status needs you. */
export interface TasksStatusNeedsYou {
  /** Kind of what waits. */
  what: "complete" | "conflict" | "proof" | "claim_over" | "blocked" | "gate" | "drift" | "note";
  /** Id of the plan or task. */
  task: string;
  /** Its title. */
  title: string;
  /** Stable id of the step. */
  step_id: string | null;
  /** Path of the step or task node. */
  path: string | null;
  /** Why that is so. */
  why: string;
  /** Actors whom it is about: who closed, wrote, claimed or blocked. */
  who: string[];
  /** Since when it waits; null where no log tells. */
  since: string | null;
  /** Actor whose claim refuses what ends it. */
  held?: TasksStatusNeedsYouHeld;
  /** The one call that ends it; null while held. */
  call: TasksStatusNeedsYouCall | null;
  /** The command line that does it, where no tool does the same. */
  command?: string;
}

/** Tasks status needs you held. */
export interface TasksStatusNeedsYouHeld {
  /** Actor. */
  by: string;
  /** When the claim ends. */
  until: string;
}

/** Tasks status needs you call. */
export interface TasksStatusNeedsYouCall {
  /** Name of the tool. */
  tool: string;
  /** Input of the call. */
  input: JsonObject;
}

/** Tasks status happened. */
export interface TasksStatusHappened {
  /** Day in UTC. */
  day: string;
  /** Actor of the change. */
  by: string;
  /** Id of the plan or task. */
  task: string;
  /** Its title. */
  title: string;
  /** Time of the first change. */
  since: string;
  /** Time of the last change. */
  until: string;
  /** Items on this page. */
  count: number;
  /** What changed. */
  changes?: TasksStatusHappenedChange[];
}

/** Tasks status happened change. */
export interface TasksStatusHappenedChange {
  /** When, in UTC with milliseconds. */
  ts: string;
  /** One sentence for people. */
  message: string;
}

/** Tasks status unseen. */
export interface TasksStatusUnseen {
  /** The plans. */
  plans: number;
  /** The tasks. */
  tasks: number;
  /** How many ended ones were not read. */
  ended: number;
  /** Whether it is in the archive. */
  archived: number;
}

/** Input of `tasks_storage`. Tell the folder that holds plans and tasks on this machine, and the names that reasoning is kept under. */
export type TasksStorageInput = TasksFocusGetInput;

/** Answer of `tasks_storage` when it succeeds. */
export interface TasksStorageResult {
  /** Id of the workspace. */
  workspace: string;
  /** The folder that holds everything. */
  storage_dir: string | null;
  /** The folders, from the storage folder. */
  folders: TasksStorageFolders;
  /** Values that the engine assumes if a call gives none. */
  defaults: SuperResumeReasoningRef;
  /** All that a server or program serves, where it serves several. */
  workspaces?: TasksStorageWorkspace[];
}

/** Tasks storage folders. */
export interface TasksStorageFolders {
  /** Folder of plans and tasks. */
  tasks: string;
  /** Folder of deleted plans and tasks. */
  archive: string;
  /** Folder of what belongs to this machine alone. */
  registry: string;
  /** Folder of the locks. */
  locks: string;
}

/** Tasks storage workspace. */
export interface TasksStorageWorkspace {
  /** Id of the workspace. */
  workspace: string | null;
  /** Hash of the first event of the plan or task. */
  root: string;
  /** Whether calls that may leave out the workspace mean this one. */
  default: boolean;
  /** Refused call and the reason; null after success. */
  error: TasksStorageWorkspaceError | null;
}

/** Tasks storage workspace error. */
export interface TasksStorageWorkspaceError {
  /** Code of the problem. */
  code: string;
  /** One sentence for people. */
  message: string;
}

/** Input of `tasks_task_add`. Write down a piece of work inside a step: what it is, what it builds on, what is next. It gates nothing. */
export interface TasksTaskAddInput extends ExpectedInput, SelectedInput {
  /** Path or id of the step it stands in. */
  parent_step: string;
  /** One line, 1 to 200 characters. */
  title: string;
  /** TODO when left out of a new node. */
  status?: "TODO" | "ACTIVE" | "DONE" | "FAILED" | "CANCELED";
  /** Free text; MEDIUM when left out of a new node. */
  priority?: string;
  /** Its subject. */
  description?: string | null;
  /** Knowledge that an agent needs to take over. */
  context?: string | null;
  /** When it counts as done. */
  success_criteria?: string[];
  /** Next actions in it. */
  next_steps?: string[];
  /** Obstacles. */
  blockers?: string[];
  /** Work it builds on, in words. */
  dependencies?: string[];
  /** Problems so far. */
  problems?: string[];
  /** Possible problems. */
  risks?: string[];
  /** Number of your claim: refuse when it is over. */
  fence?: number;
}

/** Answer of `tasks_task_add` when it succeeds. */
export interface TasksTaskAddResult extends ChangedResult {
  /** Id of the plan or task. */
  task: string;
  /** Its kind. */
  kind: "plan" | "task";
  /** The task node; null without one. */
  task_node: TaskNodeReference | null;
  /** The event of the change. */
  event?: TaskfoldEvent;
  /** Events, in order. */
  events?: TaskfoldEvent[];
}

/** Input of `tasks_task_define`. Set fields of a task node inside a step; fields that are not given stay, a list replaces the list. */
export interface TasksTaskDefineInput extends ExpectedInput, SelectedInput {
  /** Stable id of the task node. */
  task_node_id?: string;
  /** Path of the task node, such as s:0.t:1. */
  path?: string;
  /** One line, 1 to 200 characters. */
  title?: string;
  /** TODO when left out of a new node. */
  status?: "TODO" | "ACTIVE" | "DONE" | "FAILED" | "CANCELED";
  /** Free text; MEDIUM when left out of a new node. */
  priority?: string;
  /** Its subject. */
  description?: string | null;
  /** Knowledge that an agent needs to take over. */
  context?: string | null;
  /** When it counts as done. */
  success_criteria?: string[];
  /** Next actions in it. */
  next_steps?: string[];
  /** Obstacles. */
  blockers?: string[];
  /** Work it builds on, in words. */
  dependencies?: string[];
  /** Problems so far. */
  problems?: string[];
  /** Possible problems. */
  risks?: string[];
  /** Number of your claim: refuse when it is over. */
  fence?: number;
}

/** Answer of `tasks_task_define` when it succeeds. */
export type TasksTaskDefineResult = TasksTaskAddResult;

/** Input of `tasks_task_delete`. Delete a task node inside a step; its path is never given to another. */
export interface TasksTaskDeleteInput extends ExpectedInput, SelectedInput {
  /** Stable id of the task node. */
  task_node_id?: string;
  /** Path of the task node, such as s:0.t:1. */
  path?: string;
  /** Number of your claim: refuse when it is over. */
  fence?: number;
}

/** Answer of `tasks_task_delete` when it succeeds. */
export type TasksTaskDeleteResult = TasksTaskAddResult;

/** Input of `tasks_templates_list`. List the built-in templates for plans and tasks, with their checklists, steps and proof modes. */
export type TasksTemplatesListInput = TasksFocusGetInput;

/** Answer of `tasks_templates_list` when it succeeds. */
export interface TasksTemplatesListResult {
  /** Id of the workspace. */
  workspace: string;
  /** The templates. */
  templates: TasksTemplatesListTemplate[];
}

/** Tasks templates list template. */
export interface TasksTemplatesListTemplate {
  /** Its id. */
  id: string;
  /** Its kind. */
  kind: "plan" | "task";
  /** Its title. */
  title: string;
  /** Purpose of the template. */
  description: string;
  /** Lines of the checklist. */
  plan_steps?: string[];
  /** The steps. */
  steps?: StepInput[];
}

/** Input of `tasks_think`. Write down the reasoning about a plan or task. It is frame, hypothesis, test, evidence and decision as cards that support each other, or a line of the trace. */
export interface TasksThinkInput extends ExpectedInput, SelectedInput {
  /** A card that says what the question is. */
  frame?: string | CardInput;
  /** A card that says what is assumed. */
  hypothesis?: string | CardInput;
  /** A card that says how the hypothesis is tested. */
  test?: string | CardInput;
  /** A card about what was seen. */
  evidence?: string | CardInput;
  /** The decision. */
  decision?: string | CardInput;
  /** A word on each card; open when left out. */
  status?: CardStatuses;
  /** Also write the decision down as a note. */
  note_decision?: boolean;
  /** Heads that note; "Decision" when left out. */
  note_title?: string;
  /** Of that note. Default text. */
  note_format?: "text" | "markdown";
  /** A step of thought that is no card. */
  trace?: string;
  /** Number of your claim: refuse when it is over. */
  fence?: number;
}

/** Answer of `tasks_think` when it succeeds. */
export interface TasksThinkResult extends ChangedResult {
  /** Id of the plan or task. */
  task: string;
  /** Its kind. */
  kind: "plan" | "task";
  /** The cards that were laid down. */
  think_pipeline: ThinkPipeline;
  /** The event of the change. */
  event?: TaskfoldEvent;
  /** Events, in order. */
  events?: TaskfoldEvent[];
}

/** Input of `tasks_undo`. Take back the last change of a plan or task, or the one that op names. Refused when a later change builds on it. */
export interface TasksUndoInput extends ExpectedInput, SelectedInput {
  /** Event id of the op to undo; needed for another caller's. */
  op?: string;
  /** Number of your claim: refuse when it is over. */
  fence?: number;
}

/** Answer of `tasks_undo` when it succeeds. */
export type TasksUndoResult = TasksRedoResult;

/** Input of `tasks_verify`. Confirm checkpoints of a step, or take a confirmation back, which opens a closed step again. */
export type TasksVerifyInput = TasksCloseStepInput;

/** Answer of `tasks_verify` when it succeeds. */
export type TasksVerifyResult = TasksDefineResult;

/** Answer of `packet_plan` to a call without `max_chars`. */
export interface PacketPlanWhole extends PacketPlanResult {
  task: string;
  kind: "plan" | "task";
  revision: number;
  head: string;
  group: string;
  profile: string;
  flags: Record<string, boolean>;
  options: Record<string, string>;
  stages: PacketPlanStage[];
  config_sha256: string;
}

/** Answer of `packet_show` to a call without `max_chars`. */
export interface PacketShowWhole extends PacketShowResult {
  task: string;
  kind: "plan" | "task";
  revision: number;
  head: string;
  packet: PacketBudgetResetPacket;
  next: PacketNext;
  inputs: PacketShowInput2[];
  override: string[] | null;
}

/** Answer of `recall_taskdoc` to a call without `max_chars`. */
export interface RecallTaskdocWhole extends RecallTaskdocResult {
  task: string;
  kind: "plan" | "task";
  revision: number;
  head: string;
  category: string | null;
  selector: string;
  path: string;
  content: string;
  bytes: number;
  sha256: string;
  updated_at: string | null;
  updated_by: string | null;
  updated_revision: number | null;
}

/** Answer of `tasks_claim_next` to a call without `max_chars`. */
export interface TasksClaimNextWhole extends TasksClaimNextResult {
  task: string;
  kind: "plan" | "task";
  revision: number;
  head: string;
  step: StepState | null;
  lease: Lease | null;
  work: TasksClaimNextWork;
}

/** Answer of `tasks_context` to a call without `max_chars`. */
export interface TasksContextWhole extends TasksContextResult {
  workspace: string;
  focus: string | null;
  counts: TasksContextCounts;
  by_status: Record<string, number>;
  archived: number;
  plans: PlanRow[];
  tasks: TaskRow[];
  plans_pagination: Pagination;
  tasks_pagination: Pagination;
}

/** Answer of `tasks_context_pack` to a call without `max_chars`. */
export interface TasksContextPackWhole extends TasksContextPackResult {
  workspace: string;
  target: TargetState;
  focus: string | null;
  radar: Radar;
  tasks?: TasksContextPackWholeTasks;
  delta: Timeline;
}

/** Tasks context pack whole tasks. */
export interface TasksContextPackWholeTasks extends TasksContextPackTasks {
  counts: TasksContextPackTasksCounts;
  ready?: TasksContextPackWholeTasksReady[];
  claimed?: TasksContextPackWholeTasksClaimed[];
  blocked?: TasksContextPackWholeTasksBlocked[];
  at_risk?: TasksContextPackWholeTasksBlocked[];
  in_conflict?: TasksContextPackWholeTasksBlocked[];
  ready_to_complete?: TasksContextPackWholeTasksReadyToComplete[];
}

/** Tasks context pack whole tasks ready. */
export interface TasksContextPackWholeTasksReady extends TasksContextPackTasksReady {
  title: string;
}

/** Tasks context pack whole tasks claimed. */
export interface TasksContextPackWholeTasksClaimed extends TasksContextPackTasksClaimed {
  title: string;
}

/** Tasks context pack whole tasks blocked. */
export interface TasksContextPackWholeTasksBlocked extends TasksContextPackTasksBlocked {
  title: string;
}

/** Tasks context pack whole tasks ready to complete. */
export interface TasksContextPackWholeTasksReadyToComplete extends TasksContextPackTasksReadyToComplete {
  title: string;
}

/** Answer of `tasks_delta` to a call without `max_chars`. */
export interface TasksDeltaWhole extends TasksDeltaResult {
  workspace: string;
  cursor: string;
  next: number;
  limit: number;
  events: ShortEvent[];
}

/** Answer of `tasks_evidence_verify` to a call without `max_chars`. */
export interface TasksEvidenceVerifyWhole extends TasksEvidenceVerifyResult {
  workspace: string;
  target: TargetState;
  summary: TasksEvidenceVerifySummary;
  evidence: TasksEvidenceVerifyEvidence[];
  pagination: Pagination;
}

/** Answer of `tasks_handoff` to a call without `max_chars`. */
export interface TasksHandoffWhole extends TasksHandoffResult {
  workspace: string;
  target: TargetState;
  handoff: TasksHandoffHandoff;
  radar: Radar;
  tasks?: TasksContextPackWholeTasks;
}

/** Answer of `tasks_history` to a call without `max_chars`. */
export interface TasksHistoryWhole extends TasksHistoryResult {
  workspace: string;
  target: TargetState | null;
  operations: TasksHistoryOperation[];
  next_before: number | string | null;
}

/** Answer of `tasks_lint` to a call without `max_chars`. */
export interface TasksLintWhole extends TasksLintResult {
  workspace: string;
  target: TargetState;
  summary: TasksLintSummary;
  issues: TasksLintIssue[];
  context_health: TasksLintContextHealth;
}

/** Tasks mirror whole form. */
export interface TasksMirrorWholeForm extends TasksMirrorResultForm {
  workspace: string;
  scope: TasksMirrorResultFormScope;
  plan: TasksMirrorResultFormPlan;
  tasks: TasksMirrorResultFormTask[];
  pagination: Pagination;
}

/** Tasks mirror whole form2. */
export interface TasksMirrorWholeForm2 extends TasksMirrorResultForm2 {
  workspace: string;
  scope: TasksMirrorResultForm2Scope;
  steps: TasksMirrorResultForm2Step[];
  pagination: Pagination;
}

/** Answer of `tasks_mirror` to a call without `max_chars`. */
export type TasksMirrorWhole = TasksMirrorWholeForm | TasksMirrorWholeForm2;

/** Answer of `tasks_radar` to a call without `max_chars`. */
export interface TasksRadarWhole extends TasksRadarResult {
  workspace: string;
  target: TargetState;
  focus: string | null;
  radar: Radar;
  tasks?: TasksContextPackWholeTasks;
}

/** Answer of `tasks_resume` to a call without `max_chars`. */
export interface TasksResumeWhole extends TasksResumeResult {
  workspace: string;
  target: TargetState;
  focus: string | null;
  radar: Radar;
  tasks?: TasksContextPackWholeTasks;
  detail: TasksResumeDetail;
  step_list: TasksResumeStepList[];
}

/** Answer of `tasks_resume_pack` to a call without `max_chars`. */
export interface TasksResumePackWhole extends TasksResumePackResult {
  workspace: string;
  target: TargetState;
  focus: string | null;
  radar: Radar;
  tasks?: TasksContextPackWholeTasks;
  timeline: Timeline;
  signals: SuperResumeSignals;
}

/** Answer of `tasks_resume_super` to a call without `max_chars`. */
export interface TasksResumeSuperWhole extends TasksResumeSuperResult {
  workspace: string;
  target: TargetState;
  focus: string | null;
  radar: Radar;
  steps?: TasksContextPackSteps;
  tasks?: TasksContextPackWholeTasks;
  reasoning_ref: SuperResumeReasoningRef;
  capsule: Capsule;
  signals: SuperResumeSignals;
  memory: Memory;
  timeline: Timeline;
  degradation: SuperResumeDegradation;
}

/** Capsule. */
export interface Capsule extends SuperResumeCapsule {
  target: TargetState;
  reasoning_ref: SuperResumeReasoningRef;
  radar: Radar;
  handoff: SuperResumeCapsuleHandoff;
  counts: SuperResumeCapsuleCounts;
  last_event: SuperResumeCapsuleLastEvent | null;
}

/** Memory. */
export interface Memory extends SuperResumeMemory {
  stats: SuperResumeMemoryStats;
}

/** Answer of `tasks_search` to a call without `max_chars`. */
export interface TasksSearchWhole extends TasksSearchResult {
  workspace: string;
  archived: number;
  notes_not_searched: number;
  tasks: TasksSearchTask[];
  pagination: Pagination;
}

/** Answer of `tasks_snapshot` to a call without `max_chars`. */
export type TasksSnapshotWhole = TasksResumeSuperWhole;

/** Answer of `tasks_status` to a call without `max_chars`. */
export interface TasksStatusWhole extends TasksStatusResult {
  workspace: string;
  now: string;
  since: string | null;
  needs_you: TasksStatusNeedsYou[];
  happened: TasksStatusHappened[];
  happened_more: boolean;
  unseen: TasksStatusUnseen;
}

/** The input of each tool. */
export interface ToolInputs {
  /** Replace exactly one section of the Taskdoc of a plan or task, whole; it starts nothing else and all see it at once. */
  change_mind: ChangeMindInput;
  /** Move a task and its packet to the archive, outputs included or left out by size; packet_restore brings it back. */
  packet_archive: PacketArchiveInput;
  /** Let paid calls, or retries of every failure, count from zero again. */
  packet_budget_reset: PacketBudgetResetInput;
  /** Set the whole manifest of a task's packet, and its inputs; task_id is the task's id and may be left out. */
  packet_define: PacketDefineInput;
  /** Set user_request.md, context_pack.md or an attachment, whole, or take it away; secrets are masked before they reach the log. */
  packet_input_set: PacketInputSetInput;
  /** The stage that is due, what to do with it, whether that is allowed, and what stands in the way. */
  packet_next: PacketNextInput;
  /** Set members of the manifest and leave the others: an object goes into the object there, null takes a member away. */
  packet_patch: PacketPatchInput;
  /** The stages that the manifest resolves to, with model and time limit, and where each value comes from. */
  packet_plan: PacketPlanInput;
  /** Bring a task back that packet_archive put away; outputs that were dropped stay away. */
  packet_restore: PacketRestoreInput;
  /** Make a task with a post_impl_review packet from a context pack and an implementation report. */
  packet_review: PacketReviewInput;
  /** The manifest, the stages with their state, the budgets, the last failure and what comes next. */
  packet_show: PacketShowInput;
  /** End the attempt that runs: its output is kept and its gate judged; the stage is done or failed. */
  packet_stage_finish: PacketStageFinishInput;
  /** End an attempt whose dispatcher was killed; its cost stays paid. */
  packet_stage_interrupt: PacketStageInterruptInput;
  /** Open a stage again: its marker goes, its outputs stay until it runs again. */
  packet_stage_reopen: PacketStageReopenInput;
  /** Begin an attempt of a stage: its prompt is written, and a paid one is paid for; end its run with packet_stage_finish. */
  packet_stage_start: PacketStageStartInput;
  /** Read one section of the Taskdoc of a plan or task that stands in a category; goals, constraints and progress are in the context already. */
  recall_taskdoc: RecallTaskdocInput;
  /** Move ended tasks to the archive, named ones or the longest unchanged: they leave the lists, stay readable, and tasks_restore brings them back. */
  tasks_archive: TasksArchiveInput;
  /** Make several calls in order, up to the first that is refused. With atomic all or none: then only tasks_block, tasks_patch, tasks_progress, tasks_task_define. */
  tasks_batch: TasksBatchInput;
  /** Mark a step as blocked, so that it does not close until it is unblocked, or unblock it. */
  tasks_block: TasksBlockInput;
  /** Make a task with its steps and first thoughts, and the plan for it if need be; all of it or nothing. */
  tasks_bootstrap: TasksBootstrapInput;
  /** Take a step, or (without one) a whole task, to work on: until the claim expires, others cannot change it. A claim on a plan does not cover its tasks. */
  tasks_claim: TasksClaimInput;
  /** Find the first step that can be taken up (of a task, of a plan's tasks, or of all), and claim it. Answers with all that its work needs. */
  tasks_claim_next: TasksClaimNextInput;
  /** Confirm checkpoints of a step and close it, both or neither; every checkpoint named is required for it. */
  tasks_close_step: TasksCloseStepInput;
  /** Complete a plan or task after last patches, all or nothing; without apply it only tells what would change and what is unmet. */
  tasks_close_task: TasksCloseTaskInput;
  /** Set a plan or task to DONE, which a task with open steps refuses, or to another status. */
  tasks_complete: TasksCompleteInput;
  /** List the plans and tasks of the workspace with their status and progress, and count them by status. */
  tasks_context: TasksContextInput;
  /** Show the radar of a plan or task and its last events, with the cursor from which tasks_delta goes on. */
  tasks_context_pack: TasksContextPackInput;
  /** Set what a plan promises, as text, as data or both; fields that are not given stay. clear removes both. */
  tasks_contract: TasksContractInput;
  /** Create a plan, or a task under a plan or on its own, with its steps in one call. */
  tasks_create: TasksCreateInput;
  /** Add steps to a task, at the top or under a step; closed steps above them are open again. */
  tasks_decompose: TasksDecomposeInput;
  /** Set what a step asks for; new criteria and tests have to be confirmed again. */
  tasks_define: TasksDefineInput;
  /** Delete a step with all below it, or (without one) the task, or the plan with all its tasks; their folders go to the archive. */
  tasks_delete: TasksDeleteInput;
  /** List changes in the workspace, or in one plan or task, since a cursor. They are events of whole operations, oldest first, with the cursor to go on from. */
  tasks_delta: TasksDeltaInput;
  /** Close a step whose required checkpoints are confirmed and whose required proofs are attached. */
  tasks_done: TasksDoneInput;
  /** Set fields of a plan or task itself, all in one event; null clears a field and a list replaces the list. */
  tasks_edit: TasksEditInput;
  /** Record what was run, read or produced, on a step or on the whole, and link it to checkpoints; closes nothing. */
  tasks_evidence_capture: TasksEvidenceCaptureInput;
  /** Look again at what evidence points at (lines of files, captured output, attached files, commits) and tell which of it no longer holds. */
  tasks_evidence_verify: TasksEvidenceVerifyInput;
  /** Forget the caller's focus and the one set last in the workspace, so that calls have to name their target. */
  tasks_focus_clear: TasksFocusClearInput;
  /** Tell which plan or task calls without a target mean, and whose focus that is; null when there is none. */
  tasks_focus_get: TasksFocusGetInput;
  /** Set the plan or task that this caller's calls without a target mean, and those of callers without a focus. */
  tasks_focus_set: TasksFocusSetInput;
  /** Report what is done, what remains and what may go wrong, with the radar, for the next actor. */
  tasks_handoff: TasksHandoffInput;
  /** List the operations of a plan or task, or (without target and focus) of the workspace, newest first. Each has actor, time, changed fields, and whether it can be undone. */
  tasks_history: TasksHistoryInput;
  /** Check a plan or task for what is missing, contradictory or dangling, and whether others could take over. */
  tasks_lint: TasksLintInput;
  /** Close a step (the first open one when none is named), with a note and proof if given. Answers with everything to go on from. With no open step left it finishes the task. All or nothing. */
  tasks_macro_close_step: TasksMacroCloseStepInput;
  /** Make a task of exactly one step, confirm and close the step, and finish the task: for work that is already done. */
  tasks_macro_create_done: TasksMacroCreateDoneInput;
  /** Set a plan or task to DONE (or another status) and answer with the shift report. */
  tasks_macro_finish: TasksMacroFinishInput;
  /** Start work: make a task with steps (or from a template), focus it, and answer with everything to begin from. Without a plan it goes to the focused one, else to Inbox. */
  tasks_macro_start: TasksMacroStartInput;
  /** Export a plan with its tasks, or a task's steps (or those below one step) with their task nodes, as flat rows. */
  tasks_mirror: TasksMirrorInput;
  /** Write down progress, a finding or a decision, on a step or (without one) on the plan or task. */
  tasks_note: TasksNoteInput;
  /** Set, unset, append to or remove from fields of a plan or task, of a step or of a task node, all ops or none. */
  tasks_patch: TasksPatchInput;
  /** Replace the checklist of a plan, say how many of its items are behind, or go on to the next one. */
  tasks_plan: TasksPlanInput;
  /** Close a step like tasks_done, if need be by force past a block or open steps below it, or reopen it. */
  tasks_progress: TasksProgressInput;
  /** Show on one screen where a plan or task stands: now, why, what to verify, what is next, what stands in the way. */
  tasks_radar: TasksRadarInput;
  /** Bring the change that was undone last into effect again. Any other change since then rules it out. */
  tasks_redo: TasksRedoInput;
  /** Give a claim on a step, plan or task back, or end another's by force and with a reason. */
  tasks_release: TasksReleaseInput;
  /** Report the outcome of a plan or task, agent by agent, into shared/reports/joined-summary.md. Parts that are not given come from the steps closed, the proof and the decisions. */
  tasks_report: TasksReportInput;
  /** Bring a task back that was archived. With plan and tasks: let the plan name those no more that a merge brought back. */
  tasks_restore: TasksRestoreInput;
  /** Load a plan or task whole: its fields, its steps one by one, its radar, and what happened last. */
  tasks_resume: TasksResumeInput;
  /** Take up a plan or task again: its radar, what happened last, what was decided and seen, what stands in the way. */
  tasks_resume_pack: TasksResumePackInput;
  /** Take up a plan or task again with everything: radar, steps, capsule, signals, notes, trace, cards, last events, and what is missing of it. */
  tasks_resume_super: TasksResumeSuperInput;
  /** Create a plan with a template's checklist, or a task with a template's steps; tasks_templates_list shows them. */
  tasks_scaffold: TasksScaffoldInput;
  /** Find the plans and tasks that say a text in their fields, steps, notes or evidence, in any case. */
  tasks_search: TasksSearchInput;
  /** Show a plan or task as the next actor needs it: the capsule and everything of tasks_resume_super. Also shows how the cards differ from the base branch of git. */
  tasks_snapshot: TasksSnapshotInput;
  /** List what needs an actor in the workspace, each with the call that ends it, and what happened, newest first. */
  tasks_status: TasksStatusInput;
  /** Tell the folder that holds plans and tasks on this machine, and the names that reasoning is kept under. */
  tasks_storage: TasksStorageInput;
  /** Write down a piece of work inside a step: what it is, what it builds on, what is next. It gates nothing. */
  tasks_task_add: TasksTaskAddInput;
  /** Set fields of a task node inside a step; fields that are not given stay, a list replaces the list. */
  tasks_task_define: TasksTaskDefineInput;
  /** Delete a task node inside a step; its path is never given to another. */
  tasks_task_delete: TasksTaskDeleteInput;
  /** List the built-in templates for plans and tasks, with their checklists, steps and proof modes. */
  tasks_templates_list: TasksTemplatesListInput;
  /** Write down the reasoning about a plan or task. It is frame, hypothesis, test, evidence and decision as cards that support each other, or a line of the trace. */
  tasks_think: TasksThinkInput;
  /** Take back the last change of a plan or task, or the one that op names. Refused when a later change builds on it. */
  tasks_undo: TasksUndoInput;
  /** Confirm checkpoints of a step, or take a confirmation back, which opens a closed step again. */
  tasks_verify: TasksVerifyInput;
}

/** What each tool answers when it succeeds. */
export interface ToolResults {
  /** Replace exactly one section of the Taskdoc of a plan or task, whole; it starts nothing else and all see it at once. */
  change_mind: ChangeMindResult;
  /** Move a task and its packet to the archive, outputs included or left out by size; packet_restore brings it back. */
  packet_archive: PacketArchiveResult;
  /** Let paid calls, or retries of every failure, count from zero again. */
  packet_budget_reset: PacketBudgetResetResult;
  /** Set the whole manifest of a task's packet, and its inputs; task_id is the task's id and may be left out. */
  packet_define: PacketDefineResult;
  /** Set user_request.md, context_pack.md or an attachment, whole, or take it away; secrets are masked before they reach the log. */
  packet_input_set: PacketInputSetResult;
  /** The stage that is due, what to do with it, whether that is allowed, and what stands in the way. */
  packet_next: PacketNextResult;
  /** Set members of the manifest and leave the others: an object goes into the object there, null takes a member away. */
  packet_patch: PacketPatchResult;
  /** The stages that the manifest resolves to, with model and time limit, and where each value comes from. */
  packet_plan: PacketPlanResult;
  /** Bring a task back that packet_archive put away; outputs that were dropped stay away. */
  packet_restore: PacketRestoreResult;
  /** Make a task with a post_impl_review packet from a context pack and an implementation report. */
  packet_review: PacketReviewResult;
  /** The manifest, the stages with their state, the budgets, the last failure and what comes next. */
  packet_show: PacketShowResult;
  /** End the attempt that runs: its output is kept and its gate judged; the stage is done or failed. */
  packet_stage_finish: PacketStageFinishResult;
  /** End an attempt whose dispatcher was killed; its cost stays paid. */
  packet_stage_interrupt: PacketStageInterruptResult;
  /** Open a stage again: its marker goes, its outputs stay until it runs again. */
  packet_stage_reopen: PacketStageReopenResult;
  /** Begin an attempt of a stage: its prompt is written, and a paid one is paid for; end its run with packet_stage_finish. */
  packet_stage_start: PacketStageStartResult;
  /** Read one section of the Taskdoc of a plan or task that stands in a category; goals, constraints and progress are in the context already. */
  recall_taskdoc: RecallTaskdocResult;
  /** Move ended tasks to the archive, named ones or the longest unchanged: they leave the lists, stay readable, and tasks_restore brings them back. */
  tasks_archive: TasksArchiveResult;
  /** Make several calls in order, up to the first that is refused. With atomic all or none: then only tasks_block, tasks_patch, tasks_progress, tasks_task_define. */
  tasks_batch: TasksBatchResult;
  /** Mark a step as blocked, so that it does not close until it is unblocked, or unblock it. */
  tasks_block: TasksBlockResult;
  /** Make a task with its steps and first thoughts, and the plan for it if need be; all of it or nothing. */
  tasks_bootstrap: TasksBootstrapResult;
  /** Take a step, or (without one) a whole task, to work on: until the claim expires, others cannot change it. A claim on a plan does not cover its tasks. */
  tasks_claim: TasksClaimResult;
  /** Find the first step that can be taken up (of a task, of a plan's tasks, or of all), and claim it. Answers with all that its work needs. */
  tasks_claim_next: TasksClaimNextResult;
  /** Confirm checkpoints of a step and close it, both or neither; every checkpoint named is required for it. */
  tasks_close_step: TasksCloseStepResult;
  /** Complete a plan or task after last patches, all or nothing; without apply it only tells what would change and what is unmet. */
  tasks_close_task: TasksCloseTaskResult;
  /** Set a plan or task to DONE, which a task with open steps refuses, or to another status. */
  tasks_complete: TasksCompleteResult;
  /** List the plans and tasks of the workspace with their status and progress, and count them by status. */
  tasks_context: TasksContextResult;
  /** Show the radar of a plan or task and its last events, with the cursor from which tasks_delta goes on. */
  tasks_context_pack: TasksContextPackResult;
  /** Set what a plan promises, as text, as data or both; fields that are not given stay. clear removes both. */
  tasks_contract: TasksContractResult;
  /** Create a plan, or a task under a plan or on its own, with its steps in one call. */
  tasks_create: TasksCreateResult;
  /** Add steps to a task, at the top or under a step; closed steps above them are open again. */
  tasks_decompose: TasksDecomposeResult;
  /** Set what a step asks for; new criteria and tests have to be confirmed again. */
  tasks_define: TasksDefineResult;
  /** Delete a step with all below it, or (without one) the task, or the plan with all its tasks; their folders go to the archive. */
  tasks_delete: TasksDeleteResult;
  /** List changes in the workspace, or in one plan or task, since a cursor. They are events of whole operations, oldest first, with the cursor to go on from. */
  tasks_delta: TasksDeltaResult;
  /** Close a step whose required checkpoints are confirmed and whose required proofs are attached. */
  tasks_done: TasksDoneResult;
  /** Set fields of a plan or task itself, all in one event; null clears a field and a list replaces the list. */
  tasks_edit: TasksEditResult;
  /** Record what was run, read or produced, on a step or on the whole, and link it to checkpoints; closes nothing. */
  tasks_evidence_capture: TasksEvidenceCaptureResult;
  /** Look again at what evidence points at (lines of files, captured output, attached files, commits) and tell which of it no longer holds. */
  tasks_evidence_verify: TasksEvidenceVerifyResult;
  /** Forget the caller's focus and the one set last in the workspace, so that calls have to name their target. */
  tasks_focus_clear: TasksFocusClearResult;
  /** Tell which plan or task calls without a target mean, and whose focus that is; null when there is none. */
  tasks_focus_get: TasksFocusGetResult;
  /** Set the plan or task that this caller's calls without a target mean, and those of callers without a focus. */
  tasks_focus_set: TasksFocusSetResult;
  /** Report what is done, what remains and what may go wrong, with the radar, for the next actor. */
  tasks_handoff: TasksHandoffResult;
  /** List the operations of a plan or task, or (without target and focus) of the workspace, newest first. Each has actor, time, changed fields, and whether it can be undone. */
  tasks_history: TasksHistoryResult;
  /** Check a plan or task for what is missing, contradictory or dangling, and whether others could take over. */
  tasks_lint: TasksLintResult;
  /** Close a step (the first open one when none is named), with a note and proof if given. Answers with everything to go on from. With no open step left it finishes the task. All or nothing. */
  tasks_macro_close_step: TasksMacroCloseStepResult;
  /** Make a task of exactly one step, confirm and close the step, and finish the task: for work that is already done. */
  tasks_macro_create_done: TasksMacroCreateDoneResult;
  /** Set a plan or task to DONE (or another status) and answer with the shift report. */
  tasks_macro_finish: TasksMacroFinishResult;
  /** Start work: make a task with steps (or from a template), focus it, and answer with everything to begin from. Without a plan it goes to the focused one, else to Inbox. */
  tasks_macro_start: TasksMacroStartResult;
  /** Export a plan with its tasks, or a task's steps (or those below one step) with their task nodes, as flat rows. */
  tasks_mirror: TasksMirrorResult;
  /** Write down progress, a finding or a decision, on a step or (without one) on the plan or task. */
  tasks_note: TasksNoteResult;
  /** Set, unset, append to or remove from fields of a plan or task, of a step or of a task node, all ops or none. */
  tasks_patch: TasksPatchResult;
  /** Replace the checklist of a plan, say how many of its items are behind, or go on to the next one. */
  tasks_plan: TasksPlanResult;
  /** Close a step like tasks_done, if need be by force past a block or open steps below it, or reopen it. */
  tasks_progress: TasksProgressResult;
  /** Show on one screen where a plan or task stands: now, why, what to verify, what is next, what stands in the way. */
  tasks_radar: TasksRadarResult;
  /** Bring the change that was undone last into effect again. Any other change since then rules it out. */
  tasks_redo: TasksRedoResult;
  /** Give a claim on a step, plan or task back, or end another's by force and with a reason. */
  tasks_release: TasksReleaseResult;
  /** Report the outcome of a plan or task, agent by agent, into shared/reports/joined-summary.md. Parts that are not given come from the steps closed, the proof and the decisions. */
  tasks_report: TasksReportResult;
  /** Bring a task back that was archived. With plan and tasks: let the plan name those no more that a merge brought back. */
  tasks_restore: TasksRestoreResult;
  /** Load a plan or task whole: its fields, its steps one by one, its radar, and what happened last. */
  tasks_resume: TasksResumeResult;
  /** Take up a plan or task again: its radar, what happened last, what was decided and seen, what stands in the way. */
  tasks_resume_pack: TasksResumePackResult;
  /** Take up a plan or task again with everything: radar, steps, capsule, signals, notes, trace, cards, last events, and what is missing of it. */
  tasks_resume_super: TasksResumeSuperResult;
  /** Create a plan with a template's checklist, or a task with a template's steps; tasks_templates_list shows them. */
  tasks_scaffold: TasksScaffoldResult;
  /** Find the plans and tasks that say a text in their fields, steps, notes or evidence, in any case. */
  tasks_search: TasksSearchResult;
  /** Show a plan or task as the next actor needs it: the capsule and everything of tasks_resume_super. Also shows how the cards differ from the base branch of git. */
  tasks_snapshot: TasksSnapshotResult;
  /** List what needs an actor in the workspace, each with the call that ends it, and what happened, newest first. */
  tasks_status: TasksStatusResult;
  /** Tell the folder that holds plans and tasks on this machine, and the names that reasoning is kept under. */
  tasks_storage: TasksStorageResult;
  /** Write down a piece of work inside a step: what it is, what it builds on, what is next. It gates nothing. */
  tasks_task_add: TasksTaskAddResult;
  /** Set fields of a task node inside a step; fields that are not given stay, a list replaces the list. */
  tasks_task_define: TasksTaskDefineResult;
  /** Delete a task node inside a step; its path is never given to another. */
  tasks_task_delete: TasksTaskDeleteResult;
  /** List the built-in templates for plans and tasks, with their checklists, steps and proof modes. */
  tasks_templates_list: TasksTemplatesListResult;
  /** Write down the reasoning about a plan or task. It is frame, hypothesis, test, evidence and decision as cards that support each other, or a line of the trace. */
  tasks_think: TasksThinkResult;
  /** Take back the last change of a plan or task, or the one that op names. Refused when a later change builds on it. */
  tasks_undo: TasksUndoResult;
  /** Confirm checkpoints of a step, or take a confirmation back, which opens a closed step again. */
  tasks_verify: TasksVerifyResult;
}

/** The same for calls without `max_chars`: nothing is left out. */
export interface WholeResults extends ToolResults {
  packet_plan: PacketPlanWhole;
  packet_show: PacketShowWhole;
  recall_taskdoc: RecallTaskdocWhole;
  tasks_claim_next: TasksClaimNextWhole;
  tasks_context: TasksContextWhole;
  tasks_context_pack: TasksContextPackWhole;
  tasks_delta: TasksDeltaWhole;
  tasks_evidence_verify: TasksEvidenceVerifyWhole;
  tasks_handoff: TasksHandoffWhole;
  tasks_history: TasksHistoryWhole;
  tasks_lint: TasksLintWhole;
  tasks_mirror: TasksMirrorWhole;
  tasks_radar: TasksRadarWhole;
  tasks_resume: TasksResumeWhole;
  tasks_resume_pack: TasksResumePackWhole;
  tasks_resume_super: TasksResumeSuperWhole;
  tasks_search: TasksSearchWhole;
  tasks_snapshot: TasksSnapshotWhole;
  tasks_status: TasksStatusWhole;
}

export type ToolName = keyof ToolInputs;

/** What a caller writes for a tool: `ToolInput<"tasks_note">`. */
export type ToolInput<N extends ToolName> = ToolInputs[N];

/** What a tool answers when it succeeds: `ToolOutput<"tasks_note">`. */
export type ToolOutput<N extends ToolName> = ToolResults[N];

/** The same to a call without `max_chars`: `WholeOutput<"tasks_radar">`. */
export type WholeOutput<N extends ToolName> = WholeResults[N];
