/** A text as a terminal shows it. A colour may stand before a secret as a letter of the same word, or in the middle of it. */
import type { Span } from "./secrets.ts";

/** `spanIn`: where a part of `plain` stands in the text as it was given. */
export interface ShownText {
  plain: string;
  spanIn: (span: Span) => Span;
}

/**
 * Control sequences, as they are and as JSON and programs write them. The letter at the end says what one does. Characters without a width, which
 * Unicode calls ignorable, have none.
 */
const SEQUENCE =
  // oxlint-disable-next-line no-control-regex
  /(?:\x1b\[|\x9b|\\(?:u001b|x1b|033|e)\[)[0-9;:?]{0,64}([A-Za-z])|\p{Default_Ignorable_Code_Point}|\\u(?:00ad|034f|061c|180[b-e]|200[b-f]|202[a-e]|206[0-9a-f]|fe0[0-9a-f]|feff)/giu;
/** Colours, and the end of a line that `grep` clears, take no place. Any other sequence moves what follows. */
const TAKES_NONE = /[mK]/;

export function shownText(text: string): ShownText {
  const found = [...text.matchAll(SEQUENCE)];
  if (found.length === 0) return { plain: text, spanIn: (span) => span };
  const parts: string[] = [];
  /** By place in `plain`: the place in the text. */
  const places = new Uint32Array(text.length);
  let length = 0;
  const add = (part: string, from: number): void => {
    parts.push(part);
    for (let n = 0; n < part.length; n++) places[length++] = from + n;
  };
  let behind = 0;
  for (const { index, 0: sequence, 1: letter } of found) {
    add(text.slice(behind, index), behind);
    if (letter !== undefined && !TAKES_NONE.test(letter)) add(" ", index);
    behind = index + sequence.length;
  }
  add(text.slice(behind), behind);
  return {
    plain: parts.join(""),
    spanIn: ({ start, end }) => ({ start: places[start]!, end: places[end - 1]! + 1 }),
  };
}
