/**
 * Where a pattern matches in a text, in work that grows with the text. An engine without backtracking is linear for one
 * match. For all of them it is not: each search of `a(.*)q|a` may read on to the end. So each search here reads a
 * bounded part of the text. Where a window has very many matches, one search decides for all the rest of it.
 */
import type { Span } from "./secrets.ts";

/** The part of a compiled pattern that is used. */
export interface SearchedPattern {
  test: (text: string) => boolean;
  matcher: (text: string) => { find: (from: number) => boolean; start: () => number; end: () => number };
}

/** Characters whose matches are looked for together. */
const WINDOW = 16 * 1024;
/** A match of so many characters is found, wherever it begins. */
export const REACH = 16 * 1024;
/** A match that reaches the end of what was read is read further, up to so many characters. */
const LONGEST = 256 * 1024;
/** Searches of a window that read so far. A window with more has short matches: those after them read less. */
export const FAR_SEARCHES = 16;
export const SHORT = 128;
/** Matches of a window. A further one takes the rest of the window along. */
export const MATCHES = 1024;

/** Every match that is not empty, from left to right; none overlaps another. */
export function patternSpans(pattern: SearchedPattern, text: string): Span[] {
  // To ask whether there is a match costs a tenth of finding it, and most texts have none.
  if (!pattern.test(text)) return [];
  const spans: Span[] = [];
  let from = 0;
  while (from < text.length) {
    const end = placeNear(text, from + WINDOW);
    // With what stands before it, on which `\b` depends.
    const part = text.slice(placeNear(text, from - 1), placeNear(text, end + REACH));
    from = part.length === text.length || pattern.test(part) ? addFrom(pattern, text, from, end, spans) : end;
  }
  return spans;
}

/** Adds the matches that begin in a window. Gives where the next window begins: at its end, or behind its last match. */
function addFrom(pattern: SearchedPattern, text: string, from: number, end: number, spans: Span[]): number {
  let at = from;
  const most = spans.length + MATCHES;
  for (let searches = 0; at < end; searches++) {
    const isLast = spans.length >= most;
    const isFar = searches < FAR_SEARCHES || isLast;
    const stop = isFar ? end : Math.min(end, placeNear(text, at + SHORT));
    const span = firstBetween(pattern, text, { from: at, stop, reach: isFar ? REACH : SHORT });
    if (span === undefined) at = stop;
    else if (isLast) {
      spans.push({ start: span.start, end: Math.max(span.end, end) });
      return Math.max(span.end, end);
    } else if (span.end > span.start) {
      spans.push(span);
      at = span.end;
    } else at = placeNear(text, span.end + 1, "after");
  }
  return at;
}

/** The first match that begins between two places. */
function firstBetween(
  pattern: SearchedPattern,
  text: string,
  { from, stop, reach }: { from: number; stop: number; reach: number },
): Span | undefined {
  let cut: Span | undefined;
  let end = placeNear(text, stop + reach);
  for (let reads = 0; ; reads++) {
    const matcher = pattern.matcher(text.slice(0, end));
    const isFound = matcher.find(from) && matcher.start() < stop;
    const span = isFound ? { start: matcher.start(), end: matcher.end() } : undefined;
    // It grew twice, and is less now: to take it as it was keeps what is read in proportion to what is found.
    if (reads > 1 && cut && (!span || span.end < cut.end)) return cut;
    if (!span || span.end < end || end === text.length || end - from >= LONGEST) return span;
    cut = span;
    end = placeNear(text, from + 2 * (end - from), "after");
  }
}

/** A place that parts no character of two units: before it, or `after` it. */
function placeNear(text: string, at: number, side: "before" | "after" = "before"): number {
  if (at <= 0 || at >= text.length) return Math.min(Math.max(at, 0), text.length);
  const parts = (text.charCodeAt(at) & 0xfc00) === 0xdc00 && (text.charCodeAt(at - 1) & 0xfc00) === 0xd800;
  if (!parts) return at;
  return side === "before" ? at - 1 : at + 1;
}
