/** Generated from the schemas by `npm run generate`; do not edit. */
import type { Json, JsonObject } from "../../state/json.ts";

/** A card was laid down: a frame, hypothesis, test, piece of evidence or decision, with the cards that it supports. */
export interface CardAddedEvent extends EventHead {
  /** Which event it is. */
  type: "card_added";
  /** Id of the card. */
  card_id: string;
  /** Stage of the card. */
  stage: "frame" | "hypothesis" | "test" | "evidence" | "decision";
  /** Its title. */
  title: string;
  /** The text. */
  text: string;
  /** Its status. */
  status: string;
  /** Its tags. */
  tags: string[];
  /** Ids of the cards that it supports. */
  supports: string[];
}

/** Fields of every event. */
export interface EventHead {
  /** Hash of the event: its id. */
  event_id: string;
  /** When, in UTC with milliseconds. */
  ts: string;
  /** Id of the plan or task in whose log it stands. */
  task: string;
  /** Actor of the change. */
  by: string;
  /** One sentence for people. */
  message: string;
  /** Its payload once more, in answers to readers; short room leaves it out. */
  payload?: JsonObject;
}

/** A plan's contract was set or cleared: its text, its data, or both. */
export interface ContractUpdatedEvent extends EventHead {
  /** Which event it is. */
  type: "contract_updated";
  /** The contract: what the work has to fulfil. */
  contract?: string | null;
  /** The contract as data. */
  contract_data?: Json;
}

/** Evidence was attached to a step or to the whole, and linked to checkpoints where some were named. */
export interface EvidenceCapturedEvent extends EventHead {
  /** Which event it is. */
  type: "evidence_captured";
  /** Stable id of the step. */
  step_id: string | null;
  /** Checkpoints that the event is about. */
  checkpoints: ("criteria" | "tests" | "security" | "perf" | "docs")[];
  /** Pieces of evidence. */
  items: EvidenceCapturedItem[];
  /** Whether derived ids have 20 hex digits of the event's hash; left out by older releases, whose ids have eight. */
  long_ids?: boolean;
  /** Ids of evidence that no longer counts. */
  supersedes?: string[];
  /** Why. */
  reason?: string;
}

/** Evidence captured item. */
export interface EvidenceCapturedItem {
  /** Its kind. */
  kind: "file-anchor" | "command-execution" | "runtime-event-range";
  /** Its title. */
  title: string;
  /** In short. */
  summary: string;
  /** Whether it counts as proof. */
  counts: boolean;
  /** The command that was run. */
  command?: string;
  /** Folder in which the command ran. */
  cwd?: string;
  /** Exit code of the command. */
  exit_code?: number;
  /** Output of the command on stdout. */
  stdout?: EvidenceCapturedItemStdout;
  /** Output of the command on stderr. */
  stderr?: EvidenceCapturedItemStdout;
  /** Path of the file, from the root. */
  path?: string;
  /** First line, counted from 1. */
  start_line?: number;
  /** Last line, counted from 1. */
  end_line?: number;
  /** Id that the caller gave the entry. */
  evidence_id?: string;
  /** File of events in the task folder that the entry stands on. */
  events_ref?: string;
  /** Address on the web. */
  url?: string;
  /** Address of something outside of the repository. */
  external_uri?: string;
  /** Label of the link. */
  label?: string;
  /** SHA-256 of the lines. */
  lines_sha256?: string;
  /** The commit. */
  commit?: string;
  /** The attached file. */
  attachment?: EvidenceCapturedItemAttachment;
  /** Text of a difference. */
  diff?: EvidenceCapturedItemStdout;
  /** The text. */
  content?: EvidenceCapturedItemStdout;
  /** Further data of the caller. */
  meta?: JsonObject;
  /** A card that says how the hypothesis is tested. */
  test?: string;
  /** The line of the output that first tells of a failure. */
  failing_line?: string;
  /** A run that Taskfold started itself. */
  captured?: EvidenceCapturedItemCaptured;
  /** A signature over evidence. */
  attestation?: EvidenceCapturedItemAttestation;
}

/** Evidence captured item stdout. */
export interface EvidenceCapturedItemStdout {
  /** SHA-256 of the bytes, in hexadecimal digits. */
  sha256: string;
  /** Size in bytes. */
  size: number;
  /** The beginning of the output. */
  excerpt: string;
}

/** Evidence captured item attachment. */
export interface EvidenceCapturedItemAttachment {
  /** Path of the file. */
  path: string;
  /** Size in bytes. */
  size?: number;
  /** SHA-256 of the bytes, in hexadecimal digits. */
  sha256?: string;
  /** The file was not there. */
  missing?: boolean;
}

/** Evidence captured item captured. */
export interface EvidenceCapturedItemCaptured {
  /** Program and arguments, as it was started. */
  argv: string[];
  /** Names of the variables that it got. */
  env: string[];
  /** When it started. */
  started_at: string;
  /** When it ended. */
  ended_at: string;
  /** Commit that was checked out when it started. */
  git_commit?: string;
  /** Digest of the work tree by content, without the workspace's own folder. */
  tree?: string;
  /** SHA-256 of the ignore rules that no commit held. */
  ignores?: string;
  /** SHA-256 of the rules by which git converts content and that no commit held. */
  attributes?: string;
  /** List of what differed from the commit when it started. */
  changes?: EvidenceCapturedItemCapturedChanges;
  /** List of what it left otherwise than it was when it started. */
  wrote?: EvidenceCapturedItemCapturedChanges;
  /** The files that it left otherwise are not known: they could not be listed, or are too many. */
  left?: "unknown";
  /** The file that names the packages. */
  lock?: EvidenceCapturedItemCapturedLock;
  /** System, processor and version of Node. */
  platform: string;
  /** Taskfold made the work tree from the commit, and nothing in it differed. */
  checkout?: "clean";
  /** Subject of the rows. */
  scope?: EvidenceCapturedItemCapturedScope;
}

/** Evidence captured item captured changes. */
export interface EvidenceCapturedItemCapturedChanges {
  /** SHA-256 of the bytes, in hexadecimal digits. */
  sha256: string;
  /** Size in bytes. */
  size: number;
}

/** Evidence captured item captured lock. */
export interface EvidenceCapturedItemCapturedLock {
  /** Path of the step or task node. */
  path: string;
  /** SHA-256 of the bytes, in hexadecimal digits. */
  sha256: string;
}

/** Evidence captured item captured scope. */
export interface EvidenceCapturedItemCapturedScope {
  /** Paths that may change. */
  allow: string[];
  /** Paths that must not change. */
  deny: string[];
}

