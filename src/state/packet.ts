/**
 * The Task Packet of a task: what its manifest asks for, how its stages went, and what they used up (seed task-packet). Plain
 * JSON, folded from the log alone.
 */
import type { KeptForm } from "../sentence.ts";
import { SERVANTS } from "./packet_config.ts";
import type { Intent, RecordedConfig, Servant, TimeoutMode } from "./packet_config.ts";

export const DIGEST_POLICIES = ["off", "auto", "aggressive"] as const;
export type DigestPolicy = (typeof DIGEST_POLICIES)[number];

/** Roles by servant: a stage is named `<tool>_<role>`. */
export const ROLES_OF = {
  gemini: ["brief", "review", "test_design", "static_verify"],
  codex: ["impl", "verify", "review", "test_impl"],
  copilot: ["runbook", "review", "review_consolidate"],
} as const;
export type Role = (typeof ROLES_OF)[Servant][number];

export const STAGES: readonly string[] = SERVANTS.flatMap((tool) => ROLES_OF[tool].map((role) => `${tool}_${role}`));

/** Tool and role of a stage's name. */
export function partsOfStage(stage: string): { tool: Servant; role: Role } {
  const at = stage.indexOf("_");
  return { tool: stage.slice(0, at) as Servant, role: stage.slice(at + 1) as Role };
}

export interface Manifest {
  /** Id of the entity that carries the packet. */
  task_id: string;
  goal: string;
  routing: {
    intent: Intent;
    model?: Partial<Record<Servant, string>>;
    pipeline?: { profile?: string; flags?: Record<string, boolean>; options?: Record<string, string> };
  };
  scope: { allow: string[]; deny: string[] };
  acceptance: { commands: string[]; criteria: string[] };
  budgets: { retry_budget: number; paid_call_budget: number; max_wallclock_sec: number };
  context: { digest_policy: DigestPolicy };
  security?: { redaction_patterns?: string[]; forbidden_paths?: string[] };
}

/** A stage as routing resolved it; `from` says of each value where it came from. */
export interface PlannedStage {
  stage: string;
  tool: Servant;
  role: Role;
  model: string;
  timeout_sec: number;
  timeout_mode: TimeoutMode;
  paid: boolean;
  /** Exit codes of this servant after which a second try may succeed. */
  transient_exit_codes: number[];
  /** `servant`: of `paid` and `transient_exit_codes`. Undefined in plans of older versions. */
  from: { stage: string; model: string; timeout_sec: string; servant?: string };
}

/** Where the values of a plan come from that are no stage's own. */
export interface PlanSources {
  profile: string;
  flags: Record<string, string>;
  options: Record<string, string>;
  /** Stages of the profile that a flag removes, in the profile's order. */
  removed: { stage: string; flag: string; from: string }[];
}

export interface PacketPlan {
  group: string;
  profile: string;
  flags: Record<string, boolean>;
  options: Record<string, string>;
  stages: PlannedStage[];
  /** Undefined in plans of older versions. */
  from?: PlanSources;
  /** Hex SHA-256 of the configuration's canonical JSON. */
  config_sha256: string;
  /** Folder of the configuration, from the root on; null: not known. Left out: the built-in one. */
  config_folder?: string | null;
}

/** A text below `inputs/`, already redacted. */
export interface PacketInput {
  /** From `inputs/` on: `user_request.md`, `context_pack.md`, `attachments/<name>`. */
  path: string;
  text: string;
  /** Hex SHA-256 of its UTF-8 bytes. */
  sha256: string;
  source: "user" | "brief" | "import";
}

/** A file of the packet that no event holds whole: output of a servant, a log, a prompt. */
export interface PacketFile {
  /** From the entity's folder on, as it was named when the event was written. */
  path: string;
  size: number;
  /** Hex SHA-256 of its bytes. */
  sha256: string;
  lines: number;
  /** The archive left it out for its size. */
  dropped?: true;
}

