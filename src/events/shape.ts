/**
 * A payload check that costs some hundredths of a microsecond, for use on every event of every replay. It turns the
 * small part of JSON Schema that event payloads use into one function for each object. Inputs and documents come one at a
 * time and need words: `state/shape_faults.ts` walks them. A test holds both to the verdict of ajv on every schema.
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
  return (value) => (check ??= compile(schema as unknown as Plain))(value);
}

/**
 * A property that a line of code of its own reads costs a fifth of one that a loop reads by name. Of a schema only
 * keys come into the source, quoted; it finds everything else in `parts`. The schemas are this project's own.
 */
function compile(schema: Plain): Check {
  const parts: unknown[] = [];
  const source = `return (v) => ${sourceOf(schema, "v", parts)};`;
  // oxlint-disable-next-line typescript/no-implied-eval -- see above
  return new Function("parts", source)(parts) as Check;
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

/** An expression that is true when the value of the expression `v` fits. */
function sourceOf(schema: Plain, v: string, parts: unknown[]): string {
  const part = (value: unknown): string => `parts[${parts.push(value) - 1}]`;
  if (schema.anyOf) return `(${schema.anyOf.map((one) => sourceOf(one, v, parts)).join(" || ")})`;
  if (schema.enum) return `${part(new Set(schema.enum))}.has(${v})`;
  switch (schema.type) {
    case "string": {
      const text = `typeof ${v} === "string"`;
      return schema.pattern === undefined ? text : `(${text} && ${part(matcher(schema.pattern))}(${v}))`;
    }
    case "integer":
      return schema.minimum === undefined
        ? `Number.isSafeInteger(${v})`
        : `(Number.isSafeInteger(${v}) && ${v} >= ${part(schema.minimum)})`;
    case "boolean":
      return `typeof ${v} === "boolean"`;
    case "null":
      return `${v} === null`;
    case "array":
      return `(Array.isArray(${v}) && ${v}.every(${part(compile(schema.items ?? {}))}))`;
    case "object":
      return v === "v" ? objectSource(schema, parts) : `${part(compile(schema))}(${v})`;
    default:
      return "true";
  }
}

function objectSource({ properties = {}, required = [], additionalProperties }: Plain, parts: unknown[]): string {
  const keys = [...new Set([...required, ...Object.keys(properties)])].map((key) => {
    const value = `v[${JSON.stringify(key)}]`;
    const fits = sourceOf(properties[key] ?? {}, value, parts);
    return required.includes(key) ? `${value} !== undefined && ${fits}` : `(${value} === undefined || ${fits})`;
  });
  const others =
    typeof additionalProperties === "object"
      ? [`parts[${parts.push(othersOf(properties, compile(additionalProperties))) - 1}](v)`]
      : [];
  return ['typeof v === "object" && v !== null && !Array.isArray(v)', ...keys, ...others].join(" && ");
}

/** Whether every member that the schema does not name fits. */
function othersOf(named: Record<string, Plain>, fits: Check): Check {
  return (value) =>
    Object.entries(value as Record<string, unknown>).every(
      ([key, member]) => Object.hasOwn(named, key) || fits(member),
    );
}
