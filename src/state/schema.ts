/**
 * A dozen schema builders: plain JSON Schema 2020-12 objects whose static type TypeScript infers.
 * The types are TypeBox's, the objects are ours: importing TypeBox itself would cost twice the start of Node.
 */
import type {
  Static,
  TArray,
  TBoolean,
  TInteger,
  TNull,
  TObject,
  TOptional,
  TProperties,
  TSchema,
  TString,
  TUnion,
  TUnsafe,
} from "typebox";
import type { Json, JsonObject } from "./json.ts";

export type { Static, TSchema } from "typebox";

export type { Json, JsonObject } from "./json.ts";

/** Marks an optional property; not enumerable in JSON because symbols never are. */
const OPTIONAL = Symbol("optional");

/** Marks a property that is there unless a budget took it out. */
const CUT = Symbol("cut");

const make = <T extends TSchema>(schema: object): T => schema as unknown as T;

export const text = (more: object = {}): TString => make({ type: "string", ...more });
export const integer = (more: object = {}): TInteger => make({ type: "integer", ...more });
export const boolean = (more: object = {}): TBoolean => make({ type: "boolean", ...more });
export const nothing = (): TNull => make({ type: "null" });
export const list = <T extends TSchema>(items: T, more: object = {}): TArray<T> =>
  make({ type: "array", items, ...more });
export const either = <T extends TSchema[]>(...anyOf: T): TUnion<T> => make({ anyOf });
export const orNull = <T extends TSchema>(t: T): TUnion<[T, TNull]> => make({ anyOf: [t, nothing()] });
export const oneOf = <const T extends readonly string[]>(values: T, more: object = {}): TUnsafe<T[number]> =>
  make({ type: "string", enum: values, ...more });
/** Any JSON value. */
export const json = (more: object = {}): TUnsafe<Json> => make({ ...more });
/** Any JSON object. */
export const jsonObject = (more: object = {}): TUnsafe<JsonObject> => make({ type: "object", ...more });
export const optional = <T extends TSchema>(t: T): TOptional<T> => make({ ...t, [OPTIONAL]: true });

/** A property that is there unless a budget took it out; one that is optional anyway stays so. */
export const cut = <T extends TSchema>(t: T): TOptional<T> =>
  make({ ...t, [OPTIONAL]: true, ...(OPTIONAL in t ? {} : { [CUT]: true }) });

export function isCut(schema: object): boolean {
  return CUT in schema;
}

/**
 * The same schema, of an answer from which no budget took anything: such properties are required, at any depth. Its keywords keep their
 * order, so that what no budget cuts has the same text as before.
 */
export function uncut<T>(schema: T): T {
  if (typeof schema !== "object" || schema === null) return schema;
  if (Array.isArray(schema)) return schema.map(uncut) as T;
  const { required: given, properties = {} } = schema as { required?: string[]; properties?: TProperties };
  const isThere = (name: string): boolean => given?.includes(name) === true || isCut(properties[name] as object);
  const whole: Record<string, () => unknown> = {
    properties: () => Object.fromEntries(Object.entries(properties).map(([name, t]) => [name, uncut(t)])),
    required: () => Object.keys(properties).filter(isThere),
  };
  const keywords = Object.entries(schema).map(([key, value]) => [
    key,
    whole[key]?.() ?? (UNCUT.has(key) ? uncut(value as unknown) : (value as unknown)),
  ]);
  const symbols = Object.getOwnPropertySymbols(schema).map((s) => [s, Reflect.get(schema, s)] as const);
  return Object.fromEntries([...keywords, ...symbols]) as T;
}

/** Keywords that hold schemas; all others hold values. */
const UNCUT: ReadonlySet<string> = new Set(["items", "anyOf", "oneOf", "additionalProperties"]);

/** An object whose keys are names of the caller's or the state's, each with such a value. */
export const record = <T extends TSchema>(values: T): TUnsafe<Record<string, Static<T>>> =>
  make({ type: "object", additionalProperties: values });

/** An object of exactly these properties; those not wrapped in `optional` are required. */
export const object = <P extends TProperties>(properties: P, more: object = {}): TObject<P> =>
  make({ type: "object", properties, required: required(properties), additionalProperties: false, ...more });

/** An object of at least these properties: what is unknown is kept (events: a later release may say more). */
export const openObject = <P extends TProperties>(properties: P): TObject<P> =>
  make({ type: "object", properties, required: required(properties) });

function required(properties: TProperties): string[] {
  return Object.keys(properties).filter((k) => !(OPTIONAL in (properties[k] as object)));
}

export type Infer<T extends TSchema> = Static<T>;
