/** What callers of the library may get wrong, as the schemas of the tools say it to callers of a tool. */
import { TaskfoldError } from "../errors.ts";

/** INVALID_INPUT unless it is a string (ENG-18). */
export function mustBeText(name: string, value: unknown): asserts value is string {
  if (typeof value === "string") return;
  const found = value === null ? "null" : Array.isArray(value) ? "a list" : typeof value;
  throw new TaskfoldError("INVALID_INPUT", `Expected ${name} to be text, found ${found}.`, {
    recovery: `Give ${name} as a string.`,
  });
}
