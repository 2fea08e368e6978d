import type { Manifest } from "../state/packet.ts";
import { inOrder } from "../state/packet_schema.ts";
import type { YamlTree } from "./yaml.ts";
import { yamlTree } from "./yaml.ts";

/** `manifest.yaml`: keys in the order of the schema, every text quoted, so that `off` is a text to readers of YAML 1.1 and of 1.2. */
export function manifestYaml(manifest: Manifest): string {
  return yamlTree(inOrder(manifest) as YamlTree);
}
