/** The configuration that a packet runs with, and whether it may run here (PACKET-151, PACKET-386). */
import type { Disk } from "../disk.ts";
import type { PacketAccess } from "../engine/packet/packet_access.ts";
import { BUILT_IN_CONFIG } from "../rules/packet/built_in_config.ts";
import { isPlannedGlobally, otherConfig } from "../rules/packet/config_for.ts";
import { configDigest, resolvePlan } from "../rules/packet/plan.ts";
import { sortedJson } from "../state/json.ts";
import type { Packet, PacketPlan } from "../state/packet.ts";
import type { PacketConfig, PacketConfigs } from "../state/packet_config.ts";
import { OWN_CONFIG_FOLDER } from "../state/packet_config.ts";
import { requireTrust } from "./trusted_configs.ts";
import type { Environment } from "./trusted_configs.ts";

/**
 * The one that the caller named. Without one, that of the plan: the built-in one, or the workspace's own if it is trusted. INVALID_INPUT,
 * with both digests, for another one than the plan was made with; CONFIG_NOT_TRUSTED.
 */
export function configToRun(
  { id, disks, layout, configs, packet }: PacketAccess,
  named: PacketConfig | undefined,
  environment: Environment,
): PacketConfig {
  const { given } = configs;
  const planned = packet();
  const isOfPlan = (config: PacketConfig): boolean => configDigest(config) === planned.plan.config_sha256;
  const chosen = named ?? given;
  if (chosen) {
    if (isOfPlan(chosen) || (given && configDigest(chosen) === configDigest(given))) return chosen;
    throw otherConfig(id, planned, configDigest(chosen));
  }
  const own = ownToRun(planned, configs);
  if (own) {
    requireTrust(disks.anywhere, layout.root, own, environment);
    return own;
  }
  // No built-in program runs in the place of a configured one.
  if (planned.plan.config_folder === undefined) return BUILT_IN_CONFIG;
  throw otherConfig(id, planned, configDigest(BUILT_IN_CONFIG));
}

/** The workspace's own, for a packet that no caller planned with another one. */
function ownToRun(packet: Packet, { own }: PacketConfigs): PacketConfig | undefined {
  if (isPlannedGlobally(packet)) return own();
  const found = own();
  return found && configDigest(found) === packet.plan.config_sha256 ? found : undefined;
}

/** CONFIG_NOT_TRUSTED before a packet is made that could not be run. */
export function requireTrustForNew(
  disk: Disk,
  root: string,
  { given, own }: PacketConfigs,
  environment: Environment,
): void {
  const config = given ? undefined : own();
  if (config) requireTrust(disk, root, config, environment);
}

/** CONFIG_NOT_TRUSTED for acceptance commands of a packet that was planned with files of the repository without trust. */
export function requireTrustForCommands(
  { disks, layout, configs, packet }: PacketAccess,
  environment: Environment,
): void {
  if (configs.given || packet().plan.config_folder !== OWN_CONFIG_FOLDER) return;
  const own = configs.own();
  if (own) requireTrust(disks.anywhere, layout.root, own, environment);
}

/**
 * Whether the plan in the log is what its manifest and this configuration make. A log may come from anywhere, and its plan says which
 * model reaches which program.
 */
export function isPlannedWith({ manifest, plan }: Packet, config: PacketConfig): boolean {
  if (configDigest(config) !== plan.config_sha256) return false;
  const resolved = resolvePlan(manifest, config);
  return "plan" in resolved && sortedJson(whatRuns(resolved.plan)) === sortedJson(whatRuns(plan));
}

function whatRuns({ stages }: PacketPlan): unknown {
  return stages.map(({ from: _from, ...stage }) => stage);
}
