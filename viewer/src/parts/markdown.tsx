import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { useChunk } from "../data/chunk.ts";

/** Longer texts are shown as they are: a parser that works for seconds freezes the page. */
const MOST = 100_000;

/** A text of the folder as Markdown; as plain text until the renderer is there. */
export function Markdown({ text }: { text: string }): JSX.Element {
  const { chunk } = useChunk("markdown");
  const html = useMemo(() => (chunk && text.length <= MOST ? chunk.render(text) : undefined), [chunk, text]);
  if (html === undefined) return <div class="markdown plain-text">{text}</div>;
  return <div class="markdown" dangerouslySetInnerHTML={{ __html: html }} />;
}
