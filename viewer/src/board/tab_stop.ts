import type { Line } from "./select.ts";

interface Seen {
  /** The first line on the page, some above what is in sight. */
  first: number;
  /** The first line in sight. */
  top: number;
  /** Behind the last on the page. */
  end: number;
}

/**
 * The place of the one card that Tab comes to, as `line.column`. After a filter, a scroll or a change
 * the card that had the focus last may be gone or out of sight. Then the first card in sight takes its part.
 */
export function tabStop(lines: readonly Line[], seen: Seen, current?: string): string | undefined {
  const [line = -1, column = -1] = current?.split(".").map(Number) ?? [];
  if (line >= seen.first && line < seen.end && columnsWithCard(lines[line]).includes(column)) return current;
  const end = Math.min(seen.end, lines.length);
  for (const start of [seen.top, seen.first])
    for (let at = start; at < end; at++) {
      const [first] = columnsWithCard(lines[at]);
      if (first !== undefined) return `${at}.${first}`;
    }
  return undefined;
}

function columnsWithCard(line: Line | undefined): number[] {
  if (!line || !("lane" in line)) return [];
  return line.lane.columns.flatMap((column, at) => (column.length > line.index ? [at] : []));
}