/** Evidence captured item attestation. */
export interface EvidenceCapturedItemAttestation {
  /** The signed statement. */
  envelope: EvidenceCapturedItemCapturedChanges;
  /** Ids of the evidence that it vouches for. */
  of: string[];
  /** Head of the plan or task when it was signed. */
  head: string;
  /** Revision of the plan or task when it was signed. */
  revision: number;
  /** Commit that it is about. */
  git_commit: string;
  /** Fingerprint of the key. */
  key: string;
  /** Subject of the rows. */
  scope?: EvidenceCapturedItemCapturedScope;
}

/** Lines that another program wrote into this log get their place here, for good. They change roster and foreign gates only. */
export interface ForeignAdoptedEvent extends EventHead {
  /** Which event it is. */
  type: "foreign_adopted";
  /** Hashes of the lines. */
  hashes: string[];
}

/** A gate was passed. */
export interface GateApprovedEvent extends EventHead {
  /** Which event it is. */
  type: "gate_approved";
  /** Id of the gate. */
  gateId: string;
}

/** A gate waits for a person; other programs that share the folder know it by gateId. */
export interface GateBlockedEvent extends EventHead {
  /** Which event it is. */
  type: "gate_blocked";
  /** Id of the gate. */
  gateId: string;
  /** Why. */
  reason?: string;
}

/** An actor took a step, or (step_id null) the whole, to work on until the claim expires; a closed step cannot be taken. */
export interface LeaseClaimedEvent extends EventHead {
  /** Which event it is. */
  type: "lease_claimed";
  /** Stable id of the step. */
  step_id: string | null;
  /** For how many seconds the claim was asked. */
  ttl_s: number;
  /** When the claim ends. */
  expires_at: string;
  /** Number of the claim. */
  fence: number;
}

/** A claim on a step, or (step_id null) on the whole, was given back, or ended by another actor with a reason. */
export interface LeaseReleasedEvent extends EventHead {
  /** Which event it is. */
  type: "lease_released";
  /** Stable id of the step. */
  step_id: string | null;
  /** The claim that was ended; null where none stood. */
  claim?: LeaseReleasedClaim | null;
  /** Why. */
  reason?: string;
}

/** Lease released claim. */
export interface LeaseReleasedClaim {
  /** Actor of the change. */
  by: string;
  /** Number of the claim. */
  fence: number;
}

/** Lines are lost. Either later lines name them and they are declared lost (the log layer sees to it). Or they stood at the end of the log that task.yaml named, until they are accepted. */
export interface LogGapEvent extends EventHead {
  /** Which event it is. */
  type: "log_gap";
  /** Hashes of the lines that are declared lost. */
  void: string[];
  /** End of the log before its lines were lost, and its end now. */
  shorter?: LogGapShorter;
  /** Heads of lost ends that a person accepts as lost. */
  accepted?: string[];
}

/** Log gap shorter. */
export interface LogGapShorter {
  /** Digest of the log's heads, for `expected_head`. */
  head: string;
  /** Number of changes that were applied. */
  revision: number;
  /** Digest of the heads that the log has. */
  found: string;
  /** Revision that the log has. */
  found_revision: number;
}

/** A person changed a file of people's, and the next write read it in; content has LF. */
export interface NotesChangedEvent extends EventHead {
  /** Which event it is. */
  type: "notes_changed";
  /** Name of the file. */
  file: "shared/human-notes.md" | "shared/context-manifest.yaml";
  /** The text. */
  content: string;
  /** SHA-256 of the bytes, in hexadecimal digits. */
  sha256: string;
}

/** The packet was put into the archive, or (false) brought back; the named outputs were left out for their size. */
export interface PacketArchivedEvent extends EventHead {
  /** Which event it is. */
  type: "packet_archived";
  /** True: put into the archive; false: brought back. */
  archived: boolean;
  /** Outputs that were left out for their size, from the folder on. */
  dropped: string[];
}

/** A budget was filled up again: no paid call, or no failure of any signature, counts from before. */
export interface PacketBudgetResetEvent extends EventHead {
  /** Which event it is. */
  type: "packet_budget_reset";
  /** Its kind. */
  kind: "retry_budget" | "paid_call_budget";
  /** Amounts of the budget used before. */
  used: number;
  /** Why. */
  reason: string;
}

/** The task carries a packet from here on, with this manifest and the stages that routing made of it. */
export interface PacketDefinedEvent extends EventHead {
  /** Which event it is. */
  type: "packet_defined";
  /** The whole manifest. */
  manifest: PacketDefinedManifest;
  /** The plan. */
  plan: PacketDefinedPlan;
  /** Settings of the task, as another program wrote them. */
  config?: PacketDefinedConfig;
}

/** Packet defined manifest. */
export interface PacketDefinedManifest {
  /** Id of the task. */
  task_id: string;
  /** One sentence. */
  goal: string;
  /** How stages are chosen. */
  routing: PacketDefinedManifestRouting;
  /** Subject of the rows. */
  scope: EvidenceCapturedItemCapturedScope;
  /** How completion is verified. */
  acceptance: PacketDefinedManifestAcceptance;
  /** Limits of use. */
  budgets: PacketDefinedManifestBudgets;
  /** Knowledge that an agent needs to take over. */
  context: PacketDefinedManifestContext;
  /** Whether security is confirmed. */
  security?: PacketDefinedManifestSecurity;
}

/** Packet defined manifest routing. */
export interface PacketDefinedManifestRouting {
  /** Name of the tool. */
  intent: "safe_impl" | "one_shot_impl" | "design_only" | "review_only" | "review_cross" | "post_impl_review";
  /** Models by tool, instead of those of the configuration. */
  model?: PacketDefinedManifestRoutingModel;
  /** Profile, flags and options of the pipeline. */
  pipeline?: PacketDefinedManifestRoutingPipeline;
}

/** Packet defined manifest routing model. */
export interface PacketDefinedManifestRoutingModel {
  /** Model of gemini. */
  gemini?: string;
  /** Model of codex. */
  codex?: string;
  /** Model of copilot. */
  copilot?: string;
}

/** Packet defined manifest routing pipeline. */
export interface PacketDefinedManifestRoutingPipeline {
  /** Profile in the group of the intent. */
  profile?: string;
  /** Stage toggles by name. */
  flags?: Record<string, boolean>;
  /** Options by name. */
  options?: Record<string, string>;
}

/** Packet defined manifest acceptance. */
export interface PacketDefinedManifestAcceptance {
  /** Shell commands. */
  commands: string[];
  /** Whether the success criteria are confirmed. */
  criteria: string[];
}

/** Packet defined manifest budgets. */
export interface PacketDefinedManifestBudgets {
  /** Most retries of one failure. */
  retry_budget: number;
  /** Most paid calls. */
  paid_call_budget: number;
  /** Most seconds of one run. */
  max_wallclock_sec: number;
}

/** Packet defined manifest context. */
export interface PacketDefinedManifestContext {
  /** When the context pack is compressed. */
  digest_policy: "off" | "auto" | "aggressive";
}

