/** Holds the routing of a manifest against the configuration, and finds the profile that it asks for. */
import { isObject } from "../../state/json.ts";
import type { Manifest } from "../../state/packet.ts";
import type { Servant, Group, PlanConfig, PipelineGroup } from "../../state/packet_config.ts";
import { GROUPS, INTENTS, MODE_PROFILES, SERVANTS } from "../../state/packet_config.ts";
import type { FaultReason, FieldFault } from "./field_fault.ts";
import { expected, memberPath, shown } from "./field_fault.ts";

/** A profile, and the field of the manifest or of the configuration that chose it. */
export interface ChosenProfile {
  group: Group;
  profile: string;
  /** Path in the manifest; null when the intent alone decides. */
  by: string | null;
}

const PIPELINE = "routing.pipeline";

/** Every fault of a routing whose shape may be wrong in parts: a value of another type is passed over here. */
export function routingFaults(routing: unknown, config: PlanConfig): FieldFault[] {
  const given = isObject(routing) ? routing : {};
  const pipeline = isObject(given["pipeline"]) ? given["pipeline"] : {};
  const group = groupOf(given["intent"], config);
  return [
    ...modelFaults(given["model"], config),
    ...profileFaults(pipeline["profile"], group, config),
    ...flagFaults(pipeline["flags"], group, config),
    ...optionFaults(pipeline, group, config),
  ];
}

/** The profile of a routing without faults: an explicit one, else that of an explicit mode, else that of the intent. */
export function chosenProfile({ intent, pipeline }: Manifest["routing"], config: PlanConfig): ChosenProfile {
  const { group, profile } = config.intents[intent];
  if (pipeline?.profile !== undefined) return { group, profile: pipeline.profile, by: `${PIPELINE}.profile` };
  for (const [option, value] of Object.entries(pipeline?.options ?? {})) {
    const chosen = profileOfMode(option, value);
    if (chosen !== undefined) return { group, profile: chosen, by: `${PIPELINE}.options.${option}` };
  }
  return { group, profile, by: null };
}

export function isMode(option: string): boolean {
  return Object.hasOwn(MODE_PROFILES, option);
}

function profileOfMode(option: string, value: unknown): string | undefined {
  const profiles = isMode(option) ? MODE_PROFILES[option]! : {};
  return typeof value === "string" && Object.hasOwn(profiles, value) ? profiles[value] : undefined;
}

/** Undefined for an intent that is none: what the manifest asks for is then held against all groups. */
function groupOf(intent: unknown, config: PlanConfig): Group | undefined {
  const known = INTENTS.find((name) => name === intent);
  return known && config.intents[known].group;
}

function groupsFor(group: Group | undefined, config: PlanConfig): PipelineGroup[] {
  return (group ? [group] : GROUPS).map((name) => config.groups[name]);
}

function modelFaults(models: unknown, config: PlanConfig): FieldFault[] {
  const isServant = (tool: string): tool is Servant => SERVANTS.some((name) => name === tool);
  return textsOf(models).flatMap(([tool, model]) => {
    if (!isServant(tool) || model.trim() === "" || config.servants[tool].allowed_models.includes(model)) return [];
    const allowed = config.servants[tool].allowed_models.join(", ");
    return [fault(`routing.model.${tool}`, "model", `one of the allowed models of ${tool} (${allowed})`, model)];
  });
}

function profileFaults(profile: unknown, group: Group | undefined, config: PlanConfig): FieldFault[] {
  if (typeof profile !== "string") return [];
  const names = groupsFor(group, config).flatMap(({ profiles }) => Object.keys(profiles));
  if (names.includes(profile)) return [];
  const what = `a profile of ${group === undefined ? "a group" : `group ${group}`} (${names.join(", ")})`;
  return [fault(`${PIPELINE}.profile`, "profile", what, profile)];
}

function flagFaults(flags: unknown, group: Group | undefined, config: PlanConfig): FieldFault[] {
  const names = [...new Set(groupsFor(group, config).flatMap((one) => one.flags))];
  const unknown = Object.keys(isObject(flags) ? flags : {}).filter((flag) => !names.includes(flag));
  const what = `a flag of ${group === undefined ? "a group" : `group ${group}`} (${names.join(", ")})`;
  return unknown.map((flag) => fault(memberPath(`${PIPELINE}.flags`, flag), "flag", what, flag));
}

function optionFaults(pipeline: Record<string, unknown>, group: Group | undefined, config: PlanConfig): FieldFault[] {
  const groups = groupsFor(group, config);
  const names = [...new Set(groups.flatMap(({ options }) => Object.keys(options)))];
  return Object.entries(isObject(pipeline["options"]) ? pipeline["options"] : {}).flatMap(([option, value]) => {
    const field = memberPath(`${PIPELINE}.options`, option);
    const own = groups.flatMap(({ options }) => (Object.hasOwn(options, option) ? options[option]! : []));
    if (own.length === 0) return [fault(field, "option", `an option of the group (${names.join(", ")})`, option)];
    if (typeof value !== "string") return [];
    if (!own.includes(value)) return [fault(field, "option", `one of ${[...new Set(own)].join(", ")}`, value)];
    const profile = profileOfMode(option, value);
    const missing =
      profile !== undefined &&
      pipeline["profile"] === undefined &&
      !groups.some((one) => Object.hasOwn(one.profiles, profile));
    return missing ? [fault(field, "profile", `a mode whose profile ${profile} is configured`, value)] : [];
  });
}

function textsOf(map: unknown): [string, string][] {
  return Object.entries(isObject(map) ? map : {}).filter(
    (entry): entry is [string, string] => typeof entry[1] === "string",
  );
}

function fault(field: string, reason: FaultReason, what: string, found: unknown): FieldFault {
  return { field, reason, message: expected(field, what, shown(found)) };
}
