/** Everything that is wrong with an input, each fault with what is allowed there (ERR-20). ajv has the verdict, this has the words. */
import { countCodePoints } from "../../../state/code_points.ts";
import type { PlainSchema as Plain } from "../../../state/plain_schema.ts";
import type { TSchema } from "../../../state/schema.ts";
import { nearest } from "./near.ts";

/** A type alias, because only those fit where JSON is asked for. */
export type InputFault = { at: string; expected: string; found: string };

const MOST = 20;

/** In the order of the input; at most twenty. */
export function inputFaults(schema: TSchema, input: unknown): InputFault[] {
  return faultsOf(schema as unknown as Plain, input, "").slice(0, MOST);
}

function faultsOf(schema: Plain, value: unknown, at: string): InputFault[] {
  if (schema.anyOf) return ofUnion(schema, schema.anyOf, value, at);
  const ofThis = (): InputFault[] => [{ at, expected: `to be ${formOf(schema)}`, found: quote(value) }];
  if (schema.enum && !schema.enum.includes(value)) return ofThis();
  if (schema.type !== undefined && typeOf(value) !== schema.type) return ofThis();
  if (typeof value === "string" || typeof value === "number") return isInBounds(schema, value) ? [] : ofThis();
  if (Array.isArray(value)) return ofList(schema, value, at);
  return typeof value === "object" && value !== null ? ofObject(schema, value as Record<string, unknown>, at) : [];
}

/** Of the forms of that type the one with the fewest faults; where there is none of that type, all forms are named. */
function ofUnion(schema: Plain, branches: readonly Plain[], value: unknown, at: string): InputFault[] {
  const kind = typeOf(value);
  const same = branches.filter((one) => one.anyOf !== undefined || one.type === undefined || one.type === kind);
  const told = same.map((one) => faultsOf(one, value, at)).toSorted((a, b) => a.length - b.length)[0];
  const deep = told?.every((fault) => fault.at !== at || kind === "object" || kind === "array");
  return told && deep ? told : [{ at, expected: `to be ${formOf(schema)}`, found: quote(value) }];
}

function ofList(
  { items, minItems = 0, maxItems = Infinity }: Plain,
  list: readonly unknown[],
  at: string,
): InputFault[] {
  const counts = list.length >= minItems && list.length <= maxItems;
  const most = maxItems === Infinity ? "" : ` and at most ${maxItems}`;
  const wrong = { at, expected: `to have at least ${minItems}${most} items`, found: `${list.length}` };
  const inside = items ? list.slice(0, 1000).flatMap((item, i) => faultsOf(items, item, joined(at, String(i)))) : [];
  return counts ? inside : [wrong, ...inside];
}

function ofObject(schema: Plain, object: Readonly<Record<string, unknown>>, at: string): InputFault[] {
  const { properties = {}, required = [], additionalProperties } = schema;
  const names = Object.keys(properties);
  const missing = required
    .filter((key) => object[key] === undefined)
    .map((key) => ({
      at,
      expected: `to have ${JSON.stringify(key)}, ${formOf(properties[key] ?? {})}`,
      found: "none",
    }));
  const others = Object.keys(object).filter((key) => !Object.hasOwn(properties, key));
  const unknown = additionalProperties === false ? others.map((key) => noField(key, names, at)) : [];
  const members = typeof additionalProperties === "object" ? additionalProperties : undefined;
  const named = members ? others.flatMap((key) => faultsOf(members, object[key], joined(at, key))) : [];
  const inside = names.flatMap((key) =>
    object[key] === undefined ? [] : faultsOf(properties[key]!, object[key], joined(at, key)),
  );
  return [...missing, ...unknown, ...inside, ...named];
}

function noField(key: string, names: readonly string[], at: string): InputFault {
  const [near] = nearest(key, names, 1);
  const meant = near === undefined ? "" : ` (did you mean ${near}?)`;
  return { at, expected: `to have no field ${quote(key)}${meant}, only ${names.join(", ")}`, found: "it" };
}

/** Describes a value of the schema in words. */
function formOf(schema: Plain): string {
  if (schema.anyOf) return schema.anyOf.map(formOf).join(", or ");
  if (schema.enum) return `one of ${schema.enum.join(", ")}`;
  switch (schema.type) {
    case "string":
      return `a text${ofLength(schema)}${schema.pattern === undefined ? "" : ` like ${schema.pattern}`}`;
    case "integer":
    case "number":
      return `a whole number${ofSize(schema)}`;
    case "boolean":
      return "true or false";
    case "array":
      return `a list of items that are ${formOf(schema.items ?? {})}`;
    case "object":
      return objectForm(schema);
    case "null":
      return "null";
    default:
      return "any value";
  }
}

function objectForm({ properties = {} }: Plain): string {
  const names = Object.keys(properties);
  if (names.length === 0) return "an object";
  const forms = new Set(Object.values(properties).map((one) => (one.type === "object" ? "an object" : formOf(one))));
  const each = forms.size === 1 ? ` that are ${[...forms][0]}` : "";
  return `an object with ${names.join(", ")}${each}`;
}

function ofLength({ minLength = 0, maxLength }: Plain): string {
  if (maxLength !== undefined) return ` of ${minLength} to ${maxLength} characters`;
  return minLength > 0 ? " that is not empty" : "";
}

function ofSize({ minimum, maximum }: Plain): string {
  return `${minimum === undefined ? "" : ` from ${minimum}`}${maximum === undefined ? "" : ` to ${maximum}`}`;
}

function isInBounds(schema: Plain, value: string | number): boolean {
  if (typeof value === "number") return value >= (schema.minimum ?? -Infinity) && value <= (schema.maximum ?? Infinity);
  const length = schema.minLength === undefined && schema.maxLength === undefined ? 0 : countCodePoints(value);
  if (length < (schema.minLength ?? 0) || length > (schema.maxLength ?? Infinity)) return false;
  return schema.pattern === undefined || new RegExp(schema.pattern, "u").test(value);
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return Number.isInteger(value) ? "integer" : typeof value;
}

function joined(at: string, key: string): string {
  return at === "" ? key : `${at}.${key}`;
}

function quote(value: unknown): string {
  const text = JSON.stringify(value) ?? typeof value;
  return text.length > 80 ? `${text.slice(0, 80)}...` : text;
}

/** Longest message; faults that do not fit are counted. */
const WORDS = 1_500;

/** One sentence for each fault. */
export function faultWords(faults: readonly InputFault[]): string {
  const said: string[] = [];
  let room = WORDS;
  for (const { at, expected, found } of faults) {
    const sentence = `Expected ${at || "the input"} ${expected}; found ${found}.`;
    room -= sentence.length;
    if (room < 0 && said.length > 0) break;
    said.push(sentence);
  }
  const rest = faults.length - said.length;
  return [...said, ...(rest > 0 ? [`${rest} more in details.faults.`] : [])].join(" ");
}
