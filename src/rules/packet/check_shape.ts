/** Every fault of a document of a packet by its schema, in words for people. */
import { countCodePoints } from "../../state/code_points.ts";
import { isObject } from "../../state/json.ts";
import type { PlainSchema } from "../../state/plain_schema.ts";
import type { TSchema } from "../../state/schema.ts";
import type { ShapeFault, ShapeRules } from "../../state/shape_faults.ts";
import { hasType, isName, shapeFaults } from "../../state/shape_faults.ts";
import type { FaultReason, FieldFault } from "./field_fault.ts";
import { expected, memberPath, shown } from "./field_fault.ts";

/** Unknown keys of one map that are named one by one. */
const NAMED_KEYS = 100;

const RULES: ShapeRules = {
  // Above 2^53 two numbers of a file may be one number here.
  isInteger: Number.isSafeInteger,
  // A key without a value is as good as absent.
  isMissing: (value) => value === undefined || value === null,
  textFault: (text, { enum: values, minLength = 0 }) => {
    if (!text.isWellFormed() || text.includes("\0")) return "type";
    return !values && minLength > 0 && text.trim() === "" ? "empty" : undefined;
  },
  areMembersFirst: false,
  areLongListsSkipped: true,
  maxItemsWithFaults: Infinity,
};

/** Every fault of the shape, in the order of the schema. */
export function checkShape(value: unknown, schema: TSchema): FieldFault[] {
  const faults = shapeFaults(value, schema, RULES);
  return faults.flatMap((one, i) => inWords(one, faults, i));
}

/** A value without the members that do not fit their schema; a fault of one member hides no fault of another. */
export function fittingPart(value: unknown, schema: TSchema): unknown {
  return fitting(value, schema as PlainSchema);
}

/** Undefined where the value itself does not fit. An item that does not fit leaves its place in the list empty. */
function fitting(value: unknown, schema: PlainSchema): unknown {
  if (!hasType(value, schema.type, RULES)) return undefined;
  if (Array.isArray(value))
    return value.length > (schema.maxItems ?? Infinity) ? undefined : value.map((item) => fitting(item, schema.items!));
  if (!isObject(value)) return shapeFaults(value, schema, RULES).length === 0 ? value : undefined;
  const { properties = {}, additionalProperties } = schema;
  const members = Object.entries(value).flatMap(([key, member]): [string, unknown][] => {
    const named = additionalProperties !== false && isName(key, schema) ? additionalProperties : undefined;
    const known = Object.hasOwn(properties, key) ? properties[key] : named;
    const part = typeof known === "object" ? fitting(member, known) : undefined;
    return part === undefined ? [] : [[key, part]];
  });
  return Object.fromEntries(members);
}

function inWords(one: ShapeFault, all: readonly ShapeFault[], at: number): FieldFault[] {
  const { place, reason, schema, value } = one;
  const field = fieldOf(place);
  switch (reason) {
    case "missing":
      return missing(schema, field);
    case "unknown_key":
      return unknownKey(one, all, at);
    case "key": {
      const { title = "", enum: names } = schema.propertyNames ?? {};
      return [fault(field, "unknown_key", names ? `one of ${names.join(", ")}` : title, "another key")];
    }
    case "duplicate":
      return [fault(field, "duplicate", "in the list once", `${shown(value)} again`)];
    case "count":
      return [countFault(field, schema, (value as readonly unknown[]).length)];
    case "too_large": {
      const what = `text of at most ${schema.maxLength} characters`;
      return [fault(field, reason, what, `${countCodePoints(value as string)} characters`, hintOf(value, schema))];
    }
    default:
      return [fault(field, reason, wanted(schema), shown(value), hintOf(value, schema))];
  }
}

function fieldOf(place: ShapeFault["place"]): string {
  return place.reduce<string>(
    (field, key) => (typeof key === "number" ? `${field}[${key}]` : memberPath(field, key)),
    "",
  );
}

/** An empty block lacks each of its required fields. */
function missing(schema: PlainSchema, field: string): FieldFault[] {
  const { required = [], properties = {} } = schema;
  if (required.length === 0) return [fault(field, "missing", wanted(schema), "nothing")];
  return required.flatMap((key) => missing(properties[key]!, memberPath(field, key)));
}

/** Unknown keys of one map stand together; those behind the first hundred are counted. */
function unknownKey({ place, schema, value }: ShapeFault, all: readonly ShapeFault[], at: number): FieldFault[] {
  const isSame = (one?: ShapeFault): boolean =>
    one?.reason === "unknown_key" && one.schema === schema && fieldOf(one.place) === field;
  const field = fieldOf(place);
  const known = `one of ${Object.keys(schema.properties ?? {}).join(", ")}`;
  if (!isSame(all[at - NAMED_KEYS])) {
    const key = String(value);
    return [fault(memberPath(field, key), "unknown_key", known, "an unknown key", keyHint(key))];
  }
  if (isSame(all[at + 1])) return [];
  let first = at;
  while (isSame(all[first - 1])) first--;
  return [fault(field, "unknown_key", known, `${at + 1 - first - NAMED_KEYS} more unknown keys`)];
}

function countFault(field: string, { minItems, maxItems }: PlainSchema, count: number): FieldFault {
  return maxItems !== undefined && count > maxItems
    ? fault(field, "too_large", `a list of at most ${maxItems}`, `one of ${count}`)
    : fault(field, "empty", `a list of at least ${minItems}`, "an empty list");
}

/** Returns the description of a value of this shape, in words. */
function wanted(schema: PlainSchema): string {
  if (schema.enum) return `one of ${schema.enum.join(", ")}`;
  if (schema.title !== undefined) return schema.title;
  if (schema.type === "integer") return `a whole number from ${schema.minimum} to ${schema.maximum}`;
  return { object: "a map", array: "a list", string: "text", boolean: "true or false" }[schema.type ?? ""] ?? "a value";
}
const YAML_1_1_TRUE = /^(?:y|yes|on|true)$/i;
const YAML_1_1_FALSE = /^(?:n|no|off|false)$/i;

/** How to write what was probably meant. */
function hintOf(value: unknown, schema: PlainSchema): string {
  if (value === null) return "Write a value after it, or leave it out.";
  if (schema.type === "boolean" && typeof value === "string") {
    if (YAML_1_1_TRUE.test(value)) return `${value} is text in YAML 1.2: write true.`;
    if (YAML_1_1_FALSE.test(value)) return `${value} is text in YAML 1.2: write false.`;
  }
  if (schema.type === "integer" && typeof value === "string" && /^[-+]?[0-9]+$/.test(value))
    return `Write the number ${Number(value)}, without quotes and leading zeros.`;
  if (schema.type === "string" && (typeof value === "number" || typeof value === "boolean")) {
    if (value === false && schema.enum?.includes("off")) return 'Write "off" in quotes.';
    return `Write it in quotes: "${value}".`;
  }
  if (schema.type === "string" && isObject(value)) return "A text with a colon and a blank in it stands in quotes.";
  if (schema.type === "array" && typeof value === "string") return "Write a list, also of one item: [...].";
  return "";
}

function keyHint(key: string): string {
  return key === "<<" ? "Merge keys are not read: write the members out." : "";
}

function fault(field: string, reason: FaultReason, what: string, found: string, hint = ""): FieldFault {
  return { field, reason, message: expected(field, what, found, hint) };
}
