/** Markdown to HTML whose size is known. Texts of the folder are data, so no HTML, no image and no foreign scheme passes. */
import MarkdownIt from "markdown-it";
import type { Token } from "markdown-it";

const markdown = new MarkdownIt({ html: false, linkify: false, typographer: false, maxNesting: 40 });

/** Longer texts are shown as they are: a parser that works for seconds freezes the page. */
const MAX_CHARACTERS = 100_000;
/** Characters of an attribute that cost as much as an element: many links may share one long address. */
const PER_ELEMENT = 100;

// A `style` attribute is refused by the policy of the page; a class says the same.
for (const rule of ["th_open", "td_open"] as const) {
  markdown.renderer.rules[rule] = (tokens, index, options, _env, self) => {
    const token = tokens[index]!;
    const style = String(token.attrGet("style") ?? "");
    token.attrs = style ? [["class", style.replace("text-align:", "align-")]] : null;
    return self.renderToken(tokens, index, options);
  };
}
// A wide table scrolls in a box of its own.
markdown.renderer.rules["table_open"] = () => '<div class="table-box"><table>';
markdown.renderer.rules["table_close"] = () => "</table></div>";
// An image of the network would tell its host who reads: its text stands there, with its address.
markdown.renderer.rules["image"] = (tokens, index) => {
  const { content } = tokens[index]!;
  const source = String(tokens[index]!.attrGet("src") ?? "");
  return `<span class="no-image">${markdown.utils.escapeHtml(content)} (${markdown.utils.escapeHtml(source)})</span>`;
};

export interface MarkdownHtml {
  html: string;
  /** How many it has, and more for long attributes. */
  elements: number;
}

/** Undefined for a text that is too long, or whose HTML has more than `most` elements. */
export function markdownHtml(text: string, most: number): MarkdownHtml | undefined {
  if (text.length > MAX_CHARACTERS || cellsOf(text) > most) return undefined;
  const tokens = markdown.parse(text, {});
  const elements = elementsOf(tokens);
  if (elements > most) return undefined;
  return { html: markdown.renderer.render(tokens, markdown.options, {}), elements };
}

/** At least as many as its tables have: a row that ends early is filled up, so a short text may have millions. */
function cellsOf(text: string): number {
  let [cells, lines, columns] = [0, 0, 0];
  for (const line of [...text.split(/\r\n?|\n/), ""]) {
    if (/^[ \t>]*$/.test(line)) {
      cells += lines * columns;
      [lines, columns] = [0, 0];
    } else {
      lines++;
      // The line under the head has the columns.
      if (/^[ \t>|:-]*$/.test(line)) columns = Math.max(columns, line.split("|").length);
    }
  }
  return cells;
}

function elementsOf(tokens: readonly Token[]): number {
  let elements = 0;
  for (const { tag, nesting, hidden, attrs, children } of tokens) {
    if (tag !== "" && nesting >= 0 && !hidden) elements++;
    // Its box.
    if (tag === "table" && nesting > 0) elements++;
    for (const [, value] of attrs ?? []) elements += Math.floor(String(value).length / PER_ELEMENT);
    if (children) elements += elementsOf(children);
  }
  return elements;
}
