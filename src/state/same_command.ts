/** Whether two command lines say the same: a declared test, and what was run for it (PROOF-42). */

/** Quotes and blanks between words make no difference: `npm test -- 'a b'` is `npm  test -- "a b"`. */
export function isSameCommand(one: string, other: string): boolean {
  return one === other || wordsOf(one).join("\0") === wordsOf(other).join("\0");
}

const WORD = /(?:[^\s'"\\]|\\[^]|'[^']*'|"(?:[^"\\]|\\[^])*")+|['"\\][^]*/g;

/** Words as a POSIX shell splits them. A text with a quote that stays open has its rest as one word. */
function wordsOf(text: string): string[] {
  return (text.match(WORD) ?? []).map((word) =>
    word.replaceAll(/\\([^])|'([^']*)'|"((?:[^"\\]|\\[^])*)"/g, (_all, escaped, plain, quoted) =>
      String(escaped ?? plain ?? String(quoted).replaceAll(/\\(["\\$`])/g, "$1")),
    ),
  );
}
