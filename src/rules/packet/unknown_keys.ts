/** Keys at the top of a manifest that are no field of it: other programs may read them, so they are kept (PACKET-1). */
import type { Warning } from "../../errors.ts";
import { isObject } from "../../state/json.ts";
import type { Json } from "../../state/json.ts";
import { MANIFEST_SCHEMA } from "../../state/packet_schema.ts";
import { listed } from "../phrase.ts";
import type { FaultReason, FieldFault } from "./field_fault.ts";
import { expected, memberPath, shown } from "./field_fault.ts";

const FIELDS = Object.keys(MANIFEST_SCHEMA.properties);
/** An event puts a few levels of its own around the manifest (`LIMITS.jsonDepth`). */
const MAX_LEVELS = 50;
/** Unknown keys of one manifest; a document of another kind has many. */
const MAX_KEYS = 100;

/** In the order of the document. */
export function unknownKeys(value: unknown): string[] {
  return isObject(value) ? Object.keys(value).filter((key) => !FIELDS.includes(key)) : [];
}

/** Faults of the values that a log cannot hold exactly, and of keys that stand for something else in YAML or in JavaScript. */
export function unknownKeyFaults(value: unknown): FieldFault[] {
  const keys = unknownKeys(value);
  if (keys.length > MAX_KEYS) {
    const most = `a manifest with at most ${MAX_KEYS} keys that it does not know`;
    return [{ field: "", reason: "unknown_key", message: expected("", most, `one with ${keys.length}`) }];
  }
  return keys.flatMap((key) => memberFaults("", key, (value as Record<string, unknown>)[key], MAX_LEVELS));
}

function memberFaults(place: string, key: string, value: unknown, levels: number): FieldFault[] {
  const field = memberPath(place, key);
  if (key === "<<")
    return [fault(field, "unknown_key", "another key", "<<", "Merge keys are not read: write the members out.")];
  if (key === "__proto__" || !isWhole(key)) return [fault(field, "unknown_key", "another key", shown(key))];
  return valueFaults(field, value, levels);
}

function valueFaults(field: string, value: unknown, levels: number): FieldFault[] {
  if (typeof value === "string")
    return isWhole(value) ? [] : [fault(field, "type", "text without NUL and half of a surrogate pair", shown(value))];
  if (typeof value === "number") {
    if (Number.isSafeInteger(value) && !Object.is(value, -0)) return [];
    const found = Object.is(value, -0) ? "-0" : String(value);
    return [fault(field, "type", "a whole number below 2^53, or text", found, `Write it in quotes: "${found}".`)];
  }
  if (levels === 0) return [fault(field, "too_large", `at most ${MAX_LEVELS} levels`, "more")];
  if (Array.isArray(value)) return value.flatMap((item, i) => valueFaults(`${field}[${i}]`, item, levels - 1));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, member]) => memberFaults(field, name, member, levels - 1));
}

function isWhole(text: string): boolean {
  return text.isWellFormed() && !text.includes("\0");
}

function fault(field: string, reason: FaultReason, what: string, found: string, hint = ""): FieldFault {
  return { field, reason, message: expected(field, what, found, hint) };
}

/** A text as a log may hold it, and where it stands; `key`: the name that a value has. */
export type Clean = (text: string, field: string, key: string) => string;

/** The value with every text and every number as `clean` gives it; names of members, too. */
export function cleaned(value: Json, field: string, key: string, clean: Clean): Json {
  if (typeof value === "string") return clean(value, field, key);
  if (typeof value === "number") {
    const text = clean(String(value), field, key);
    return text === String(value) ? value : text;
  }
  if (Array.isArray(value)) return value.map((item, i) => cleaned(item, `${field}[${i}]`, key, clean));
  if (value === null || typeof value === "boolean") return value;
  const members = Object.entries(value).map(([name, member]): [string, Json] => {
    const place = memberPath(field, name);
    return [clean(name, field, ""), cleaned(member, place, name, clean)];
  });
  return Object.fromEntries(members);
}

/** Empty where every key is known. */
export function unknownKeyWarnings(keys: readonly string[]): Warning[] {
  if (keys.length === 0) return [];
  const are = keys.length === 1 ? "is no field" : "are no fields";
  return [
    {
      code: "MANIFEST_KEY_UNKNOWN",
      message: `${listed(keys.map((key) => JSON.stringify(key.slice(0, 80))))} ${are} of a manifest: kept for other programs, without effect here.`,
      recovery: `Fields are ${FIELDS.join(", ")}. If one of these was meant, correct the name.`,
    },
  ];
}
