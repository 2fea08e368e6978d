/** The times above the lanes. It stays in sight while lanes scroll below it. */
import type { JSX, RefObject } from "preact";
import { axisMoment } from "../text/format.ts";
import { useWords } from "../text/words.ts";
import type { Range } from "./lane_marks.ts";
import { ticksOf } from "./lane_marks.ts";

interface AxisProps {
  range: Range;
  /** Rem of the room that the lanes have. */
  width: number;
  room: RefObject<HTMLDivElement | null>;
}

export function Axis({ range, width, room }: AxisProps): JSX.Element {
  const { locale } = useWords();
  const length = range.to - range.from;
  const textAt = (at: number): string => axisMoment(range.from + at * length, length, locale);
  return (
    <div class="axis lanes-axis muted" aria-hidden="true">
      <div class="ticks" ref={room}>
        {ticksOf(width, textAt(0).length).map((at) => (
          <span key={at} class="tick" style={{ left: `${at * 100}%` }}>
            {textAt(at)}
          </span>
        ))}
      </div>
    </div>
  );
}
