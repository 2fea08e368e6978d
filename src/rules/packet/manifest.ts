/** Reads a manifest from a value of any kind: the manifest, or every fault of every field. */
import type { Manifest } from "../../state/packet.ts";
import type { PlanConfig } from "../../state/packet_config.ts";
import { idFault } from "../../state/ids.ts";
import { isObject } from "../../state/json.ts";
import { inOrder, MANIFEST_SCHEMA, PACKET_LIMITS } from "../../state/packet_schema.ts";
import { checkShape } from "./check_shape.ts";
import type { FaultReason, FieldFault } from "./field_fault.ts";
import { expected, shown } from "./field_fault.ts";
import { forbiddenFault } from "./forbidden_path.ts";
import { scopeFault } from "./packet_path.ts";
import { resolvePlan } from "./plan.ts";
import { compilePattern, redactorOf } from "./redact.ts";
import { routingFaults } from "./routing.ts";
import { unknownKeyFaults } from "./unknown_keys.ts";

/** The manifest that a value is, or every fault of it. It keeps keys that are no field; `unknownKeys` names them. */
export function readManifest(value: unknown, config: PlanConfig): { manifest: Manifest | null; errors: FieldFault[] } {
  const faults = [...checkShape(value, MANIFEST_SCHEMA), ...unknownKeyFaults(value)];
  const known = new Set(faults.map(({ field }) => field));
  const errors = [...faults, ...valueFaults(value, config).filter(({ field }) => !known.has(field))];
  if (errors.length > 0) return { manifest: null, errors };
  const manifest = inOrder(value) as Manifest;
  const bytes = new TextEncoder().encode(JSON.stringify(manifest)).length;
  if (bytes > PACKET_LIMITS.manifestBytes) {
    const most = `at most ${PACKET_LIMITS.manifestBytes} bytes of JSON`;
    return { manifest: null, errors: [{ field: "", reason: "too_large", message: expected("", most, `${bytes}`) }] };
  }
  const resolved = resolvePlan(manifest, config);
  return "errors" in resolved ? { manifest: null, errors: resolved.errors } : { manifest, errors: [] };
}

/** A value of the shape of a manifest, with rules by which a text can be masked; null for any other one. */
export function shapedManifest(value: unknown): Manifest | null {
  const { security } = isObject(value) ? value : {};
  const faults = [...checkShape(value, MANIFEST_SCHEMA), ...securityFaults(isObject(security) ? security : {})];
  return faults.length === 0 ? (value as Manifest) : null;
}

/** The goal of what may be a manifest, masked by its own rules; null where the goal or the rules have a fault. */
export function maskedGoal(value: unknown): string | null {
  const { goal, security } = isObject(value) ? value : {};
  const isFaulty = ({ field }: FieldFault): boolean => /^(?:$|goal$|security\b)/.test(field);
  const faults = [
    ...checkShape(value, MANIFEST_SCHEMA).filter(isFaulty),
    ...securityFaults(isObject(security) ? security : {}),
  ];
  if (faults.length > 0) return null;
  return redactorOf(security as Manifest["security"]).redact(goal as string).text;
}

/** Each character of a text may cost a step for each instruction of its patterns. */
export const MAX_INSTRUCTIONS = 5000;

/** Returns faults that a schema cannot tell, of all members that have their type. */
function valueFaults(value: unknown, config: PlanConfig): FieldFault[] {
  const top = isObject(value) ? value : {};
  const scope = isObject(top["scope"]) ? top["scope"] : {};
  const security = isObject(top["security"]) ? top["security"] : {};
  return [
    ...idFaults(top["task_id"]),
    ...routingFaults(top["routing"], config),
    ...["allow", "deny"].flatMap((list) => scopeFaults(`scope.${list}`, scope[list])),
    ...securityFaults(security),
  ];
}

function idFaults(id: unknown): FieldFault[] {
  if (typeof id !== "string") return [];
  const fault = idFault(id);
  return fault === null ? [] : [faultOf("task_id", "pattern", `a safe id: ${fault}`, id)];
}

function scopeFaults(field: string, paths: unknown): FieldFault[] {
  return textsIn(field, paths).flatMap(({ place, text }) => {
    const fault = scopeFault(text);
    return fault === null ? [] : [faultOf(place, "path", `a path below the root: ${fault}`, text)];
  });
}

function securityFaults({ redaction_patterns, forbidden_paths }: Record<string, unknown>): FieldFault[] {
  const field = "security.redaction_patterns";
  const compiled = textsIn(field, redaction_patterns).map(({ place, text }) => compilePattern(text, place));
  const faults = compiled.flatMap((one) => ("fault" in one ? [one.fault] : []));
  const size = compiled.reduce((sum, one) => sum + ("pattern" in one ? one.pattern.programSize() : 0), 0);
  const most = `patterns of at most ${MAX_INSTRUCTIONS} instructions together`;
  return [
    ...faults,
    ...(size > MAX_INSTRUCTIONS
      ? [faultOf(field, "too_slow", most, `${size}`, "Repeat less, such as {64,} for {64,1000}.")]
      : []),
    ...textsIn("security.forbidden_paths", forbidden_paths).flatMap(({ place, text }) => {
      const fault = forbiddenFault(text);
      return fault === null ? [] : [faultOf(place, "path", `a path: ${fault}`, text)];
    }),
  ];
}

/** The texts of a list, each with its place; blank ones and what is too long are faults of their shape. */
function textsIn(field: string, list: unknown): { place: string; text: string }[] {
  if (!Array.isArray(list) || list.length > PACKET_LIMITS.items) return [];
  const fits = (text: unknown): text is string =>
    typeof text === "string" && text.trim() !== "" && text.length <= 2 * PACKET_LIMITS.path;
  return list.flatMap((text, i) => (fits(text) ? [{ place: `${field}[${i}]`, text }] : []));
}

function faultOf(field: string, reason: FaultReason, what: string, found: unknown, hint = ""): FieldFault {
  return { field, reason, message: expected(field, what, shown(found), hint) };
}
