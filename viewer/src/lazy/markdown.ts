/** A chunk of its own: Markdown to safe HTML. */
import DOMPurify from "dompurify";
import type { MarkdownHtml } from "./markdown_html.ts";
import { markdownHtml } from "./markdown_html.ts";

DOMPurify.addHook("afterSanitizeAttributes", (node) => {
  if (node.tagName !== "A") return;
  const href = node.getAttribute("href") ?? "";
  if (!/^(https?|mailto):/i.test(href)) node.removeAttribute("href");
  node.setAttribute("rel", "noopener noreferrer");
  node.setAttribute("target", "_blank");
});

const ALLOWED_TAGS =
  "p br hr div h1 h2 h3 h4 h5 h6 ul ol li blockquote pre code em strong s a table thead tbody tr th td span".split(" ");

/** Undefined if that is more than a page has room for, of which `most` elements are left. */
export function render(text: string, most: number): MarkdownHtml | undefined {
  const made = markdownHtml(text, most);
  if (!made) return undefined;
  const html = DOMPurify.sanitize(made.html, {
    ALLOWED_TAGS,
    ALLOWED_ATTR: ["href", "class", "start", "rel", "target"],
    ALLOW_DATA_ATTR: false,
    ALLOW_ARIA_ATTR: false,
  });
  return { ...made, html };
}
