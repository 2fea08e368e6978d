/**
 * A first look at an input, without ajv: loading ajv and compiling one schema takes longer than a whole `taskfold list`. The
 * answer "fits" is certain; every other answer means "ask ajv", which has the verdict and the words. So a keyword may be
 * checked more strictly than it says, never less, and a schema with a keyword that is not here never fits. A test holds this
 * against ajv on the schema of every tool.
 */
import type { TSchema } from "../state/schema.ts";

export type QuickCheck = (value: unknown) => boolean;

type Plain = Readonly<Record<string, unknown>>;

/** A function that returns true only for values that the schema takes. */
export function quickCheck(schema: TSchema): QuickCheck {
  return compile(schema as unknown as Plain);
}

const never: QuickCheck = () => false;
const always: QuickCheck = () => true;

/** Every keyword has to hold; what it needs of its neighbours it takes from the schema. */
function compile(schema: Plain): QuickCheck {
  const checks = Object.keys(schema).map((keyword) => {
    const check = Object.hasOwn(KEYWORDS, keyword) ? KEYWORDS[keyword] : undefined;
    return check ? check(schema[keyword] as never, schema) : never;
  });
  const telling = checks.filter((check) => check !== always);
  return telling.length === 1 ? telling[0]! : (v) => telling.every((check) => check(v));
}

/** One keyword's value, and the schema around it, to a check. Keywords for one type say nothing of others, as in JSON Schema. */
const KEYWORDS: Record<string, (value: never, schema: Plain) => QuickCheck> = {
  $schema: () => always,
  title: () => always,
  description: () => always,
  default: () => always,
  type: (type: unknown) => (typeof type === "string" && Object.hasOwn(TYPES, type) ? TYPES[type]! : never),
  enum: (values: readonly unknown[]) => {
    const allowed = new Set(values);
    return (v) => allowed.has(v);
  },
  anyOf: (schemas: readonly Plain[]) => {
    const checks = schemas.map(compile);
    return (v) => checks.some((check) => check(v));
  },
  minimum: (least: number) => (v) => typeof v !== "number" || v >= least,
  maximum: (most: number) => (v) => typeof v !== "number" || v <= most,
  pattern: (source: string) => {
    const pattern = new RegExp(source, "u");
    return (v) => typeof v !== "string" || pattern.test(v);
  },
  // Lengths count code points, of which a string has at most its length and at least half of it.
  minLength: (least: number) => (v) => typeof v !== "string" || v.length >= (least > 1 ? 2 * least : least),
  maxLength: (most: number) => (v) => typeof v !== "string" || v.length <= most,
  minItems: (least: number) => (v) => !Array.isArray(v) || v.length >= least,
  maxItems: (most: number) => (v) => !Array.isArray(v) || v.length <= most,
  items: (schema: Plain) => {
    const check = compile(schema);
    return (v) => !Array.isArray(v) || v.every(check);
  },
  required: (keys: readonly string[]) => (v) => !isObject(v) || keys.every((key) => v[key] !== undefined),
  properties: (properties: Readonly<Record<string, Plain>>) => {
    const checks = Object.entries(properties).map(([key, schema]) => [key, compile(schema)] as const);
    return (v) => !isObject(v) || checks.every(([key, check]) => v[key] === undefined || check(v[key]));
  },
  additionalProperties: (more: unknown, { properties = {} }: Plain) => {
    if (more !== false) return never;
    const known = new Set(Object.keys(properties as object));
    return (v) => !isObject(v) || !hasOther(v, known);
  },
};

const TYPES: Record<string, QuickCheck> = {
  string: (v) => typeof v === "string",
  integer: Number.isSafeInteger,
  boolean: (v) => typeof v === "boolean",
  null: (v) => v === null,
  array: Array.isArray,
  object: isObject,
};

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Inherited keys count too: ajv sees them. */
function hasOther(value: object, known: ReadonlySet<string>): boolean {
  for (const key in value) if (!known.has(key)) return true;
  return false;
}
