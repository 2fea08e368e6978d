import type { JSX } from "preact";
import type { Sentence as OfEngine } from "../../../src/views/viewer/api.ts";
import { useWords } from "../text/words.ts";
import { Moment } from "./moment.tsx";
import { splitTimes } from "./split_times.ts";

/** A sentence of the engine, in the reader's language as far as its form is known there. */
export function Sentence({ of }: { of: OfEngine }): JSX.Element {
  const { sentence } = useWords();
  return <LocalTimes text={sentence(of)} />;
}

/** The same of a sentence that stands in a log. */
export function Logged({ text }: { text: string }): JSX.Element {
  const { logged } = useWords();
  return <LocalTimes text={logged(text)} />;
}

/** A sentence of the engine or a value of the log. Each time in it, which is in UTC there, stands in the reader's zone. */
export function LocalTimes({ text }: { text: string }): JSX.Element {
  const parts = splitTimes(text);
  return <>{parts.map((part, index) => (index % 2 === 1 ? <Moment key={index} ts={part} as="short" /> : part))}</>;
}
