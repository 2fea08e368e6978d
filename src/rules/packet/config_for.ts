/** Which configuration a manifest is planned with (PACKET-383 and PACKET-384). */
import type { Warning } from "../../errors.ts";
import { TaskfoldError } from "../../errors.ts";
import type { Packet } from "../../state/packet.ts";
import type {
  KnownConfig,
  PacketConfigs,
  PlanConfig,
  PlannedServant,
  RecordedConfig,
} from "../../state/packet_config.ts";
import { advisedFolder, GROUPS, INTENTS, OWN_CONFIG_FOLDER, SERVANTS } from "../../state/packet_config.ts";
import { shellQuote } from "../../state/shell_quote.ts";
import { BUILT_IN_CONFIG } from "./built_in_config.ts";
import { configDigest } from "./plan.ts";
import { remedy, TASKFOLD, toolName } from "../../remedy.ts";

/** The configuration where no caller names one: the workspace's own, else the built-in one. */
export function globalConfig({ own }: PacketConfigs): PlanConfig {
  return own() ?? BUILT_IN_CONFIG;
}

/**
 * For a whole manifest. The one that the opening named counts. A packet that was planned with another folder keeps that one, and so does
 * one whose files are gone. INVALID_INPUT where the log does not have it.
 */
export function configForDefine(id: string, packet: Packet | null, configs: PacketConfigs): PlanConfig {
  if (configs.given) return configs.given;
  const own = packet === null || isPlannedGlobally(packet) ? configs.own() : undefined;
  if (own) return own;
  if (packet === null || packet.plan.config_folder === undefined) return BUILT_IN_CONFIG;
  return configForPatch(id, packet, configs);
}

/** For a changed manifest: the configuration that the packet was planned with. INVALID_INPUT, with both digests, where it is not known. */
export function configForPatch(id: string, packet: Packet, configs: PacketConfigs): PlanConfig {
  const { config_sha256 } = packet.plan;
  const recorded = recordedConfig(packet);
  if (recorded) return recorded;
  if (config_sha256 === configDigest(BUILT_IN_CONFIG)) return BUILT_IN_CONFIG;
  const present = configs.given ?? globalConfig(configs);
  if (configDigest(present) === config_sha256) return present;
  throw otherConfig(id, packet, configDigest(present));
}

/** Whether no caller named the configuration of the plan. */
export function isPlannedGlobally({ plan: { config_folder } }: Packet): boolean {
  return config_folder === undefined || config_folder === OWN_CONFIG_FOLDER;
}

/** A packet that was planned with another configuration, or with one that this process does not have. */
export function otherConfig(id: string, { plan }: Packet, found: string): TaskfoldError {
  return new TaskfoldError(
    "INVALID_INPUT",
    `Expected the configuration that ${id} was planned with (${short(plan.config_sha256)}), found another one (${short(found)}).`,
    {
      ...remedy`Name the folder of the configuration (--config ${shellQuote(advisedFolder(plan.config_folder) ?? "DIR")}), open the workspace with it (packet), or plan the packet anew with ${toolName("packet_define")}.`,
      details: { planned_sha256: plan.config_sha256, found_sha256: found },
    },
  );
}

/** Undefined where nothing changes for the packet. */
export function plannedAnewWarning(id: string, packet: Packet | null, config_sha256: string): Warning[] {
  const before = packet?.plan.config_sha256;
  if (before === undefined || before === config_sha256) return [];
  return [
    {
      code: "PACKET_PLANNED_ANEW",
      message: `${id} was planned with configuration ${short(before)}, and is planned with ${short(config_sha256)} now.`,
      ...remedy`${TASKFOLD} packet plan ${id} shows each stage with its model, and where each value comes from.`,
    },
  ];
}

function short(sha256: string): string {
  return sha256.slice(0, 12);
}

/** The one of the plan in effect, as the log records it; undefined where it does not, or where what it records makes no plan. */
function recordedConfig({ plan: { config_sha256, config_folder }, configs }: Packet): KnownConfig | undefined {
  const recorded = configs && Object.hasOwn(configs, config_sha256) ? configs[config_sha256] : undefined;
  if (!recorded || !isWhole(recorded)) return undefined;
  return { ...recorded, config_sha256, ...(config_folder === undefined ? {} : { config_folder }) };
}

/** A log may come from anywhere. */
function isWhole({ servants, intents, groups }: RecordedConfig): boolean {
  return (
    SERVANTS.every((tool) => servants[tool].tool === tool) &&
    GROUPS.every((name) => Object.values(groups[name].profiles).every(({ stages }) => stages.length > 0)) &&
    INTENTS.every((name) => Object.hasOwn(groups[intents[name].group].profiles, intents[name].profile))
  );
}

/** The parts of a configuration that a log records: none of its programs. */
export function recordOf({ servants, groups, intents, origins }: PlanConfig): RecordedConfig {
  const { gemini, codex, copilot } = servants;
  return {
    servants: { gemini: planned(gemini), codex: planned(codex), copilot: planned(copilot) },
    groups,
    intents,
    origins,
  };
}

function planned(servant: PlannedServant): PlannedServant {
  const { tool, default_model, allowed_models, purpose_models, paid, timeout_sec, transient_exit_codes } = servant;
  return { tool, default_model, allowed_models, purpose_models, paid, timeout_sec, transient_exit_codes };
}
