import type { JSX } from "preact";
import { MAX_PRINTED } from "../printing.ts";
import { useWords } from "../text/words.ts";

/** On paper, below a list that is too long for it: where all of it is. */
export function PrintNote({ lines }: { lines: number }): JSX.Element | null {
  const { state } = useWords();
  return lines > MAX_PRINTED ? <p class="on-paper">{state.printCut}</p> : null;
}
