/**
 * Holds a value against one of our own schemas and finds every fault, in words for people. It reads the few keywords that
 * the schemas of packets use; a test compares its verdict with that of Ajv.
 */
import { countCodePoints } from "../../state/code_points.ts";
import { isObject } from "../../state/json.ts";
import type { TSchema } from "../../state/schema.ts";
import type { FaultReason, FieldFault } from "./field_fault.ts";
import { expected, memberPath, shown } from "./field_fault.ts";

interface Shape {
  type: "object" | "array" | "string" | "integer" | "boolean";
  title?: string;
  enum?: readonly string[];
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  items?: Shape;
  minItems?: number;
  maxItems?: number;
  uniqueItems?: boolean;
  properties?: Record<string, Shape>;
  required?: string[];
  additionalProperties?: false | Shape;
  propertyNames?: Pick<Shape, "title" | "pattern" | "enum">;
}

/** Unknown keys of one map that are named one by one. */
const NAMED_KEYS = 100;
const patterns = new Map<string, RegExp>();

/** Every fault of the shape, in the order of the schema. */
export function checkShape(value: unknown, schema: TSchema): FieldFault[] {
  const faults: FieldFault[] = [];
  check(value, schema as Shape, "", faults);
  return faults;
}

/** A value without the members that do not fit their schema; a fault of one member hides no fault of another. */
export function fittingPart(value: unknown, schema: TSchema): unknown {
  return fitting(value, schema as Shape);
}

/** Undefined where the value itself does not fit. An item that does not fit leaves its place in the list empty. */
function fitting(value: unknown, shape: Shape): unknown {
  if (!hasType(value, shape.type)) return undefined;
  if (Array.isArray(value))
    return value.length > (shape.maxItems ?? Infinity) ? undefined : value.map((item) => fitting(item, shape.items!));
  if (!isObject(value)) return checkedScalar(value as string | number | boolean, shape);
  const { properties = {}, additionalProperties } = shape;
  const members = Object.entries(value).flatMap(([key, member]): [string, unknown][] => {
    const named = additionalProperties !== false && isName(key, shape) ? additionalProperties : undefined;
    const known = Object.hasOwn(properties, key) ? properties[key] : named;
    const part = known && fitting(member, known);
    return part === undefined ? [] : [[key, part]];
  });
  return Object.fromEntries(members);
}

function checkedScalar(value: string | number | boolean, shape: Shape): unknown {
  const faults: FieldFault[] = [];
  checkScalar(value, shape, "", faults);
  return faults.length === 0 ? value : undefined;
}

function check(value: unknown, shape: Shape, field: string, faults: FieldFault[]): void {
  if (!hasType(value, shape.type)) {
    faults.push(fault(field, "type", wanted(shape), shown(value), hintOf(value, shape)));
  } else if (isObject(value)) checkMap(value, shape, field, faults);
  else if (Array.isArray(value)) checkList(value, shape, field, faults);
  else checkScalar(value as string | number | boolean, shape, field, faults);
}

function hasType(value: unknown, type: Shape["type"]): boolean {
  if (type === "object") return isObject(value);
  if (type === "array") return Array.isArray(value);
  // Above 2^53 two numbers of a file may be one number here.
  return type === "integer" ? Number.isSafeInteger(value) : typeof value === type;
}

function checkMap(map: Record<string, unknown>, shape: Shape, field: string, faults: FieldFault[]): void {
  const { properties = {}, required = [], additionalProperties } = shape;
  for (const [key, member] of Object.entries(properties)) {
    const path = memberPath(field, key);
    const given = Object.hasOwn(map, key) ? map[key] : undefined;
    // A key without a value is as good as absent; an empty block lacks each of its required fields.
    if ((given ?? null) === null && required.includes(key)) checkMissing(member, path, faults);
    else if (given !== undefined) check(given, member, path, faults);
  }
  const others = Object.keys(map).filter((key) => !Object.hasOwn(properties, key));
  if (additionalProperties === undefined) return;
  if (additionalProperties !== false) {
    for (const key of others) checkNamed(key, map[key], shape, field, additionalProperties, faults);
    return;
  }
  const known = `one of ${Object.keys(properties).join(", ")}`;
  for (const key of others.slice(0, NAMED_KEYS))
    faults.push(fault(memberPath(field, key), "unknown_key", known, "an unknown key", keyHint(key)));
  if (others.length > NAMED_KEYS)
    faults.push(fault(field, "unknown_key", known, `${others.length - NAMED_KEYS} more unknown keys`));
}

function checkMissing(shape: Shape, field: string, faults: FieldFault[]): void {
  if ((shape.required ?? []).length === 0) faults.push(fault(field, "missing", wanted(shape), "nothing"));
  else for (const key of shape.required!) checkMissing(shape.properties![key]!, memberPath(field, key), faults);
}

