import type { Manifest } from "../state/packet.ts";
import type { YamlTree } from "./yaml.ts";
import { yamlTree } from "./yaml.ts";

/** `manifest.yaml`: every text quoted, so that `off` is a text to readers of YAML 1.1 and of 1.2. */
export function manifestYaml(manifest: Manifest): string {
  return yamlTree(manifest as unknown as YamlTree);
}
