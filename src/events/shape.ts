/**
 * A payload check that costs some tenths of a microsecond, for use on every event of every replay. Closures check the small part of
 * JSON Schema that event payloads use, so that a runtime without code made from text can replay a log (ENG-104). Inputs and documents
 * come one at a time and need words: `state/shape_faults.ts` walks them. A test holds both to the verdict of ajv on every schema.
 */
import type { TSchema } from "../state/schema.ts";

type Check = (value: unknown) => boolean;

interface Plain {
  type?: string;
  enum?: readonly unknown[];
  anyOf?: Plain[];
  items?: Plain;
  properties?: Record<string, Plain>;
  required?: readonly string[];
  pattern?: string;
  minimum?: number;
  additionalProperties?: Plain | boolean;
}

/** A function that says whether a value has the shape of the schema. It is made at its first use: a log has few of the types. */
export function shapeOf(schema: TSchema): Check {
  let check: Check | null = null;
  return (value) => (check ??= checkOf(schema as unknown as Plain))(value);
}

/** How many texts a matcher remembers: as many ids as one log may well speak of. */
const REMEMBERED = 1000;

/** Patterns are of ids, and an id comes again and again: looked up in half the time that matching it takes. */
function matcher(pattern: string): (text: string) => boolean {
  const regex = new RegExp(pattern, "u");
  const matched = new Set<string>();
  return (text) => {
    if (matched.has(text)) return true;
    if (!regex.test(text)) return false;
    if (matched.size >= REMEMBERED) matched.clear();
    matched.add(text);
    return true;
  };
}

function checkOf({ anyOf, enum: values, type, pattern, minimum, items = {}, ...object }: Plain): Check {
  if (anyOf) {
    const forms = anyOf.map(checkOf);
    return (value) => forms.some((fits) => fits(value));
  }
  if (values) {
    const known = new Set(values);
    return (value) => known.has(value);
  }
  switch (type) {
    case "string": {
      const matches = pattern === undefined ? anything : matcher(pattern);
      return (value) => typeof value === "string" && matches(value);
    }
    case "integer":
      return (value) => Number.isSafeInteger(value) && (minimum === undefined || (value as number) >= minimum);
    case "boolean":
      return (value) => typeof value === "boolean";
    case "null":
      return (value) => value === null;
    case "array": {
      const fits = checkOf(items);
      return (value) => Array.isArray(value) && value.every(fits);
    }
    case "object":
      return objectCheck(object);
    default:
      return anything;
  }
}

const anything = (): boolean => true;

function objectCheck({ properties = {}, required = [], additionalProperties }: Plain): Check {
  const members = new Map(Object.entries(properties).map(([key, member]) => [key, checkOf(member)]));
  const others = typeof additionalProperties === "object" ? checkOf(additionalProperties) : anything;
  return (value) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
    const object = value as Record<string, unknown>;
    for (const key of required) if (object[key] === undefined) return false;
    // A loop over what the payload has costs less than one over what the schema names.
    for (const key in object) {
      const member = object[key];
      if (member !== undefined && !(members.get(key) ?? others)(member)) return false;
    }
    return true;
  };
}
