/** Resolves a manifest to the stages that run, each value with the file and field that it comes from. */
import { createHash } from "node:crypto";
import { sortedJson } from "../../state/json.ts";
import type { Manifest, PacketPlan, PlannedStage, Role } from "../../state/packet.ts";
import type { Servant, TimeoutMode, PlanConfig, PlannedServant } from "../../state/packet_config.ts";
import { DEFAULT_TIMEOUT_MODE, TIMEOUT_MODES } from "../../state/packet_config.ts";
import { BUILT_IN_CONFIG } from "./built_in_config.ts";
import type { FieldFault } from "./field_fault.ts";
import { expected } from "./field_fault.ts";
import { flagRemoves, roleOf } from "./flags.ts";
import type { ChosenProfile } from "./routing.ts";
import { chosenProfile, isMode, routingFaults } from "./routing.ts";

export type ResolvedPlan = { plan: PacketPlan } | { errors: FieldFault[] };

interface Valued<T> {
  value: T;
  from: string;
}

const MANIFEST = "manifest.yaml: ";

/** The plan of a manifest whose shape is right; errors where the configuration does not know what it asks for. */
export function resolvePlan(manifest: Manifest, config: PlanConfig): ResolvedPlan {
  const errors = routingFaults(manifest.routing, config);
  if (errors.length > 0) return { errors };
  const chosen = chosenProfile(manifest.routing, config);
  const { group, profile } = chosen;
  const place = sourceOf(config, `pipeline ${group}`, `profiles.${profile}`);
  const { stages } = config.groups[group].profiles[profile]!;
  const flags = flagsOf(manifest, config, chosen, place);
  const options = optionsOf(manifest, config, chosen, place);
  const removed = stages.flatMap((stage) => {
    const flag = Object.keys(flags).find((name) => !flags[name]!.value && flagRemoves(name, stage));
    return flag === undefined ? [] : [{ stage, flag, from: flags[flag]!.from }];
  });
  const kept = stages.filter((stage) => !removed.some((one) => one.stage === stage));
  if (kept.length === 0) return { errors: [nothingLeft(manifest, profile)] };
  const plan: PacketPlan = {
    group,
    profile,
    flags: valuesOf(flags),
    options: valuesOf(options),
    stages: kept.map((stage) => plannedStage(stage, manifest, config, chosen, place, timeoutMode(options))),
    from: {
      profile: profileSource(config, manifest, chosen),
      flags: sourcesOf(flags),
      options: sourcesOf(options),
      removed,
    },
    config_sha256: configDigest(config),
    ...(isBuiltIn(config) ? {} : { config_folder: folderOf(config) }),
  };
  return { plan };
}

export function isBuiltIn(config: PlanConfig): boolean {
  return config === BUILT_IN_CONFIG || configDigest(config) === configDigest(BUILT_IN_CONFIG);
}

function folderOf(config: PlanConfig): string | null {
  return ("config_sha256" in config ? config.config_folder : config.folder) ?? null;
}

/** Hex SHA-256 of the whole configuration; files of the same content in another order have the same. */
export function configDigest(config: PlanConfig): string {
  if ("config_sha256" in config) return config.config_sha256;
  const { servants, groups, intents } = config;
  return createHash("sha256").update(sortedJson({ servants, groups, intents })).digest("hex");
}

/** `configs file: field`, or `built-in servant codex: field`. */
function sourceOf(config: PlanConfig, part: string, field: string): string {
  const file = config.origins[`${part} ${field}`];
  return `${file ?? (part.startsWith("servant ") ? placeOf(config, part) : `built-in ${part}`)}: ${field}`;
}

/** The file of a part, or that it is built in. */
function placeOf({ origins }: PlanConfig, part: string): string {
  return origins[part] ?? `built-in ${part}`;
}

function profileSource(config: PlanConfig, { routing }: Manifest, { group, by }: ChosenProfile): string {
  if (by !== null) return MANIFEST + by;
  const file = config.origins[`intent ${routing.intent}`];
  return `${file ?? `built-in pipeline ${group}`}: intents.${routing.intent}`;
}

function flagsOf(
  { routing }: Manifest,
  config: PlanConfig,
  { group, profile }: ChosenProfile,
  place: string,
): Record<string, Valued<boolean>> {
  return {
    ...valued(config.groups[group].profiles[profile]!.flags, `${place}.flags`),
    ...valued(routing.pipeline?.flags ?? {}, `${MANIFEST}routing.pipeline.flags`),
  };
}

