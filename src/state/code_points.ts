/** Lengths that people mean: Unicode code points, never half of a surrogate pair. */

/** A half of a code point. A text of Latin letters has none, and the runtime knows that without a look at each sign. */
const HALF = /[\ud800-\udfff]/;

/** Number of code points; a lone surrogate counts as one. */
export function countCodePoints(text: string): number {
  let count = text.length;
  if (!HALF.test(text)) return count;
  for (let i = 1; i < text.length; i++) if (isLow(text.charCodeAt(i)) && isHigh(text.charCodeAt(i - 1))) count--;
  return count;
}

/** At most `most` code points of the text; where something was cut, the last one is an ellipsis. */
export function shorten(text: string, most: number): string {
  if (text.length <= most) return text;
  let cut = 0;
  for (let i = 0, points = 0; i < text.length; points++) {
    if (points === most) return most === 0 ? "" : `${text.slice(0, cut)}…`;
    cut = i;
    i += isHigh(text.charCodeAt(i)) && isLow(text.charCodeAt(i + 1)) ? 2 : 1;
  }
  return text;
}

/** The last `most` code points of the text; where something was cut, the first one is an ellipsis. */
export function keepEnd(text: string, most: number): string {
  if (text.length <= most) return text;
  let cut = text.length;
  for (let i = text.length, points = 0; i > 0; points++) {
    if (points === most) return most === 0 ? "" : `…${text.slice(cut)}`;
    cut = i;
    i -= isLow(text.charCodeAt(i - 1)) && isHigh(text.charCodeAt(i - 2)) ? 2 : 1;
  }
  return text;
}

function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isLow(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