/** Packet defined manifest security. */
export interface PacketDefinedManifestSecurity {
  /** Patterns of RE2 that are masked. */
  redaction_patterns?: string[];
  /** Paths that are masked. */
  forbidden_paths?: string[];
}

/** Packet defined plan. */
export interface PacketDefinedPlan {
  /** Pipeline group. */
  group: string;
  /** Profile that was chosen. */
  profile: string;
  /** Flags in effect. */
  flags: Record<string, boolean>;
  /** Options in effect. */
  options: Record<string, string>;
  /** Stages in order. */
  stages: PacketDefinedPlanStage[];
  /** Id before the change. */
  from?: PacketDefinedPlanFrom;
  /** Hex SHA-256 of the configuration. */
  config_sha256: string;
  /** Folder of the configuration, from the root on; null: not known. Left out: the built-in one. */
  config_folder?: string | null;
}

/** Packet defined plan stage. */
export interface PacketDefinedPlanStage {
  /** Stage of the card. */
  stage: "gemini_brief" | "gemini_review" | "gemini_test_design" | "gemini_static_verify" | "codex_impl" | "codex_verify" | "codex_review" | "codex_test_impl" | "copilot_runbook" | "copilot_review" | "copilot_review_consolidate";
  /** Name of the tool. */
  tool: "gemini" | "codex" | "copilot";
  /** Role, the second part of the stage's name. */
  role: "brief" | "review" | "test_design" | "static_verify" | "impl" | "verify" | "test_impl" | "runbook" | "review_consolidate";
  /** Model that it runs with. */
  model: string;
  /** Seconds after which it is ended. */
  timeout_sec: number;
  /** Which limit holds. */
  timeout_mode: "enforce" | "wait_done";
  /** Whether a start is a paid call. */
  paid: boolean;
  /** Exit codes after which a second try may succeed. */
  transient_exit_codes: number[];
  /** Id before the change. */
  from: PacketDefinedPlanStageFrom;
}

/** Packet defined plan stage from. */
export interface PacketDefinedPlanStageFrom {
  /** Stage of the card. */
  stage: string;
  /** Where the model comes from. */
  model: string;
  /** Where the limit comes from. */
  timeout_sec: string;
  /** Where `paid` and `transient_exit_codes` come from. */
  servant?: string;
}

/** Packet defined plan from. */
export interface PacketDefinedPlanFrom {
  /** Where the profile comes from. */
  profile: string;
  /** Where each flag comes from. */
  flags: Record<string, string>;
  /** Where each option comes from. */
  options: Record<string, string>;
  /** Stages that a flag leaves out. */
  removed: PacketDefinedPlanFromRemoved[];
}

/** Packet defined plan from removed. */
export interface PacketDefinedPlanFromRemoved {
  /** Stage of the card. */
  stage: "gemini_brief" | "gemini_review" | "gemini_test_design" | "gemini_static_verify" | "codex_impl" | "codex_verify" | "codex_review" | "codex_test_impl" | "copilot_runbook" | "copilot_review" | "copilot_review_consolidate";
  /** Flag that leaves it out. */
  flag: string;
  /** Id before the change. */
  from: string;
}

/** Packet defined config. */
export interface PacketDefinedConfig {
  /** Servants without their programs. */
  servants: PacketDefinedConfigServants;
  /** Groups of profiles. */
  groups: PacketDefinedConfigGroups;
  /** Profile of each intent. */
  intents: PacketDefinedConfigIntents;
  /** File of each part that is not built in. */
  origins: Record<string, string>;
}

/** Packet defined config servants. */
export interface PacketDefinedConfigServants {
  /** Servant, group or intent of this name. */
  gemini: PacketDefinedConfigServantsGemini;
  /** Servant, group or intent of this name. */
  codex: PacketDefinedConfigServantsGemini;
  /** Servant, group or intent of this name. */
  copilot: PacketDefinedConfigServantsGemini;
}

/** Packet defined config servants gemini. */
export interface PacketDefinedConfigServantsGemini {
  /** Name of the tool. */
  tool: "gemini" | "codex" | "copilot";
  /** Model where nothing else names one. */
  default_model: string;
  /** Models that a manifest may name. */
  allowed_models: string[];
  /** Models by role. */
  purpose_models: Record<string, string>;
  /** Whether its runs are paid. */
  paid: boolean;
  /** Seconds of one run with `enforce`. */
  timeout_sec: number;
  /** Exit codes after which a second try may succeed. */
  transient_exit_codes: number[];
}

/** Packet defined config groups. */
export interface PacketDefinedConfigGroups {
  /** Servant, group or intent of this name. */
  impl: PacketDefinedConfigGroupsImpl;
  /** Servant, group or intent of this name. */
  review: PacketDefinedConfigGroupsImpl;
}

/** Packet defined config groups impl. */
export interface PacketDefinedConfigGroupsImpl {
  /** Flags that a manifest may set. */
  flags: string[];
  /** Options that a manifest may set, with their values. */
  options: Record<string, string[]>;
  /** Profiles by name. */
  profiles: Record<string, PacketDefinedConfigGroupsImplProfiles>;
  /** Which acceptance commands run if a caller allows them and does not say. */
  acceptance?: "brief" | "manifest" | "both";
}

/** Packet defined config groups impl profiles. */
export interface PacketDefinedConfigGroupsImplProfiles {
  /** Stages of the profile. */
  stages: ("gemini_brief" | "gemini_review" | "gemini_test_design" | "gemini_static_verify" | "codex_impl" | "codex_verify" | "codex_review" | "codex_test_impl" | "copilot_runbook" | "copilot_review" | "copilot_review_consolidate")[];
  /** Flags of the profile. */
  flags: Record<string, boolean>;
  /** Options of the profile. */
  options: Record<string, string>;
  /** Models by stage. */
  stage_models: Record<string, string>;
}

/** Packet defined config intents. */
export interface PacketDefinedConfigIntents {
  /** Servant, group or intent of this name. */
  safe_impl: PacketDefinedConfigIntentsSafeImpl;
  /** Servant, group or intent of this name. */
  one_shot_impl: PacketDefinedConfigIntentsSafeImpl;
  /** Servant, group or intent of this name. */
  design_only: PacketDefinedConfigIntentsSafeImpl;
  /** Servant, group or intent of this name. */
  review_only: PacketDefinedConfigIntentsSafeImpl;
  /** Servant, group or intent of this name. */
  review_cross: PacketDefinedConfigIntentsSafeImpl;
  /** Servant, group or intent of this name. */
  post_impl_review: PacketDefinedConfigIntentsSafeImpl;
}

/** Packet defined config intents safe impl. */
export interface PacketDefinedConfigIntentsSafeImpl {
  /** Group of the profile. */
  group: "impl" | "review";
  /** Profile of the intent. */
  profile: string;
}