/** The files that a stage leaves on disk, by the seed's extensions. */
export const STAGE_FILES = ["out", "err", "compose.log", "wrapper.log"] as const;
export type StageFile = (typeof STAGE_FILES)[number];

/** The suffix of a stage's file while the stage runs. */
export const PARTIAL = ".partial";

/** Where a stage's file lies: of its latest attempt, or of an earlier one by its number. */
export function stageFile(stage: string, file: StageFile, attempt?: number): string {
  const { tool } = partsOfStage(stage);
  return `outputs/${stage}.${tool}.${attempt === undefined ? "" : `${attempt}.`}${file}`;
}

/** Where a file of this attempt lies: names without a number are those of the latest attempt, and another branch may bring a later one. */
export function attemptFile(packet: Packet, { run, stage, attempt }: Attempt, file: StageFile): string {
  return stageFile(stage, file, attemptsOf(packet, stage).at(-1)?.run === run ? undefined : attempt);
}

/** Where a file of an attempt without an end may lie, its own name first. It may be from when the attempt was the latest. */
export function namesOfOpen(packet: Packet, attempt: Attempt, file: StageFile): string[] {
  return [...new Set([attemptFile(packet, attempt, file), stageFile(attempt.stage, file)])];
}

/** Whether an event of another attempt names these bytes of this stage. */
export function isOfOther(packet: Packet, { run, stage }: Attempt, sha256: string): boolean {
  return attemptsOf(packet, stage).some(
    (one) => one.run !== run && Object.values(one.ended?.files ?? {}).some((file) => file.sha256 === sha256),
  );
}

/** Where the composed prompt of a stage lies. */
export function promptFile(stage: string): string {
  const { tool, role } = partsOfStage(stage);
  return `inputs/prompt/${tool}.${role}.md`;
}

export interface AcceptanceResult {
  command: string;
  exit_code: number;
  timed_out: boolean;
  duration_sec: number;
  /** Head and tail of what it printed, at most 4,000 code points, redacted. */
  excerpt: string;
  /** The source of the command. */
  from?: "brief" | "manifest";
  /** Whether Taskfold started the command itself; left out where the caller reports the result. */
  captured?: boolean;
}

export const FAILURE_CLASSES = [
  "auth",
  "tooling",
  "transient",
  "prompt_too_large",
  "contract_violation",
  "scope_violation",
  "unknown",
] as const;
export type FailureClass = (typeof FAILURE_CLASSES)[number];

export interface Failure {
  stage: string;
  attempt: number;
  class: FailureClass;
  /** `sig:` and 16 hex digits over (class, stage, normalised text). */
  signature: string;
  exit_code: number | null;
  gate: "passed" | "failed" | "not_judged";
  /** Reasons of the gate, in sentences. */
  reasons: string[];
  /** Of each reason its form, null where it has none. Undefined in what an older version wrote. */
  forms?: (KeptForm | null)[];
  /** The text that the signature was taken of, at most 500 code points. */
  normalized: string;
  suggested_actions: string[];
  ts: string;
}

