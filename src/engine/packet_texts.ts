/** Texts of configuration files as one configuration; every fault of every file at once. */
import { createRequire } from "node:module";
import type * as Yaml from "yaml";
import { TaskfoldError } from "../errors.ts";
import type { Manifest } from "../state/packet.ts";
import type { PacketConfig } from "../state/packet_config.ts";
import type { FieldFault } from "../rules/packet/field_fault.ts";
import { parseConfig, parseManifest } from "./packet_documents.ts";

/** Loaded when a packet is: it costs as much as the rest of a short command. */
function yaml(): typeof Yaml {
  return createRequire(import.meta.url)("yaml") as typeof Yaml;
}

/** INVALID_INPUT with every fault in `details.errors`, each with its file and field. `path`: such as `configs/servant/codex.yaml`. */
export function packetConfigOf(files: readonly { path: string; text: string }[]): PacketConfig {
  const { config, errors } = parseConfig(files, yaml());
  if (config) return config;
  const told = errors.slice(0, 3).map(({ file, field, message }) => `${file}${field === "" ? "" : `, ${field}`}: ${message}`);
  const more = errors.length > told.length ? ` And ${errors.length - told.length} more.` : "";
  throw new TaskfoldError("INVALID_INPUT", `Expected a valid configuration of packets; ${told.join(" ")}${more}`, {
    recovery: "Put each field right that details.errors names.",
    details: { errors: errors.map((error) => ({ ...error })) },
  });
}

/** What a manifest's text says, or every fault of it. */
export function packetManifestOf(
  text: string,
  config: PacketConfig,
): { manifest: Manifest | null; errors: FieldFault[] } {
  return parseManifest(text, config, yaml());
}
