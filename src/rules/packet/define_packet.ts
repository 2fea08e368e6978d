/** Giving a task its packet, or changing what it is to do (PACKET-1, PACKET-120). */
import { TaskfoldError } from "../../errors.ts";
import type { Warning } from "../../errors.ts";
import type { Draft } from "../../events/define.ts";
import { packetDefined } from "../../events/packet.defined.ts";
import type { Entity, Subject } from "../../state/entity.ts";
import { isObject } from "../../state/json.ts";
import type { Manifest, Packet } from "../../state/packet.ts";
import type { PacketConfigs, PlanConfig } from "../../state/packet_config.ts";
import type { JsonObject } from "../../state/schema.ts";
import { refusePlan } from "../step_of.ts";
import { sentence } from "../phrase.ts";
import { packetOf } from "./packet_of.ts";
import { readManifest, shapedManifest } from "./manifest.ts";
import { maskManifest, maskWarnings } from "./mask_manifest.ts";
import type { FieldFault } from "./field_fault.ts";
import { setInputs } from "./set_input.ts";
import { configForPatch, plannedAnewWarning, recordOf } from "./config_for.ts";
import { configDigest, isBuiltIn, resolvePlan } from "./plan.ts";
import { unknownKeys, unknownKeyWarnings } from "./unknown_keys.ts";
import { remedy, TASKFOLD } from "../../remedy.ts";

/** It may be only being made. */
export interface DefineSubject extends Pick<Subject, "id" | "workspace"> {
  entity: Pick<Entity, "kind" | "packet">;
}

export interface Defined {
  drafts: Draft[];
  warnings: Warning[];
}

/** INVALID_INPUT with every fault of the manifest in `details.errors`. */
export function definePacket(
  subject: DefineSubject,
  value: unknown,
  config: PlanConfig,
  inputs: Readonly<Record<string, string>> = {},
): Defined {
  refusePlan(subject);
  const { manifest, errors } = readManifest(withId(value, subject.id), config);
  if (!manifest) throw invalidManifest(errors);
  if (manifest.task_id !== subject.id) {
    throw invalidManifest([
      {
        field: "task_id",
        reason: "enum",
        message: `Expected the id of the task, ${subject.id}, found ${manifest.task_id}.`,
      },
    ]);
  }
  const masked = maskManifest(manifest);
  // The inputs are masked by the manifest of this very call.
  const packet = { manifest, inputs: subject.entity.packet?.inputs ?? [] };
  return {
    drafts: [
      defined(subject, fitting(masked.manifest, config), config),
      ...setInputs(
        packet,
        Object.entries(inputs).map(([path, text]) => ({ path, text })),
      ),
    ],
    warnings: [
      ...maskWarnings(masked),
      ...unknownKeyWarnings(newKeys(masked.manifest, subject.entity.packet)),
      ...plannedAnewWarning(subject.id, subject.entity.packet, configDigest(config)),
    ],
  };
}

/** Asks for what `definePacket` redacts, before it is known whether the manifest fits its configuration. */
export function maskDefinition(value: unknown, inputs: Readonly<Record<string, string>> = {}): void {
  const manifest = shapedManifest(withId(value, "TASK-001"));
  if (manifest === null) return;
  const given = Object.entries(inputs).map(([path, text]) => ({ path, text }));
  setInputs({ manifest, inputs: [] }, given);
  maskManifest(manifest);
}

/** Keys that are no field of a manifest, and that the manifest of before does not have. */
function newKeys(manifest: Manifest, packet: Packet | null): string[] {
  const known = unknownKeys(packet?.manifest);
  return unknownKeys(manifest).filter((key) => !known.includes(key));
}

/** A mask may be longer than what it hides. */
function fitting(masked: Manifest, config: PlanConfig): Manifest {
  const { manifest, errors } = readManifest(masked, config);
  if (manifest) return manifest;
  throw invalidManifest(errors);
}

/** The manifest with the members of `patch` in their places: an object goes into the object there, null takes a member away. */
export function patchPacket(subject: Subject, patch: JsonObject, configs: PacketConfigs): Defined {
  const packet = packetOf(subject);
  return definePacket(subject, merged(packet.manifest, patch), configForPatch(subject.id, packet, configs));
}

function defined(subject: DefineSubject, manifest: Manifest, config: PlanConfig): Draft {
  const resolved = resolvePlan(manifest, config);
  if ("errors" in resolved) throw invalidManifest(resolved.errors);
  const { plan } = resolved;
  const names = plan.stages.map(({ stage }) => stage);
  const { packet } = subject.entity;
  const stages = names.join(", ");
  const isKnown = isBuiltIn(config) || Object.hasOwn(packet?.configs ?? {}, plan.config_sha256);
  return packetDefined.draft({
    manifest,
    plan,
    ...(isKnown ? {} : { config: recordOf(config) }),
    message: sentence(`Defined the packet: ${manifest.routing.intent}, stages ${stages}`),
  });
}

function withId(value: unknown, id: string): unknown {
  return isObject(value) && value["task_id"] === undefined ? { ...value, task_id: id } : value;
}

function merged(base: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const members = new Map(Object.entries(isObject(base) ? base : {}));
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) members.delete(name);
    else members.set(name, merged(members.get(name), value));
  }
  return Object.fromEntries(members);
}

function invalidManifest(errors: readonly FieldFault[]): TaskfoldError {
  const lines = errors.slice(0, 3).map(({ field, message }) => `${field === "" ? "the document" : field}: ${message}`);
  const more = errors.length > lines.length ? ` and ${errors.length - lines.length} more` : "";
  return new TaskfoldError("INVALID_INPUT", `Expected a valid manifest; ${lines.join(" ")}${more}`, {
    ...remedy`Put each field right that details.errors names; ${TASKFOLD} packet validate checks a manifest and writes nothing.`,
    details: { errors: errors.map((error) => ({ ...error })) },
  });
}
