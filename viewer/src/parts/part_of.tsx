import type { ComponentChildren, JSX } from "preact";
import { useState } from "preact/hooks";
import { useWords } from "../text/words.ts";
import { Cut } from "./cut.tsx";

interface PartProps<T> {
  list: readonly T[];
  /** More than `list` where the answer itself is cut. */
  total?: number;
  /** So many stand on the page at first, and so many more after each click. */
  size: number;
  /** Where the others are that the answer leaves out. */
  rest?: string;
  children: (part: readonly T[]) => ComponentChildren;
}

/** The first part of a list, and more of it at a click. */
export function PartOf<T>({ list, total = list.length, size, rest, children }: PartProps<T>): JSX.Element {
  const { count } = useWords();
  const [most, setMost] = useState(size);
  return (
    <>
      {children(list.slice(0, most))}
      <Cut shown={Math.min(most, list.length)} total={Math.max(total, list.length)}>
        {most < list.length ? (
          <button type="button" class="button small" onClick={() => setMost(most + size)}>
            {count.showMore}
          </button>
        ) : (
          rest
        )}
      </Cut>
    </>
  );
}