/** The counts of another program were taken in on request: paid calls, failures by signature, and the last failure. */
export interface PacketImportedEvent extends EventHead {
  /** Which event it is. */
  type: "packet_imported";
  /** Paid calls that the other program counted; null: it counted none. */
  paid_calls_used: number | null;
  /** Failures by signature, as the other program counted them; null: it counted none. */
  signatures: Record<string, PacketImportedSignatures> | null;
  /** Last failure that the other program told of; null: none that names its stage. */
  last_failure: PacketImportedLastFailure | null;
}

/** Packet imported signatures. */
export interface PacketImportedSignatures {
  /** Items on this page. */
  count: number;
  /** Kind of failure. */
  class: "auth" | "tooling" | "transient" | "prompt_too_large" | "contract_violation" | "scope_violation" | "unknown";
  /** When it failed so for the first time. */
  first_seen: string;
  /** When it failed so for the last time. */
  last_seen: string;
}

/** Packet imported last failure. */
export interface PacketImportedLastFailure {
  /** Stage of the card. */
  stage: "gemini_brief" | "gemini_review" | "gemini_test_design" | "gemini_static_verify" | "codex_impl" | "codex_verify" | "codex_review" | "codex_test_impl" | "copilot_runbook" | "copilot_review" | "copilot_review_consolidate";
  /** Number of the attempt. */
  attempt: number;
  /** Kind of failure. */
  class: "auth" | "tooling" | "transient" | "prompt_too_large" | "contract_violation" | "scope_violation" | "unknown";
  /** Name of failures of this kind. */
  signature: string;
  /** Exit code of the command. */
  exit_code: number | null;
  /** Verdict of the gate. */
  gate: "passed" | "failed" | "not_judged";
  /** Why it failed. */
  reasons: string[];
  /** Possible actions. */
  suggested_actions: string[];
  /** When, in UTC with milliseconds. */
  ts: string;
}

/** A text below inputs/ was set, or taken away (null). Secrets and forbidden paths are masked before. */
export interface PacketInputSetEvent extends EventHead {
  /** Which event it is. */
  type: "packet_input_set";
  /** Path of the step or task node. */
  path: string;
  /** The text. */
  text: string | null;
  /** SHA-256 of the bytes, in hexadecimal digits. */
  sha256: string | null;
  /** Where the text comes from. */
  source: "user" | "brief" | "import";
  /** How often each rule masked something, by its name. */
  redactions: Record<string, number>;
}

/** The brief named the commands that verify the work; null: it named none, so those of the manifest count. */
export interface PacketOverrideSetEvent extends EventHead {
  /** Which event it is. */
  type: "packet_override_set";
  /** Commands in order; null: those of the manifest count. */
  commands: string[] | null;
  /** Eight hex digits of the event that started the attempt. */
  run: string | null;
}

/** Fields of the plan itself were set; null clears one, a list replaces the list. */
export interface PlanEditedEvent extends EventHead {
  /** Which event it is. */
  type: "plan_edited";
  /** The fields that changed, with their values. */
  patch: PlanEditedPatch;
}

/** Plan edited patch. */
export interface PlanEditedPatch {
  /** Its title. */
  title?: string;
  /** Its subject. */
  description?: string;
  /** Knowledge that an agent needs to take over. */
  context?: string | null;
  /** Its priority, in words. */
  priority?: string;
  /** Its tags. */
  tags?: string[];
  /** Tasks that have to be DONE before. */
  depends_on?: PlanEditedPatchDependsOn[];
  /** Domain that it belongs to. */
  domain?: string | null;
  /** Phase that it belongs to. */
  phase?: string | null;
  /** Component that it belongs to. */
  component?: string | null;
  /** Assignee. */
  assignee?: string | null;
  /** Whether closing the last step completes the task, and the end of the last task its plan; null, or left out: as its plan says. */
  complete_when_done?: boolean | null;
  /** The contract: what the work has to fulfil. */
  contract?: string | null;
  /** The contract as data. */
  contract_data?: Json;
  /** Which checkpoints need attached proof. */
  proof?: PlanEditedPatchProof;
}

/** Plan edited patch depends on. */
export interface PlanEditedPatchDependsOn {
  /** Its id. */
  id: string;
  /** Hash of the first event of the plan or task. */
  root: string;
}

/** Plan edited patch proof. */
export interface PlanEditedPatchProof {
  /** Whether tests need attached proof. */
  tests?: "off" | "warn" | "require" | "captured" | "repeated" | "attested";
  /** Whether security needs attached proof. */
  security?: "off" | "warn" | "require" | "captured" | "repeated" | "attested";
  /** Whether performance needs attached proof. */
  perf?: "off" | "warn" | "require" | "captured" | "repeated" | "attested";
  /** Whether documentation needs attached proof. */
  docs?: "off" | "warn" | "require" | "captured" | "repeated" | "attested";
}

/** A plan's checklist was set, or how far it has come. */
export interface PlanUpdatedEvent extends EventHead {
  /** Which event it is. */
  type: "plan_updated";
  /** Name of the document. */
  doc?: string;
  /** The steps. */
  steps?: string[];
  /** Position in the checklist, counted from 0. */
  current?: number;
}

/** An op that had been undone is in effect again: its fields have the values it gave them. */
export interface RedoAppliedEvent extends EventHead {
  /** Which event it is. */
  type: "redo_applied";
  /** Id of the change: the id of its first event. */
  op: string;
  /** The fields that were written. */
  fields: RedoAppliedField[];
}

/** Redo applied field. */
export interface RedoAppliedField {
  /** Name of the field. */
  field: string;
  /** The value. */
  value: Json;
}

/** An actor reported the outcome, agent by agent; the joined summary says so from here on. */
export interface ReportGeneratedEvent extends EventHead {
  /** Which event it is. */
  type: "report_generated";
  /** Its title. */
  title: string;
  /** In short. */
  summary: string;
  /** Outcome for each agent. */
  agents: ReportGeneratedAgent[];
}

/** Report generated agent. */
export interface ReportGeneratedAgent {
  /** Instance of the agent. */
  instance: string;
  /** Name of the agent. */
  agent: string;
  /** Its status. */
  status: "success" | "working" | "blocked" | "failed";
  /** In short. */
  summary: string;
  /** Conclusions of the agent. */
  conclusions: ReportGeneratedAgentConclusion[];
  /** Questions that the agent leaves open. */
  questions: string[];
  /** Actions that the agent would take next. */
  next_actions: string[];
}

/** Report generated agent conclusion. */
export interface ReportGeneratedAgentConclusion {
  /** The text. */
  text: string;
  /** Evidence that the conclusion cites. */
  evidence: string[];
}

