/**
 * Finds where a value does not fit a schema: the judge of tool inputs and of packet documents, and what both make their words of. A test
 * holds it to the verdict of ajv on each schema.
 */
import { countCodePoints } from "./code_points.ts";
import type { PlainSchema } from "./plain_schema.ts";
import type { TSchema } from "./schema.ts";

export interface ShapeFault {
  /** Keys and indexes that lead to the value; of an unknown key to the object that has it. */
  place: readonly (string | number)[];
  reason:
    | "type"
    | "enum"
    /** A text that is too short. */
    | "empty"
    /** A text that is too long. */
    | "too_large"
    | "pattern"
    | "range"
    /** A list of too few or too many items. */
    | "count"
    /** An item that the list has before. */
    | "duplicate"
    | "missing"
    | "unknown_key"
    /** A key that may not name a member of a map. */
    | "key";
  /** The schema of the place. */
  schema: PlainSchema;
  /** The value there; of an unknown key the key. */
  value: unknown;
}

/** The differences between inputs and documents. */
export interface ShapeRules {
  isInteger: (value: unknown) => boolean;
  /** Whether a required member counts as missing. */
  isMissing: (value: unknown) => boolean;
  /** Undefined: the schema alone decides. */
  textFault?: (text: string, schema: PlainSchema) => "type" | "empty" | undefined;
  /** Missing members and unknown keys come before the faults of members. */
  areMembersFirst: boolean;
  /** Of a list that is too long no item is looked at. */
  areLongListsSkipped: boolean;
  /** Items of a list behind these are looked at only while no fault is found in it. */
  maxItemsWithFaults: number;
}

const patterns = new Map<string, RegExp>();

/** Every fault, in the order of the schema; none where the value fits. */
export function shapeFaults(value: unknown, schema: TSchema | PlainSchema, rules: ShapeRules): ShapeFault[] {
  const walk = new Walk(rules);
  walk.value(value, schema as PlainSchema);
  return walk.faults;
}

export function hasType(
  value: unknown,
  type: string | undefined,
  { isInteger }: Pick<ShapeRules, "isInteger">,
): boolean {
  switch (type) {
    case undefined:
      return true;
    case "object":
      return typeof value === "object" && value !== null && !Array.isArray(value);
    case "array":
      return Array.isArray(value);
    case "null":
      return value === null;
    case "integer":
      return isInteger(value);
    default:
      return typeof value === type;
  }
}

class Walk {
  faults: ShapeFault[] = [];
  readonly #rules: ShapeRules;
  readonly #place: (string | number)[] = [];

  constructor(rules: ShapeRules) {
    this.#rules = rules;
  }

