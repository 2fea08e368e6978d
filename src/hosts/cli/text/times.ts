/**
 * Times on a screen (CLI-271): those of this machine's zone on a terminal, RFC 3339 in UTC to the second elsewhere. `--json` has the exact
 * ones. All that come in are RFC 3339.
 */
import { aboutLength } from "../../../state/length_text.ts";

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** `wide`: the width of the terminal that a person looks at, if there is one. `now`: the year that goes without saying. */
export function timeText(time: string, wide: number | undefined, now = new Date()): string {
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return time;
  if (wide === undefined) return `${date.toISOString().slice(0, 19)}Z`;
  const year = date.getFullYear() === now.getFullYear() ? "" : ` ${date.getFullYear()}`;
  return `${two(date.getDate())} ${MONTHS[date.getMonth()]}${year} ${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** The same, and how far away that is, where a person looks at it. */
export function timeAndAge(time: string, wide: number | undefined, now = new Date()): string {
  const text = timeText(time, wide, now);
  return wide === undefined || text === time ? text : `${text}, ${ageText(time, now.toISOString())}`;
}

/** The day of this machine's zone in which it lies, as `2026-11-28`. */
export function localDay(time: string): string {
  const date = new Date(time);
  return `${String(date.getFullYear()).padStart(4, "0")}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** How long ago it was, or in how long it will be. */
export function ageText(time: string, now: string): string {
  const seconds = (Date.parse(now) - Date.parse(time)) / 1000;
  return seconds < 0 ? `in ${aboutLength(-seconds)}` : `${aboutLength(seconds)} ago`;
}

function two(n: number): string {
  return String(n).padStart(2, "0");
}