/** An attempt of a stage failed, with its class, its signature and what may be done about it. */
export interface StageFailedEvent extends EventHead {
  /** Which event it is. */
  type: "stage_failed";
  /** Stage of the card. */
  stage: "gemini_brief" | "gemini_review" | "gemini_test_design" | "gemini_static_verify" | "codex_impl" | "codex_verify" | "codex_review" | "codex_test_impl" | "copilot_runbook" | "copilot_review" | "copilot_review_consolidate";
  /** Eight hex digits of the event that started the attempt. */
  run: string;
  /** Kind of failure. */
  class: "auth" | "tooling" | "transient" | "prompt_too_large" | "contract_violation" | "scope_violation" | "unknown";
  /** Name of failures of this kind. */
  signature: string;
  /** Text that the signature is taken of. */
  normalized: string;
  /** Exit code of the command. */
  exit_code: number | null;
  /** Verdict of the gate. */
  gate: "passed" | "failed" | "not_judged";
  /** Why it failed, in sentences. */
  reasons: string[];
  /** Form of each reason; null where it has none. */
  forms?: (StageFailedForm | null)[];
  /** Possible actions. */
  suggested_actions: string[];
}

/** Stage failed form. */
export interface StageFailedForm {
  /** Constant words, with {0} in the place of the first value. */
  key: string;
  /** The values. */
  args: (string | StageFailedFormArg)[];
}

/** Stage failed form arg. */
export interface StageFailedFormArg {
  /** Constant words of a sentence in the sentence. */
  key: string;
  /** Its values. */
  args: string[];
}

/** The servant of a stage ended, with what it left; whether the stage passed is said beside it. */
export interface StageFinishedEvent extends EventHead {
  /** Which event it is. */
  type: "stage_finished";
  /** Stage of the card. */
  stage: "gemini_brief" | "gemini_review" | "gemini_test_design" | "gemini_static_verify" | "codex_impl" | "codex_verify" | "codex_review" | "codex_test_impl" | "copilot_runbook" | "copilot_review" | "copilot_review_consolidate";
  /** Eight hex digits of the event that started the attempt. */
  run: string;
  /** Exit code of the command. */
  exit_code: number;
  /** Whether its time ran out. */
  timed_out: boolean;
  /** When it began, UTC, whole seconds. */
  start: string | null;
  /** When it ended. */
  end: string | null;
  /** Whole seconds. */
  duration_sec: number | null;
  /** Files that were read. */
  files: StageFinishedFiles;
  /** Output of the command on stderr. */
  stderr: StageFinishedStderr;
  /** Results of the acceptance commands. */
  acceptance: StageFinishedAcceptance[];
}

/** Stage finished files. */
export interface StageFinishedFiles {
  /** Output. */
  out?: StageFinishedFilesOut;
  /** Stderr. */
  err?: StageFinishedFilesOut;
  /** Log of composing the prompt. */
  "compose.log"?: StageFinishedFilesOut;
  /** Log of the run. */
  "wrapper.log"?: StageFinishedFilesOut;
}

/** Stage finished files out. */
export interface StageFinishedFilesOut {
  /** Path of the step or task node. */
  path: string;
  /** Size in bytes. */
  size: number;
  /** SHA-256 of the bytes, in hexadecimal digits. */
  sha256: string;
  /** Lines in it. */
  lines: number;
}

/** Stage finished stderr. */
export interface StageFinishedStderr {
  /** Digest of the log's heads, for `expected_head`. */
  head: string[];
  /** Last lines. */
  tail: string[];
}

/** Stage finished acceptance. */
export interface StageFinishedAcceptance {
  /** The command that was run. */
  command: string;
  /** Exit code of the command. */
  exit_code: number;
  /** Whether its time ran out. */
  timed_out: boolean;
  /** Whole seconds. */
  duration_sec: number;
  /** The beginning of the output. */
  excerpt: string;
  /** Id before the change. */
  from?: "brief" | "manifest";
  /** Whether Taskfold started the command itself; left out where the caller reports the result. */
  captured?: boolean;
}

/** An attempt of a stage that another program ran was taken in from its folder, with its marker if it is done. Nothing is paid. */
export interface StageImportedEvent extends EventHead {
  /** Which event it is. */
  type: "stage_imported";
  /** Stage of the card. */
  stage: "gemini_brief" | "gemini_review" | "gemini_test_design" | "gemini_static_verify" | "codex_impl" | "codex_verify" | "codex_review" | "codex_test_impl" | "copilot_runbook" | "copilot_review" | "copilot_review_consolidate";
  /** When it was closed. */
  done_at: string | null;
  /** Whether the folder told of a run; if not, there was a marker alone. */
  ran: boolean;
  /** Exit code of the command. */
  exit_code: number | null;
  /** Model that it runs with. */
  model: string;
  /** When it began, UTC, whole seconds. */
  start: string | null;
  /** When it ended. */
  end: string | null;
  /** Whole seconds. */
  duration_sec: number | null;
  /** Hex SHA-256 of the prompt; null where the folder does not tell. */
  prompt_sha256: string | null;
  /** Files that were read. */
  files: StageFinishedFiles;
  /** Whether derived ids have 20 hex digits of the event's hash; left out by older releases, whose ids have eight. */
  long_ids?: boolean;
}

/** An attempt ended without a word: its dispatcher was killed, or its caller gave it up. A payment that it made stays paid. */
export interface StageInterruptedEvent extends EventHead {
  /** Which event it is. */
  type: "stage_interrupted";
  /** Stage of the card. */
  stage: "gemini_brief" | "gemini_review" | "gemini_test_design" | "gemini_static_verify" | "codex_impl" | "codex_verify" | "codex_review" | "codex_test_impl" | "copilot_runbook" | "copilot_review" | "copilot_review_consolidate";
  /** Eight hex digits of the event that started the attempt. */
  run: string;
  /** Why. */
  reason: string;
  /** Files that were read. */
  files?: StageFinishedFiles;
}

/** The gate of a stage let its output through: the stage is done. */
export interface StagePassedEvent extends EventHead {
  /** Which event it is. */
  type: "stage_passed";
  /** Stage of the card. */
  stage: "gemini_brief" | "gemini_review" | "gemini_test_design" | "gemini_static_verify" | "codex_impl" | "codex_verify" | "codex_review" | "codex_test_impl" | "copilot_runbook" | "copilot_review" | "copilot_review_consolidate";
  /** Eight hex digits of the event that started the attempt. */
  run: string;
  /** Subjects that the gate checked. */
  checks: string[];
}

/** A stage that was done has to be done again. */
export interface StageReopenedEvent extends EventHead {
  /** Which event it is. */
  type: "stage_reopened";
  /** Stage of the card. */
  stage: "gemini_brief" | "gemini_review" | "gemini_test_design" | "gemini_static_verify" | "codex_impl" | "codex_verify" | "codex_review" | "codex_test_impl" | "copilot_runbook" | "copilot_review" | "copilot_review_consolidate";
  /** Why. */
  reason: string;
}

