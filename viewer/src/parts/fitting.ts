/** Room of a line for texts in frames: the script counts it, so that none is cut and the others are told. */

/** Widths in rem, as the style sheet has them. `capital`: what it has more than a letter. `more`: the number of those that are left out. */
const WIDE = { letter: 0.45, han: 0.76, capital: 0.2, more: 2.2 };

export function widthOf(text: string): number {
  const han = text.replace(/[^\u2e80-\uffff]/g, "").length;
  return (text.length - han) * WIDE.letter + han * WIDE.han;
}

/**
 * Lines that a text takes where words stay whole, unless one is longer than a line. `larger`: how much wider its letters are. Capitals
 * count as wide ones: a line too many is a little room, one too few would cut the text.
 */
export function linesOf(text: string, room: number, larger: number): number {
  let [lines, used] = [1, 0];
  for (const [word] of text.matchAll(/[\u2e80-\uffff]|[^\s\u2e80-\uffff]+\s*|\s+/g)) {
    const wide = (part: string): number =>
      (widthOf(part) + part.replace(/[^A-ZmwMW@%]/g, "").length * WIDE.capital) * larger;
    const width = wide(word.trimEnd());
    if (used > 0 && used + width > room) [lines, used] = [lines + 1, 0];
    const over = Math.ceil(width / room) - 1;
    if (over > 0) [lines, used] = [lines + over, Math.max(0, width - over * room)];
    else used += wide(word);
  }
  return lines;
}

/** Of widths one after the other. `isLast`: the number of the others stands on this line too. */
export function howManyFit(widths: readonly number[], room: number, isLast: boolean): number {
  let left = room;
  for (const [index, width] of widths.entries()) {
    left -= width;
    if (left < (isLast && index < widths.length - 1 ? WIDE.more : 0)) return index;
  }
  return widths.length;
}
