/** The sentence about notes that a page does not show whole. */
import { counted } from "../../../state/counted.ts";

export interface NotesLeftOut {
  earlier: number;
  cut: number;
  whole: string;
}

export function notesLeftOut({ earlier, cut, whole }: NotesLeftOut): string {
  const parts = [
    ...(earlier === 0 ? [] : [`${counted(earlier, "earlier note")} left out`]),
    ...(cut === 0 ? [] : [`${counted(cut, "note")} cut`]),
  ];
  return `${parts.join(", ")}: ${whole} has all of them.`;
}