/** A stage of the packet began, with what it ran with; a paid one is paid for from here on. */
export interface StageStartedEvent extends EventHead {
  /** Which event it is. */
  type: "stage_started";
  /** Stage of the card. */
  stage: "gemini_brief" | "gemini_review" | "gemini_test_design" | "gemini_static_verify" | "codex_impl" | "codex_verify" | "codex_review" | "codex_test_impl" | "copilot_runbook" | "copilot_review" | "copilot_review_consolidate";
  /** Counted from 1 for each stage. */
  attempt: number;
  /** Model that it runs with. */
  model: string;
  /** Seconds after which it is ended. */
  timeout_sec: number;
  /** Which limit holds. */
  timeout_mode: "enforce" | "wait_done";
  /** Whether it counts as a paid call. */
  paid: boolean;
  /** Program and arguments, without the prompt. */
  argv: string[];
  /** Names of environment variables, without values. */
  env: string[];
  /** The composed prompt. */
  prompt: StageFinishedFilesOut | null;
  /** How often each rule masked something, by its name. */
  redactions: Record<string, number>;
  /** Hex SHA-256 of the configuration. */
  config_sha256: string;
  /** A dispatcher runs it; left out, the caller who started it does. */
  dispatched?: boolean;
  /** State that the runner saw at the start: the commit, then digests of the files and of programs that git runs. */
  work_tree?: string;
  /** Scope and commands that the gate judges by, as they were at the start. Left out by older versions. */
  judged_by?: StageStartedJudgedBy;
  /** Whether derived ids have 20 hex digits of the event's hash; left out by older releases, whose ids have eight. */
  long_ids?: boolean;
}

/** Stage started judged by. */
export interface StageStartedJudgedBy {
  /** Scope of the manifest. */
  scope: EvidenceCapturedItemCapturedScope;
  /** Acceptance commands of the manifest. */
  manifest: string[];
  /** Acceptance commands of the brief; null: it named none. */
  brief: string[] | null;
}

/** The status is TODO, ACTIVE, FAILED or CANCELED; DONE has an event of its own. */
export interface StatusChangedEvent extends EventHead {
  /** Which event it is. */
  type: "status_changed";
  /** Its status. */
  status: "TODO" | "ACTIVE" | "FAILED" | "CANCELED";
  /** Why. */
  reason?: string;
}

/** A step is blocked and does not close until it is unblocked. */
export interface StepBlockedEvent extends EventHead {
  /** Which event it is. */
  type: "step_blocked";
  /** Stable id of the step. */
  step_id: string;
  /** Why. */
  reason: string | null;
}

/** A step's title, criteria, tests, blockers, dependencies, proof modes, files or the checkpoints that another actor confirms were set, or whether it names the packet. New criteria or tests take back their confirmation. */
export interface StepDefinedEvent extends EventHead {
  /** Which event it is. */
  type: "step_defined";
  /** Stable id of the step. */
  step_id: string;
  /** Its title. */
  title?: string;
  /** When it counts as done. */
  success_criteria?: string[];
  /** How it is checked. */
  tests?: string[];
  /** Obstacles to it. */
  blockers?: string[];
  /** Tasks that have to be DONE before. */
  depends_on?: string[];
  /** Checkpoints that another actor confirms than those who claimed the step. */
  confirm?: StepDefinedConfirm;
  /** Files that were read. */
  files?: string[];
  /** Whether the step names the packet of its task. */
  packet?: boolean;
  /** Which checkpoints need attached proof. */
  proof?: PlanEditedPatchProof;
}

/** Step defined confirm. */
export interface StepDefinedConfirm {
  /** Whether the success criteria are confirmed. */
  criteria?: "other";
  /** How it is checked. */
  tests?: "other";
  /** Whether security is confirmed. */
  security?: "other";
  /** Whether performance is confirmed. */
  perf?: "other";
  /** Whether the documentation is confirmed. */
  docs?: "other";
}

/** A step and everything below it were deleted. Its path is never given to another step. */
export interface StepDeletedEvent extends EventHead {
  /** Which event it is. */
  type: "step_deleted";
  /** Stable id of the step. */
  step_id: string;
}

/** A step was closed. Judged where it stands in the order: if its gate does not hold there, the step stays open with the reason. */
export interface StepDoneEvent extends EventHead {
  /** Which event it is. */
  type: "step_done";
  /** Stable id of the step. */
  step_id: string;
  /** Why the step was closed against the rules. */
  forced?: string;
}

/** An actor wrote a progress note, on a step or (step_id null) on the whole. */
export interface StepNotedEvent extends EventHead {
  /** Which event it is. */
  type: "step_noted";
  /** Stable id of the step. */
  step_id: string | null;
  /** The note. */
  note: string;
}

/** A closed step is open again; its confirmations stay as they are. */
export interface StepReopenedEvent extends EventHead {
  /** Which event it is. */
  type: "step_reopened";
  /** Stable id of the step. */
  step_id: string;
  /** Why. */
  reason: string;
}

/** A step is no longer blocked. */
export interface StepUnblockedEvent extends EventHead {
  /** Which event it is. */
  type: "step_unblocked";
  /** Stable id of the step. */
  step_id: string;
}

/** Checkpoints of a step were confirmed (true) or their confirmation was taken back (false). */
export interface StepVerifiedEvent extends EventHead {
  /** Which event it is. */
  type: "step_verified";
  /** Stable id of the step. */
  step_id: string;
  /** Checkpoints that the event is about. */
  checkpoints: StepVerifiedCheckpoints;
}

/** Step verified checkpoints. */
export interface StepVerifiedCheckpoints {
  /** Whether the success criteria are confirmed. */
  criteria?: boolean;
  /** Whether the tests are confirmed. */
  tests?: boolean;
  /** Whether security is confirmed. */
  security?: boolean;
  /** Whether performance is confirmed. */
  perf?: boolean;
  /** Whether the documentation is confirmed. */
  docs?: boolean;
}

/** Steps were added at the end of a list: at the top, or under a parent step. */
export interface StepsAddedEvent extends EventHead {
  /** Which event it is. */
  type: "steps_added";
  /** Plan, or step, that it belongs to; null without one. */
  parent: string | null;
  /** The steps. */
  steps: StepsAddedStep[];
}

/** Steps added step. */
export interface StepsAddedStep {
  /** Its id. */
  id: string;
  /** Its title. */
  title: string;
  /** When it counts as done. */
  success_criteria: string[];
  /** How it is checked. */
  tests: string[];
  /** Obstacles to it. */
  blockers: string[];
  /** Tasks that have to be DONE before. */
  depends_on?: string[];
  /** Checkpoints that another actor than its claimants confirms. */
  confirm?: StepDefinedConfirm;
  /** Files that were read. */
  files?: string[];
  /** Whether it names the packet of its task. */
  packet?: boolean;
  /** Which checkpoints need attached proof. */
  proof?: PlanEditedPatchProof;
}

