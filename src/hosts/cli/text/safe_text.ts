import type { Json } from "../../../index.ts";
import { UNSEEN } from "../../../state/invisible.ts";

export { safeLine, safeText } from "../../../state/safe_text.ts";

const UNSAFE = new RegExp(UNSEEN, "gu");

/** JSON that is safe to look at as well: the value is the same, what a terminal would obey is written as escapes. */
export function safeJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replace(UNSAFE, units);
}

/** A value that ought to be text: a log that another program wrote may hold anything. */
export function textOf(value: Json | undefined): string {
  return typeof value === "string" ? value : JSON.stringify(value ?? "");
}

/** As JSON writes them: two escapes for what UTF-16 has two units for. */
function units(c: string): string {
  return c
    .split("")
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .join("");
}
