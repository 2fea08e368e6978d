/** Which of the facts that stand out have room, and in how many letters. Pure: a board counts them for each card in sight. */
import { howManyFit, widthOf } from "./fitting.ts";

interface SignalText {
  children: string;
  /** Stands behind the text. */
  tail?: string;
  title?: string;
  /** The same in fewer letters, where a card is narrow. */
  brief?: string;
}

/** Rem around the text of a badge, and after it. */
const FRAME = 2.05;

export function textOf({ children, tail }: SignalText): string {
  return tail ? `${children} ${tail}` : children;
}

export function titleOf(signal: SignalText): string {
  const text = textOf(signal);
  return signal.title ? `${text}\n${signal.title}` : text;
}

function shortened<S extends SignalText>(signal: S): S {
  const { brief } = signal;
  return brief === undefined ? signal : { ...signal, children: brief, tail: "", title: titleOf(signal) };
}

interface PlacedSignals<S> {
  lines: (readonly S[])[];
  /** Those for which no line has room. */
  hidden: readonly S[];
}

/** On the first of lines of so many rem: whole, else in fewer letters, else on the next lines too. The least grave are left out. */
export function placeSignals<S extends SignalText>(all: readonly S[], rooms: readonly number[]): PlacedSignals<S> {
  const widths = (list: readonly S[]): number[] => list.map((signal) => FRAME + widthOf(textOf(signal)));
  if (howManyFit(widths(all), rooms[0] ?? 0, false) === all.length) return { lines: [all], hidden: [] };
  let hidden = all.map(shortened);
  const lines = rooms.map((room, at) => {
    const fit = howManyFit(widths(hidden), room, at === rooms.length - 1);
    const line = hidden.slice(0, at === 0 ? Math.max(1, fit) : fit);
    hidden = hidden.slice(line.length);
    return line;
  });
  return { lines, hidden };
}