  value(value: unknown, schema: PlainSchema): void {
    if (schema.anyOf) this.#union(value, schema, schema.anyOf);
    else if (!hasType(value, schema.type, this.#rules)) this.#add("type", schema, value);
    else if (typeof value === "string") this.#text(value, schema);
    else if (typeof value === "number") this.#number(value, schema);
    else if (Array.isArray(value)) this.#list(value, schema);
    else if (typeof value === "object" && value !== null) this.#map(value as Record<string, unknown>, schema);
  }

  #add(reason: ShapeFault["reason"], schema: PlainSchema, value: unknown, ...more: (string | number)[]): void {
    this.faults.push({ place: [...this.#place, ...more], reason, schema, value });
  }

  #member(key: string | number, value: unknown, schema: PlainSchema): void {
    this.#place.push(key);
    this.value(value, schema);
    this.#place.pop();
  }

  /** Of the forms of that type the one with the fewest faults, if that is more than a single value. */
  #union(value: unknown, schema: PlainSchema, branches: readonly PlainSchema[]): void {
    const before = this.faults;
    let fewest: ShapeFault[] | undefined;
    for (const branch of branches) {
      if (!branch.anyOf && !hasType(value, branch.type, this.#rules)) continue;
      this.faults = [];
      this.value(value, branch);
      if (!fewest || this.faults.length < fewest.length) fewest = this.faults;
      if (fewest.length === 0) break;
    }
    this.faults = before;
    const isDeep = typeof value === "object" && value !== null;
    if (fewest && (isDeep || fewest.length === 0)) before.push(...fewest);
    else this.#add("type", schema, value);
  }

  #text(text: string, schema: PlainSchema): void {
    const { enum: values, minLength = 0, maxLength = Infinity, pattern } = schema;
    const own = this.#rules.textFault?.(text, schema);
    if (own) this.#add(own, schema, text);
    else if (values) {
      if (!values.includes(text)) this.#add("enum", schema, text);
    } else if (isShorter(text, minLength)) this.#add("empty", schema, text);
    else if (text.length > maxLength && countCodePoints(text) > maxLength) this.#add("too_large", schema, text);
    else if (pattern !== undefined && !patternOf(pattern).test(text)) this.#add("pattern", schema, text);
  }

  #number(value: number, schema: PlainSchema): void {
    const { minimum = -Infinity, maximum = Infinity } = schema;
    if (value < minimum || value > maximum) this.#add("range", schema, value);
  }

  #list(list: readonly unknown[], schema: PlainSchema): void {
    const { items, minItems = 0, maxItems = Infinity, uniqueItems } = schema;
    if (list.length < minItems || list.length > maxItems) this.#add("count", schema, list);
    if (!items || (list.length > maxItems && this.#rules.areLongListsSkipped)) return;
    const before = this.faults.length;
    const seen = uniqueItems ? new Set<unknown>() : undefined;
    for (const [i, item] of list.entries()) {
      if (i >= this.#rules.maxItemsWithFaults && this.faults.length > before) return;
      if (seen?.has(item)) this.#add("duplicate", schema, item, i);
      else this.#member(i, item, items);
      seen?.add(item);
    }
  }

  #map(map: Readonly<Record<string, unknown>>, schema: PlainSchema): void {
    const { properties = NONE, additionalProperties } = schema;
    const { areMembersFirst, isMissing } = this.#rules;
    const others = additionalProperties === undefined ? NO_KEYS : othersIn(map, properties);
    if (areMembersFirst) {
      this.#missing(map, schema);
      this.#unknown(others, schema);
    }
    for (const key in properties) {
      const member = map[key];
      if (isMissing(member) && schema.required?.includes(key)) {
        if (!areMembersFirst) this.#add("missing", properties[key]!, member, key);
      } else if (member !== undefined) this.#member(key, member, properties[key]!);
    }
    if (!areMembersFirst) this.#unknown(others, schema);
    if (typeof additionalProperties !== "object") return;
    for (const key of others)
      if (isName(key, schema)) this.#member(key, map[key], additionalProperties);
      else this.#add("key", schema, map[key], key);
  }

  #missing(map: Readonly<Record<string, unknown>>, { properties = NONE, required = NO_KEYS }: PlainSchema): void {
    for (const key of required)
      if (this.#rules.isMissing(map[key])) this.#add("missing", properties[key] ?? {}, map[key], key);
  }

  #unknown(others: readonly string[], schema: PlainSchema): void {
    if (schema.additionalProperties === false) for (const key of others) this.#add("unknown_key", schema, key);
  }
}

const NONE: NonNullable<PlainSchema["properties"]> = {};
const NO_KEYS: readonly string[] = [];

/** Nearly every map has none: then no list is made. */
function othersIn(map: object, properties: object): readonly string[] {
  let others: string[] | undefined;
  for (const key of Object.keys(map)) if (!Object.hasOwn(properties, key)) (others ??= []).push(key);
  return others ?? NO_KEYS;
}

/** Whether a member of the map may have the key, which its writer chose. */
export function isName(key: string, { propertyNames: { pattern, enum: names } = {} }: PlainSchema): boolean {
  return (pattern === undefined || patternOf(pattern).test(key)) && (names?.includes(key) ?? true);
}

/** A length counts code points, of which a text has at most its length and at least half of it. */
function isShorter(text: string, least: number): boolean {
  return text.length < 2 * least && countCodePoints(text) < least;
}

function patternOf(pattern: string): RegExp {
  let known = patterns.get(pattern);
  if (!known) patterns.set(pattern, (known = new RegExp(pattern, "u")));
  return known;
}
