import type { JSX } from "preact";
import { useWords } from "../text/words.ts";
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
}

/** Bars of the latest that fit; the table below holds the same in numbers. */
const MOST_BARS = 90;
/** The widest bar in rem: two days are no wall. */
const WIDEST = 7;

export function Bars({ label, head, columns, bars }: BarsProps): JSX.Element {
  const words = useWords();
  const shown = bars.slice(-MOST_BARS);
  const sums = shown.map(({ values }) => values.reduce((sum, value) => sum + value, 0));
  const most = Math.max(1, ...sums);
  return (
    <>
      <div class="bars-box" aria-hidden="true" style={{ maxWidth: `${shown.length * WIDEST}rem` }}>
        <div class="bars">
          {shown.map((bar, index) => (
            <div key={index} class="bar-column" title={`${bar.label}: ${bar.texts.join(", ")}`}>
              {bar.values.map((value, part) => (
                <div key={part} class={`bar-part part-${part}`} style={{ height: `${(100 * value) / most}%` }} />
              ))}
            </div>
          ))}
        </div>
        <p class="bars-ends muted">
          <span>{shown[0]?.label}</span>
          <span>{shown.length > 1 && shown.at(-1)?.label}</span>
        </p>
      </div>
      <details class="fold">
        <summary>
          <Icon name="chevron" />
          {label}: {words.count.lines(bars.length)}
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
              {bars.toReversed().map((bar, index) => (
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
