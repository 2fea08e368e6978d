/** The document of an export: which data it reads, and what it may run. */
import { createHash } from "node:crypto";
import { TaskfoldError } from "../../errors.ts";
import type { EmbeddedData } from "../../views/viewer/api.ts";
import type { PageFile } from "./page_files.ts";

const SOURCE = /<meta\s+name="taskfold-source"\s+content="live"\s*\/?>/;
const STYLE = /<link\s[^>]*rel="stylesheet"[^>]*>/g;
const SCRIPT = /<script\s[^>]*\bsrc="[^"]*"[^>]*>\s*<\/script>/g;
const COMMON = "img-src 'self' data:; font-src 'self' data:; base-uri 'none'; form-action 'none'";

/** `file:` where a browser takes `'self'` for no file. */
const FILES_POLICY = `default-src 'none'; script-src 'self' file:; style-src 'self' file:; connect-src 'self'; ${COMMON}`;

/** The page that reads files beside it. */
export function pageOfFiles(index: string): string {
  return withSource(index, "files", FILES_POLICY);
}

/** An answer as a script: from disk a page can load nothing else. */
export function scriptText(name: string, json: string): string {
  return `taskfoldData(${JSON.stringify(name)}, ${harmless(json)});\n`;
}

/** The page with everything in it. Only the scripts that stand in it run, by their digests. */
export function inlinePage(pages: ReadonlyMap<string, PageFile>, data: EmbeddedData): string {
  const index = pages.get("index.html")!.bytes.toString("utf8");
  const named = [...index.matchAll(SCRIPT)].map(([tag]) => fileOf(pages, tag, "src"));
  const styles = [...index.matchAll(STYLE)].map(([tag]) => styleText(fileOf(pages, tag, "href")));
  const others = [...pages.values()].filter((file) => file.name.endsWith(".js") && !named.includes(file));
  const scripts = [...others, ...named].map((file) => inScript(file.bytes.toString("utf8")));
  const policy = [
    "default-src 'none'",
    `script-src ${scripts.map(digest).join(" ")}`,
    `style-src ${styles.map(digest).join(" ")}`,
    "img-src data:; font-src data:; base-uri 'none'; form-action 'none'",
  ].join("; ");
  let style = 0;
  const body = [
    `<script type="application/json" id="taskfold-data">${harmless(JSON.stringify(data))}</script>`,
    ...scripts.map((text) => `<script>${text}</script>`),
  ].join("\n");
  // Functions, because a text of users may hold what `replace` takes for a pattern.
  const page = withSource(index, "inline", policy)
    .replace(SCRIPT, () => "")
    .replace(STYLE, () => `<style>${styles[style++]!}</style>`);
  const end = page.lastIndexOf("</body>");
  return end < 0 ? `${page}\n${body}\n` : `${page.slice(0, end)}${body}\n${page.slice(end)}`;
}

/** The policy stands before whatever it is about. */
function withSource(index: string, source: "files" | "inline", policy: string): string {
  if (!SOURCE.test(index))
    throw new TaskfoldError(
      "INTERNAL",
      'Expected <meta name="taskfold-source" content="live"> in the page, found none.',
    );
  return index.replace(
    SOURCE,
    () =>
      `<meta http-equiv="Content-Security-Policy" content="${policy}"><meta name="taskfold-source" content="${source}">`,
  );
}

function fileOf(pages: ReadonlyMap<string, PageFile>, tag: string, attribute: "src" | "href"): PageFile {
  const named = new RegExp(`\\b${attribute}="(?:\\./)?([^"]*)"`).exec(tag)?.[1] ?? "";
  const file = pages.get(named);
  if (file) return file;
  throw new TaskfoldError("INTERNAL", `Expected ${JSON.stringify(named)} beside the page, found no such file.`);
}

/** JSON and scripts alike: neither ends the element, nor begins a comment, nor ends a line where a script has none. */
function harmless(json: string): string {
  return json.replaceAll("<", "\\u003c").replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029");
}

/** In texts and patterns of a script these are the same characters. */
function inScript(text: string): string {
  return text.replace(/<(?=\/script|!--|script)/gi, "\\x3c");
}

function styleText({ bytes }: PageFile): string {
  return bytes.toString("utf8").replace(/<(?=\/style)/gi, "\\3c ");
}

function digest(text: string): string {
  return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
}
