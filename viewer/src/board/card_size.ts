/** The height of a card by its text, in rem as the style sheet has it. The board needs it before it draws a line. */
import type { BoardRow } from "../../../src/views/viewer/api.ts";
import { countSignals } from "../parts/count_signals.ts";
import { linesOf } from "../parts/fitting.ts";

export interface CardSize {
  /** Lines of the title: it stands there whole. */
  title: number;
  hasSignals: boolean;
  /** Progress, tags, or a second line of what stands out. */
  hasFoot: boolean;
  height: number;
}

/** A line of the title. */
export const LINE = 1.3;
/** The frame with the head, another part with the gap before it. */
const [FRAME, PART] = [2.6, 1.6];
/** A letter of the title beside one of a badge. */
const LARGER = 1.15;

/** Each reading of the board asks for all rows again, and most of them are the same. */
const known = new WeakMap<BoardRow, CardSize & { room: number }>();

export function cardSize(row: BoardRow, room: number): CardSize {
  const before = known.get(row);
  if (before?.room === room) return before;
  const signals = countSignals(row);
  const title = linesOf(row.title, room, LARGER);
  const hasSignals = signals > 0;
  const hasFoot = row.progress.total > 0 || row.tags.length > 0 || signals > 1;
  const height = FRAME + title * LINE + (Number(hasSignals) + Number(hasFoot)) * PART;
  const size = { title, hasSignals, hasFoot, height, room };
  known.set(row, size);
  return size;
}
