import type { JSX } from "preact";
import { useRef, useState } from "preact/hooks";
import { ticksOf } from "../agents/lane_marks.ts";
import { useWords } from "../text/words.ts";
import { useWidth } from "../use_width.ts";
import { Icon } from "./icon.tsx";

export interface Bar {
  label: string;
  /** Stacked, from the bottom up. */
  values: number[];
  /** A text for each column of the table. */
  texts: string[];
}

interface BarsProps {
  label: string;
  head: string;
  columns: readonly string[];
  bars: readonly Bar[];
  /** A height of the bars with its unit. */
  scale: (height: number) => string;
}

/** Bars of the latest that fit; the table below holds the same in numbers. */
const MAX_BARS = 90;
/** The widest bar in rem: two days are no wall. */
const WIDEST = 7;

export function Bars({ label, head, columns, bars, scale }: BarsProps): JSX.Element {
  const words = useWords();
  // Rows stand on the page once a reader opens them: a year has hundreds.
  const [isOpen, setOpen] = useState(false);
  const shown = bars.slice(-MAX_BARS);
  const sums = shown.map(({ values }) => values.reduce((sum, value) => sum + value, 0));
  const most = Math.max(1, ...sums);
  const room = useRef<HTMLDivElement>(null);
  const longest = Math.max(...shown.map((bar) => bar.label.length), 1);
  const ticks = ticksOf(useWidth(room), longest).map((at) => Math.round(at * (shown.length - 1)));
  return (
    <>
      <div class="bars-box" aria-hidden="true" style={{ maxWidth: `${shown.length * WIDEST}rem` }}>
        <p class="bars-scale muted">{scale(most)}</p>
        <div class="bars" ref={room}>
          {shown.map((bar, index) => (
            <div key={index} class="bar-column" title={words.labelled(bar.label, bar.texts.join(", "))}>
              {bar.values.map((value, part) => (
                <div key={part} class={`bar-part part-${part}`} style={{ height: `${(100 * value) / most}%` }} />
              ))}
            </div>
          ))}
        </div>
        <div class="bars-ends ticks muted">
          {[...new Set(ticks)].map((index) => (
            <span key={index} class="tick" style={placeOf(index, shown.length)}>
              {shown[index]?.label}
            </span>
          ))}
        </div>
      </div>
      <details class="fold" onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>
          <Icon name="chevron" />
          {words.labelled(label, words.count.lines(bars.length))}
        </summary>
        <div class="table-box" tabIndex={0} role="region" aria-label={label}>
          <table>
            <thead>
              <tr>
                <th scope="col">{head}</th>
                {columns.map((column) => (
                  <th key={column} scope="col" class="number">
                    {column}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {(isOpen ? bars.toReversed() : []).map((bar, index) => (
                <tr key={index}>
                  <th scope="row">{bar.label}</th>
                  {bar.texts.map((text, column) => (
                    <td key={column} class="number">
                      {text}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </>
  );
}

/** In the middle of its bar; the first and the last text of several begin and end with the bars. */
function placeOf(index: number, count: number): Record<string, string> {
  if (count > 1 && index === 0) return { left: "0", translate: "none" };
  if (count > 1 && index === count - 1) return { right: "0", translate: "none" };
  return { left: `${(100 * (index + 0.5)) / count}%` };
}