/** One try of a stage: a servant's run, paid for when it starts. */
export interface Attempt {
  /** Hex digits of the hash of the event that started it: 20, or 8 of what an older release wrote (PACKET-422). */
  run: string;
  stage: string;
  /** Counted from 1 for each stage. */
  attempt: number;
  model: string;
  timeout_sec: number;
  timeout_mode: TimeoutMode;
  paid: boolean;
  prompt_sha256: string | null;
  /** Of the manifest when it started: a stage is judged by no scope that it widens itself. Undefined in what an older version folded. */
  scope?: Manifest["scope"];
  /** Acceptance commands when it started, of the manifest and of the brief. Undefined in what an older version folded. */
  commands?: { manifest: string[]; brief: string[] | null };
  /** Places in replay order of the ops that began it and that ended it. Undefined where an older version or another program ran it. */
  ops?: { start: number; ends: number[] };
  started_at: string;
  by: string;
  /** A dispatcher runs it, under the packet's lock. Otherwise the caller who started it runs it and ends it. */
  dispatched?: true;
  /** The work tree as the runner saw it at its start, in its own form; left out where the runner did not look. */
  work_tree?: string;
  /** Undefined while it runs. */
  ended?: {
    how: "passed" | "failed" | "interrupted";
    /** Time of the event. */
    ts: string;
    exit_code: number | null;
    timed_out: boolean;
    /** UTC, whole seconds, as the one who ran it measured. */
    start: string | null;
    end: string | null;
    duration_sec: number | null;
    files: Partial<Record<StageFile, PacketFile>>;
    /** First and last 20 lines of stderr, redacted. */
    stderr: { head: string[]; tail: string[] };
    acceptance: AcceptanceResult[];
    reason: string | null;
    /** Of the reason, where the gate gave it. */
    form?: KeptForm;
  };
  /** Another program ran it; its folder was taken in. */
  imported?: true;
  /** Its stage was opened again since. */
  reopened?: true;
}

export interface Signature {
  /** Failures with it since the last reset of the retry budget. */
  count: number;
  class: FailureClass;
  first_seen: string;
  last_seen: string;
}

export const BUDGETS = ["retry_budget", "paid_call_budget"] as const;
export type Budget = (typeof BUDGETS)[number];

export interface Packet {
  manifest: Manifest;
  plan: PacketPlan;
  /** By `config_sha256`, those that plans were made with and that are not built in. Undefined in what an older version folded. */
  configs?: Record<string, RecordedConfig>;
  inputs: PacketInput[];
  /** Paths of inputs that were taken away: their files go, too. */
  removed_inputs: string[];
  /** All attempts in the order in which they started. */
  attempts: Attempt[];
  /** Stage to the time at which it was completed; reopened ones are not in it. */
  done: Record<string, string>;
  paid_calls_used: number;
  signatures: Record<string, Signature>;
  /** By stage, until it is done: each has its own retries. */
  failures: Record<string, Failure>;
  /** Verify commands of the brief; null: those of the manifest count. */
  override: string[] | null;
  archived: boolean;
  updated_at: string;
}

/** Attempts of one stage, the latest one last. */
export function attemptsOf({ attempts }: Packet, stage: string): Attempt[] {
  return attempts.filter((one) => one.stage === stage);
}

/** The attempt of a stage that has not ended: that of this run, else the latest. */
export function runningAttempt(packet: Packet, stage: string, run?: string): Attempt | undefined {
  return packet.attempts.findLast((one) => one.stage === stage && !one.ended && (run ?? one.run) === one.run);
}

/** Attempts without an end, of whatever stage. */
export function openAttempts(packet: Packet | null | undefined): Attempt[] {
  return packet?.attempts.filter(({ ended }) => !ended) ?? [];
}

/** Whether the writer of the op at that place saw an attempt, of that stage if one is given, begin and none of its ends. */
export function isUnderWay(
  { attempts }: Packet,
  at: { index: number; saw: (index: number) => boolean },
  stage?: string,
): boolean {
  return attempts.some(
    ({ ops, stage: of }) =>
      ops && (stage ?? of) === of && at.saw(ops.start) && !ops.ends.some((end) => end === at.index || at.saw(end)),
  );
}

export type StageState = "pending" | "running" | "done" | "failed" | "interrupted";

/** How a stage stands: what was done and not reopened is done, whatever was tried since. */
export function stageState(packet: Packet, stage: string): StageState {
  if (runningAttempt(packet, stage)) return "running";
  if (packet.done[stage] !== undefined) return "done";
  const how = attemptsOf(packet, stage).at(-1)?.ended?.how;
  return how === undefined || how === "passed" ? "pending" : how;
}
