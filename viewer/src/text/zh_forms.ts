/** Sentences by their form: a pattern of the English one, and a function that makes the Chinese one of its parts. */
export type Form = readonly [RegExp, (...parts: string[]) => string];

export const form = (source: string, made: (...parts: string[]) => string): Form => [
  new RegExp(`^${source}$`, "s"),
  made,
];

export const plain = (text: string, chinese: string): Form => form(text.replace(/[.()/+?[\]]/g, "\\$&"), () => chinese);

/** A sentence that a rule writes is shorter: titles have 200 characters, and reasons in it 160. */
export const MAX_CHARACTERS = 2000;

/** Undefined where no form fits, and for a longer text: a page has many, and would look for forms for seconds. */
export function inChinese(text: string, forms: readonly Form[]): string | undefined {
  if (text.length > MAX_CHARACTERS) return undefined;
  for (const [pattern, made] of forms) {
    const found = pattern.exec(text);
    if (found) return made(...found.slice(1));
  }
  return undefined;
}
