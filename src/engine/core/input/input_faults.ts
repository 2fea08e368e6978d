/** Everything that is wrong with an input, each fault with what is allowed there (ERR-20). */
import type { PlainSchema as Plain } from "../../../state/plain_schema.ts";
import type { TSchema } from "../../../state/schema.ts";
import type { ShapeFault, ShapeRules } from "../../../state/shape_faults.ts";
import { shapeFaults } from "../../../state/shape_faults.ts";
import { nearest } from "./near.ts";

/** A type alias, because only those fit where JSON is asked for. */
export type InputFault = { at: string; expected: string; found: string };

const MOST = 20;

const RULES: ShapeRules = {
  isInteger: Number.isInteger,
  isMissing: (value) => value === undefined,
  areMembersFirst: true,
  areLongListsSkipped: false,
  maxItemsWithFaults: 1000,
};

/** In the order of the input; at most twenty. None where the input fits. */
export function inputFaults(schema: TSchema, input: unknown): InputFault[] {
  return shapeFaults(input, schema, RULES).slice(0, MOST).map(inWords);
}

function inWords({ place, reason, schema, value }: ShapeFault): InputFault {
  const at = place.join(".");
  switch (reason) {
    case "missing":
      return {
        at: place.slice(0, -1).join("."),
        expected: `to have ${JSON.stringify(place.at(-1))}, ${formOf(schema)}`,
        found: "none",
      };
    case "unknown_key":
      return noField(String(value), Object.keys(schema.properties ?? {}), at);
    case "count":
      return { at, expected: `to have ${countOf(schema)} items`, found: `${(value as readonly unknown[]).length}` };
    default:
      return { at, expected: `to be ${formOf(schema)}`, found: quote(value) };
  }
}

function countOf({ minItems = 0, maxItems }: Plain): string {
  return `at least ${minItems}${maxItems === undefined ? "" : ` and at most ${maxItems}`}`;
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

function quote(value: unknown): string {
  const text = JSON.stringify(value) ?? typeof value;
  return text.length > 80 ? `${text.slice(0, 80)}...` : text;
}

/** Longest message; faults that do not fit are counted. */
const WORDS = 1_500;

/** One sentence for each fault. */
export function faultWords(faults: readonly InputFault[]): string {
  const sentences: string[] = [];
  let room = WORDS;
  for (const { at, expected, found } of faults) {
    const sentence = `Expected ${at || "the input"} ${expected}; found ${found}.`;
    room -= sentence.length;
    if (room < 0 && sentences.length > 0) break;
    sentences.push(sentence);
  }
  const rest = faults.length - sentences.length;
  return [...sentences, ...(rest > 0 ? [`${rest} more in details.faults.`] : [])].join(" ");
}
