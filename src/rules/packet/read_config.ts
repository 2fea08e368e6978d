/** Reads the split configuration: each file replaces the built-in parts that it names, and nothing else. */
import type { TSchema } from "../../state/schema.ts";
import type {
  Intent,
  Servant,
  Group,
  PacketConfig,
  PipelineGroup,
  Profile,
  ServantConfig,
} from "../../state/packet_config.ts";
import { ROLES_OF, STAGES } from "../../state/packet.ts";
import { PIPELINE_SCHEMA, SERVANT_SCHEMA } from "../../state/packet_schema.ts";
import { BUILT_IN_CONFIG } from "./built_in_config.ts";
import { checkShape, fittingPart } from "./check_shape.ts";
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

/** The parts of a file that have their shape. With a fault of shape the configuration is null in the end. */
type ServantFile = Partial<ServantConfig>;

interface PipelineFile extends Partial<Omit<PipelineGroup, "profiles">> {
  group?: Group;
  profiles?: Record<string, Partial<Profile>>;
  intents?: Partial<Record<Intent, string>>;
}

/** A servant whose list of models cannot be read allows every model, so that no fault follows from another. */
type KnownModels = Pick<ServantConfig, "tool"> & Partial<Pick<ServantConfig, "allowed_models">>;

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

/** Returns the parts of the value that fit its shape; faults of the rest are noted. */
function shaped<T extends object>(value: unknown, file: string, schema: TSchema, errors: ConfigFault[]): T {
  const faults = checkShape(value, schema);
  errors.push(...faults.map((fault) => ({ file, ...fault })));
  return (faults.length === 0 ? value : (fittingPart(value, schema) ?? {})) as T;
}

function addServant(config: PacketConfig, path: string, given: ServantFile, errors: ConfigFault[]): void {
  const report = reporter(path, errors);
  checkServant(given, report);
  if (given.tool === undefined) return;
  const servant = {
    purpose_models: {},
    paid: true,
    timeout_sec: 600,
    transient_exit_codes: [],
    ...given,
  } as ServantConfig;
  const earlier = config.origins[`servant ${servant.tool}`];
  if (earlier !== undefined)
    report("tool", "duplicate", "a servant with one file", `${servant.tool}, which ${earlier} configures too`);
  config.servants[servant.tool] = servant;
  config.origins[`servant ${servant.tool}`] = path;
}

function checkServant(servant: ServantFile, report: Report): void {
  const { tool, command, prompt, default_model, purpose_models = {} } = servant;
  if (command?.[0]?.trim() === "") report("command[0]", "empty", "the name of a program", "text of blanks");
  if (prompt === "file" && command?.some((text) => /\{(?:prompt_file|task_dir)\}/.test(text)) === false)
    report("command", "missing", "arguments with {prompt_file} where prompt is file", "none");
  if (tool === undefined) return;
  const { allowed_models } = servant;
  const known: KnownModels = allowed_models ? { tool, allowed_models } : { tool };
  if (default_model !== undefined) checkModel(known, default_model, "default_model", report);
  const roles: readonly string[] = ROLES_OF[tool];
  for (const [role, model] of Object.entries(purpose_models)) {
    if (!roles.includes(role))
      report(`purpose_models.${role}`, "role", `a role of ${tool} (${roles.join(", ")})`, shown(role));
    else checkModel(known, model, `purpose_models.${role}`, report);
  }
}

function checkModel({ tool, allowed_models }: KnownModels, model: string, field: string, report: Report): void {
  if (allowed_models?.includes(model) === false)
    report(field, "model", `one of the allowed models of ${tool} (${named(allowed_models)})`, shown(model));
}

function addPipeline(config: PacketConfig, path: string, file: PipelineFile, errors: ConfigFault[]): void {
  const report = reporter(path, errors);
  const { group, flags = [], options = {}, profiles = {}, acceptance } = file;
  const earlier = group && config.origins[`pipeline ${group}`];
  if (earlier !== undefined)
    report("group", "duplicate", "a group with one file", `${group}, which ${earlier} configures too`);
  for (const [i, flag] of flags.entries()) {
    if (flag !== undefined && !STAGES.some((stage) => flagRemoves(flag, stage)))
      report(`flags[${i}]`, "flag", "enable_ and a word of a role, such as enable_review", shown(flag));
  }
  for (const [name, profile] of Object.entries(profiles)) checkProfile(config, file, name, profile, report);
  if (group === undefined) return;
  config.groups[group] = {
    flags,
    options,
    profiles: { ...config.groups[group].profiles },
    ...(acceptance === undefined ? {} : { acceptance }),
  };
  config.origins[`pipeline ${group}`] = path;
  for (const [name, given] of Object.entries(profiles)) {
    const profile = { flags: {}, options: {}, stage_models: {}, ...given } as Profile;
    config.groups[group].profiles[name] = profile;
    config.origins[`pipeline ${group} profiles.${name}`] = path;
  }
}

/** A list that cannot be read forbids nothing. */
function checkProfile(
  config: PacketConfig,
  { flags: known, options }: PipelineFile,
  name: string,
  { stages, flags = {}, options: chosen = {}, stage_models = {} }: Partial<Profile>,
  report: Report,
): void {
  const field = `profiles.${name}`;
  for (const flag of Object.keys(flags).filter((flag) => known?.includes(flag) === false))
    report(`${field}.flags.${flag}`, "flag", `one of the flags of the group (${named(known!)})`, shown(flag));
  for (const [option, value] of options ? Object.entries(chosen) : []) {
    const values = options![option] ?? [];
    if (!values.includes(value)) {
      const what = values.length === 0 ? "an option of the group" : `one of ${values.join(", ")}`;
      report(`${field}.options.${option}`, "option", what, values.length === 0 ? shown(option) : shown(value));
    }
  }
  for (const [stage, model] of Object.entries(stage_models)) {
    const place = `${field}.stage_models.${stage}`;
    if (stages?.includes(stage) === false)
      report(place, "stage", `a stage of the profile (${named(stages)})`, shown(stage));
    else checkModel(config.servants[servantOf(stage)], model, place, report);
  }
}

/** After the profiles of all groups: an intent may move to another group. */
function addIntents(config: PacketConfig, path: string, file: PipelineFile, errors: ConfigFault[]): void {
  const report = reporter(path, errors);
  const { group, intents = {} } = file;
  if (group === undefined) return;
  const { profiles } = config.groups[group];
  for (const [intent, profile] of Object.entries(intents) as [Intent, string][]) {
    const field = `intents.${intent}`;
    const earlier = config.origins[`intent ${intent}`];
    if (file.profiles !== undefined && !Object.hasOwn(profiles, profile))
      report(field, "profile", `a profile of group ${group} (${Object.keys(profiles).join(", ")})`, shown(profile));
    if (earlier !== undefined) report(field, "duplicate", "an intent with one profile", `another one in ${earlier}`);
    config.intents[intent] = { group, profile };
    config.origins[`intent ${intent}`] = path;
  }
}

/** The items that could be read. */
function named(items: readonly (string | undefined)[]): string {
  return items.filter((item) => item !== undefined).join(", ");
}

function servantOf(stage: string): Servant {
  return stage.slice(0, stage.indexOf("_")) as Servant;
}
