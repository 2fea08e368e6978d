import type { ComponentChildren, JSX } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

/** A box as tall as its tallest content so far: while a reader goes from state to state, the page below stays in its place. */
export function Tallest({ children }: { children: ComponentChildren }): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  const [height, setHeight] = useState(0);
  useLayoutEffect(() => {
    const content = box.current?.firstElementChild;
    if (content) setHeight((before) => Math.max(before, content.getBoundingClientRect().height));
  });
  useEffect(() => {
    // Another width breaks other lines.
    const forget = (): void => setHeight(0);
    addEventListener("resize", forget);
    return () => removeEventListener("resize", forget);
  }, []);
  return (
    <div ref={box} style={{ minHeight: `${height}px` }}>
      {children}
    </div>
  );
}
