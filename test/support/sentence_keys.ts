/** The keys of the sentences that the sources make, found in their text: `` phrased`Waits for ${id}` `` has the key `Waits for {0}`. */
import { sources } from "./source.ts";

/** Not the word in a comment, between the signs of code, and no member of that name. */
const TAG = /(?<![`#.\w])phrased`/g;

/** By key, the files that make it. */
export function sentenceKeys(): Map<string, string[]> {
  const keys = new Map<string, string[]>();
  for (const { path, text } of sources()) {
    if (path === "src/sentence.ts") continue;
    for (const { index } of text.matchAll(TAG)) {
      const key = keyAt(text, index + "phrased`".length);
      keys.set(key, [...(keys.get(key) ?? []), path]);
    }
  }
  return keys;
}

function keyAt(text: string, begin: number): string {
  let key = "";
  let places = 0;
  for (let at = begin; text[at] !== "`"; at++) {
    if (text.startsWith("${", at)) {
      key += `{${places++}}`;
      at = endOfPlace(text, at + 2);
    } else key += text[at];
  }
  return key;
}

/** The index of the bracket that ends it. */
function endOfPlace(text: string, begin: number): number {
  let depth = 1;
  for (let at = begin; ; at++) {
    const sign = text[at];
    if (sign === "{") depth++;
    else if (sign === "}" && --depth === 0) return at;
    else if (sign === '"') at = text.indexOf('"', at + 1);
    else if (sign === "`") at = endOfTemplate(text, at + 1);
  }
}

function endOfTemplate(text: string, begin: number): number {
  let at = begin;
  while (text[at] !== "`") at = text.startsWith("${", at) ? endOfPlace(text, at + 2) + 1 : at + 1;
  return at;
}
