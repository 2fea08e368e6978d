/** Manifest and configuration of packets as texts: YAML in, values or every fault out. The caller brings the `yaml` module. */
import type * as Yaml from "yaml";
import type { Warning } from "../../errors.ts";
import type { KeyPath } from "../../files/parse_yaml.ts";
import type { ReadYaml } from "../../files/read_yaml.ts";
import { readYaml } from "../../files/read_yaml.ts";
import type { FieldFault } from "../../rules/packet/field_fault.ts";
import { expected, memberPath } from "../../rules/packet/field_fault.ts";
import { readManifest } from "../../rules/packet/manifest.ts";
import type { ConfigFault } from "../../rules/packet/read_config.ts";
import { readConfig } from "../../rules/packet/read_config.ts";
import { unknownKeys, unknownKeyWarnings } from "../../rules/packet/unknown_keys.ts";
import { isObject } from "../../state/json.ts";
import type { Manifest } from "../../state/packet.ts";
import type { PacketConfig, PlanConfig } from "../../state/packet_config.ts";

export interface ManifestText {
  /** Null where there are faults. */
  manifest: Manifest | null;
  errors: FieldFault[];
  /** Of keys that are no field of a manifest. */
  warnings: Warning[];
}

/** The manifest that a text describes, or every fault of it. `task_id`: the caller's, in the place of its own. */
export function parseManifest(text: string, config: PlanConfig, yaml: typeof Yaml, task_id?: string): ManifestText {
  const read = readYaml(text, yaml);
  if ("fault" in read) return { manifest: null, errors: [documentFault(read)], warnings: [] };
  const { manifest, errors } = readManifest(task_id === undefined ? read.value : withId(read.value, task_id), config);
  const all = [...errors, ...ambiguous(read, errors)];
  const warnings = unknownKeyWarnings(unknownKeys(read.value));
  return { manifest: all.length === 0 ? manifest : null, errors: all, warnings };
}

function withId(value: unknown, task_id: string): unknown {
  return isObject(value) ? { ...value, task_id } : value;
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

/** A key that stands twice is a fault of that key. */
function documentFault({ fault, at }: Extract<ReadYaml, { fault: string }>): FieldFault {
  return at === undefined
    ? { field: "", reason: "yaml", message: fault }
    : { field: fieldAt(at), reason: "duplicate", message: fault };
}

function fieldAt(path: KeyPath): string {
  return path.reduce<string>(
    (before, key) => (typeof key === "number" ? `${before}[${key}]` : memberPath(before, key)),
    "",
  );
}

/** Numbers that another reader of YAML takes for others, where nothing else is wrong with the field. */
function ambiguous(
  { ambiguous: found }: Extract<ReadYaml, { value: unknown }>,
  errors: readonly FieldFault[],
): FieldFault[] {
  const faults = found.map(({ path, source }): FieldFault => {
    const field = fieldAt(path);
    const hint = "YAML 1.1 and 1.2 read it differently.";
    return { field, reason: "type", message: expected(field, "a number in plain decimals", source, hint) };
  });
  return faults.filter(({ field }) => !errors.some((one) => one.field === field));
}
