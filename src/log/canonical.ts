import { hash } from "node:crypto";
import stringify from "fast-json-stable-stringify";

/** Deepest nesting of objects and arrays in one event (LOG-5). Readers elsewhere die at 127. */
export const MAX_DEPTH = 64;

/** JSON with keys sorted by UTF-16 unit and no blanks: the one text a hash is taken of (LOG-5). */
export function canonicalJson(value: unknown): string {
  return stringify(value);
}

/**
 * Whether `text`, of which `value` was parsed, is its canonical JSON, for a fraction of what it costs to write that. False also
 * where only writing it can tell: keys that look like array indices do not keep their order.
 */
export function isSurelyCanonical(value: unknown, text: string): boolean {
  return JSON.stringify(value) === text && hasSortedKeys(value);
}

function hasSortedKeys(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return true;
  if (Array.isArray(value)) return value.every(hasSortedKeys);
  let before = "";
  for (const [key, member] of Object.entries(value)) {
    if (key < before || !hasSortedKeys(member)) return false;
    before = key;
  }
  return true;
}

/** SHA-256 as base64url, 43 characters. Text is hashed as UTF-8. */
export function sha256(data: string | Uint8Array): string {
  return hash("sha256", data, "base64url");
}

/** The digest that stands for a set of heads, whatever order they are given in (LOG-21). */
export function headDigest(heads: readonly string[]): string {
  // A hash needs no escaping, and almost every log has one head: this is on the way of every answer.
  if (heads.length === 1) return sha256(`["${heads[0]}"]`);
  return sha256(canonicalJson([...heads].sort()));
}

/**
 * Says why a value has no exact canonical form (LOG-5), naming the place, or returns null when it has one. Not exact
 * are numbers that are not safe integers (other languages print floats differently), -0, and lone surrogates (no
 * UTF-8). Nor are values that JSON drops or converts, and nesting deeper than `MAX_DEPTH`.
 */
export function assertHashable(value: unknown, levels = MAX_DEPTH): string | null {
  const found = fault(value, levels);
  return found === null ? null : `value${found}`;
}

/**
 * Returns a copy that no other code holds, taken member by member while each is judged, so each getter is asked once.
 * Undefined where the value is not hashable; `assertHashable` says why, but for keys that are undefined, which are left
 * out. With `sort` the keys stand in canonical order. `levels`: fewer for a value that will stand within another.
 */
export function hashableCopy<T>(value: T, sort: boolean, levels = MAX_DEPTH, most = ANY_SIZE): T | undefined {
  valuesLeft = most.values;
  textLeft = most.text;
  const made = copy(value, levels, sort);
  return made === NONE ? undefined : (made as T);
}

/** How large a value may be: members and items in all, and UTF-16 units of all its texts. */
export interface MostOf {
  values: number;
  text: number;
}

const ANY_SIZE: MostOf = { values: Infinity, text: Infinity };

/** Thrown where there is more than the caller of `hashableCopy` allows. */
export class TooLarge extends Error {
  override readonly name = "TooLarge";
}

/** The number of values that the copy under way may still take: arguments for it would cost each member. */
let valuesLeft = Infinity;
let textLeft = Infinity;

function take(values: number): void {
  valuesLeft -= values;
  if (valuesLeft < 0) throw new TooLarge();
}

function taken(text: string): string {
  textLeft -= text.length;
  if (textLeft < 0) throw new TooLarge();
  return text;
}

/** The canonical text of a sorted copy. JSON.stringify costs a third of the sorting serialiser and agrees with it but for such keys. */
export function sortedJson(value: unknown): string {
  const text = JSON.stringify(value);
  // Keys that look like array indices come first in an object, whatever order they were put in. A text within may look like one
  // too: then the sorting serialiser is asked in vain.
  return INDEX_KEY.test(text) ? canonicalJson(value) : text;
}

const INDEX_KEY = /"\d+":/;
const NONE = Symbol("not hashable");

function copy(value: unknown, levels: number, sort: boolean): unknown {
  if (typeof value === "string") return taken(value).isWellFormed() ? value : NONE;
  if (value === null || typeof value === "boolean") return value;
  if (typeof value === "number") return Number.isSafeInteger(value) && !Object.is(value, -0) ? value : NONE;
  if (typeof value !== "object" || levels === 0) return NONE;
  if (Array.isArray(value)) {
    const list: unknown[] = [];
    take(value.length);
    for (let i = 0; i < value.length; i++) {
      const member = copy(value[i], levels - 1, sort);
      if (member === NONE) return NONE;
      list.push(member);
    }
    return list;
  }
  const proto: unknown = Object.getPrototypeOf(value);
  if (proto !== Object.prototype && proto !== null) return NONE;
  const keys = Object.keys(value);
  take(keys.length);
  if (sort) sortKeys(keys);
  const made: Record<string, unknown> = {};
  for (const key of keys) {
    const given = (value as Record<string, unknown>)[key];
    // As JSON has it: a key without a value is no key.
    if (given === undefined) continue;
    const member = copy(given, levels - 1, sort);
    if (member === NONE || !taken(key).isWellFormed()) return NONE;
    if (key === "__proto__") Object.defineProperty(made, key, { value: member, ...OWN });
    else made[key] = member;
  }
  return made;
}

const FEW_KEYS = 16;

/** By UTF-16 unit, in place. Most objects have a few keys, for which the built-in sort takes longer to begin than to sort. */
function sortKeys(keys: string[]): void {
  if (keys.length > FEW_KEYS) {
    keys.sort();
    return;
  }
  for (let i = 1; i < keys.length; i++) {
    const key = keys[i]!;
    let at = i;
    for (; at > 0 && keys[at - 1]! > key; at--) keys[at] = keys[at - 1]!;
    keys[at] = key;
  }
}

/** How JSON.parse makes a member: an assignment to `__proto__` would set the prototype. */
const OWN = { enumerable: true, configurable: true, writable: true };

/** The fault as `<path>: <text>`; the path is put together only on the way back from a fault. */
function fault(value: unknown, levels: number): string | null {
  if (value === null || typeof value === "boolean") return null;
  if (typeof value === "string")
    return value.isWellFormed() ? null : ": expected well-formed text, found a lone surrogate";
  if (typeof value === "number") {
    if (Object.is(value, -0)) return ": expected 0, found -0";
    return Number.isSafeInteger(value) ? null : `: expected a safe integer, found ${value}`;
  }
  if (typeof value !== "object") return `: expected JSON, found ${typeof value}`;
  if (levels === 0) return `: expected at most ${MAX_DEPTH} levels, found more`;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) {
      const found = fault(value[i], levels - 1);
      if (found !== null) return `[${i}]${found}`;
    }
    return null;
  }
  // An instance may bring its own toJSON, and then something else would be hashed than what stands here.
  const proto: unknown = Object.getPrototypeOf(value);
  if (proto !== Object.prototype && proto !== null) return ": expected a plain object, found an instance of a class";
  for (const [key, member] of Object.entries(value)) {
    if (!key.isWellFormed()) return ": expected well-formed keys, found a lone surrogate";
    const found = fault(member, levels - 1);
    if (found !== null) return `.${key}${found}`;
  }
  return null;
}
