/** Checks the options of a call of the library: without types no caller would notice a wrong one (ENG-19). */
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
export const OBJECT: Expected = {
  fits: (value) => typeof value === "object" && !Array.isArray(value),
  words: "an object",
};
export const LIST: Expected = { fits: Array.isArray, words: "a list" };
export const TEXTS: Expected = {
  fits: (value) => Array.isArray(value) && value.every((one) => typeof one === "string"),
  words: "a list of texts",
};
export const MILLISECONDS: Expected = {
  fits: (value) => Number.isFinite(value) && (value as number) >= 0,
  words: "a number of milliseconds from 0",
};
export const SIGNAL: Expected = {
  fits: (value) => typeof (value as Partial<AbortSignal> | undefined)?.addEventListener === "function",
  words: "an AbortSignal",
};

/**
 * Returns the options without those that are null, which is as good as none. INVALID_INPUT for a name that is none, and for a value that would be
 * taken for another.
 */
export function checkNamed<Options extends object>(
  call: string,
  options: Options,
  known: Readonly<Record<string, Expected>>,
  example: string,
): Options {
  const refused = (message: string): TaskfoldError =>
    new TaskfoldError("INVALID_INPUT", message, { recovery: `For example: ${example}.` });
  if (typeof options !== "object" || options === null || Array.isArray(options))
    throw refused(`Expected options to be an object, found ${describeValue(options as unknown)}.`);
  for (const [name, value] of Object.entries(options)) {
    const expected = Object.hasOwn(known, name) ? known[name] : undefined;
    if (!expected)
      throw refused(
        `Expected options of ${call} to be ${Object.keys(known).join(", ")}, found ${JSON.stringify(name)}.`,
      );
    if (value === undefined || value === null || expected.fits(value)) continue;
    throw refused(`Expected ${name} to be ${expected.words}, found ${describeValue(value)}.`);
  }
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== null)) as Options;
}
