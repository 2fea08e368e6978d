/** Widths in rem, as the style sheet has them: a column at least, both sides of the board, between columns. */
const [COLUMN, SIDES, GAP] = [13, 3, 1];
/** Rem of the next column that stand in sight where not all have room: they say that more follow. */
const PEEK = 2.5;

/** Rem of a column in a box of so many: each in sight, or the first ones and a part of the next. */
export function columnWidth(box: number, columns: number): number {
  const each = (box - SIDES - (columns - 1) * GAP) / columns;
  if (each >= COLUMN || columns === 1) return Math.max(each, 1);
  const free = box - SIDES / 2 - PEEK;
  return Math.max(COLUMN, free / Math.max(1, Math.floor(free / (COLUMN + GAP))) - GAP);
}
