/** The sentence about notes that a page does not show whole. */
import { counted } from "../../../state/counted.ts";
import { startedHere } from "./started_here.ts";

export interface NotesLeftOut {
  earlier: number;
  cut: number;
  whole: string;
}

export function notesLeftOut({ earlier, cut, whole }: NotesLeftOut, program: string): string {
  const parts = [
    ...(earlier === 0 ? [] : [`${counted(earlier, "earlier note")} left out`]),
    ...(cut === 0 ? [] : [`${counted(cut, "note")} cut`]),
  ];
  return `${parts.join(", ")}: ${startedHere(whole, program)} has all of them.`;
}
