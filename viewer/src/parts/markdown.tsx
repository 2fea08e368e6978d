import type { JSX } from "preact";
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { useChunk } from "../data/chunk.ts";
import { blocksOf } from "./ansi.ts";
import { inTurn } from "./in_turn.ts";
import { useWords } from "../text/words.ts";

/** Elements that all texts of the page may have: what is beyond them is shown as it was written, and no page freezes. */
const MAX_ELEMENTS = 40_000;
let taken = 0;

/** A text of the folder as Markdown; as plain text until the renderer is there. */
export function Markdown({ text }: { text: string }): JSX.Element {
  const { sideways, state } = useWords();
  const { chunk } = useChunk("markdown");
  const [html, setHtml] = useState<string | null>();
  // Before the page is painted, and after texts that leave it have given back their room.
  useLayoutEffect(() => {
    if (!chunk) return undefined;
    let elements = 0;
    const takeBack = inTurn(() => {
      const made = chunk.render(text, MAX_ELEMENTS - taken);
      elements = made?.elements ?? 0;
      taken += elements;
      setHtml(made?.html ?? null);
    });
    return () => {
      takeBack();
      taken -= elements;
    };
  }, [chunk, text]);
  const body = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const { current } = body;
    if (!current) return;
    const boxes = [...current.querySelectorAll<HTMLElement>(".table-box, pre")];
    // All are measured before one is changed: a browser lays the page out once.
    const look = (): void => {
      const large = new Set(boxes.filter(isTooLarge));
      for (const box of boxes)
        setName(box, large.has(box) ? sideways[box.matches("pre") ? "code" : "table"] : undefined);
    };
    look();
    const sizes = new ResizeObserver(look);
    for (const box of boxes) sizes.observe(box);
    return () => sizes.disconnect();
  }, [html, sideways]);
  if (typeof html === "string") return <div class="markdown" ref={body} dangerouslySetInnerHTML={{ __html: html }} />;
  return (
    <>
      {html === null && <p class="muted">{state.asWritten}</p>}
      <AsWritten text={text} />
    </>
  );
}

/** In blocks, so that the browser lays out those in sight. */
function AsWritten({ text }: { text: string }): JSX.Element {
  const blocks = useMemo(() => blocksOf([{ text, look: "" }]), [text]);
  return (
    <div class="markdown">
      <div class="plain-text many-blocks">
        {blocks.map(({ begin, end }) => (
          <span key={begin} class="output-block">
            {text.slice(begin, end)}
          </span>
        ))}
      </div>
    </div>
  );
}

function isTooLarge({ scrollWidth, clientWidth, scrollHeight, clientHeight }: HTMLElement): boolean {
  return scrollWidth > clientWidth || scrollHeight > clientHeight;
}

/** Keys reach a box that scrolls, and no other. */
function setName(box: HTMLElement, name: string | undefined): void {
  const attributes = { tabindex: "0", role: "group", "aria-label": name ?? "" };
  for (const [attribute, value] of Object.entries(attributes)) {
    if (name === undefined) box.removeAttribute(attribute);
    else box.setAttribute(attribute, value);
  }
}
