/** Reads the split configuration: each file replaces the built-in parts that it names, and nothing else. */
import type { TSchema } from "../../state/schema.ts";
import type { Intent, Servant } from "../../state/packet.ts";
import { ROLES_OF, STAGES } from "../../state/packet.ts";
import type { Group, PacketConfig, PipelineGroup, Profile, ServantConfig } from "../../state/packet_config.ts";
import { PIPELINE_SCHEMA, SERVANT_SCHEMA } from "../../state/packet_schema.ts";
import { BUILT_IN_CONFIG } from "./built_in_config.ts";
import { checkShape } from "./check_shape.ts";
import type { FaultReason, FieldFault } from "./field_fault.ts";
import { expected, shown } from "./field_fault.ts";
import { flagRemoves } from "./flags.ts";

export interface ConfigFault extends FieldFault {
  file: string;
}

/** A configuration file as values: `servant/codex.yaml`, `pipeline/impl.yaml`. */
export interface ConfigDocument {
  path: string;
  value: unknown;
}

type Optional = "purpose_models" | "paid" | "timeout_sec" | "transient_exit_codes";
type ServantFile = Omit<ServantConfig, Optional> & Partial<ServantConfig>;

interface PipelineFile extends Omit<PipelineGroup, "profiles"> {
  group: Group;
  profiles: Record<string, Partial<Profile> & Pick<Profile, "stages">>;
  intents: Partial<Record<Intent, string>>;
}

type Report = (field: string, reason: FaultReason, what: string, found: string, hint?: string) => void;

/** The configuration, or every fault of every file. */
export function readConfig(documents: readonly ConfigDocument[]): {
  config: PacketConfig | null;
  errors: ConfigFault[];
} {
  const config = structuredClone(BUILT_IN_CONFIG);
  const errors: ConfigFault[] = [];
  const sorted = documents.toSorted((a, b) => (a.path < b.path ? -1 : 1));
  // Profiles name models: the servants have to be known first.
  for (const { path, value } of sorted.filter(({ path }) => kindOf(path) === "servant"))
    addServant(config, path, shaped<ServantFile>(value, path, SERVANT_SCHEMA, errors), errors);
  const pipelines = sorted.filter(({ path }) => kindOf(path) === "pipeline");
  const read = pipelines.map(({ path, value }) => ({
    path,
    file: shaped<PipelineFile>(value, path, PIPELINE_SCHEMA, errors),
  }));
  for (const { path, file } of read) addPipeline(config, path, file, errors);
  for (const { path, file } of read) addIntents(config, path, file, errors);
  for (const { path } of sorted.filter(({ path }) => kindOf(path) === null))
    reporter(path, errors)("", "path", "servant/<name>.yaml or pipeline/<name>.yaml", JSON.stringify(path));
  return { config: errors.length === 0 ? config : null, errors };
}

function kindOf(path: string): "servant" | "pipeline" | null {
  const kind = /(?:^|\/)(servant|pipeline)\/[^/]+\.ya?ml$/.exec(path)?.[1];
  return (kind as "servant" | "pipeline" | undefined) ?? null;
}

function reporter(file: string, errors: ConfigFault[]): Report {
  return (field, reason, what, found, hint) =>
    errors.push({ file, field, reason, message: expected(field, what, found, hint) });
}

/** The value if its shape fits; its faults are noted otherwise. */
function shaped<T>(value: unknown, file: string, schema: TSchema, errors: ConfigFault[]): T | null {
  const faults = checkShape(value, schema);
  errors.push(...faults.map((fault) => ({ file, ...fault })));
  return faults.length === 0 ? (value as T) : null;
}

function addServant(config: PacketConfig, path: string, given: ServantFile | null, errors: ConfigFault[]): void {
  if (given === null) return;
  const report = reporter(path, errors);
  const servant: ServantConfig = {
    purpose_models: {},
    paid: true,
    timeout_sec: 600,
    transient_exit_codes: [],
    ...given,
  };
  const earlier = config.origins[`servant ${servant.tool}`];
  if (earlier !== undefined)
    report("tool", "duplicate", "a servant with one file", `${servant.tool}, which ${earlier} configures too`);
  checkServant(servant, report);
  config.servants[servant.tool] = servant;
  config.origins[`servant ${servant.tool}`] = path;
}

