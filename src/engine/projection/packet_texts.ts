/** Manifests and configuration files, as texts of files, for hosts. */
import { createRequire } from "node:module";
import type * as Yaml from "yaml";
import { TaskfoldError } from "../../errors.ts";
import type { Manifest, PacketPlan } from "../../state/packet.ts";
import type { PacketConfig, PlanConfig } from "../../state/packet_config.ts";
import type { FieldFault } from "../../rules/packet/field_fault.ts";
import { BUILT_IN_CONFIG } from "../../rules/packet/built_in_config.ts";
import { maskManifest } from "../../rules/packet/mask_manifest.ts";
import { inputFault } from "../../rules/packet/packet_path.ts";
import { configDigest, resolvePlan } from "../../rules/packet/plan.ts";
import { setInputs } from "../../rules/packet/set_input.ts";
import type { ManifestText } from "./packet_documents.ts";
import { parseConfig, parseManifest } from "./packet_documents.ts";
import { remedy, TASKFOLD } from "../../remedy.ts";

export { BUILT_IN_CONFIG, configDigest, inputFault };
export type { FieldFault, Manifest, ManifestText, PacketConfig, PacketPlan };

/** Loaded when a packet is: it costs as much as the rest of a short command. */
function yaml(): typeof Yaml {
  return createRequire(import.meta.url)("yaml") as typeof Yaml;
}

/** INVALID_INPUT with every fault in `details.errors`, each with its file and field. `path`: such as `configs/servant/codex.yaml`. */
export function packetConfigOf(files: readonly { path: string; text: string }[]): PacketConfig {
  const { config, errors } = parseConfig(files, yaml());
  if (config) return config;
  const lines = errors
    .slice(0, 3)
    .map(({ file, field, message }) => `${file}${field === "" ? "" : `, ${field}`}: ${message}`);
  const more = errors.length > lines.length ? ` And ${errors.length - lines.length} more.` : "";
  throw new TaskfoldError("INVALID_INPUT", `Expected a valid configuration of packets; ${lines.join(" ")}${more}`, {
    recovery: "Put each field right that details.errors names, or name another folder: --config DIR.",
    details: { errors: errors.map((error) => ({ ...error })) },
  });
}

/** Returns the manifest of a text, or every fault of it. `task_id`: the caller's, in the place of its own. */
export function packetManifestOf(text: string, config: PlanConfig, task_id?: string): ManifestText {
  return parseManifest(text, config, yaml(), task_id);
}

/** INVALID_INPUT with every fault in `details.errors`. */
export function invalidManifest(errors: readonly FieldFault[]): TaskfoldError {
  const lines = errors.slice(0, 3).map(({ field, message }) => `${field === "" ? "the document" : field}: ${message}`);
  const more = errors.length > lines.length ? ` And ${errors.length - lines.length} more.` : "";
  return new TaskfoldError("INVALID_INPUT", `Expected a valid manifest; ${lines.join(" ")}${more}`, {
    ...remedy`Put each field right; ${TASKFOLD} packet validate names all of them.`,
    details: { errors: errors.map((error) => ({ ...error })) },
  });
}

/** The stages of a manifest; INVALID_INPUT where the configuration does not know what it asks for. */
export function packetPlanOf(manifest: Manifest, config: PlanConfig): PacketPlan {
  const resolved = resolvePlan(manifest, config);
  if ("errors" in resolved) throw invalidManifest(resolved.errors);
  return resolved.plan;
}

/** The goal without what the manifest, and what is built in, masks. */
export function shownGoal(manifest: Manifest): string {
  return maskManifest(manifest).manifest.goal;
}

/** PATH_UNSAFE or CONTENT_TOO_LARGE for inputs that a packet would refuse, before anything is made for it. */
export function checkPacketInputs(manifest: Manifest, inputs: Readonly<Record<string, string>>): void {
  const given = Object.entries(inputs).map(([path, text]) => ({ path, text }));
  setInputs({ manifest, inputs: [] }, given);
}
