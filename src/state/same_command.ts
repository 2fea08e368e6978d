/** Whether two command lines say the same: a declared test, and what was run for it (PROOF-42). */

/**
 * Quotes and blanks between words make no difference: `npm test -- 'a b'` is `npm  test -- "a b"`. A quoted operator of the shell is none:
 * `true '&&' false` runs `true` alone, with two arguments.
 */
export function isSameCommand(one: string, other: string): boolean {
  return one === other || wordsOf(one).join("\0") === wordsOf(other).join("\0");
}

const WORD = /(?:[^\s'"\\]|\\[^]|'[^']*'|"(?:[^"\\]|\\[^])*")+|['"\\][^]*|\n/g;

/** Stands before what the shell acts upon. */
const ACTS = "\u0001";

/** Words as a POSIX shell splits them. A text with a quote that stays open has its rest as one word. */
function wordsOf(text: string): string[] {
  return (text.trim().match(WORD) ?? []).map((word) =>
    word.replaceAll(/\\([^])|'([^']*)'|"((?:[^"\\]|\\[^])*)"|[$`&|;<>()\n]/g, (all, escaped, plain, quoted) =>
      String(escaped ?? plain ?? (quoted === undefined ? ACTS + all : unquoted(quoted))),
    ),
  );
}

/** Of what stands in double quotes. */
function unquoted(text: string): string {
  return text.replaceAll(/\\(["\\$`])|[$`]/g, (all, escaped) => String(escaped ?? ACTS + all));
}
