/** Manifest and configuration of packets as texts: YAML in, values or every fault out. The caller brings the `yaml` module. */
import type * as Yaml from "yaml";
import type { ReadYaml } from "../../files/read_yaml.ts";
import { readYaml } from "../../files/read_yaml.ts";
import type { FieldFault } from "../../rules/packet/field_fault.ts";
import { expected, memberPath } from "../../rules/packet/field_fault.ts";
import { readManifest } from "../../rules/packet/manifest.ts";
import type { ConfigFault } from "../../rules/packet/read_config.ts";
import { readConfig } from "../../rules/packet/read_config.ts";
import { isObject } from "../../state/json.ts";
import type { Manifest } from "../../state/packet.ts";
import type { PacketConfig } from "../../state/packet_config.ts";

/** The manifest that a text describes, or every fault of it. `task_id` counts where the text gives none. */
export function parseManifest(
  text: string,
  config: PacketConfig,
  yaml: typeof Yaml,
  task_id?: string,
): { manifest: Manifest | null; errors: FieldFault[] } {
  const read = readYaml(text, yaml);
  if ("fault" in read) return { manifest: null, errors: [documentFault(read)] };
  const { manifest, errors } = readManifest(task_id === undefined ? read.value : withId(read.value, task_id), config);
  const all = [...errors, ...ambiguous(read, errors)];
  return { manifest: all.length === 0 ? manifest : null, errors: all };
}

function withId(value: unknown, task_id: string): unknown {
  return isObject(value) && !Object.hasOwn(value, "task_id") ? { ...value, task_id } : value;
}

/** The configuration that files of `servant/` and `pipeline/` describe, or every fault of all of them. */
export function parseConfig(
  files: readonly { path: string; text: string }[],
  yaml: typeof Yaml,
): { config: PacketConfig | null; errors: ConfigFault[] } {
  const read = files.map(({ path, text }) => ({ path, read: readYaml(text, yaml) }));
  const broken = read.flatMap(({ path, read: one }) => ("fault" in one ? [{ file: path, ...documentFault(one) }] : []));
  const documents = read.flatMap(({ path, read: one }) => ("fault" in one ? [] : [{ path, value: one.value }]));
  const { config, errors } = readConfig(documents);
  const numbers = read.flatMap(({ path, read: one }) =>
    "fault" in one
      ? []
      : ambiguous(
          one,
          errors.filter(({ file }) => file === path),
        ).map((fault) => ({ file: path, ...fault })),
  );
  const all = [...broken, ...errors, ...numbers];
  return { config: all.length === 0 ? config : null, errors: all };
}

function documentFault({ fault }: Extract<ReadYaml, { fault: string }>): FieldFault {
  return { field: "", reason: "yaml", message: fault };
}

/** Numbers that another reader of YAML takes for others, where nothing else is wrong with the field. */
function ambiguous(
  { ambiguous: found }: Extract<ReadYaml, { value: unknown }>,
  errors: readonly FieldFault[],
): FieldFault[] {
  const faults = found.map(({ path, source }): FieldFault => {
    const field = path.reduce<string>(
      (before, key) => (typeof key === "number" ? `${before}[${key}]` : memberPath(before, key)),
      "",
    );
    const hint = "YAML 1.1 and 1.2 read it differently.";
    return { field, reason: "type", message: expected(field, "a number in plain decimals", source, hint) };
  });
  return faults.filter(({ field }) => !errors.some((one) => one.field === field));
}