/** A mode that did not choose the profile has no say: the profile's own stands. */
function optionsOf(
  { routing }: Manifest,
  config: PlanConfig,
  { group, profile, by }: ChosenProfile,
  place: string,
): Record<string, Valued<string>> {
  const given = Object.entries(routing.pipeline?.options ?? {}).filter(
    ([option]) => !isMode(option) || by === `routing.pipeline.options.${option}`,
  );
  return {
    ...valued(config.groups[group].profiles[profile]!.options, `${place}.options`),
    ...valued(Object.fromEntries(given), `${MANIFEST}routing.pipeline.options`),
  };
}

function plannedStage(
  stage: string,
  manifest: Manifest,
  config: PlanConfig,
  chosen: ChosenProfile,
  place: string,
  timeout_mode: TimeoutMode,
): PlannedStage {
  const tool = stage.slice(0, stage.indexOf("_")) as Servant;
  const servant = config.servants[tool];
  const model = modelOf(stage, manifest, config, chosen, place);
  const timeout = timeoutOf(manifest, config, servant, timeout_mode);
  return {
    stage,
    tool,
    role: roleOf(stage) as Role,
    model: model.value,
    timeout_sec: timeout.value,
    timeout_mode,
    paid: servant.paid,
    transient_exit_codes: servant.transient_exit_codes,
    from: {
      stage: `${place}.stages`,
      model: model.from,
      timeout_sec: timeout.from,
      servant: placeOf(config, `servant ${tool}`),
    },
  };
}

/** Manifest before the profile's stage, before the servant's role, before the servant's default. */
function modelOf(
  stage: string,
  { routing }: Manifest,
  config: PlanConfig,
  { group, profile }: ChosenProfile,
  place: string,
): Valued<string> {
  const tool = stage.slice(0, stage.indexOf("_")) as Servant;
  const { default_model, purpose_models } = config.servants[tool];
  const { stage_models } = config.groups[group].profiles[profile]!;
  const asked = routing.model?.[tool];
  if (asked !== undefined) return { value: asked, from: `${MANIFEST}routing.model.${tool}` };
  if (stage_models[stage] !== undefined) return { value: stage_models[stage], from: `${place}.stage_models.${stage}` };
  const servant = (field: string): string => sourceOf(config, `servant ${tool}`, field);
  const purpose = purpose_models[roleOf(stage)];
  if (purpose !== undefined) return { value: purpose, from: servant(`purpose_models.${roleOf(stage)}`) };
  return { value: default_model, from: servant("default_model") };
}

/** The manifest's limit; with `enforce` the servant's where it is smaller. */
function timeoutOf(
  { budgets }: Manifest,
  config: PlanConfig,
  { tool, timeout_sec }: PlannedServant,
  mode: TimeoutMode,
): Valued<number> {
  const most = { value: budgets.max_wallclock_sec, from: `${MANIFEST}budgets.max_wallclock_sec` };
  if (mode === "wait_done" || timeout_sec >= most.value) return most;
  return { value: timeout_sec, from: sourceOf(config, `servant ${tool}`, "timeout_sec") };
}

function timeoutMode(options: Record<string, Valued<string>>): TimeoutMode {
  return TIMEOUT_MODES.find((mode) => mode === options["timeout_mode"]?.value) ?? DEFAULT_TIMEOUT_MODE;
}

function nothingLeft({ routing }: Manifest, profile: string): FieldFault {
  const field = routing.pipeline?.flags ? "routing.pipeline.flags" : "routing.intent";
  return {
    field,
    reason: "empty",
    message: expected(field, `flags that leave a stage of profile ${profile}`, "none left"),
  };
}

function valued<T>(map: Record<string, T>, place: string): Record<string, Valued<T>> {
  return Object.fromEntries(Object.entries(map).map(([key, value]) => [key, { value, from: `${place}.${key}` }]));
}

function valuesOf<T>(map: Record<string, Valued<T>>): Record<string, T> {
  return Object.fromEntries(Object.entries(map).map(([key, { value }]) => [key, value]));
}

function sourcesOf<T>(map: Record<string, Valued<T>>): Record<string, string> {
  return Object.fromEntries(Object.entries(map).map(([key, { from }]) => [key, from]));
}