/** A task that another program kept exists in this log from here on, as its task file and evidence index had it. It is always the first event. */
export interface TaskAdoptedEvent extends EventHead {
  /** Which event it is. */
  type: "task_adopted";
  /** Its title. */
  title: string;
  /** Its subject. */
  description: string;
  /** How agents work on it together. */
  topology: "swarm" | "squad";
  /** Its status. */
  status: "TODO" | "ACTIVE" | "DONE" | "FAILED" | "CANCELED";
  /** When it was created. */
  created_at: string;
  /** When it was changed last. */
  updated_at: string;
  /** The steps. */
  steps: TaskAdoptedStep[];
  /** Agents of the task. */
  roster: TaskAdoptedRoster[];
  /** Gates of another program. */
  gates: TaskAdoptedGate[];
  /** Settings of the task, as another program wrote them. */
  config: TaskAdoptedConfig;
  /** Evidence. */
  evidence: TaskAdoptedEvidence[];
  /** Files that people keep. */
  people: TaskAdoptedPeople[];
  /** Files that were read. */
  files: EvidenceCapturedItemCapturedLock[];
  /** Other data of the folder. */
  extra?: TaskAdoptedExtra[];
}

/** Task adopted step. */
export interface TaskAdoptedStep {
  /** Its id. */
  id: string;
  /** Milestone of the other program. */
  milestone: string;
  /** Its title. */
  title: string;
  /** State, in the words of the other program. */
  state: "pending" | "working" | "done" | "blocked";
  /** Tasks that have to be DONE before. */
  depends_on: string[];
}

/** Task adopted roster. */
export interface TaskAdoptedRoster {
  /** Instance of the agent. */
  instance: string;
  /** Name of the agent. */
  agent: string;
  /** State, in the words of the other program. */
  state: "active" | "awaiting" | "completed" | "failed";
  /** State of the agent in the words of the program that adopted folders come from. */
  word?: "pending" | "active" | "dormant";
  /** Step that the agent works on. */
  assigned: string | null;
  /** Skills of the agent. */
  skills: string[];
}

/** Task adopted gate. */
export interface TaskAdoptedGate {
  /** Its id. */
  id: string;
  /** Kind of the gate. */
  type: "human-approval" | "auto-check" | "milestone-gate";
  /** State, in the words of the other program. */
  state: "open" | "blocked" | "approved" | "rejected";
  /** Why. */
  reason: string | null;
  /** File with instructions for the person who decides. */
  instructions: string | null;
  /** When the gate was blocked. */
  blocked_at: string | null;
  /** When the gate was decided. */
  resolved_at: string | null;
  /** Actor who decided the gate. */
  resolved_by: string | null;
}

/** Task adopted config. */
export interface TaskAdoptedConfig {
  /** Most agents at once. */
  maxConcurrentAgents: number;
  /** Seconds until an agent is given up. */
  timeoutSeconds: number;
  /** Whether gates are approved without a person. */
  autoApprove: boolean;
}

/** Task adopted evidence. */
export interface TaskAdoptedEvidence {
  /** Its id. */
  id: string;
  /** Its kind. */
  kind: "file-anchor" | "command-execution" | "runtime-event-range";
  /** Its title. */
  title: string;
  /** In short. */
  summary: string;
  /** When it was created. */
  createdAt: string;
  /** Sources of the evidence. */
  sources: (TaskAdoptedEvidenceSource | TaskAdoptedEvidenceSource2 | TaskAdoptedEvidenceSource3)[];
  /** Files that the evidence consists of. */
  artifactRefs?: string[];
}

/** Task adopted evidence source. */
export interface TaskAdoptedEvidenceSource {
  /** Kind of the source. */
  type: "fileAnchor";
  /** Path of the file. */
  path: string;
  /** First line, counted from 1. */
  startLine: number;
  /** Last line, counted from 1. */
  endLine: number;
}

/** Task adopted evidence source2. */
export interface TaskAdoptedEvidenceSource2 {
  /** Kind of the source. */
  type: "commandExecution";
  /** The command that was run. */
  command: string;
  /** Folder in which the command ran. */
  cwd: string;
  /** Exit code of the command. */
  exitCode?: number;
  /** File with what the command wrote to stdout. */
  stdoutRef?: string;
  /** File with what the command wrote to stderr. */
  stderrRef?: string;
}

/** Task adopted evidence source3. */
export interface TaskAdoptedEvidenceSource3 {
  /** Kind of the source. */
  type: "runtimeEventRange";
  /** Log that the evidence refers to. */
  eventsRef: string;
  /** First line, counted from 1. */
  startLine?: number;
  /** Last line, counted from 1. */
  endLine?: number;
}

/** Task adopted people. */
export interface TaskAdoptedPeople {
  /** Name of the file. */
  file: "shared/human-notes.md" | "shared/context-manifest.yaml";
  /** The text. */
  content: string;
  /** SHA-256 of the bytes, in hexadecimal digits. */
  sha256: string;
}

/** Task adopted extra. */
export interface TaskAdoptedExtra {
  /** Where the data stood. */
  path: string;
  /** The data as JSON text. */
  json: string;
}

/** The task was put away; its folder moves to the archive with its log. */
export interface TaskArchivedEvent extends EventHead {
  /** Which event it is. */
  type: "task_archived";
}

/** The plan or task is DONE. After a merge that brought open steps it is ACTIVE instead, with the reason. */
export interface TaskCompletedEvent extends EventHead {
  /** Which event it is. */
  type: "task_completed";
  /** Why. */
  reason?: string;
}

/** A plan or a task exists from here on; always the first event of its log. */
export interface TaskCreatedEvent extends EventHead {
  /** Which event it is. */
  type: "task_created";
  /** Its kind. */
  kind: "plan" | "task";
  /** Its title. */
  title: string;
  /** Its subject. */
  description: string;
  /** How agents work on it together. */
  topology: "swarm" | "squad";
  /** Plan, or step, that it belongs to; null without one. */
  parent: PlanEditedPatchDependsOn | null;
  /** The contract: what the work has to fulfil. */
  contract: string | null;
  /** The contract as data. */
  contract_data: Json;
  /** Which checkpoints need attached proof. */
  proof?: PlanEditedPatchProof;
}

/** The plan or task was deleted; its folder moves to the archive with its log. */
export interface TaskDeletedEvent extends EventHead {
  /** Which event it is. */
  type: "task_deleted";
}

/** Fields of the task itself were set; null clears one, a list replaces the list. */
export interface TaskEditedEvent extends EventHead {
  /** Which event it is. */
  type: "task_edited";
  /** The fields that changed, with their values. */
  patch: PlanEditedPatch;
}

