import type { JSX } from "preact";
import type { Words } from "../text/en.ts";
import { useWords } from "../text/words.ts";

/** In the language of the page; a value of a user's own stays. */
export function priorityName(value: string, { priorities }: Words): string {
  return priorities[value] ?? value;
}

/** The usual priority says nothing: only another one is named. */
export function Priority({ value }: { value: string }): JSX.Element | null {
  const words = useWords();
  if (/^(medium|normal|)$/i.test(value)) return null;
  const high = /^(high|critical|urgent)$/i.test(value);
  const name = priorityName(value, words);
  return (
    <span class={high ? "priority high" : "priority"} title={words.labelled(words.priority, name)}>
      <span class="visually-hidden">{words.priority} </span>
      {name}
    </span>
  );
}