function checkServant(servant: ServantConfig, report: Report): void {
  const { tool, command, prompt, default_model, purpose_models } = servant;
  if (command[0]!.trim() === "") report("command[0]", "empty", "the name of a program", "text of blanks");
  if (prompt === "file" && !command.some((text) => /\{(?:prompt_file|task_dir)\}/.test(text)))
    report("command", "missing", "arguments with {prompt_file} where prompt is file", "none");
  checkModel(servant, default_model, "default_model", report);
  const roles: readonly string[] = ROLES_OF[tool];
  for (const [role, model] of Object.entries(purpose_models)) {
    if (!roles.includes(role))
      report(`purpose_models.${role}`, "role", `a role of ${tool} (${roles.join(", ")})`, shown(role));
    else checkModel(servant, model, `purpose_models.${role}`, report);
  }
}

function checkModel({ tool, allowed_models }: ServantConfig, model: string, field: string, report: Report): void {
  if (!allowed_models.includes(model))
    report(field, "model", `one of the allowed models of ${tool} (${allowed_models.join(", ")})`, shown(model));
}

function addPipeline(config: PacketConfig, path: string, file: PipelineFile | null, errors: ConfigFault[]): void {
  if (file === null) return;
  const report = reporter(path, errors);
  const { group, flags, options } = file;
  const earlier = config.origins[`pipeline ${group}`];
  if (earlier !== undefined)
    report("group", "duplicate", "a group with one file", `${group}, which ${earlier} configures too`);
  for (const [i, flag] of flags.entries()) {
    if (!STAGES.some((stage) => flagRemoves(flag, stage)))
      report(`flags[${i}]`, "flag", "enable_ and a word of a role, such as enable_review", shown(flag));
  }
  config.groups[group] = { flags, options, profiles: { ...config.groups[group].profiles } };
  config.origins[`pipeline ${group}`] = path;
  for (const [name, given] of Object.entries(file.profiles)) {
    const profile: Profile = { flags: {}, options: {}, stage_models: {}, ...given };
    checkProfile(config, file, name, profile, report);
    config.groups[group].profiles[name] = profile;
    config.origins[`pipeline ${group} profiles.${name}`] = path;
  }
}

function checkProfile(config: PacketConfig, file: PipelineFile, name: string, profile: Profile, report: Report): void {
  const field = `profiles.${name}`;
  for (const flag of Object.keys(profile.flags).filter((flag) => !file.flags.includes(flag)))
    report(`${field}.flags.${flag}`, "flag", `one of the flags of the group (${file.flags.join(", ")})`, shown(flag));
  for (const [option, value] of Object.entries(profile.options)) {
    const values = file.options[option] ?? [];
    if (!values.includes(value)) {
      const what = values.length === 0 ? "an option of the group" : `one of ${values.join(", ")}`;
      report(`${field}.options.${option}`, "option", what, values.length === 0 ? shown(option) : shown(value));
    }
  }
  for (const [stage, model] of Object.entries(profile.stage_models)) {
    const place = `${field}.stage_models.${stage}`;
    if (!profile.stages.includes(stage))
      report(place, "stage", `a stage of the profile (${profile.stages.join(", ")})`, shown(stage));
    else checkModel(config.servants[servantOf(stage)], model, place, report);
  }
}

/** After the profiles of all groups: an intent may move to another group. */
function addIntents(config: PacketConfig, path: string, file: PipelineFile | null, errors: ConfigFault[]): void {
  if (file === null) return;
  const report = reporter(path, errors);
  const { group } = file;
  const { profiles } = config.groups[group];
  for (const [intent, profile] of Object.entries(file.intents) as [Intent, string][]) {
    const field = `intents.${intent}`;
    const earlier = config.origins[`intent ${intent}`];
    if (!Object.hasOwn(profiles, profile))
      report(field, "profile", `a profile of group ${group} (${Object.keys(profiles).join(", ")})`, shown(profile));
    if (earlier !== undefined) report(field, "duplicate", "an intent with one profile", `another one in ${earlier}`);
    config.intents[intent] = { group, profile };
    config.origins[`intent ${intent}`] = path;
  }
}

function servantOf(stage: string): Servant {
  return stage.slice(0, stage.indexOf("_")) as Servant;
}
