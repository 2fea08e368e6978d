import { hash } from "node:crypto";
import stringify from "fast-json-stable-stringify";

/** Deepest nesting of objects and arrays in one event (LOG-5). Readers elsewhere die at 127. */
export const MAX_DEPTH = 64;

/** JSON with keys sorted by UTF-16 unit and no blanks: the one text a hash is taken of (LOG-5). */
export function canonicalJson(value: unknown): string {
  return stringify(value);
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

const LONE_SURROGATE = /\p{Surrogate}/u;

/**
 * Says why a value has no exact canonical form (LOG-5), naming the place, or returns null when it has one.
 * Not exact: numbers that are not safe integers (other languages print floats differently), -0, lone surrogates (no
 * UTF-8), anything that JSON drops or converts, nesting deeper than `MAX_DEPTH`.
 */
export function assertHashable(value: unknown): string | null {
  const found = fault(value, MAX_DEPTH);
  return found === null ? null : `value${found}`;
}

/** The fault as `<path>: <text>`; the path is put together only on the way back from a fault. */
function fault(value: unknown, levels: number): string | null {
  if (value === null || typeof value === "boolean") return null;
  if (typeof value === "string")
    return LONE_SURROGATE.test(value) ? ": expected well-formed text, found a lone surrogate" : null;
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
    if (LONE_SURROGATE.test(key)) return ": expected well-formed keys, found a lone surrogate";
    const found = fault(member, levels - 1);
    if (found !== null) return `.${key}${found}`;
  }
  return null;
}
