/** A result that nobody else holds: what tools put into it may be the state's own, or a constant (ENG-12). */
import type { Json, JsonObject } from "../state/schema.ts";

/** A copy of the whole and then of what is in it: half again as fast as member by member. */
export function ownResult<T extends JsonObject | Json[]>(result: T): T {
  if (Array.isArray(result)) return result.map(own) as T;
  const copy: JsonObject = { ...result };
  for (const key in copy) {
    const member = copy[key]!;
    if (typeof member !== "object" || member === null) continue;
    // An assignment to this one would set the prototype.
    if (key === "__proto__") Object.defineProperty(copy, key, { value: ownResult(member) });
    else copy[key] = ownResult(member);
  }
  return copy as T;
}

function own(value: Json): Json {
  return typeof value === "object" && value !== null ? ownResult(value) : value;
}
