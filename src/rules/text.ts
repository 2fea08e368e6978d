/** The demands on every text, title and list of an input (TOOL rules). Refused, never cut. */
import { TaskfoldError } from "../errors.ts";
import { countCodePoints } from "../state/code_points.ts";
import { LIMITS } from "../state/limits.ts";
import type { Json } from "../state/schema.ts";
import { firstCodePoints, oneLine } from "./phrase.ts";

/** Deepest nesting a caller may bring: the event puts a few levels of its own around it (`LIMITS.jsonDepth`). */
export const INPUT_JSON_DEPTH = 60;

const CONTROL = /[\u0000-\u001f]/; // oxlint-disable-line no-control-regex
const CONTROLS = new RegExp(CONTROL, "g");
const NO_ENTRY = /^(?:none|null|n-a|na|n\/a)$/i;

/** Well-formed Unicode of at most 256 KiB (TOOL-10); returns it unchanged. */
export function checkText(value: string, field: string): string {
  if (!value.isWellFormed()) {
    throw new TaskfoldError("INVALID_INPUT", `Expected ${field} to be well-formed Unicode, found a lone surrogate.`, {
      recovery: "Send text that can be written as UTF-8.",
    });
  }
  // A UTF-16 unit is at most three bytes: most texts need no second pass to be known small enough.
  const bytes = value.length * 3 <= LIMITS.textBytes ? 0 : Buffer.byteLength(value);
  if (bytes > LIMITS.textBytes) {
    throw new TaskfoldError(
      "CONTENT_TOO_LARGE",
      `Expected ${field} of at most ${LIMITS.textBytes} bytes, found ${bytes}.`,
      { recovery: "Attach long text as a file, or capture it as evidence, and say here where it is." },
    );
  }
  return value;
}

/** 1 to 200 code points, not blank, no control characters (TOOL-10); returns it unchanged, not trimmed. */
export function checkTitle(value: string, field = "title"): string {
  checkText(value, field);
  const recovery = `Give ${field} as one line of 1 to ${LIMITS.titleCodePoints} characters; longer text belongs into description.`;
  if (value.trim() === "") {
    throw new TaskfoldError("INVALID_INPUT", `Expected ${field} to say something, found only blanks.`, { recovery });
  }
  if (CONTROL.test(value)) {
    throw new TaskfoldError("INVALID_INPUT", `Expected ${field} to be one line, found a control character.`, {
      recovery,
    });
  }
  if (firstCodePoints(value, LIMITS.titleCodePoints).length < value.length) {
    throw new TaskfoldError(
      "INVALID_INPUT",
      `Expected ${field} of at most ${LIMITS.titleCodePoints} characters, found ${countCodePoints(value)}.`,
      { recovery },
    );
  }
  return value;
}

/** The beginning of a text as a title: one line of it, without control characters. */
export function titleFrom(text: string, field: string): string {
  const printable = firstCodePoints(text.trim(), 4 * LIMITS.titleCodePoints).replaceAll(CONTROLS, " ");
  return checkTitle(oneLine(printable, LIMITS.titleCodePoints), field);
}

/** Trimmed entries without blanks, without the words people write for "nothing", each once (TOOL-10). */
export function cleanList(values: readonly string[], field: string): string[] {
  const kept = values.map((v) => checkText(v, `each of ${field}`).trim()).filter((v) => v !== "" && !NO_ENTRY.test(v));
  return [...new Set(kept)];
}

/** Text that may be left out: blank counts as left out. */
export function givenText(value: string | null | undefined, field: string): string | undefined {
  if (value === undefined || value === null || value.trim() === "") return undefined;
  return checkText(value, field);
}

/** JSON that an event can hold exactly (TOOL-10): at most 60 levels, whole numbers, well-formed text. */
export function checkJson<J extends Json>(value: J, field: string): J {
  const fault = jsonFault(value, INPUT_JSON_DEPTH);
  if (fault !== null) {
    throw new TaskfoldError("INVALID_INPUT", `Expected ${field} to be JSON that can be kept exactly; ${fault}.`, {
      recovery: "Nest less deeply, and write fractions and very large numbers as text.",
    });
  }
  return value;
}

function jsonFault(value: Json, levels: number): string | null {
  if (typeof value === "string") return value.isWellFormed() ? null : "found a lone surrogate";
  if (typeof value === "number") {
    if (Number.isSafeInteger(value) && !Object.is(value, -0)) return null;
    return `found the number ${Object.is(value, -0) ? "-0" : value}, which is no safe integer`;
  }
  if (value === null || typeof value === "boolean") return null;
  if (levels === 0) return `found more than ${INPUT_JSON_DEPTH} levels`;
  for (const [key, member] of Object.entries(value)) {
    if (!key.isWellFormed()) return "found a key with a lone surrogate";
    const fault = jsonFault(member, levels - 1);
    if (fault !== null) return fault;
  }
  return null;
}
