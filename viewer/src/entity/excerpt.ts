/** A list, a quote or a heading before the words of a line. */
const BEGINS = /^(?:\s|#+\s|>|[-*+]\s|\d+[.)]\s)+/;
/** Rules, tables and fences: lines without prose. */
const NO_PROSE = /^(?:\||```|~~~|[-=*_\s|:]*$)/;
const MOST = 200;

/** The first line of prose of a Markdown text, without its marks; empty where there is none. */
export function excerpt(text: string): string {
  const line = text.split("\n").find((one) => !NO_PROSE.test(one.trim())) ?? "";
  const plain = line
    .slice(0, 4 * MOST)
    .replace(BEGINS, "")
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/\*\*|__|~~|`/g, "")
    .trim();
  return plain.length > MOST ? `${plain.slice(0, MOST)}…` : plain;
}
