/** Values that fit a payload schema, and values made from them that may not: for tests that hold two checks together. */
import fc from "fast-check";
import { ANY_CHARACTER } from "./any_character.ts";

interface Plain {
  type?: string;
  enum?: readonly string[];
  anyOf?: Plain[];
  items?: Plain;
  properties?: Record<string, Plain>;
  required?: readonly string[];
  additionalProperties?: boolean | Plain;
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
}

const STEP_ID = fc
  .integer({ min: 0, max: 0xffff_ffff })
  .map((n) => `STEP-${n.toString(16).toUpperCase().padStart(8, "0")}`);
const LEAVES = [null, true, false, 0, -1, 1.5, "", "x", "STEP-0000000g", "DONE", [], [1], {}, { a: 1 }];

/** Any value that the schema is meant to take. */
export function samplesOf(schema: object): fc.Arbitrary<unknown> {
  const s = schema as Plain;
  if (s.anyOf) return fc.oneof(...s.anyOf.map(samplesOf));
  if (s.enum) return fc.constantFrom(...s.enum);
  switch (s.type) {
    case "string":
      return s.pattern === undefined ? textOf(s) : s.pattern.startsWith("^STEP-") ? STEP_ID : textLike(s.pattern);
    case "integer":
      return fc.integer({ min: s.minimum ?? -0x8000_0000, max: Math.min(s.maximum ?? 0x7fff_ffff, 0x7fff_ffff) });
    case "boolean":
      return fc.boolean();
    case "null":
      return fc.constant(null);
    case "array":
      return fc.array(samplesOf(s.items ?? {}), { maxLength: 3 });
    case "object": {
      const properties = Object.entries(s.properties ?? {}).map(([key, value]) => [key, samplesOf(value)] as const);
      const named = fc.record(Object.fromEntries(properties), { requiredKeys: [...(s.required ?? [])] });
      if (typeof s.additionalProperties !== "object") return named;
      const others = fc.dictionary(fc.constantFrom("one", "another"), samplesOf(s.additionalProperties));
      return fc.tuple(others, named).map(([more, own]) => ({ ...more, ...own }));
    }
    default:
      return fc.jsonValue({ maxDepth: 2 });
  }
}

const textOf = ({ minLength = 0, maxLength = 8 }: Plain): fc.Arbitrary<string> =>
  fc.string({ minLength, maxLength: Math.max(minLength, Math.min(maxLength, 8)), unit: ANY_CHARACTER });
const textLike = (pattern: string): fc.Arbitrary<string> => fc.stringMatching(new RegExp(pattern, "u"));

/** The value with one place in it replaced, removed or added to; it may fit by chance. */
export function mutationsOf(value: unknown): fc.Arbitrary<unknown> {
  const place = fc.array(fc.nat({ max: 7 }), { maxLength: 4 });
  return fc
    .tuple(place, fc.constantFrom(...LEAVES), fc.constantFrom("replace", "remove", "add"))
    .map(([path, leaf, how]) => {
      const copy = structuredClone(value);
      return mutate(copy, path, leaf, how);
    });
}

function mutate(value: unknown, path: number[], leaf: unknown, how: string): unknown {
  const [step, ...rest] = path;
  if (step === undefined || typeof value !== "object" || value === null) return leaf;
  const holder = value as Record<string, unknown>;
  const keys = Object.keys(holder);
  const key = keys[step % Math.max(keys.length, 1)];
  if (how === "add" && rest.length === 0) {
    if (Array.isArray(value)) value.push(leaf);
    else holder["added"] = leaf;
  } else if (key !== undefined) {
    if (how === "remove" && rest.length === 0) {
      if (Array.isArray(value)) value.splice(Number(key), 1);
      else delete holder[key];
    } else holder[key] = mutate(holder[key], rest, leaf, how);
  }
  return value;
}
