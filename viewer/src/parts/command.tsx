import type { JSX } from "preact";
import { useRef, useState } from "preact/hooks";
import { useWords } from "../text/words.ts";

/** A command line, and a button that copies it. Where the browser lets no page write its clipboard, the button selects the line. */
export function Command({ line }: { line: string }): JSX.Element {
  const { copy } = useWords();
  const text = useRef<HTMLElement>(null);
  const [isCopied, setCopied] = useState(false);
  const take = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(line);
      setCopied(true);
    } catch {
      // No clipboard here: a person copies what is selected.
      if (text.current) getSelection()?.selectAllChildren(text.current);
    }
  };
  return (
    <p class="command-line">
      <code ref={text}>{line}</code>
      <button type="button" class="button small" aria-label={`${copy.do} ${line}`} onClick={() => void take()}>
        {isCopied ? copy.done : copy.do}
      </button>
    </p>
  );
}
