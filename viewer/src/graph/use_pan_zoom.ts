/** Moves and zooms what stands in a box: by pointer, wheel, buttons and keys. */
import type { RefObject } from "preact";
import { useEffect, useState } from "preact/hooks";
import { around } from "./first_view.ts";
import type { Rectangle } from "./first_view.ts";

export interface View {
  x: number;
  y: number;
  scale: number;
}

export interface PanZoom {
  view: View;
  zoom: (factor: number) => void;
  fit: () => void;
  /** Brings a part of the drawing to the middle, at a size that is read. */
  show: (part: Rectangle) => void;
}

/** `readable`: a drawing begins no smaller, where its text has ten pixels; all of it is one button away. `roomy`: nor larger. */
const SCALES = { least: 0.08, readable: 0.85, roomy: 1.5, most: 2.5 };
const STEP = 60;
const MARGIN = 12;

function clamp(scale: number): number {
  return Math.min(SCALES.most, Math.max(SCALES.least, scale));
}

/** The way to move a piece from `from` to `to` into sight, with a margin; its begin where it is too long. */
function shiftInto(from: number, to: number, low: number, high: number): number {
  if (from < low + MARGIN) return low + MARGIN - from;
  return to > high - MARGIN ? Math.max(high - MARGIN - to, low + MARGIN - from) : 0;
}

/** Where a drawing begins on one axis, that is `real` long: what matters in the middle, and no more ground beside it than needed. */
function begin(room: number, real: number, from: number, length: number): number {
  if (real <= room) return (room - real) / 2;
  const middle = length <= room ? room / 2 - from - length / 2 : MARGIN - from;
  return Math.min(0, Math.max(room - real, middle));
}

/** `wanted`: what the reader looks for first, where all of the drawing would be too small to read. */
export function usePanZoom(
  box: RefObject<HTMLElement | null>,
  size: { width: number; height: number },
  wanted: readonly Rectangle[],
): PanZoom {
  const [view, setView] = useState<View>({ x: 0, y: 0, scale: 1 });
  const zoomAt = (factor: number, x: number, y: number): void =>
    setView((before) => {
      const scale = clamp(before.scale * factor);
      const real = scale / before.scale;
      return { scale, x: x - (x - before.x) * real, y: y - (y - before.y) * real };
    });
  const zoom = (factor: number): void => {
    const element = box.current;
    if (element) zoomAt(factor, element.clientWidth / 2, element.clientHeight / 2);
  };
  const fitAt = (least: number): void => {
    const element = box.current;
    if (!element || size.width === 0) return;
    const whole = Math.min(element.clientWidth / size.width, element.clientHeight / size.height, SCALES.roomy);
    const scale = clamp(Math.max(whole, least));
    const room = { width: element.clientWidth / scale - MARGIN * 2, height: element.clientHeight / scale - MARGIN * 2 };
    const { x, y, width, height } = around(wanted, room) ?? { x: 0, y: 0, width: 0, height: 0 };
    setView({
      scale,
      x: begin(element.clientWidth, size.width * scale, x * scale, width * scale),
      y: begin(element.clientHeight, size.height * scale, y * scale, height * scale),
    });
  };
  const fit = (): void => fitAt(SCALES.least);
  const show = ({ x, y, width, height }: Rectangle): void => {
    const element = box.current;
    if (!element) return;
    setView((before) => {
      const scale = Math.max(before.scale, SCALES.readable);
      const middle = (room: number, from: number, length: number): number => room / 2 - (from + length / 2) * scale;
      return { scale, x: middle(element.clientWidth, x, width), y: middle(element.clientHeight, y, height) };
    });
  };
  useEffect(() => fitAt(SCALES.readable), [size.width, size.height]);

  useEffect(() => {
    const element = box.current;
    if (!element) return;
    /** Pointers that are down: one moves the drawing, two zoom it. */
    const held = new Map<number, { x: number; y: number }>();
    const wheel = (event: WheelEvent): void => {
      // Without Ctrl the wheel scrolls the page, as a reader expects.
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      const { left, top } = element.getBoundingClientRect();
      zoomAt(Math.exp(-event.deltaY / 300), event.clientX - left, event.clientY - top);
    };
    const down = (event: PointerEvent): void => {
      if (event.button !== 0 || (event.target as Element).closest("a,button")) return;
      held.set(event.pointerId, { x: event.clientX, y: event.clientY });
      element.setPointerCapture(event.pointerId);
    };
    const move = (event: PointerEvent): void => {
      const last = held.get(event.pointerId);
      if (!last) return;
      const now = { x: event.clientX, y: event.clientY };
      const other = [...held].find(([id]) => id !== event.pointerId)?.[1];
      held.set(event.pointerId, now);
      if (!other) {
        setView((before) => ({ ...before, x: before.x + now.x - last.x, y: before.y + now.y - last.y }));
        return;
      }
      const apart = (from: { x: number; y: number }): number => Math.hypot(from.x - other.x, from.y - other.y) || 1;
      const { left, top } = element.getBoundingClientRect();
      zoomAt(apart(now) / apart(last), (now.x + other.x) / 2 - left, (now.y + other.y) / 2 - top);
    };
    const up = (event: PointerEvent): void => void held.delete(event.pointerId);
    const key = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const shift = (dx: number, dy: number) => () =>
        setView((before) => ({ ...before, x: before.x + dx, y: before.y + dy }));
      const actions: Record<string, () => void> = {
        ArrowLeft: shift(STEP, 0),
        ArrowRight: shift(-STEP, 0),
        ArrowUp: shift(0, STEP),
        ArrowDown: shift(0, -STEP),
        "+": () => zoom(1.25),
        "=": () => zoom(1.25),
        "-": () => zoom(0.8),
        "0": fit,
      };
      const action = actions[event.key];
      if (!action) return;
      event.preventDefault();
      action();
    };
    const focus = ({ target }: FocusEvent): void => {
      if (target === element || !(target instanceof HTMLElement)) return;
      // The browser scrolls a box to what has the focus; here the view moves instead.
      element.scrollTo(0, 0);
      const [inner, outer] = [target.getBoundingClientRect(), element.getBoundingClientRect()];
      const dx = shiftInto(inner.left, inner.right, outer.left, outer.right);
      const dy = shiftInto(inner.top, inner.bottom, outer.top, outer.bottom);
      if (dx !== 0 || dy !== 0) setView((before) => ({ ...before, x: before.x + dx, y: before.y + dy }));
    };
    element.addEventListener("focusin", focus);
    element.addEventListener("wheel", wheel, { passive: false });
    element.addEventListener("pointerdown", down);
    element.addEventListener("pointermove", move);
    element.addEventListener("pointerup", up);
    element.addEventListener("pointercancel", up);
    element.addEventListener("keydown", key);
    return () => {
      element.removeEventListener("focusin", focus);
      element.removeEventListener("wheel", wheel);
      element.removeEventListener("pointerdown", down);
      element.removeEventListener("pointermove", move);
      element.removeEventListener("pointerup", up);
      element.removeEventListener("pointercancel", up);
      element.removeEventListener("keydown", key);
    };
  }, [size.width, size.height]);
  return { view, zoom, fit, show };
}
