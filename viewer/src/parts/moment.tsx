import type { JSX } from "preact";
import { isAhead } from "../../../src/views/viewer/ahead.ts";
import { useNow } from "../clock.ts";
import { clockTime, dayAndTime, exactTime, relativeTime, shortTime } from "../text/format.ts";
import { useWords } from "../text/words.ts";

/** A time in the reader's zone; the title has it to the second. A relative one is of an act: after now, another clock was wrong. */
export function Moment({
  ts,
  as = "relative",
}: {
  ts: string;
  as?: "relative" | "short" | "clock" | "as of";
}): JSX.Element {
  const { locale, aheadOfClock, justNow, time } = useWords();
  const now = useNow();
  const written = {
    relative: () =>
      isAhead(ts, new Date(now).toISOString())
        ? aheadOfClock(shortTime(ts, locale))
        : relativeTime(ts, now, locale, justNow),
    short: () => shortTime(ts, locale),
    clock: () => clockTime(ts, locale),
    "as of": () => time.asOf(dayAndTime(ts, locale)),
  };
  return (
    <time dateTime={ts} title={exactTime(ts, locale)}>
      {written[as]()}
    </time>
  );
}
