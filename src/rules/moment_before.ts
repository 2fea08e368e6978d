/** A moment of the past as people write it: so long ago, or a date or time in UTC. */
import { TaskfoldError } from "../errors.ts";

const SECONDS: Record<string, number> = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 };
const AGO = /^(\d{1,6})([smhdw])$/;
const TIME = /^(\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}:\d{2}(?:\.\d{1,3})?)?)Z?$/;

/** A text that sorts among times as they are logged. `inSeconds`: the time so many seconds from now. */
export function momentBefore(text: string, inSeconds: (seconds: number) => string): string {
  const ago = AGO.exec(text);
  if (ago) return inSeconds(-Number(ago[1]) * SECONDS[ago[2]!]!);
  const time = TIME.exec(text);
  if (time && !Number.isNaN(Date.parse(text))) return time[1]!;
  throw new TaskfoldError(
    "INVALID_INPUT",
    `Expected a duration such as 30d or 12h, or a date or time in UTC; found ${JSON.stringify(text.slice(0, 40))}.`,
    { recovery: "Give 30d for thirty days, or 2026-01-31." },
  );
}
