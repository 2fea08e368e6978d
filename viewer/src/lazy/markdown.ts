/** A chunk of its own: Markdown to safe HTML. Texts of the folder are data, so no HTML, no image and no foreign scheme passes. */
import DOMPurify from "dompurify";
import MarkdownIt from "markdown-it";

const markdown = new MarkdownIt({ html: false, linkify: false, typographer: false, maxNesting: 40 });

// A `style` attribute is refused by the policy of the page; a class says the same.
for (const rule of ["th_open", "td_open"] as const) {
  markdown.renderer.rules[rule] = (tokens, index, options, _env, self) => {
    const token = tokens[index]!;
    const style = String(token.attrGet("style") ?? "");
    token.attrs = style ? [["class", style.replace("text-align:", "align-")]] : null;
    return self.renderToken(tokens, index, options);
  };
}
// An image of the network would tell its host who reads: its text stands there, with its address.
markdown.renderer.rules["image"] = (tokens, index) => {
  const { content } = tokens[index]!;
  const source = String(tokens[index]!.attrGet("src") ?? "");
  return `<span class="no-image">${markdown.utils.escapeHtml(content)} (${markdown.utils.escapeHtml(source)})</span>`;
};

DOMPurify.addHook("afterSanitizeAttributes", (node) => {
  if (node.tagName !== "A") return;
  const href = node.getAttribute("href") ?? "";
  if (!/^(https?|mailto):/i.test(href)) node.removeAttribute("href");
  node.setAttribute("rel", "noopener noreferrer");
  node.setAttribute("target", "_blank");
});

const ALLOWED_TAGS =
  "p br hr h1 h2 h3 h4 h5 h6 ul ol li blockquote pre code em strong s a table thead tbody tr th td span".split(" ");

function render(text: string): string {
  return DOMPurify.sanitize(markdown.render(text), {
    ALLOWED_TAGS,
    ALLOWED_ATTR: ["href", "class", "start", "rel", "target"],
    ALLOW_DATA_ATTR: false,
    ALLOW_ARIA_ATTR: false,
  });
}

export interface MarkdownChunk {
  render: (text: string) => string;
}

const chunk: MarkdownChunk = { render };
Object.assign(globalThis, { taskfoldMarkdown: chunk });
