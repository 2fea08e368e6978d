/** A fault of one field of a document that a person wrote. All of them are found at once. */
import { shorten } from "../../state/code_points.ts";
import { oneLine } from "../phrase.ts";

export const FAULT_REASONS = [
  "missing",
  "type",
  "enum",
  "unknown_key",
  "empty",
  "range",
  "too_large",
  "too_slow",
  "pattern",
  "duplicate",
  "path",
  "model",
  "profile",
  "flag",
  "option",
  "stage",
  "role",
  "yaml",
] as const;
export type FaultReason = (typeof FAULT_REASONS)[number];

export interface FieldFault {
  /** Dotted path such as `acceptance.commands[1]`; "" is the document. */
  field: string;
  reason: FaultReason;
  /** Names the field, what was expected and what was found. */
  message: string;
}

const PLAIN_KEY = /^[A-Za-z_][A-Za-z0-9_-]*$/;

/** The path of a member: `budgets.retry_budget`; a key that is no plain name stands in brackets, as JSON. */
export function memberPath(field: string, key: string): string {
  if (!PLAIN_KEY.test(key)) return `${field}[${JSON.stringify(shorten(key.toWellFormed(), 80))}]`;
  return field === "" ? key : `${field}.${key}`;
}

/** `Expected F to be E, found V.`, and a hint where there is one. */
export function expected(field: string, what: string, found: string, hint = ""): string {
  return `Expected ${field === "" ? "the document" : field} to be ${what}, found ${found}.${hint === "" ? "" : ` ${hint}`}`;
}

/** A value on one line, short enough for a message. */
export function shown(value: unknown): string {
  if (value === undefined || value === null) return "nothing";
  if (typeof value === "string") return JSON.stringify(oneLine(value.toWellFormed()));
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  return Array.isArray(value) ? "a list" : "a map";
}
