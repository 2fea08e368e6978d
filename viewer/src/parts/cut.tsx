import type { ComponentChildren, JSX } from "preact";
import { useWords } from "../text/words.ts";

interface CutProps {
  shown: number;
  total: number;
  /** The way to the others. */
  children?: ComponentChildren;
}

/** Below a list that is not whole: how much of it stands there, and the way to the rest. */
export function Cut({ shown, total, children }: CutProps): JSX.Element | null {
  const { count } = useWords();
  if (shown >= total) return null;
  return (
    <p class="muted cut">
      {count.cut(shown, total)} {children}
    </p>
  );
}
