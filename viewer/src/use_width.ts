import type { RefObject } from "preact";
import { useLayoutEffect, useState } from "preact/hooks";

/** Width of an element in rem, as a large monitor has larger letters; 0 before the page is laid out. */
export function useWidth(element: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const box = element.current;
    if (!box) return;
    const measure = (): void => {
      const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
      setWidth(box.clientWidth / rem);
    };
    measure();
    const watch = new ResizeObserver(measure);
    watch.observe(box);
    return () => watch.disconnect();
  }, [element]);
  return width;
}
