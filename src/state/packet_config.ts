/** The configuration of packets: which program each servant is, and which stages each profile runs. Plain JSON. */

export const INTENTS = [
  "safe_impl",
  "one_shot_impl",
  "design_only",
  "review_only",
  "review_cross",
  "post_impl_review",
] as const;
export type Intent = (typeof INTENTS)[number];

export const SERVANTS = ["gemini", "codex", "copilot"] as const;
export type Servant = (typeof SERVANTS)[number];

/** `enforce`: the smaller of the servant's limit and the manifest's. `wait_done`: the manifest's only. */
export const TIMEOUT_MODES = ["enforce", "wait_done"] as const;
export type TimeoutMode = (typeof TIMEOUT_MODES)[number];

export const PROMPT_CHANNELS = ["stdin", "file", "argument"] as const;
export type PromptChannel = (typeof PROMPT_CHANNELS)[number];

/** Names that a servant's command may hold in braces; no other text of it is expanded. */
export const COMMAND_PLACEHOLDERS = ["model", "prompt_file", "stage", "role", "task_dir"] as const;

export const GROUPS = ["impl", "review"] as const;
export type Group = (typeof GROUPS)[number];

/** Options with their values. A value of a mode names the profile that it chooses when a manifest gives it. */
export const MODE_PROFILES: Record<string, Record<string, string>> = {
  impl_mode: { safe: "safe_impl", one_shot: "one_shot_impl" },
  review_mode: { cross: "review_cross", codex_only: "codex_only" },
};

export interface ServantConfig {
  tool: Servant;
  /** Program and arguments; `{model}`, `{prompt_file}`, `{stage}`, `{role}` and `{task_dir}` are filled in. */
  command: string[];
  prompt: PromptChannel;
  default_model: string;
  allowed_models: string[];
  /** Models by role. */
  purpose_models: Record<string, string>;
  /** Whether a run counts against `paid_call_budget`. */
  paid: boolean;
  timeout_sec: number;
  /** Exit codes after which a second try may succeed. */
  transient_exit_codes: number[];
}

export interface Profile {
  stages: string[];
  flags: Record<string, boolean>;
  options: Record<string, string>;
  /** Models by stage. */
  stage_models: Record<string, string>;
}

/** Which acceptance commands run where a brief names its own: these, those of the manifest, or both, the brief's first. */
export const ACCEPTANCE_MODES = ["brief", "manifest", "both"] as const;
export type AcceptanceMode = (typeof ACCEPTANCE_MODES)[number];

export interface PipelineGroup {
  /** Flags that a manifest may set. */
  flags: string[];
  /** Options that a manifest may set, with their values. */
  options: Record<string, string[]>;
  profiles: Record<string, Profile>;
  /** Where a caller allows commands and does not say which; `brief` if absent. */
  acceptance?: AcceptanceMode;
}

export interface PacketConfig {
  servants: Record<Servant, ServantConfig>;
  groups: Record<Group, PipelineGroup>;
  /** The profile of each intent. */
  intents: Record<Intent, { group: Group; profile: string }>;
  /** File of each part that is not built in, by `servant codex`, `pipeline impl profiles.safe_impl`, `pipeline impl intents.safe_impl`. */
  origins: Record<string, string>;
  /** Its folder, where it was read from one. No part of what it says. */
  folder?: string;
  /** Hex SHA-256 over the names and bytes of the files that it was read from. No part of what it says. */
  files_sha256?: string;
}

/** The folder below the root with the configuration of the workspace itself (PACKET-383). */
export const OWN_CONFIG_FOLDER = "configs";

/**
 * The folder as a text may advise to name it; null: the caller has to know it. To name a folder is to trust it, so a text that comes with
 * a repository advises none there.
 */
export function advisedFolder(config_folder: string | null | undefined): string | null {
  return config_folder?.startsWith("../") === true ? config_folder : null;
}

/** A servant without its program. */
export type PlannedServant = Omit<ServantConfig, "command" | "prompt">;

/** The parts of a configuration that make a plan, as a log records them. They hold no program: nothing of a log can be run. */
export interface RecordedConfig extends Pick<PacketConfig, "groups" | "intents" | "origins"> {
  servants: Record<Servant, PlannedServant>;
}

/** Recorded parts, with the digest and the folder of the whole. */
export interface KnownConfig extends RecordedConfig {
  config_sha256: string;
  config_folder?: string | null;
}

/** Everything that a manifest can be planned with. */
export type PlanConfig = PacketConfig | KnownConfig;

/** The configurations that an open workspace has beside the built-in one. */
export interface PacketConfigs {
  /** The one that the opening named. */
  readonly given: PacketConfig | undefined;
  /** The workspace's own, as its files are now; undefined where there is none. INVALID_INPUT with every fault of it. */
  readonly own: () => PacketConfig | undefined;
}

export const DEFAULT_TIMEOUT_MODE: TimeoutMode = "wait_done";