/** A member whose key is a name that the writer chose. */
function checkNamed(
  key: string,
  value: unknown,
  shape: Shape,
  field: string,
  member: Shape,
  faults: FieldFault[],
): void {
  const path = memberPath(field, key);
  const { title, enum: names } = shape.propertyNames ?? {};
  if (isName(key, shape)) check(value, member, path, faults);
  else faults.push(fault(path, "unknown_key", names ? `one of ${names.join(", ")}` : title!, "another key"));
}

function isName(key: string, { propertyNames: { pattern, enum: names } = {} }: Shape): boolean {
  return (pattern === undefined || matches(key, pattern)) && (names?.includes(key) ?? true);
}

function checkList(items: unknown[], shape: Shape, field: string, faults: FieldFault[]): void {
  const { minItems = 0, maxItems = Infinity, uniqueItems = false } = shape;
  if (items.length < minItems) faults.push(fault(field, "empty", `a list of at least ${minItems}`, "an empty list"));
  if (items.length > maxItems) {
    faults.push(fault(field, "too_large", `a list of at most ${maxItems}`, `one of ${items.length}`));
    return;
  }
  const seen = new Set<unknown>();
  for (const [i, item] of items.entries()) {
    if (uniqueItems && seen.has(item))
      faults.push(fault(`${field}[${i}]`, "duplicate", "in the list once", `${shown(item)} again`));
    else check(item, shape.items!, `${field}[${i}]`, faults);
    seen.add(item);
  }
}

function checkScalar(value: string | number | boolean, shape: Shape, field: string, faults: FieldFault[]): void {
  const reason = typeof value === "string" ? textFault(value, shape) : numberFault(value, shape);
  if (reason === null) return;
  const found = reason === "too_large" ? `${countCodePoints(value as string)} characters` : shown(value);
  faults.push(fault(field, reason, wanted(shape, reason), found, hintOf(value, shape)));
}

function textFault(text: string, shape: Shape): FaultReason | null {
  if (!text.isWellFormed() || text.includes("\0")) return "type";
  if (shape.enum) return shape.enum.includes(text) ? null : "enum";
  if (text.trim() === "" && (shape.minLength ?? 0) > 0) return "empty";
  if (countCodePoints(text) > (shape.maxLength ?? Infinity)) return "too_large";
  return shape.pattern !== undefined && !matches(text, shape.pattern) ? "pattern" : null;
}

function numberFault(value: number | boolean, { minimum = -Infinity, maximum = Infinity }: Shape): FaultReason | null {
  return typeof value === "number" && (value < minimum || value > maximum) ? "range" : null;
}

function matches(text: string, pattern: string): boolean {
  const known = patterns.get(pattern) ?? new RegExp(pattern, "u");
  patterns.set(pattern, known);
  return known.test(text);
}

/** Returns the description of a value of this shape, in words. */
function wanted(shape: Shape, reason?: FaultReason): string {
  if (reason === "too_large") return `text of at most ${shape.maxLength} characters`;
  if (shape.enum) return `one of ${shape.enum.join(", ")}`;
  if (shape.title !== undefined) return shape.title;
  if (shape.type === "integer") return `a whole number from ${shape.minimum} to ${shape.maximum}`;
  return { object: "a map", array: "a list", string: "text", boolean: "true or false" }[shape.type];
}

const YAML_1_1_TRUE = /^(?:y|yes|on|true)$/i;
const YAML_1_1_FALSE = /^(?:n|no|off|false)$/i;

/** How to write what was probably meant. */
function hintOf(value: unknown, shape: Shape): string {
  if (value === null) return "Write a value after it, or leave it out.";
  if (shape.type === "boolean" && typeof value === "string") {
    if (YAML_1_1_TRUE.test(value)) return `${value} is text in YAML 1.2: write true.`;
    if (YAML_1_1_FALSE.test(value)) return `${value} is text in YAML 1.2: write false.`;
  }
  if (shape.type === "integer" && typeof value === "string" && /^[-+]?[0-9]+$/.test(value))
    return `Write the number ${Number(value)}, without quotes and leading zeros.`;
  if (shape.type === "string" && (typeof value === "number" || typeof value === "boolean")) {
    if (value === false && shape.enum?.includes("off")) return 'Write "off" in quotes.';
    return `Write it in quotes: "${value}".`;
  }
  if (shape.type === "string" && isObject(value)) return "A text with a colon and a blank in it stands in quotes.";
  if (shape.type === "array" && typeof value === "string") return "Write a list, also of one item: [...].";
  return "";
}

function keyHint(key: string): string {
  return key === "<<" ? "Merge keys are not read: write the members out." : "";
}

function fault(field: string, reason: FaultReason, what: string, found: string, hint = ""): FieldFault {
  return { field, reason, message: expected(field, what, found, hint) };
}
