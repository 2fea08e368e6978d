/** Room of a line for texts in frames: the script counts it, so that none is cut and the others are told. */

/** Widths in rem, as the style sheet has them: a letter, a Chinese one, and the number of those that are left out. */
const WIDE = { letter: 0.45, han: 0.76, more: 2.2 };

export function widthOf(text: string): number {
  const han = text.replace(/[^\u2e80-\uffff]/g, "").length;
  return (text.length - han) * WIDE.letter + han * WIDE.han;
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
