/** Captured text on the page, in blocks. A block that is as it was costs nothing, however often a reader searches. */
import type { JSX } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { ansiPieces, blocksOf, withMatches } from "./ansi.ts";
import type { AnsiPiece, Block, Found, Places } from "./ansi.ts";

/** Marks on each side of the match that is shown: thirty thousand of them would keep the page busy for a second. */
export const MARKS_BESIDE = 150;

/** Up to so many the browser lays all of them out. */
const FEW_BLOCKS = 24;

interface MarkedTextProps {
  /** With the codes of colours. */
  text: string;
  label: string;
  places: Places;
  /** The match that is shown; of several numbers the page comes to it again. */
  current: { hit: number; asked: number } | undefined;
}

export function MarkedText({ text, label, places, current }: MarkedTextProps): JSX.Element {
  const body = useRef<HTMLPreElement>(null);
  const drawn = useRef(new Map<string, JSX.Element>());
  const blocks = useMemo(() => blocksOf(ansiPieces(text)).map((block) => ({ ...block, sign: signOf(block) })), [text]);
  const at = Math.min(current?.hit ?? 0, Math.max(0, places.begins.length - 1));
  const [from, to] = [Math.max(0, at - MARKS_BESIDE), Math.min(places.begins.length, at + MARKS_BESIDE + 1)];
  useEffect(() => {
    body.current?.querySelector(`[data-hit="${current?.hit}"]`)?.scrollIntoView({ block: "nearest" });
  }, [current]);

  const [low, high] = [places.begins[from] ?? Infinity, (places.begins[to - 1] ?? -Infinity) + places.length];
  const draw = (block: Block & { sign: string }): JSX.Element => {
    if (block.begin < high && block.end > low)
      return (
        <span key={block.begin} class="output-block">
          {withMatches(block, places, from, to).map((piece, index) => drawPiece(piece, index, current?.hit))}
        </span>
      );
    const known = drawn.current.get(block.sign);
    if (known) return known;
    const made = (
      <span key={block.begin} class="output-block">
        {block.pieces.map((piece, index) => drawPiece(piece, index))}
      </span>
    );
    drawn.current.set(block.sign, made);
    return made;
  };
  return (
    <pre
      ref={body}
      tabIndex={0}
      role="group"
      aria-label={label}
      class={blocks.length > FEW_BLOCKS ? "many-blocks" : undefined}
    >
      {blocks.map(draw)}
    </pre>
  );
}

/** More text makes all blocks anew, of which all but the last are what they were. */
function signOf({ begin, pieces }: Block): string {
  return `${begin} ${pieces.map(({ text, look }) => `${look}\0${text}`).join("\0")}`;
}

function drawPiece({ text, look, hit }: Found | (AnsiPiece & { hit?: number }), index: number, current?: number) {
  if (hit !== undefined)
    return (
      <mark key={index} data-hit={hit} class={hit === current ? `${look} current` : look}>
        {text}
      </mark>
    );
  return look ? (
    <span key={index} class={look}>
      {text}
    </span>
  ) : (
    text
  );
}
