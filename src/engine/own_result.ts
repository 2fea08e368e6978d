/** A result that nobody else holds: what tools put into it may be the state's own, or a constant (ENG-12). */
import type { Json, JsonObject } from "../state/schema.ts";

export function ownResult(result: JsonObject): JsonObject {
  return copy(result) as JsonObject;
}

function copy(value: Json): Json {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(copy);
  const own: JsonObject = {};
  for (const key of Object.keys(value)) {
    const member = copy(value[key]!);
    // An assignment to this one would set the prototype.
    if (key === "__proto__")
      Object.defineProperty(own, key, { value: member, enumerable: true, configurable: true, writable: true });
    else own[key] = member;
  }
  return own;
}
