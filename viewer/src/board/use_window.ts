/** Which part of a long list is in sight: only that is on the page, between two spacers. */
import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useState } from "preact/hooks";
import { MAX_PRINTED, printing } from "../printing.ts";
import { useStore } from "../store.ts";

export interface Window {
  first: number;
  /** The first in sight. */
  top: number;
  /** Behind the last. */
  end: number;
  before: number;
  after: number;
  /** Of the box, in pixels. */
  width: number;
}

/** Lines above and below what is in sight, so that a turn of the wheel shows no gap. */
const SPARE = 6;

/** `tops`: where each line begins, and the end of the last one. */
export function useWindow(box: RefObject<HTMLElement | null>, tops: readonly number[]): Window {
  const [seen, setSeen] = useState({ top: 0, height: 900, width: 0 });
  const measure = (): void => {
    const element = box.current;
    if (!element) return;
    const next = { top: element.scrollTop, height: element.clientHeight, width: element.clientWidth };
    const isSame = (before: typeof next): boolean =>
      before.top === next.top && before.height === next.height && before.width === next.width;
    setSeen((before) => (isSame(before) ? before : next));
  };
  useLayoutEffect(measure, [tops]);
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    element.addEventListener("scroll", measure, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener("scroll", measure);
    };
  }, []);
  const count = tops.length - 1;
  const isPrinted = useStore(printing) && count <= MAX_PRINTED;
  if (isPrinted) return { first: 0, top: 0, end: count, before: 0, after: 0, width: seen.width };
  const top = lineAt(tops, seen.top);
  const first = Math.max(0, top - SPARE);
  const end = Math.min(count, lineAt(tops, seen.top + seen.height) + 1 + SPARE);
  return { first, top, end, before: tops[first] ?? 0, after: (tops[count] ?? 0) - (tops[end] ?? 0), width: seen.width };
}

/** The line that holds this height, by halving. */
export function lineAt(tops: readonly number[], height: number): number {
  let [low, high] = [0, Math.max(0, tops.length - 2)];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (tops[middle]! <= height) low = middle;
    else high = middle - 1;
  }
  return low;
}