/** A task node was added at the end of a step's nodes. */
export interface TaskNodeAddedEvent extends EventHead {
  /** Which event it is. */
  type: "task_node_added";
  /** Stable id of the step. */
  step_id: string;
  /** Id of the task node. */
  node_id: string;
  /** Its title. */
  title: string;
  /** Its status. */
  status?: "TODO" | "ACTIVE" | "DONE" | "FAILED" | "CANCELED";
  /** Its priority, in words. */
  priority?: string;
  /** Its subject. */
  description?: string;
  /** Knowledge that an agent needs to take over. */
  context?: string | null;
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

/** Fields of a task node were set; a list replaces the list. */
export interface TaskNodeDefinedEvent extends EventHead {
  /** Which event it is. */
  type: "task_node_defined";
  /** Stable id of the step. */
  step_id: string;
  /** Id of the task node. */
  node_id: string;
  /** Its title. */
  title?: string;
  /** Its status. */
  status?: "TODO" | "ACTIVE" | "DONE" | "FAILED" | "CANCELED";
  /** Its priority, in words. */
  priority?: string;
  /** Its subject. */
  description?: string;
  /** Knowledge that an agent needs to take over. */
  context?: string | null;
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

/** A task node was deleted. Its path is never given to another node. */
export interface TaskNodeDeletedEvent extends EventHead {
  /** Which event it is. */
  type: "task_node_deleted";
  /** Stable id of the step. */
  step_id: string;
  /** Id of the task node. */
  node_id: string;
}

/** Changes that another program made in task.yaml and in the evidence index were taken in: fields that it knows of, never steps, checkpoints or status. */
export interface TaskReadoptedEvent extends EventHead {
  /** Which event it is. */
  type: "task_readopted";
  /** Its title. */
  title?: string;
  /** Its subject. */
  description?: string;
  /** Settings of the task, as another program wrote them. */
  config?: TaskAdoptedConfig;
  /** Agents of the task. */
  roster: TaskAdoptedRoster[];
  /** Gates of another program. */
  gates: TaskAdoptedGate[];
  /** Evidence. */
  evidence: TaskAdoptedEvidence[];
  /** When it was changed last. */
  updated_at: string;
  /** Files that were read. */
  files: EvidenceCapturedItemCapturedLock[];
}

/** Two entities stood in one log after a merge; this one, the later, moved to a folder of its own. */
export interface TaskRehomedEvent extends EventHead {
  /** Which event it is. */
  type: "task_rehomed";
  /** Id before the change. */
  from: string;
  /** Id after the change. */
  to: string;
  /** Hash of the first event of the plan or task. */
  root: string;
}

/** A DONE task is ACTIVE again because there is open work in it. */
export interface TaskReopenedEvent extends EventHead {
  /** Which event it is. */
  type: "task_reopened";
  /** Why. */
  reason: string;
}

/** The task was brought back from the archive with its folder. */
export interface TaskRestoredEvent extends EventHead {
  /** Which event it is. */
  type: "task_restored";
}

/** One section of the Taskdoc was replaced whole; category null is the top, empty content means that it was cleared on purpose. */
export interface TaskdocChangedEvent extends EventHead {
  /** Which event it is. */
  type: "taskdoc_changed";
  /** Category of the section; null for a section at the top. */
  category: string | null;
  /** Name of the section. */
  selector: string;
  /** The text. */
  content: string;
  /** SHA-256 of the bytes, in hexadecimal digits. */
  sha256: string;
  /** SHA-256 of the text before; null without one. */
  previous_sha256: string;
  /** Where the text comes from. */
  source?: TaskdocChangedSource;
}

/** Taskdoc changed source. */
export interface TaskdocChangedSource {
  /** Name of the file. */
  file: string;
  /** SHA-256 of the bytes, in hexadecimal digits. */
  sha256: string;
}

/** Tasks of the plan were put away; the plan names them from here on. */
export interface TasksArchivedEvent extends EventHead {
  /** Which event it is. */
  type: "tasks_archived";
  /** The tasks. */
  tasks: TasksArchivedTask[];
}

/** Tasks archived task. */
export interface TasksArchivedTask {
  /** Its id. */
  id: string;
  /** Hash of the first event of the plan or task. */
  root: string;
  /** Its title. */
  title: string;
  /** Its status. */
  status: "TODO" | "ACTIVE" | "DONE" | "FAILED" | "CANCELED";
}

/** Tasks of the plan are back from the archive; the plan names them no more. */
export interface TasksRestoredEvent extends EventHead {
  /** Which event it is. */
  type: "tasks_restored";
  /** The tasks. */
  tasks: PlanEditedPatchDependsOn[];
}

/** An actor wrote down a step of thought that is no card. */
export interface TraceAddedEvent extends EventHead {
  /** Which event it is. */
  type: "trace_added";
  /** The text. */
  text: string;
}

/** An op was taken back: its fields have the values from before it. */
export interface UndoAppliedEvent extends EventHead {
  /** Which event it is. */
  type: "undo_applied";
  /** Id of the change: the id of its first event. */
  op: string;
  /** The fields that were written. */
  fields: RedoAppliedField[];
}

/** An event as `watch()` and tools give it: its payload's fields stand beside those of every event. */

export type TaskfoldEvent =
  | CardAddedEvent
  | ContractUpdatedEvent
  | EvidenceCapturedEvent
  | ForeignAdoptedEvent
  | GateApprovedEvent
  | GateBlockedEvent
  | LeaseClaimedEvent
  | LeaseReleasedEvent
  | LogGapEvent
  | NotesChangedEvent
  | PacketArchivedEvent
  | PacketBudgetResetEvent
  | PacketDefinedEvent
  | PacketImportedEvent
  | PacketInputSetEvent
  | PacketOverrideSetEvent
  | PlanEditedEvent
  | PlanUpdatedEvent
  | RedoAppliedEvent
  | ReportGeneratedEvent
  | StageFailedEvent
  | StageFinishedEvent
  | StageImportedEvent
  | StageInterruptedEvent
  | StagePassedEvent
  | StageReopenedEvent
  | StageStartedEvent
  | StatusChangedEvent
  | StepBlockedEvent
  | StepDefinedEvent
  | StepDeletedEvent
  | StepDoneEvent
  | StepNotedEvent
  | StepReopenedEvent
  | StepUnblockedEvent
  | StepVerifiedEvent
  | StepsAddedEvent
  | TaskAdoptedEvent
  | TaskArchivedEvent
  | TaskCompletedEvent
  | TaskCreatedEvent
  | TaskDeletedEvent
  | TaskEditedEvent
  | TaskNodeAddedEvent
  | TaskNodeDefinedEvent
  | TaskNodeDeletedEvent
  | TaskReadoptedEvent
  | TaskRehomedEvent
  | TaskReopenedEvent
  | TaskRestoredEvent
  | TaskdocChangedEvent
  | TasksArchivedEvent
  | TasksRestoredEvent
  | TraceAddedEvent
  | UndoAppliedEvent;
