/** Checks the options of a call of the library: without types no caller would notice a wrong one (ENG-18). */
import { TaskfoldError } from "../../../errors.ts";
import { describeValue } from "./must_be_text.ts";

export interface Expected {
  fits: (value: unknown) => boolean;
  /** Goes on from "Expected durability to be". */
  words: string;
}

export const oneOf = (...words: readonly (string | boolean)[]): Expected => ({
  fits: (value) => words.includes(value as string),
  words: words.map((word) => JSON.stringify(word)).join(" or "),
});
export const TEXT: Expected = { fits: (value) => typeof value === "string", words: "text" };
export const FUNCTION: Expected = { fits: (value) => typeof value === "function", words: "a function" };
export const OBJECT: Expected = { fits: (value) => typeof value === "object", words: "an object" };
export const LIST: Expected = { fits: Array.isArray, words: "a list" };
export const MILLISECONDS: Expected = {
  fits: (value) => Number.isFinite(value) && (value as number) >= 0,
  words: "a number of milliseconds from 0",
};
export const SIGNAL: Expected = {
  fits: (value) => typeof (value as Partial<AbortSignal> | undefined)?.addEventListener === "function",
  words: "an AbortSignal",
};

/** INVALID_INPUT for a name that is none, and for a value that would be taken for another. `null` is as good as none. */
export function checkNamed(
  call: string,
  options: unknown,
  known: Readonly<Record<string, Expected>>,
  example: string,
): void {
  const refused = (message: string): TaskfoldError =>
    new TaskfoldError("INVALID_INPUT", message, { recovery: `For example: ${example}.` });
  if (typeof options !== "object" || options === null || Array.isArray(options))
    throw refused(`Expected options to be an object, found ${describeValue(options)}.`);
  for (const [name, value] of Object.entries(options)) {
    const expected = Object.hasOwn(known, name) ? known[name] : undefined;
    if (!expected)
      throw refused(
        `Expected options of ${call} to be ${Object.keys(known).join(", ")}, found ${JSON.stringify(name)}.`,
      );
    if (value === undefined || value === null || expected.fits(value)) continue;
    throw refused(`Expected ${name} to be ${expected.words}, found ${describeValue(value)}.`);
  }
}
