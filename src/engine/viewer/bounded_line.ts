import { asIs } from "../../sentence.ts";
import type { Sentence } from "../../sentence.ts";
import { shorten } from "../../state/code_points.ts";

/** Findings quote names and values of a folder, which may be as long as a file. */
const MOST = 1000;

/** A sentence that is cut is a text alone. Its form has the whole values. */
export function boundedSentence(sentence: Sentence): Sentence {
  const text = boundedLine(sentence.text);
  return text === sentence.text ? sentence : asIs(text);
}

export function boundedLine(text: string): string {
  return shorten(text, MOST);
}
