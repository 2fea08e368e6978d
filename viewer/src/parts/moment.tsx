import type { JSX } from "preact";
import { useNow } from "../clock.ts";
import { clockTime, exactTime, relativeTime, shortTime } from "../text/format.ts";
import { useWords } from "../text/words.ts";

/** A time in the reader's zone; the title has it to the second. */
export function Moment({ ts, as = "relative" }: { ts: string; as?: "relative" | "short" | "clock" }): JSX.Element {
  const { locale } = useWords();
  const now = useNow();
  const written = {
    relative: () => relativeTime(ts, now, locale),
    short: () => shortTime(ts, locale),
    clock: () => clockTime(ts, locale),
  };
  return (
    <time dateTime={ts} title={exactTime(ts, locale)}>
      {written[as]()}
    </time>
  );
}
