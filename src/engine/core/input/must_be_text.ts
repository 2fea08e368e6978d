/** Checks the arguments of library calls, as the schemas of the tools check those of tool calls. */
import { TaskfoldError } from "../../../errors.ts";

/** INVALID_INPUT unless it is a string (ENG-19). */
export function mustBeText(name: string, value: unknown): asserts value is string {
  if (typeof value === "string") return;
  throw new TaskfoldError("INVALID_INPUT", `Expected ${name} to be text, found ${describeValue(value)}.`, {
    recovery: `Give ${name} as a string.`,
  });
}

/** For a message: its kind, and what it says where that is short and can be said. */
export function describeValue(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "string") return JSON.stringify(value.slice(0, 100));
  return typeof value === "number" ? String(value) : typeof value;
}
