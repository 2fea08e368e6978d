/** The Markdown pages of the project: their code blocks, headings and links. */
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join, posix } from "node:path";
import { ROOT } from "./source.ts";

export interface CodeBlock {
  language: string;
  text: string;
}

/** Pages that people read, as paths from the root. Golden folders and data of tests are no pages. */
export const PAGES = ["", "docs", "spec", "spec/decisions", "bench", ".github"].flatMap((folder) =>
  readdirSync(join(ROOT, folder))
    .filter((name) => name.endsWith(".md"))
    .map((name) => posix.join(folder, name)),
);

/** The text of a page, with LF at each line's end. */
export function pageText(path: string): string {
  return readFileSync(join(ROOT, path), "utf8").replaceAll("\r\n", "\n");
}

/** The fenced blocks of a page, in order. */
export function codeBlocks(path: string): CodeBlock[] {
  return [...pageText(path).matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].map(([, language = "", text = ""]) => ({
    language,
    text,
  }));
}

/** Pages that quote other documents word for word, with their links. */
export const QUOTING = ["spec/coverage.md"];

/** What is wrong with the links of a page: files and headings that are not there. */
export function linkFaults(path: string, text = pageText(path)): string[] {
  return linksIn(text).flatMap((target) => {
    const [file = "", anchor] = target.split("#");
    const found = posix.join(posix.dirname(path), file);
    if (file !== "" && !existsSync(join(ROOT, found))) return [`${path}: no file ${target}`];
    if (anchor === undefined) return [];
    const headings = anchors(file === "" ? text : pageText(found));
    return headings.has(anchor) ? [] : [`${path}: no heading ${target}`];
  });
}

/** Links and pictures of a text, but for those of other sites. */
function linksIn(text: string): string[] {
  const prose = withoutCode(text);
  return [...prose.matchAll(/\]\(([^)\s]+)\)|\b(?:src|srcset|href)="([^"]+)"/g)]
    .map(([, link, attribute]) => link ?? attribute ?? "")
    .filter((target) => !/^[a-z]+:/.test(target));
}

/** Files of this project that a page names in links and pictures. */
export function filesNamedBy(path: string): string[] {
  const files = linksIn(pageText(path)).map((target) => target.replace(/#.*/, ""));
  return files.filter((file) => file !== "").map((file) => posix.join(posix.dirname(path), file));
}

/** Pictures of this project that a page shows. */
export function picturesOf(path: string): string[] {
  const shown = withoutCode(pageText(path)).matchAll(/!\[[^\]]*\]\(([^)\s]+)\)|\b(?:src|srcset)="([^"]+)"/g);
  const targets = [...shown].map(([, link, attribute]) => link ?? attribute ?? "");
  return targets.filter((target) => !/^[a-z]+:/.test(target)).map((target) => posix.join(posix.dirname(path), target));
}

function withoutCode(text: string): string {
  return text.replace(/^```[\s\S]*?^```$/gm, "").replace(/`[^`\n]*`/g, "`code`");
}

/** The anchors of a page's headings, as GitHub makes them. */
function anchors(text: string): Set<string> {
  const found = new Set<string>();
  for (const [, heading = ""] of text.replace(/^```[\s\S]*?^```$/gm, "").matchAll(/^#{1,6} +(.+?) *$/gm)) {
    const slug = heading
      .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, "")
      .replace(/\s/g, "-");
    let anchor = slug;
    for (let n = 1; found.has(anchor); n += 1) anchor = `${slug}-${n}`;
    found.add(anchor);
  }
  return found;
}
